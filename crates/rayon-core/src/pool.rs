//! `ThreadPool`: a pool of its own.

use crate::broadcast::{self, BroadcastContext};
use crate::home;
use crate::join::join;
use crate::scope::{self, Scope, ScopeFifo};
use crate::spawn::Detached;
use crate::unwind::{self, Payload};
use crate::yields::{self, Yield};
use crossbeam_utils::CachePadded;
use heartbeat_pool::Worker;
use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

/// What gets a panic's payload.
pub(crate) type PanicHandler = dyn Fn(Payload) + Send + Sync;

/// What a pool, its threads and its jobs share.
pub(crate) struct Inner {
    /// None once it ends.
    pool: Option<heartbeat_pool::ThreadPool>,
    /// What each of its own threads has spawned for its oldest to run first.
    first_in: Box<[CachePadded<Mutex<VecDeque<Detached>>>]>,
    panic_handler: Option<Arc<PanicHandler>>,
}

impl Inner {
    pub(crate) fn new(
        pool: heartbeat_pool::ThreadPool,
        panic_handler: Option<Arc<PanicHandler>>,
    ) -> Self {
        Self {
            first_in: (0..pool.num_threads())
                .map(|_| CachePadded::default())
                .collect(),
            pool: Some(pool),
            panic_handler,
        }
    }

    /// As many as were asked for, those that were never run among them.
    pub(crate) fn num_threads(&self) -> usize {
        self.first_in.len()
    }

    pub(crate) fn pool(&self) -> &heartbeat_pool::ThreadPool {
        match &self.pool {
            Some(pool) => pool,
            None => unreachable!("the pool is taken when nobody has it any more"),
        }
    }

    /// Whether the calling thread belongs to this pool.
    pub(crate) fn is_own(self: &Arc<Self>) -> bool {
        home::own().is_some_and(|own| Arc::ptr_eq(&own, self))
    }

    /// Calls `f` with the calling thread's worker, if the thread belongs to this pool.
    pub(crate) fn in_own<R>(self: &Arc<Self>, f: impl FnOnce(&Worker) -> R) -> Option<R> {
        self.is_own().then(|| self.pool().with_worker(f))
    }

    pub(crate) fn first_in(&self, index: usize) -> MutexGuard<'_, VecDeque<Detached>> {
        self.first_in[index]
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs `func`; its panic is the handler's.
    pub(crate) fn run_detached(&self, func: impl FnOnce()) {
        if let Err(payload) = unwind::catch(func) {
            let what = "a job that nobody waits for";
            report(what, self.panic_handler.as_deref(), payload);
        }
    }
}

/// Gives the payload of a panic of `what`, which nobody takes, to the pool's handler. Without one,
/// or if it panics itself, the process ends.
pub(crate) fn report(what: &str, handler: Option<&PanicHandler>, payload: Payload) {
    let Some(handler) = handler else {
        unwind::abort(&format!(
            "{what} panicked, and the pool has no panic_handler"
        ));
    };
    if unwind::catch(|| handler(payload)).is_err() {
        unwind::abort("the pool's panic_handler panicked");
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        // Elsewhere: the threads may need this one to end, or be this one.
        let pool = self.pool.take();
        let end = thread::Builder::new().name("rayon end".to_owned());
        _ = end.spawn(|| drop(pool));
    }
}

/// A pool of threads of its own, beside the global one.
///
/// Made by a [`ThreadPoolBuilder`](crate::ThreadPoolBuilder). It has as many threads as it was
/// given, no more, and each keeps its index. Dropping it lets what was spawned go on to its end,
/// and then the threads, without waiting for them.
///
/// ```
/// let pool = rayon_core::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
/// let sum = pool.install(|| {
///     let (a, b) = rayon_core::join(|| 1, || 2);
///     a + b
/// });
/// assert_eq!(sum, 3);
/// ```
pub struct ThreadPool {
    inner: Arc<Inner>,
}

impl ThreadPool {
    pub(crate) fn from_inner(inner: Arc<Inner>) -> Self {
        Self { inner }
    }

    /// Deprecated in favor of [`ThreadPoolBuilder::build`](crate::ThreadPoolBuilder::build).
    ///
    /// # Errors
    ///
    /// As [`ThreadPoolBuilder::build`](crate::ThreadPoolBuilder::build).
    #[deprecated(note = "Use `ThreadPoolBuilder::build`")]
    #[allow(deprecated)]
    pub fn new(configuration: crate::Configuration) -> Result<Self, Box<dyn std::error::Error>> {
        configuration.build()
    }

    /// Runs `op` on one of the pool's threads, and waits for it; on such a thread, here and now.
    /// Rayon calls inside of it, parallel iterators too, use this pool.
    ///
    /// A thread of another pool that waits here does none of that pool's work meanwhile, unless
    /// nobody else could.
    ///
    /// # Panics
    ///
    /// With the payload that `op` panics with.
    pub fn install<OP, R>(&self, op: OP) -> R
    where
        OP: FnOnce() -> R + Send,
        R: Send,
    {
        self.inner.pool().install(|_| op())
    }

    /// Calls `op` once on each of the pool's threads. See [`broadcast`](crate::broadcast()).
    ///
    /// # Panics
    ///
    /// As [`broadcast`](crate::broadcast()).
    pub fn broadcast<OP, R>(&self, op: OP) -> Vec<R>
    where
        OP: Fn(BroadcastContext<'_>) -> R + Sync,
        R: Send,
    {
        broadcast::broadcast_in(self.inner.pool(), op)
    }

    /// How many threads the pool was asked for.
    #[inline]
    #[must_use]
    pub fn current_num_threads(&self) -> usize {
        self.inner.num_threads()
    }

    /// The calling thread's index in this pool; None for threads that don't belong to it.
    #[inline]
    #[must_use]
    pub fn current_thread_index(&self) -> Option<usize> {
        self.inner.in_own(Worker::index).flatten()
    }

    /// Whether the calling thread has work queued that it has forked or spawned itself, a moment
    /// ago; None for threads that don't belong to this pool.
    #[inline]
    #[must_use]
    pub fn current_thread_has_pending_tasks(&self) -> Option<bool> {
        self.inner.in_own(Worker::has_own_work)
    }

    /// Runs both closures in the pool. See [`join`](crate::join()).
    ///
    /// # Panics
    ///
    /// As [`join`](crate::join()).
    pub fn join<A, B, RA: Send, RB: Send>(&self, oper_a: A, oper_b: B) -> (RA, RB)
    where
        A: FnOnce() -> RA + Send,
        B: FnOnce() -> RB + Send,
    {
        self.install(|| join(oper_a, oper_b))
    }

    /// Calls `op` in the pool with a scope. See [`scope`](crate::scope()).
    ///
    /// # Panics
    ///
    /// As [`scope`](crate::scope()).
    pub fn scope<'scope, OP, R>(&self, op: OP) -> R
    where
        OP: FnOnce(&Scope<'scope>) -> R + Send,
        R: Send,
    {
        self.install(|| scope::scope(op))
    }

    /// Calls `op` in the pool with a scope. See [`scope_fifo`](crate::scope_fifo()).
    ///
    /// # Panics
    ///
    /// As [`scope`](crate::scope()).
    pub fn scope_fifo<'scope, OP, R>(&self, op: OP) -> R
    where
        OP: FnOnce(&ScopeFifo<'scope>) -> R + Send,
        R: Send,
    {
        self.install(|| scope::scope_fifo(op))
    }

    /// Calls `op` on the calling thread with a scope whose jobs run in the pool. See
    /// [`in_place_scope`](crate::in_place_scope()).
    ///
    /// # Panics
    ///
    /// As [`scope`](crate::scope()).
    pub fn in_place_scope<'scope, OP, R>(&self, op: OP) -> R
    where
        OP: FnOnce(&Scope<'scope>) -> R,
    {
        scope::in_place_in(&self.inner, op)
    }

    /// Calls `op` on the calling thread with a scope whose jobs run in the pool. See
    /// [`in_place_scope_fifo`](crate::in_place_scope_fifo()).
    ///
    /// # Panics
    ///
    /// As [`scope`](crate::scope()).
    pub fn in_place_scope_fifo<'scope, OP, R>(&self, op: OP) -> R
    where
        OP: FnOnce(&ScopeFifo<'scope>) -> R,
    {
        scope::in_place_in(&self.inner, op)
    }

    /// Spawns a job into the pool. See [`spawn`](crate::spawn()).
    pub fn spawn<OP>(&self, op: OP)
    where
        OP: FnOnce() + Send + 'static,
    {
        self.inner.spawn(op);
    }

    /// Spawns a job into the pool. See [`spawn_fifo`](crate::spawn_fifo()).
    pub fn spawn_fifo<OP>(&self, op: OP)
    where
        OP: FnOnce() + Send + 'static,
    {
        self.inner.spawn_fifo(op);
    }

    /// Calls `op` once on each of the pool's threads, and waits for none of it. See
    /// [`spawn_broadcast`](crate::spawn_broadcast()).
    pub fn spawn_broadcast<OP>(&self, op: OP)
    where
        OP: Fn(BroadcastContext<'_>) + Send + Sync + 'static,
    {
        broadcast::spawn_broadcast_in(&self.inner, op);
    }

    /// Runs one piece of the pool's work; None for threads that don't belong to this pool. See
    /// [`yield_now`](crate::yield_now()).
    pub fn yield_now(&self) -> Option<Yield> {
        self.inner.in_own(Worker::yield_now)
    }

    /// Runs one piece of the calling thread's own work; None for threads that don't belong to this
    /// pool. See [`yield_local`](crate::yield_local()).
    pub fn yield_local(&self) -> Option<Yield> {
        self.inner.in_own(yields::local)
    }
}

impl fmt::Debug for ThreadPool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ThreadPool")
            .field("num_threads", &self.current_num_threads())
            .finish_non_exhaustive()
    }
}

/// If the calling thread is inside of a pool, its index there, below
/// [`current_num_threads`](crate::current_num_threads()); None otherwise.
///
/// In a pool that was built here each thread has its own for life. In the process's one pool,
/// threads from outside and spare ones work too: there a thread keeps an index until it waits or
/// leaves. Two of them may have the same one where they work in different lanes, as the threads for
/// io and background jobs may have numbers of their own beside the frame's. And a thread may have
/// none inside of that pool either, where more run than there are numbers: whether it comes from
/// outside or back from a wait, it waits a few milliseconds for one and is told None then. So
/// code that indexes per-thread data by it should lock or use atomics there, and have a place
/// for None, as by `unwrap_or`; or use thread-locals.
///
/// ```
/// assert_eq!(rayon_core::current_thread_index(), None);
/// let pool = rayon_core::ThreadPoolBuilder::new().num_threads(4).build().unwrap();
/// assert!(pool.install(|| rayon_core::current_thread_index()).unwrap() < 4);
/// ```
#[inline]
pub fn current_thread_index() -> Option<usize> {
    Worker::with_current(|worker| worker?.slot())
}
