//! `spawn`: jobs that nobody waits for in place.

use crate::home::{self, Home};
use crate::pool::Inner;
use heartbeat_pool::{Lane, Worker};
use std::cell::Cell;
use std::sync::Arc;

thread_local! {
    /// Whether the calling thread, called for a spawned job, has found that it was run before.
    static CALLED_IN_VAIN: Cell<bool> = const { Cell::new(false) };
}

/// Whether that was so since this was asked last.
pub(crate) fn was_called_in_vain() -> bool {
    CALLED_IN_VAIN.take()
}

/// A job that nobody waits for.
pub(crate) type Detached = Box<dyn FnOnce() + Send>;

/// Spawns a job into the current pool: queued, never run inline. It may outlive the caller, so it
/// can't borrow; a [`scope`](crate::scope())'s can.
///
/// A thread runs the newest of the jobs that it has spawned first; others take its oldest. In a
/// pool that was not built here, such as the process's one pool, the oldest goes first.
///
/// A panic goes to the pool's panic handler. Without one it ends the process, or in a pool that was
/// not built here the job alone.
///
/// ```
/// let (sender, receiver) = std::sync::mpsc::channel();
/// rayon_core::spawn(move || sender.send(7).unwrap());
/// assert_eq!(receiver.recv(), Ok(7));
/// ```
pub fn spawn<F>(func: F)
where
    F: FnOnce() + Send + 'static,
{
    match Home::current() {
        Home::Built(pool) => pool.spawn(func),
        other => spawn_elsewhere(&other, func),
    }
}

/// As [`spawn`], but a thread runs the oldest of the jobs that it has spawned like this first.
///
/// ```
/// let pool = rayon_core::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
/// let (sender, receiver) = std::sync::mpsc::channel();
/// pool.install(|| {
///     for i in 0..3 {
///         let sender = sender.clone();
///         rayon_core::spawn_fifo(move || sender.send(i).unwrap());
///     }
/// });
/// drop(sender);
/// assert_eq!(receiver.iter().collect::<Vec<_>>(), [0, 1, 2]);
/// ```
pub fn spawn_fifo<F>(func: F)
where
    F: FnOnce() + Send + 'static,
{
    match Home::current() {
        Home::Built(pool) => pool.spawn_fifo(func),
        other => spawn_elsewhere(&other, func),
    }
}

/// Spawns into a pool that was not built here.
fn spawn_elsewhere(home: &Home, func: impl FnOnce() + Send + 'static) {
    match home {
        Home::Here => Worker::with_current(|worker| {
            if let Some(worker) = worker {
                worker.spawn(worker.lane(), func);
            }
        }),
        _ => heartbeat_pool::global().spawn(Lane::Frame, func),
    }
}

impl Inner {
    /// A job that keeps the pool until it is over, and whose panic is the pool's handler's.
    pub(crate) fn detached(
        self: &Arc<Self>,
        func: impl FnOnce() + Send + 'static,
    ) -> impl FnOnce() + Send + 'static {
        let pool = self.clone();
        move || pool.run_detached(func)
    }

    pub(crate) fn spawn(self: &Arc<Self>, func: impl FnOnce() + Send + 'static) {
        self.spawn_ordered(func, |pool, key, job| pool.order.push(key, job));
    }

    pub(crate) fn spawn_fifo(self: &Arc<Self>, func: impl FnOnce() + Send + 'static) {
        self.spawn_ordered(func, |pool, key, job| pool.order.push_first_in(key, job));
    }

    fn spawn_ordered(
        self: &Arc<Self>,
        func: impl FnOnce() + Send + 'static,
        push: impl FnOnce(&Self, usize, Detached),
    ) {
        if !self.is_own() {
            // From outside, the oldest goes first.
            return self.pool().spawn(Lane::Frame, self.detached(func));
        }
        push(self, home::current_key(), Box::new(func));
        let run = self.detached_one();
        self.pool().spawn(Lane::Frame, run);
    }

    /// Runs the next of the spawned jobs.
    fn detached_one(self: &Arc<Self>) -> impl FnOnce() + Send + 'static {
        let pool = self.clone();
        move || {
            match pool.order.pop(home::current_key()) {
                Some(job) => pool.run_detached(job),
                // It was run before a broadcast or by a yield.
                None => CALLED_IN_VAIN.set(true),
            }
        }
    }

    /// Runs one of the jobs that the calling thread has spawned itself, if there is one.
    pub(crate) fn run_one_spawned(&self) -> bool {
        let job = self.order.pop_own(home::current_key());
        let any = job.is_some();
        job.into_iter().for_each(|job| self.run_detached(job));
        any
    }

    /// Runs all that the calling thread has spawned itself.
    pub(crate) fn run_spawned(&self) {
        while self.run_one_spawned() {}
    }
}
