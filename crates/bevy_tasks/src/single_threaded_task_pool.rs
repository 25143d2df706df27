//! The single-threaded build's `TaskPool`: every task runs on the thread that spawns it.

use crate::executor::{LocalExecutor, with_thread_local_executor};
use crate::{Task, block_on};
use core::any::Any;
use core::cell::{Cell, RefCell};
use core::fmt;
use core::future::Future;
use core::marker::PhantomData;
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
        let state = ScopeState {
            results: RefCell::new(Vec::new()),
            pending: Cell::new(0),
            panic: RefCell::new(None),
        };
        // Declared after `state`, so dropped before it, with every future that is left.
        let executor = LocalExecutor::new();
        // SAFETY: used by the scope and its futures alone. These are dropped with the executor,
        // after which nothing of this is used; `f` can't keep the scope, whose lifetime it must
        // accept whatever it be.
        let executor_ref: &'env LocalExecutor<'env> =
            unsafe { core::mem::transmute::<&LocalExecutor<'_>, _>(&executor) };
        // SAFETY: as above; `state` outlives the executor.
        let state_ref: &'env ScopeState<T> = unsafe { &*core::ptr::from_ref(&state) };
        let mut scope = Scope {
            executor: executor_ref,
            state: state_ref,
            scope: PhantomData,
            env: PhantomData,
        };
        // SAFETY: the scope stays in place until the executor is dropped, and is not used here
        // meanwhile.
        let scope: &'env mut Scope<'env, 'env, T> = unsafe { &mut *core::ptr::from_mut(&mut scope) };

        let run = || {
            f(scope);
            block_on(executor.run(async {
                while state.pending.get() > 0 && state.panic.borrow().is_none() {
                    futures_lite::future::yield_now().await;
                }
            }));
        };
        let outcome = catch_unwind(AssertUnwindSafe(run));
        drop(executor);
        if let Some(payload) = outcome.err().or(state.panic.into_inner()) {
            resume_unwind(payload);
        }
        state.results.into_inner().into_iter().flatten().collect()
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
}

/// A scope of a [`TaskPool`], for futures that borrow.
pub struct Scope<'scope, 'env: 'scope, T> {
    executor: &'scope LocalExecutor<'scope>,
    state: &'scope ScopeState<T>,
    scope: PhantomData<&'scope mut &'scope ()>,
    env: PhantomData<&'env mut &'env ()>,
}

impl<'scope, 'env, T: Send + 'env> Scope<'scope, 'env, T> {
    /// Spawns a future that the scope runs.
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
        state.pending.update(|pending| pending + 1);
        let place = state.results.borrow().len();
        state.results.borrow_mut().push(None);
        let placed = async move {
            match AssertUnwindSafe(f).catch_unwind().await {
                Ok(result) => state.results.borrow_mut()[place] = Some(result),
                Err(payload) => _ = state.panic.borrow_mut().get_or_insert(payload),
            }
            state.pending.update(|pending| pending - 1);
        };
        self.executor.spawn(placed).detach();
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
}
