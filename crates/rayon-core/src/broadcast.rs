//! `broadcast`: a call on each of a pool's threads.

use crate::home::{self, Home};
use crate::pool::Inner;
use heartbeat_pool::{Lane, Worker};
use std::fmt;
use std::iter;
use std::marker::PhantomData;
use std::sync::Arc;

/// Which of a broadcast's calls this is.
pub struct BroadcastContext<'a> {
    index: usize,
    num_threads: usize,
    /// As in rayon, for what may come.
    _marker: PhantomData<&'a mut dyn Fn()>,
}

impl BroadcastContext<'_> {
    pub(crate) fn new(index: usize, num_threads: usize) -> Self {
        Self {
            index,
            num_threads,
            _marker: PhantomData,
        }
    }

    fn from(context: heartbeat_pool::BroadcastContext) -> Self {
        Self::new(context.index(), context.num_threads())
    }

    /// The index of the pool's thread that the call is made on.
    #[inline]
    #[must_use]
    pub fn index(&self) -> usize {
        self.index
    }

    /// How many threads the broadcast is for.
    #[inline]
    #[must_use]
    pub fn num_threads(&self) -> usize {
        self.num_threads
    }
}

impl fmt::Debug for BroadcastContext<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BroadcastContext")
            .field("index", &self.index)
            .field("num_threads", &self.num_threads)
            .finish_non_exhaustive()
    }
}

/// Calls `op` once on each thread of the current pool, waits for all of it, and gives the results
/// in the order of the threads.
///
/// Each thread makes its call once it has run what it has spawned itself, or has done so for 64 ms
/// without an end, or while it waits.
///
/// # Panics
///
/// With a payload that one of the calls panicked with, after all of them are over.
///
/// ```
/// let pool = rayon_core::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
/// let squares = pool.install(|| rayon_core::broadcast(|context| context.index().pow(2)));
/// assert_eq!(squares, [0, 1, 4]);
/// ```
pub fn broadcast<OP, R>(op: OP) -> Vec<R>
where
    OP: Fn(BroadcastContext<'_>) -> R + Sync,
    R: Send,
{
    match Home::current() {
        Home::Built(pool) => broadcast_in(pool.pool(), op),
        Home::Here | Home::Process => home::with_worker(|worker| broadcast_from(worker, op)),
    }
}

pub(crate) fn broadcast_in<R: Send>(
    pool: &heartbeat_pool::ThreadPool,
    op: impl Fn(BroadcastContext<'_>) -> R + Sync,
) -> Vec<R> {
    pool.with_worker(|worker| broadcast_from(worker, op))
}

fn broadcast_from<R: Send>(
    worker: &Worker,
    op: impl Fn(BroadcastContext<'_>) -> R + Sync,
) -> Vec<R> {
    worker.broadcast(|context| op(BroadcastContext::from(context)))
}

/// Calls `op` once on each thread of the current pool, and waits for none of it. As [`broadcast`]
/// in all else; a panic goes to the pool's panic handler.
///
/// ```
/// let pool = rayon_core::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
/// let (sender, receiver) = std::sync::mpsc::channel();
/// pool.install(|| {
///     rayon_core::spawn_broadcast(move |context| sender.send(context.index()).unwrap());
/// });
/// let mut indices: Vec<_> = receiver.iter().collect();
/// indices.sort_unstable();
/// assert_eq!(indices, [0, 1, 2]);
/// ```
pub fn spawn_broadcast<OP>(op: OP)
where
    OP: Fn(BroadcastContext<'_>) + Send + Sync + 'static,
{
    match Home::current() {
        Home::Built(pool) => spawn_broadcast_in(&pool, op),
        Home::Here | Home::Process => home::with_worker(|worker| spawn_broadcast_from(worker, op)),
    }
}

pub(crate) fn spawn_broadcast_in(
    pool: &Arc<Inner>,
    op: impl Fn(BroadcastContext<'_>) + Send + Sync + 'static,
) {
    pool.pool().with_worker(|worker| {
        let num_threads = worker.num_threads();
        if num_threads == 0 {
            return pool.spawn(move || op(BroadcastContext::new(0, 1)));
        }
        for (index, call) in calls(op, num_threads) {
            // A thread that was never run misses its call.
            _ = worker.try_spawn_on(index, pool.detached(call));
        }
    });
}

/// As [`spawn_broadcast_in`], in a pool that was not built here.
fn spawn_broadcast_from(
    worker: &Worker,
    op: impl Fn(BroadcastContext<'_>) + Send + Sync + 'static,
) {
    let num_threads = worker.num_threads();
    if num_threads == 0 {
        return worker.spawn(Lane::Frame, move || op(BroadcastContext::new(0, 1)));
    }
    for (index, call) in calls(op, num_threads) {
        // A thread that the system refused, or that ends just now, misses its call.
        _ = worker.try_spawn_on(index, call);
    }
}

/// A call of `op` for each of so many threads, with the index of that one. The last call has all
/// that is left of `op`, so that this ends on a thread that reports its panic.
fn calls<OP: Fn(BroadcastContext<'_>) + Send + Sync + 'static>(
    op: OP,
    num_threads: usize,
) -> impl Iterator<Item = (usize, impl FnOnce() + Send + 'static)> {
    let ops = iter::repeat_n(Arc::new(op), num_threads);
    let call = move |(index, op): (usize, Arc<OP>)| {
        (index, move || op(BroadcastContext::new(index, num_threads)))
    };
    ops.enumerate().map(call)
}
