//! `spawn` and the like: work that nobody waits for in place.
//!
//! Spawned work is queued where any worker can take it at once, never run inline, and costs one
//! allocation: a box for a closure, an [`async_task`] task for a future.

use crate::active::Tracked;
use crate::job::Job;
use crate::registry::Registry;
use crate::sync::Arc;
use crate::worker::Worker;
use async_task::{Runnable, ScheduleInfo, Task, WithInfo};
use heartbeat_record::Lane;
use std::future::Future;

impl Registry {
    /// A detached closure, whose panic is the handler's.
    pub(crate) fn reported(self: &Arc<Self>, f: impl FnOnce() + Send + 'static) -> Job {
        let registry = self.clone();
        Job::new(Box::new(move || registry.guard(f)))
    }

    pub(crate) fn spawn(self: &Arc<Self>, lane: Lane, f: impl FnOnce() + Send + 'static) {
        self.call_lower(lane);
        self.push(lane, self.reported(f));
    }

    pub(crate) fn spawn_future<F>(self: &Arc<Self>, lane: Lane, future: F) -> Task<F::Output>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        self.call_lower(lane);
        // SAFETY: `schedule` holds a count of the owner.
        let future = unsafe { Tracked::new(future, self) };
        let owner = self.clone();
        let schedule = move |runnable: Runnable, info: ScheduleInfo| {
            let job = Job::new(runnable);
            if info.woken_while_running {
                owner.push_again(lane, job);
            } else {
                owner.push(lane, job);
            }
        };
        let builder = async_task::Builder::new().propagate_panic(true);
        let (runnable, task) = builder.spawn(|()| future, WithInfo(schedule));
        // Not by `schedule`, for which async-task would count the task once more.
        self.push(lane, Job::new(runnable));
        task
    }
}

impl Worker {
    /// Spawns a closure on `lane`. See [`ThreadPool::spawn`](crate::ThreadPool::spawn).
    pub fn spawn(&self, lane: Lane, f: impl FnOnce() + Send + 'static) {
        self.registry.spawn(lane, f);
    }
}

/// Spawns a closure on `lane` of the pool that the calling thread is inside of.
///
/// # Panics
///
/// Outside of any pool.
///
/// ```
/// use heartbeat_pool::{Lane, ThreadPool};
/// let pool = ThreadPool::builder().num_threads(1).build().unwrap();
/// let (sender, receiver) = std::sync::mpsc::channel();
/// pool.with_worker(|_| heartbeat_pool::spawn(Lane::Background, move || sender.send(7).unwrap()));
/// assert_eq!(receiver.recv(), Ok(7));
/// ```
pub fn spawn(lane: Lane, f: impl FnOnce() + Send + 'static) {
    Worker::current_for("spawn", |worker| worker.spawn(lane, f));
}

/// Spawns a future on `lane` of the pool that the calling thread is inside of. To drop the task
/// cancels it, to detach it lets it run on; a panic in it is resumed by whoever awaits the task.
/// See [`ThreadPool::spawn_future`](crate::ThreadPool::spawn_future).
///
/// # Panics
///
/// Outside of any pool.
pub fn spawn_future<F>(lane: Lane, future: F) -> Task<F::Output>
where
    F: Future + Send + 'static,
    F::Output: Send + 'static,
{
    Worker::current_for("spawn_future", |worker| {
        worker.registry.spawn_future(lane, future)
    })
}
