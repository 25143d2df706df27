//! Yielding: let other work have the thread for a moment.

use crate::scope;
use heartbeat_pool::{Scope, Worker};

pub use heartbeat_pool::Yield;

pub(crate) fn local(worker: &Worker) -> Yield {
    let has_run =
        worker.run_newest() || worker.run_spawned() || scope::of_innermost(Scope::run_one);
    if has_run {
        return Yield::Executed;
    }
    match worker.yield_local() {
        // What a thread from outside spawns lies in the pool's queue.
        Yield::Idle if !worker.is_member() => worker.yield_now(),
        done => done,
    }
}

pub(crate) fn now(worker: &Worker) -> Yield {
    worker.yield_now()
}

pub(crate) fn has_pending(worker: &Worker) -> bool {
    worker.has_forks() || worker.has_spawned() || scope::of_innermost(Scope::has_queued)
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
    Worker::with_current(|worker| worker.map(now))
}

/// As [`yield_now`], but runs only what the calling thread has forked or spawned itself, or what
/// anybody has spawned on the innermost scope that it is in. On a thread of the process's pool what
/// that has taken over from others may be among it; on a thread from outside of that, anybody's may
/// run, as what such a thread spawns lies with the rest.
///
/// ```
/// assert_eq!(rayon_core::yield_local(), None);
/// let pool = rayon_core::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
/// assert_eq!(pool.install(rayon_core::yield_local), Some(rayon_core::Yield::Idle));
/// ```
pub fn yield_local() -> Option<Yield> {
    Worker::with_current(|worker| worker.map(local))
}

/// Whether there is work queued that [`yield_local`] would run, a moment ago; None outside of any
/// pool.
///
/// ```
/// assert_eq!(rayon_core::current_thread_has_pending_tasks(), None);
/// ```
#[inline]
#[must_use]
pub fn current_thread_has_pending_tasks() -> Option<bool> {
    Worker::with_current(|worker| worker.map(has_pending))
}
