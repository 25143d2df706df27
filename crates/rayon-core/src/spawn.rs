//! `spawn`: jobs that nobody waits for in place.

use crate::home::Home;
use crate::pool::Inner;
use heartbeat_pool::{Lane, Worker};
use std::sync::Arc;

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
        Home::Here | Home::Process => spawn_elsewhere(func),
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
        Home::Here | Home::Process => spawn_elsewhere(func),
    }
}

/// Spawns into a pool that was not built here: that of the thread, or the process's.
fn spawn_elsewhere(func: impl FnOnce() + Send + 'static) {
    Worker::with_current(|worker| match worker {
        // Whatever its lane: what runs there may wait for this, and have all its budget.
        Some(worker) => worker.spawn(Lane::Frame, func),
        None => heartbeat_pool::global().spawn(Lane::Frame, func),
    });
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
        self.pool().spawn(Lane::Frame, self.detached(func));
    }

    pub(crate) fn spawn_fifo(self: &Arc<Self>, func: impl FnOnce() + Send + 'static) {
        let Some(index) = self.in_own(Worker::index).flatten() else {
            // From outside, the oldest goes first in any case.
            return self.spawn(func);
        };
        self.first_in(index)
            .push_back(Box::new(self.detached(func)));
        let pool = self.clone();
        // It comes by turns with what is spawned newest first, and stands for the oldest of these.
        self.pool().spawn(Lane::Frame, move || {
            let oldest = pool.first_in(index).pop_front();
            oldest.into_iter().for_each(|job| job());
        });
    }
}
