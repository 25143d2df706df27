//! Work that blocks: on a file, a lock, a foreign library. It holds a thread but no core.

use crate::active::Tracked;
use crate::job::Job;
use crate::registry::Registry;
use crate::schedule::News;
use crate::sync::Arc;
use crate::worker::Worker;
use async_task::{Runnable, Task};
use heartbeat_record::{Lane, Place, note};

impl Registry {
    pub(crate) fn spawn_blocking<R>(
        self: &Arc<Self>,
        f: impl FnOnce() -> R + Send + 'static,
    ) -> Task<R>
    where
        R: Send + 'static,
    {
        let registry = self.clone();
        let schedule = move |runnable: Runnable| {
            let job = Job::new(runnable);
            note::queued(job.number(), Lane::Frame, Place::Blocking);
            // After the pool's end the job comes back, and dropping it cancels the task.
            if registry.blocking.push(job).is_ok() {
                registry.tell(registry.frame(), News::blocking());
            }
        };
        let builder = async_task::Builder::new().propagate_panic(true);
        // SAFETY: `schedule` holds a count of the owner.
        let future = unsafe { Tracked::new(async move { f() }, self) };
        let (runnable, task) = builder.spawn(|()| future, schedule);
        runnable.schedule();
        task
    }
}

/// Runs `f`, which may block, on a thread of the pool that holds no core meanwhile: all lanes keep
/// theirs. Threads are started as needed, 512 for one pool at most, and end when they are idle;
/// beyond that, jobs wait for one another. None is a [lower
/// one](crate::ThreadPoolBuilder::lower_threads), for frames may wait for the call. In a pool
/// without [spare threads](crate::ThreadPoolBuilder::spare_threads) none are started: a call holds
/// one of the pool's.
///
/// Dropping the task cancels it, if `f` has not begun; a panic in `f` is shown to the pool's panic
/// handler and resumed by whoever awaits the task. In a pool without threads, whoever does its work
/// runs `f`. The idea is tokio's.
///
/// # Panics
///
/// Outside of any pool.
///
/// ```
/// let pool = heartbeat_pool::ThreadPool::builder().num_threads(1).build().unwrap();
/// let (sender, receiver) = std::sync::mpsc::channel();
/// // Would block the only thread, were it an ordinary job.
/// let answer = pool.spawn_blocking(move || receiver.recv().unwrap());
/// pool.spawn(heartbeat_pool::Lane::Frame, move || sender.send(7).unwrap());
/// assert_eq!(pool.block_on(answer), 7);
/// ```
pub fn spawn_blocking<R>(f: impl FnOnce() -> R + Send + 'static) -> Task<R>
where
    R: Send + 'static,
{
    Worker::current_for("spawn_blocking", |worker| worker.registry.spawn_blocking(f))
}

/// Runs `f`, which may block, here and now; a spare thread runs in its place meanwhile, so
/// the pool keeps its cores busy. Outside of any pool it is a plain call.
///
/// What the caller has forked and not finished is offered to others first, so `f` may wait for it.
/// Should the system refuse the spare thread, it is asked again by the next spawn or wait. The idea
/// is tokio's.
///
/// ```
/// use heartbeat_pool::{Lane, ThreadPool, block_in_place};
///
/// let pool = ThreadPool::builder().num_threads(1).build().unwrap();
/// let (sender, receiver) = std::sync::mpsc::channel();
/// let task = pool.spawn_future(Lane::Frame, async move {
///     heartbeat_pool::spawn(Lane::Frame, move || sender.send(7).unwrap());
///     block_in_place(|| receiver.recv().unwrap())
/// });
/// assert_eq!(pool.block_on(task), 7);
/// ```
pub fn block_in_place<R>(f: impl FnOnce() -> R) -> R {
    let _standing = Worker::stand_up();
    f()
}
