//! The thread-local executor that `spawn_local` uses in both builds.

use core::fmt;
use derive_more::{Deref, DerefMut};
use std::rc::Rc;

/// An executor of tasks that stay on one thread; it derefs to [`async_executor::LocalExecutor`].
#[derive(Default, Deref, DerefMut)]
pub struct LocalExecutor<'a>(async_executor::LocalExecutor<'a>);

impl LocalExecutor<'_> {
    /// An executor without tasks.
    pub const fn new() -> Self {
        Self(async_executor::LocalExecutor::new())
    }
}

impl fmt::Debug for LocalExecutor<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LocalExecutor").finish()
    }
}

thread_local! {
    static LOCAL_EXECUTOR: Rc<LocalExecutor<'static>> = Rc::new(LocalExecutor::new());
}

/// Calls `f` with the calling thread's executor, which nobody drives for that.
pub(crate) fn with_thread_local_executor<R>(f: impl FnOnce(&LocalExecutor<'static>) -> R) -> R {
    LOCAL_EXECUTOR.with(|executor| f(executor))
}

crate::cfg::multi_threaded! {
    use async_task::Task;
    use core::cell::Cell;
    use core::future::Future;
    use heartbeat_pool::Worker;

    thread_local! {
        /// Whether this pool thread drives its local executor already.
        static DRIVEN: Cell<bool> = const { Cell::new(false) };
    }

    /// Calls `f` with the calling thread's executor, which a pool's thread drives between jobs.
    pub(crate) fn with_driven_executor<R>(f: impl FnOnce(&LocalExecutor<'static>) -> R) -> R {
        let executor = LOCAL_EXECUTOR.with(Rc::clone);
        let result = f(&executor);
        if !executor.is_empty()
            && let Some(mailbox) = Worker::own_mailbox()
            && !DRIVEN.replace(true)
        {
            // It ends when it has run the last task, for a thread that has one is kept.
            let drive = async move {
                while !executor.is_empty() {
                    executor.tick().await;
                    // The pool's work has its turns, however long tasks here go on.
                    heartbeat_pool::yield_task().await;
                }
                DRIVEN.set(false);
            };
            mailbox.spawn_local(drive).detach();
        }
        result
    }

    /// What drives the executor of the thread that polls it first, until `future` is ready.
    pub(crate) async fn drive_until<T>(future: impl Future<Output = T>) -> T {
        let executor = LOCAL_EXECUTOR.with(Rc::clone);
        executor.run(future).await
    }

    /// Spawns onto that executor.
    pub(crate) fn spawn_local<T: 'static>(future: impl Future<Output = T> + 'static) -> Task<T> {
        with_driven_executor(|executor| executor.spawn(future))
    }
}
