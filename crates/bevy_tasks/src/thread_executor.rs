//! Work for one thread, in the engine's words: a mailbox with a ticker.

use async_task::Task;
use core::future::Future;
use core::marker::PhantomData;
use heartbeat_pool::Mailbox;
use std::sync::Arc;

/// An executor whose tasks run on the thread that made it, and may be spawned from any.
///
/// They run when that thread ticks the executor, or waits in a scope that was given it.
///
/// ```
/// use bevy_tasks::ThreadExecutor;
/// use std::sync::Arc;
///
/// let executor = Arc::new(ThreadExecutor::new());
/// let elsewhere = executor.clone();
/// let task = std::thread::spawn(move || {
///     // Another thread may spawn, but it gets no ticker.
///     assert!(elsewhere.ticker().is_none());
///     elsewhere.spawn(async { 6 * 7 })
/// })
/// .join()
/// .unwrap();
///
/// let ticker = executor.ticker().unwrap();
/// while ticker.try_tick() {}
/// assert_eq!(bevy_tasks::block_on(task), 42);
/// ```
#[derive(Debug)]
pub struct ThreadExecutor<'task> {
    mailbox: Arc<Mailbox>,
    /// Invariant: an executor for long-lived tasks must not pass for one that takes short-lived.
    tasks: PhantomData<fn(&'task ()) -> &'task ()>,
}

impl Default for ThreadExecutor<'_> {
    fn default() -> Self {
        Self {
            mailbox: Arc::new(Mailbox::new()),
            tasks: PhantomData,
        }
    }
}

impl<'task> ThreadExecutor<'task> {
    /// An executor of the calling thread.
    pub fn new() -> Self {
        Self::default()
    }

    /// Spawns a task that runs on the executor's thread.
    pub fn spawn<T: Send + 'task>(
        &self,
        future: impl Future<Output = T> + Send + 'task,
    ) -> Task<T> {
        // SAFETY: what the future borrows outlives 'task, which outlives the executor, whose drop
        // closes the mailbox: that drops every future that is left, but for one whose wake-up is
        // under way, which nobody touches again. No tick is under way then, for a ticker borrows
        // the executor.
        unsafe { self.mailbox.spawn_unchecked(future) }
    }

    /// The ticker, on the thread that made the executor; none elsewhere.
    pub fn ticker<'ticker>(&'ticker self) -> Option<ThreadExecutorTicker<'task, 'ticker>> {
        self.mailbox.is_mine().then_some(ThreadExecutorTicker {
            executor: self,
            not_send: PhantomData,
        })
    }

    /// Whether the two are one executor.
    pub fn is_same(&self, other: &Self) -> bool {
        core::ptr::eq(self, other)
    }

    pub(crate) fn mailbox(&self) -> &Arc<Mailbox> {
        &self.mailbox
    }
}

impl Drop for ThreadExecutor<'_> {
    fn drop(&mut self) {
        self.mailbox.close();
    }
}

/// Runs a [`ThreadExecutor`]'s tasks; it can't leave the executor's thread.
#[derive(Debug)]
pub struct ThreadExecutorTicker<'task, 'ticker> {
    executor: &'ticker ThreadExecutor<'task>,
    not_send: PhantomData<*const ()>,
}

impl ThreadExecutorTicker<'_, '_> {
    /// Runs one task, once there is one.
    pub async fn tick(&self) {
        while !self.try_tick() {
            let arrival = self.executor.mailbox.listen();
            // What came before the listener did not notify it.
            if self.executor.mailbox.is_empty() {
                arrival.await;
            }
        }
    }

    /// Runs one task if there is one, and tells whether it did.
    pub fn try_tick(&self) -> bool {
        self.executor.mailbox.try_tick()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn only_the_thread_that_made_it_gets_a_ticker() {
        let executor = ThreadExecutor::new();
        assert!(executor.ticker().is_some());
        thread::scope(|scope| {
            scope.spawn(|| assert!(executor.ticker().is_none()));
        });
    }

    #[test]
    fn borrowed_tasks_are_dropped_with_their_executor() {
        struct Drops<'a>(&'a std::cell::Cell<u32>);
        impl Drop for Drops<'_> {
            fn drop(&mut self) {
                self.0.set(self.0.get() + 1);
            }
        }
        // `Cell` is not `Sync`, so the reference is smuggled; everything here is one thread.
        struct Smuggled<'a>(Drops<'a>);
        // SAFETY: the executor is made, ticked and dropped on this thread alone.
        unsafe impl Send for Smuggled<'_> {}

        let drops = std::cell::Cell::new(0);
        let executor = ThreadExecutor::new();
        let held = Smuggled(Drops(&drops));
        executor
            .spawn(async move {
                let held = held;
                core::future::pending::<()>().await;
                drop(held.0);
            })
            .detach();
        assert!(executor.ticker().unwrap().try_tick());
        assert_eq!(drops.get(), 0);
        drop(executor);
        assert_eq!(drops.get(), 1);
    }

    #[test]
    fn an_async_tick_waits_for_a_task() {
        let executor = Arc::new(ThreadExecutor::new());
        let spawner = executor.clone();
        let thread = thread::spawn(move || {
            thread::sleep(std::time::Duration::from_millis(5));
            spawner.spawn(async {}).detach();
        });
        crate::block_on(executor.ticker().unwrap().tick());
        thread.join().unwrap();
    }
}
