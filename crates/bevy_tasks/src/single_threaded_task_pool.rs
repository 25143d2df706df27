//! The single-threaded build's `TaskPool`: every task runs on the thread that spawns it.

use crate::executor::{LocalExecutor, with_thread_local_executor};
use crate::futures::check_ready;
use crate::{Task, block_on};
use core::any::Any;
use core::cell::{Cell, RefCell};
use core::fmt;
use core::future::{Future, poll_fn};
use core::marker::PhantomData;
use core::task::{Poll, Waker};
use futures_lite::FutureExt;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;

/// Asks for nothing in this build, where tasks stay on their thread.
pub trait MaybeSend {}
impl<T> MaybeSend for T {}

/// Asks for nothing in this build, where tasks stay on their thread.
pub trait MaybeSync {}
impl<T> MaybeSync for T {}

/// Builds a [`TaskPool`]; every setting is without effect in this build.
#[derive(Clone, Debug, Default)]
pub struct TaskPoolBuilder {}

impl TaskPoolBuilder {
    /// A builder.
    pub fn new() -> Self {
        Self::default()
    }

    /// Without effect.
    pub fn num_threads(self, _num_threads: usize) -> Self {
        self
    }

    /// Without effect.
    pub fn stack_size(self, _stack_size: usize) -> Self {
        self
    }

    /// Without effect.
    pub fn thread_name(self, _thread_name: String) -> Self {
        self
    }

    /// Without effect: no thread is made.
    pub fn on_thread_spawn(self, _f: impl Fn() + Send + Sync + 'static) -> Self {
        self
    }

    /// Without effect: no thread is made.
    pub fn on_thread_destroy(self, _f: impl Fn() + Send + Sync + 'static) -> Self {
        self
    }

    /// The pool.
    pub fn build(self) -> TaskPool {
        TaskPool {}
    }
}

/// Stands for the executor of another thread, of which there is none in this build.
#[derive(Debug, Default)]
pub struct ThreadExecutor<'a>(PhantomData<&'a ()>);

impl ThreadExecutor<'_> {
    /// The stand-in.
    pub fn new() -> Self {
        Self::default()
    }
}

/// Runs tasks on the thread that spawns them.
#[derive(Clone, Debug, Default)]
pub struct TaskPool {}

impl TaskPool {
    /// A stand-in, for there are no other threads to run on.
    pub fn get_thread_executor() -> Arc<ThreadExecutor<'static>> {
        Arc::new(ThreadExecutor::new())
    }

    /// The pool.
    pub fn new() -> Self {
        Self::default()
    }

    /// Always 1: the calling thread.
    pub fn thread_num(&self) -> usize {
        1
    }

    /// Calls `f` with a scope, runs everything spawned on it, and gives the results in the order
    /// of spawning.
    ///
    /// # Panics
    ///
    /// When `f` or a task panics, with its payload; the other tasks are dropped first.
    ///
    /// ```
    /// let pool = bevy_tasks::TaskPool::new();
    /// let results = pool.scope(|scope| {
    ///     scope.spawn(async { 1 });
    ///     scope.spawn(async { 2 });
    /// });
    /// assert_eq!(results, [1, 2]);
    /// ```
    pub fn scope<'env, F, T>(&self, f: F) -> Vec<T>
    where
        F: for<'scope> FnOnce(&'scope mut Scope<'scope, 'env, T>),
        T: Send + 'static,
    {
        self.scope_with_executor(false, None, f)
    }

    /// What `f` makes of each item, in order.
    pub(crate) fn map_each<T, R>(
        &self,
        items: impl Iterator<Item = T>,
        f: impl Fn(T) -> R,
    ) -> Vec<R> {
        items.map(f).collect()
    }

    /// As [`scope`](Self::scope): neither the flag nor the executor has an effect in this build.
    ///
    /// # Panics
    ///
    /// As [`scope`](Self::scope).
    pub fn scope_with_executor<'env, F, T>(
        &self,
        _tick_task_pool_executor: bool,
        _thread_executor: Option<&ThreadExecutor>,
        f: F,
    ) -> Vec<T>
    where
        F: for<'scope> FnOnce(&'scope mut Scope<'scope, 'env, T>),
        T: Send + 'static,
    {
        let state = ScopeState::new();
        let executor = LocalExecutor::new();
        // SAFETY: used by the scope and its futures alone. `cancel` waits below until the last of
        // these is dropped, with the executor still in place; `f` can't keep the scope, whose
        // lifetime it must accept whatever it be.
        let executor_ref: &'env LocalExecutor<'env> =
            unsafe { core::mem::transmute::<&LocalExecutor<'_>, _>(&executor) };
        // SAFETY: as above; `state` stays in place as long as the executor.
        let state_ref: &'env ScopeState<T> = unsafe { &*core::ptr::from_ref(&state) };
        let mut scope = Scope {
            executor: executor_ref,
            state: state_ref,
            scope: PhantomData,
            env: PhantomData,
        };
        // SAFETY: the scope stays in place until the last future is dropped, and is not used here
        // meanwhile.
        let scope: &'env mut Scope<'env, 'env, T> =
            unsafe { &mut *core::ptr::from_mut(&mut scope) };

        let run = || {
            f(scope);
            block_on(executor.run(state.settled()));
        };
        let outcome = catch_unwind(AssertUnwindSafe(run));
        block_on(executor.run(state.cancel()));
        if let Some(payload) = outcome.err().or(state.panic.take()) {
            resume_unwind(payload);
        }
        state.results.take().into_iter().flatten().collect()
    }

    /// Spawns a future and runs the thread's tasks until none can go on. The rest goes on with the
    /// next spawn, or when the app ticks the thread's executor.
    pub fn spawn<T>(
        &self,
        future: impl Future<Output = T> + 'static + MaybeSend + MaybeSync,
    ) -> Task<T>
    where
        T: 'static + MaybeSend + MaybeSync,
    {
        crate::cfg::switch! {{
            crate::cfg::web => {
                web_task::spawn_local(future)
            }
            _ => {
                with_thread_local_executor(|executor| {
                    let task = executor.spawn(future);
                    while executor.try_tick() {}
                    task
                })
            }
        }}
    }

    /// As [`spawn`](Self::spawn).
    pub fn spawn_local<T>(
        &self,
        future: impl Future<Output = T> + 'static + MaybeSend + MaybeSync,
    ) -> Task<T>
    where
        T: 'static + MaybeSend + MaybeSync,
    {
        self.spawn(future)
    }

    /// Calls `f` with the calling thread's executor, for instance to tick it.
    pub fn with_local_executor<F, R>(&self, f: F) -> R
    where
        F: FnOnce(&LocalExecutor) -> R,
    {
        with_thread_local_executor(f)
    }
}

struct ScopeState<T> {
    /// A place for each task, in the order of spawning.
    results: RefCell<Vec<Option<T>>>,
    pending: Cell<usize>,
    /// The first panic, which the executor would keep to itself.
    panic: RefCell<Option<Box<dyn Any + Send>>>,
    /// The handles, to cancel by; none once cancelled.
    tasks: RefCell<Option<Vec<Task<()>>>>,
    /// The scope's caller, when it waits: it sleeps rather than asks over and over.
    waiter: Cell<Option<Waker>>,
}

impl<T> ScopeState<T> {
    fn new() -> Self {
        Self {
            results: RefCell::default(),
            pending: Cell::new(0),
            panic: RefCell::default(),
            tasks: RefCell::new(Some(Vec::new())),
            waiter: Cell::default(),
        }
    }

    fn is_settled(&self) -> bool {
        self.pending.get() == 0 || self.panic.borrow().is_some()
    }

    /// Waits until every task is done, or one has panicked.
    async fn settled(&self) {
        poll_fn(|context| {
            if self.is_settled() {
                return Poll::Ready(());
            }
            self.waiter.set(Some(context.waker().clone()));
            Poll::Pending
        })
        .await;
    }

    /// Cancels every task that is left, and waits until their futures are dropped.
    ///
    /// Dropping the executor is not enough: it misses a task that another thread is waking.
    async fn cancel(&self) {
        let tasks = self.tasks.take().unwrap_or_default();
        let mut left: Vec<_> = tasks
            .into_iter()
            .filter(|task| !task.is_finished())
            .map(|task| Box::pin(task.cancel()))
            .collect();
        // The first poll is what cancels: all at once, so that none runs on meanwhile.
        left.retain_mut(|task| check_ready(task).is_none());
        for task in left {
            task.await;
        }
    }

    /// Keeps a task's outcome, and wakes the scope's caller if that was all it waits for.
    fn settle(&self, place: usize, outcome: Result<T, Box<dyn Any + Send>>) {
        self.pending.update(|pending| pending - 1);
        match outcome {
            Ok(result) => self.results.borrow_mut()[place] = Some(result),
            Err(payload) => _ = self.panic.borrow_mut().get_or_insert(payload),
        }
        if self.is_settled()
            && let Some(waiter) = self.waiter.take()
        {
            waiter.wake();
        }
    }
}

/// A scope of a [`TaskPool`], for futures that borrow.
pub struct Scope<'scope, 'env: 'scope, T> {
    executor: &'scope LocalExecutor<'scope>,
    state: &'scope ScopeState<T>,
    scope: PhantomData<&'scope mut &'scope ()>,
    env: PhantomData<&'env mut &'env ()>,
}

impl<'scope, 'env, T: Send + 'env> Scope<'scope, 'env, T> {
    /// Spawns a future that the scope runs. Once a panic has ended the scope, which a future's own
    /// drop may see, it is dropped at once.
    pub fn spawn<Fut: Future<Output = T> + 'scope + MaybeSend>(&self, f: Fut) {
        self.spawn_on_scope(f);
    }

    /// As [`spawn`](Self::spawn).
    pub fn spawn_on_external<Fut: Future<Output = T> + 'scope + MaybeSend>(&self, f: Fut) {
        self.spawn_on_scope(f);
    }

    /// As [`spawn`](Self::spawn).
    pub fn spawn_on_scope<Fut: Future<Output = T> + 'scope + MaybeSend>(&self, f: Fut) {
        let state = self.state;
        if state.tasks.borrow().is_none() {
            return;
        }
        state.pending.update(|pending| pending + 1);
        let place = state.results.borrow().len();
        state.results.borrow_mut().push(None);
        let task = self.executor.spawn(async move {
            #[expect(
                clippy::redundant_async_block,
                reason = "the block drops `f` where a panic of its drop is caught too"
            )]
            let outcome = AssertUnwindSafe(async move { f.await })
                .catch_unwind()
                .await;
            state.settle(place, outcome);
        });
        if let Some(tasks) = &mut *state.tasks.borrow_mut() {
            tasks.push(task);
        }
    }
}

impl<T> fmt::Debug for Scope<'_, '_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scope")
            .field("pending", &self.state.pending)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::pin::Pin;
    use core::task::Context;
    use std::sync::mpsc;
    use std::thread;
    use std::time::Duration;

    #[test]
    fn results_come_in_the_order_of_spawning() {
        let mut borrowed = 0;
        let results = TaskPool::new().scope(|scope| {
            scope.spawn(async {
                futures_lite::future::yield_now().await;
                1
            });
            scope.spawn_on_external(async { 2 });
            scope.spawn_on_scope(async {
                borrowed = 3;
                borrowed
            });
        });
        assert_eq!(results, [1, 2, 3]);
        assert_eq!(borrowed, 3);
    }

    #[test]
    fn a_task_may_spawn_on_its_scope() {
        let mut results = TaskPool::new().scope(|scope| {
            let scope = &*scope;
            scope.spawn(async move {
                scope.spawn(async { 2 });
                1
            });
        });
        results.sort_unstable();
        assert_eq!(results, [1, 2]);
    }

    #[test]
    fn a_scope_waits_for_a_wake_up_from_another_thread() {
        let (sender, receiver) = async_channel::bounded(1);
        let thread = thread::spawn(move || {
            thread::sleep(Duration::from_millis(20));
            sender.try_send(5).unwrap();
        });
        let results = TaskPool::new().scope(|scope| scope.spawn(async { receiver.recv().await }));
        assert_eq!(results, [Ok(5)]);
        thread.join().unwrap();
    }

    #[test]
    fn a_panic_reaches_the_caller_and_leaves_no_future_behind() {
        let token = Arc::new(());
        for in_task in [true, false] {
            let held = token.clone();
            let outcome = catch_unwind(AssertUnwindSafe(|| {
                TaskPool::new().scope(|scope| {
                    scope.spawn(async move {
                        let _held = held;
                        core::future::pending::<()>().await;
                    });
                    if in_task {
                        scope.spawn(async { panic!("it broke") });
                    } else {
                        panic!("it broke");
                    }
                });
            }));
            let payload = outcome.unwrap_err();
            assert_eq!(payload.downcast_ref::<&str>(), Some(&"it broke"));
            assert_eq!(Arc::strong_count(&token), 1);
        }
    }

    #[test]
    fn spawn_runs_at_once_as_far_as_it_can() {
        let (sender, receiver) = async_channel::bounded(1);
        let task = TaskPool::new().spawn(async move { receiver.recv().await });
        assert!(!task.is_finished());
        sender.try_send(1).unwrap();
        TaskPool::new().with_local_executor(|executor| while executor.try_tick() {});
        assert_eq!(block_on(task), Ok(1));
    }

    #[test]
    fn a_panic_in_a_futures_drop_reaches_the_caller() {
        struct Breaks;
        impl Future for Breaks {
            type Output = ();
            fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
                Poll::Ready(())
            }
        }
        impl Drop for Breaks {
            fn drop(&mut self) {
                panic!("it broke");
            }
        }
        let outcome = catch_unwind(|| TaskPool::new().scope(|scope| scope.spawn(Breaks)));
        let payload = outcome.unwrap_err();
        assert_eq!(payload.downcast_ref::<&str>(), Some(&"it broke"));
    }

    #[test]
    fn a_future_may_spawn_as_it_is_cancelled() {
        struct SpawnsOnDrop<'scope, 'env>(&'scope Scope<'scope, 'env, ()>);
        impl Drop for SpawnsOnDrop<'_, '_> {
            fn drop(&mut self) {
                self.0.spawn(async {});
            }
        }
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            TaskPool::new().scope(|scope| {
                let spawns = SpawnsOnDrop(scope);
                spawns.0.spawn(async { panic!("it broke") });
                spawns.0.spawn(async move {
                    let _spawns = spawns;
                    core::future::pending::<()>().await;
                });
            });
        }));
        assert!(outcome.is_err());
    }

    /// One thread wakes a task while the scope that holds it panics.
    #[test]
    fn a_wake_up_in_flight_keeps_no_future_alive() {
        let token = Arc::new(());
        let (sender, receiver) = mpsc::channel::<Waker>();
        let thread = thread::spawn(move || receiver.into_iter().for_each(Waker::wake));
        for _ in 0..20_000 {
            let (held, sender) = (token.clone(), &sender);
            let outcome = catch_unwind(AssertUnwindSafe(|| {
                TaskPool::new().scope(|scope| {
                    scope.spawn(poll_fn(move |context| {
                        let _held = &held;
                        sender.send(context.waker().clone()).unwrap();
                        Poll::<()>::Pending
                    }));
                    // Not `panic!`, whose message would fill the output.
                    scope.spawn(async { resume_unwind(Box::new("it broke")) });
                });
            }));
            assert!(outcome.is_err());
            assert_eq!(Arc::strong_count(&token), 1);
        }
        drop(sender);
        thread.join().unwrap();
    }
}
