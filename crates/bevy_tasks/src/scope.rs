//! The engine's `Scope`, over the pool's: futures with results, on the pool or on a given thread.

use crate::Task;
use core::fmt;
use core::future::Future;
use core::marker::PhantomData;
use core::panic::AssertUnwindSafe;
use futures_lite::FutureExt;
use heartbeat_pool::{Mailbox, ThreadPool};
use std::panic::{catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What outlives the scope's closure: the tasks' handles and results.
pub(crate) struct ScopeState<T> {
    /// How many tasks were spawned: each one's place among the results.
    spawned: AtomicUsize,
    /// Results as they come, each with its place.
    results: Mutex<Vec<(usize, T)>>,
    /// The handles, to cancel by; none once cancelled.
    tasks: Mutex<Option<Vec<Task<()>>>>,
    /// The mailbox of the scope's own thread.
    here: Arc<Mailbox>,
    external: Arc<Mailbox>,
}

impl<T> ScopeState<T> {
    fn new(here: &Arc<Mailbox>, external: &Arc<Mailbox>) -> Self {
        Self {
            here: here.clone(),
            external: external.clone(),
            spawned: AtomicUsize::new(0),
            results: Mutex::new(Vec::new()),
            tasks: Mutex::new(Some(Vec::new())),
        }
    }

    /// Cancels every task, those still to be spawned as well.
    fn cancel(&self) {
        let tasks = lock(&self.tasks).take();
        // Outside of the lock: a task's drop may run the future's.
        drop(tasks);
    }

    fn keep(&self, task: Task<()>) {
        if let Some(tasks) = &mut *lock(&self.tasks) {
            tasks.push(task);
        }
        // Else `task` is dropped here, after the lock: cancelled.
    }

    fn into_results(self) -> Vec<T> {
        let mut results = self
            .results
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        results.sort_unstable_by_key(|(place, _)| *place);
        results.into_iter().map(|(_, result)| result).collect()
    }

    /// Runs a whole scope on `pool`. The calling thread ticks `here` while it waits, and
    /// `external` if it is its own.
    pub(crate) fn run<'env, F>(
        pool: &ThreadPool,
        here: &Arc<Mailbox>,
        external: &Arc<Mailbox>,
        f: F,
    ) -> Vec<T>
    where
        F: for<'scope> FnOnce(&'scope Scope<'scope, 'env, T>),
        T: Send + 'static,
    {
        let state = Self::new(here, external);
        let slot = OnceLock::new();
        let both = [here, external];
        let distinct = !Arc::ptr_eq(here, external) && external.is_mine();
        let mailboxes = if distinct { &both[..] } else { &both[..1] };
        pool.scope_with_mailboxes(mailboxes, |inner| {
            // SAFETY: used by the closure and by the scope's tasks alone. The pool's scope ends
            // after all of them, and `inner` lives until then.
            let inner: &'env heartbeat_pool::Scope<'env, 'env> =
                unsafe { core::mem::transmute::<&heartbeat_pool::Scope<'_, '_>, _>(inner) };
            // SAFETY: as above; `state` is declared before the scope begins and moved after.
            let state: &'env Self = unsafe { &*core::ptr::from_ref(&state) };
            // SAFETY: as above; `slot` is declared before the scope begins and moved after.
            let slot: &'env OnceLock<Scope<'env, 'env, T>> =
                unsafe { &*core::ptr::from_ref(&slot) };
            let scope = slot.get_or_init(|| Scope {
                inner,
                state,
                scope: PhantomData,
                env: PhantomData,
            });
            if let Err(payload) = catch_unwind(AssertUnwindSafe(|| f(scope))) {
                state.cancel();
                resume_unwind(payload);
            }
        });
        // It refers to `state`.
        drop(slot);
        state.into_results()
    }
}

/// A scope of a [`TaskPool`](crate::TaskPool), for futures that borrow.
///
/// See [`TaskPool::scope`](crate::TaskPool::scope).
pub struct Scope<'scope, 'env: 'scope, T> {
    inner: &'scope heartbeat_pool::Scope<'scope, 'scope>,
    state: &'scope ScopeState<T>,
    scope: PhantomData<&'scope mut &'scope ()>,
    env: PhantomData<&'env mut &'env ()>,
}

impl<'scope, T: Send + 'scope> Scope<'scope, '_, T> {
    /// Spawns a future onto the pool. The scope's caller may run it too.
    pub fn spawn<Fut: Future<Output = T> + 'scope + Send>(&self, f: Fut) {
        let task = self.inner.spawn_future(self.placed(f));
        self.state.keep(task);
    }

    /// Spawns a future that runs on the thread that called the scope.
    pub fn spawn_on_scope<Fut: Future<Output = T> + 'scope + Send>(&self, f: Fut) {
        let task = self.inner.spawn_future_on(&self.state.here, self.placed(f));
        self.state.keep(task);
    }

    /// Spawns a future that runs on the thread of the external executor, typically the main
    /// thread; without one, as [`spawn_on_scope`](Self::spawn_on_scope).
    pub fn spawn_on_external<Fut: Future<Output = T> + 'scope + Send>(&self, f: Fut) {
        let task = self.inner.spawn_future_on(&self.state.external, self.placed(f));
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
            match AssertUnwindSafe(future).catch_unwind().await {
                Ok(result) => lock(&state.results).push((place, result)),
                Err(payload) => {
                    state.cancel();
                    resume_unwind(payload);
                }
            }
        }
    }
}

impl<T> Drop for Scope<'_, '_, T> {
    fn drop(&mut self) {
        // Everything is over by now; a leftover handle is that of a finished task.
        self.state.cancel();
    }
}

impl<T> fmt::Debug for Scope<'_, '_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scope")
            .field("inner", self.inner)
            .finish_non_exhaustive()
    }
}
