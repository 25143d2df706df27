//! Yielding: let other work have the thread for a moment.

use crate::home::Home;
use heartbeat_pool::Worker;

pub use heartbeat_pool::Yield;

pub(crate) fn local(worker: &Worker) -> Yield {
    match worker.yield_local() {
        // What a thread spawns in the process's pool may lie with the rest.
        Yield::Idle if !matches!(Home::current(), Home::Built(_)) => worker.yield_now(),
        done => done,
    }
}

/// Runs one piece of the current pool's work on the calling thread, anybody's, and tells whether
/// there was any; None outside of any pool.
///
/// For loops that wait for something that a job does. What runs here nests on the caller's stack
/// and may want any lock, so hold none.
///
/// ```
/// assert_eq!(rayon_core::yield_now(), None);
/// let pool = rayon_core::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
/// pool.install(|| {
///     rayon_core::spawn(|| ());
///     assert_eq!(rayon_core::yield_now(), Some(rayon_core::Yield::Executed));
/// });
/// ```
pub fn yield_now() -> Option<Yield> {
    Worker::with_current(|worker| worker.map(Worker::yield_now))
}

/// As [`yield_now`], but runs only what the calling thread has forked or spawned itself, the newest
/// first. In the process's pool anybody's may run, if there is none of that: what is spawned there
/// may lie with the rest.
///
/// ```
/// assert_eq!(rayon_core::yield_local(), None);
/// let pool = rayon_core::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
/// assert_eq!(pool.install(rayon_core::yield_local), Some(rayon_core::Yield::Idle));
/// ```
pub fn yield_local() -> Option<Yield> {
    Worker::with_current(|worker| worker.map(local))
}

/// Whether the calling thread has work queued that it has forked or spawned itself, a moment ago;
/// None outside of any pool. In the process's pool what it has spawned may lie with the rest, and
/// is not seen then, nor is any while the thread runs an io or background job.
///
/// ```
/// assert_eq!(rayon_core::current_thread_has_pending_tasks(), None);
/// ```
#[inline]
pub fn current_thread_has_pending_tasks() -> Option<bool> {
    Worker::with_current(|worker| worker.map(Worker::has_own_work))
}
