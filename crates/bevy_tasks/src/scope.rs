//! The engine's `Scope`, over the pool's: futures with results, on the pool or on a given thread.

use crate::Task;
use crate::batches::Expected;
use crate::first_poll::first_poll;
use crate::iteration::{Batch, Iteration, Taken};
use crate::task_pool::TaskPool;
use crate::thread_executor::ThreadExecutor;
use core::any::{Any, TypeId};
use core::fmt;
use core::future::Future;
use core::marker::PhantomData;
use core::mem;
use core::panic::{AssertUnwindSafe, RefUnwindSafe, UnwindSafe};
use core::pin::Pin;
use core::task::{Context, Poll};
use heartbeat_pool::{Mailbox, ThreadPool};
use pin_project_lite::pin_project;
use std::panic::{catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What outlives the scope's closure: what its tasks have in common.
pub(crate) struct ScopeState<T> {
    /// How many tasks were spawned: each one's place among the results.
    spawned: AtomicUsize,
    /// Results as they come, each with its place. None are kept of tasks that give `()`.
    results: Mutex<Vec<(usize, T)>>,
    keeps_results: bool,
    cancelled: AtomicBool,
    /// The handles of tasks that wait or belong to a thread, to cancel them by.
    tasks: Mutex<Vec<Task<()>>>,
}

impl<T: 'static> ScopeState<T> {
    fn new() -> Self {
        Self {
            spawned: AtomicUsize::new(0),
            results: Mutex::new(Vec::new()),
            keeps_results: TypeId::of::<T>() != TypeId::of::<()>(),
            cancelled: AtomicBool::new(false),
            tasks: Mutex::new(Vec::new()),
        }
    }

    fn into_results(self) -> Vec<T> {
        // Every task is over, and none was cancelled: then there is no return.
        let mut units = vec![(); self.spawned.into_inner()];
        if let Some(units) = (&mut units as &mut dyn Any).downcast_mut::<Vec<T>>() {
            return mem::take(units);
        }
        let mut results = self
            .results
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        results.sort_unstable_by_key(|(place, _)| *place);
        results.into_iter().map(|(_, result)| result).collect()
    }
}

// A task or a closure that panics leaves nothing of it half done.
impl<T> UnwindSafe for Scope<'_, '_, T> {}
impl<T> RefUnwindSafe for Scope<'_, '_, T> {}

impl<T> ScopeState<T> {
    /// Keeps a task's result for the scope's caller.
    fn finish(&self, place: usize, result: T) {
        if self.keeps_results {
            lock(&self.results).push((place, result));
        }
    }

    /// Cancels every task, those still to be spawned as well.
    fn cancel(&self) {
        // SeqCst, as the load in `keep`: each handle is either found below or dropped there.
        self.cancelled.store(true, Ordering::SeqCst);
        let tasks = mem::take(&mut *lock(&self.tasks));
        // Outside of the lock: a task's drop may run the future's.
        drop(tasks);
    }

    /// Keeps a task to cancel it by.
    fn keep(&self, task: Task<()>) {
        lock(&self.tasks).push(task);
        if self.cancelled.load(Ordering::SeqCst) {
            self.cancel();
        }
    }
}

impl<T: 'static> ScopeState<T> {
    /// Runs a whole scope on `pool`. Of an iteration, of which something is expected, it gives as
    /// well what that came to. The calling thread ticks its own executor while it waits, and
    /// `external` if that is its own as well.
    pub(crate) fn run<'env, F>(
        pool: &ThreadPool,
        external: Option<&ThreadExecutor>,
        expected: Option<Expected>,
        f: F,
    ) -> (Vec<T>, Option<Taken>)
    where
        F: for<'scope> FnOnce(&'scope Scope<'scope, 'env, T>),
        T: Send + 'static,
    {
        let here = TaskPool::get_thread_executor();
        let external = external.map_or(here.mailbox(), ThreadExecutor::mailbox);
        let here = here.mailbox();
        let state = Self::new();
        let iteration = expected.map(|it| Iteration::new(it, pool.num_threads()));
        let slot = OnceLock::new();
        let both = [here, external];
        let distinct = !Arc::ptr_eq(here, external) && external.is_mine();
        let mailboxes = if distinct { &both[..] } else { &both[..1] };
        pool.scope_with_mailboxes(mailboxes, |inner| {
            // SAFETY: used by the closure and by the scope's tasks alone. The pool's scope ends
            // after all of them, and `inner` lives until then.
            let inner: &'env heartbeat_pool::Scope<'env, 'env> =
                unsafe { mem::transmute::<&heartbeat_pool::Scope<'_, '_>, _>(inner) };
            // SAFETY: as above; `state` is declared before the scope begins and moved after.
            let state: &'env Self = unsafe { &*core::ptr::from_ref(&state) };
            // SAFETY: as above; `iteration` is declared before the scope begins and dropped after.
            let iteration: Option<&'env Iteration<'env>> = iteration
                .as_ref()
                .map(|it| unsafe { &*core::ptr::from_ref(it) });
            // SAFETY: as above; the caller's references outlive the call.
            let mailboxes: (&'env Arc<Mailbox>, &'env Arc<Mailbox>) =
                unsafe { mem::transmute((here, external)) };
            // SAFETY: as above; `slot` is declared before the scope begins and moved after.
            let slot: &'env OnceLock<Scope<'env, 'env, T>> =
                unsafe { &*core::ptr::from_ref(&slot) };
            let scope = slot.get_or_init(|| Scope {
                inner,
                state,
                iteration,
                mailboxes,
                scope: PhantomData,
                env: PhantomData,
            });
            if let Err(payload) = catch_unwind(AssertUnwindSafe(|| f(scope))) {
                state.cancel();
                resume_unwind(payload);
            }
            if let Some(iteration) = iteration {
                iteration.end(inner);
            }
        });
        // It refers to `state`.
        drop(slot);
        let taken = iteration.as_ref().map(Iteration::taken);
        (state.into_results(), taken)
    }
}

/// A scope of a [`TaskPool`](crate::TaskPool), for futures that borrow.
///
/// See [`TaskPool::scope`](crate::TaskPool::scope).
pub struct Scope<'scope, 'env: 'scope, T> {
    inner: &'scope heartbeat_pool::Scope<'scope, 'scope>,
    state: &'scope ScopeState<T>,
    /// If its tasks are the batches of one.
    iteration: Option<&'scope Iteration<'scope>>,
    /// The scope's own thread's, and the external executor's.
    mailboxes: (&'scope Arc<Mailbox>, &'scope Arc<Mailbox>),
    scope: PhantomData<&'scope mut &'scope ()>,
    env: PhantomData<&'env mut &'env ()>,
}

impl<'scope, T: Send + 'scope> Scope<'scope, '_, T> {
    /// Spawns a future onto the pool. The scope's caller may run it too.
    pub fn spawn<Fut: Future<Output = T> + 'scope + Send>(&self, f: Fut) {
        let spawned = Box::pin(Spawned {
            inner: self.inner,
            state: self.state,
            future: self.placed(f),
        });
        match self.iteration {
            Some(iteration) => iteration.add(self.inner, spawned),
            None => self.inner.spawn(|| spawned.run()),
        }
    }

    /// Spawns a future that runs on the thread that called the scope.
    pub fn spawn_on_scope<Fut: Future<Output = T> + 'scope + Send>(&self, f: Fut) {
        let task = self.inner.spawn_future_on(self.mailboxes.0, self.placed(f));
        self.state.keep(task);
    }

    /// Spawns a future that runs on the thread of the external executor, typically the main
    /// thread; without one, as [`spawn_on_scope`](Self::spawn_on_scope).
    pub fn spawn_on_external<Fut: Future<Output = T> + 'scope + Send>(&self, f: Fut) {
        let task = self.inner.spawn_future_on(self.mailboxes.1, self.placed(f));
        self.state.keep(task);
    }

    /// Gives `future` the next place among the results. Its panic cancels the others.
    fn placed<Fut>(&self, future: Fut) -> impl Future<Output = ()> + Send + use<'scope, Fut, T>
    where
        Fut: Future<Output = T> + 'scope + Send,
    {
        let state = self.state;
        // Relaxed: the number itself is all that is shared.
        let place = state.spawned.fetch_add(1, Ordering::Relaxed);
        async move {
            // Relaxed: a task that begins too late to see it is one that was begun before.
            if state.cancelled.load(Ordering::Relaxed) {
                return;
            }
            let others = CancelOnUnwind(state);
            let result = future.await;
            mem::forget(others);
            state.finish(place, result);
        }
    }
}

pin_project! {
    /// A future on its way to its first poll.
    struct Spawned<'scope, T, F> {
        inner: &'scope heartbeat_pool::Scope<'scope, 'scope>,
        state: &'scope ScopeState<T>,
        #[pin]
        future: F,
    }
}

impl<T, F: Future<Output = ()>> Future for Spawned<'_, T, F> {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        self.project().future.poll(context)
    }
}

impl<'scope, T: Send + 'scope, F> Batch for Spawned<'scope, T, F>
where
    F: Future<Output = ()> + Send + 'scope,
{
    fn run(self: Pin<Box<Self>>) {
        let (inner, state) = (self.inner, self.state);
        if let Err(waiting) = first_poll(self) {
            state.keep(inner.spawn_future(waiting));
        }
    }
}

/// Cancels a scope's tasks when one of them unwinds. A future that is cancelled itself drops it as
/// well, and then all are.
struct CancelOnUnwind<'scope, T>(&'scope ScopeState<T>);

impl<T> Drop for CancelOnUnwind<'_, T> {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

impl<T> fmt::Debug for Scope<'_, '_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scope")
            .field("inner", self.inner)
            .finish_non_exhaustive()
    }
}
