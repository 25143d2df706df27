//! The verbs, from inside of a pool or from outside.

use heartbeat_pool::{Lane, Order, Scope, Task, ThreadPool, Worker};
use std::future::Future;
use std::sync::Arc;

/// Where a call is made.
#[derive(Clone, Copy)]
pub enum Place<'a> {
    /// On a thread from outside, which is in no call of the pool.
    Outside(&'a ThreadPool),
    /// In a job.
    Inside,
}

impl Place<'_> {
    pub fn with_worker<R>(self, f: impl FnOnce(&Worker) -> R) -> R {
        match self {
            Self::Outside(pool) => pool.with_worker(f),
            Self::Inside => Worker::with_current(|worker| f(worker.expect("a job is in a pool"))),
        }
    }

    pub fn join<A: Send, B: Send>(
        self,
        a: impl FnOnce() -> A + Send,
        b: impl FnOnce() -> B + Send,
    ) -> (A, B) {
        match self {
            Self::Outside(pool) => pool.join(a, b),
            Self::Inside => heartbeat_pool::join(a, b),
        }
    }

    /// A scope whose owner helps, or one whose owner, a thread from outside, only waits; calls `f`
    /// with where it runs.
    pub fn scope<'env, R>(
        self,
        order: Order,
        helps: bool,
        f: impl for<'scope> FnOnce(&'scope Scope<'scope, 'env>, Self) -> R,
    ) -> R {
        match self {
            Self::Outside(pool) if !helps => pool.scope_elsewhere(order, |scope| f(scope, self)),
            _ => self
                .with_worker(|worker| worker.scope_in_order(order, |scope| f(scope, Self::Inside))),
        }
    }

    pub fn spawn(self, lane: Lane, f: impl FnOnce() + Send + 'static) {
        match self {
            Self::Outside(pool) => pool.spawn(lane, f),
            Self::Inside => heartbeat_pool::spawn(lane, f),
        }
    }

    pub fn spawn_future<F>(self, lane: Lane, future: F) -> Task<F::Output>
    where
        F: Future<Output: Send> + Send + 'static,
    {
        match self {
            Self::Outside(pool) => pool.spawn_future(lane, future),
            Self::Inside => heartbeat_pool::spawn_future(lane, future),
        }
    }

    pub fn spawn_blocking<R: Send + 'static>(
        self,
        f: impl FnOnce() -> R + Send + 'static,
    ) -> Task<R> {
        match self {
            Self::Outside(pool) => pool.spawn_blocking(f),
            Self::Inside => heartbeat_pool::spawn_blocking(f),
        }
    }

    pub fn spawn_on(self, index: usize, f: impl FnOnce() + Send + 'static) {
        match self {
            Self::Outside(pool) => pool.spawn_on(index, f),
            Self::Inside => _ = self.with_worker(|worker| worker.try_spawn_on(index, f)),
        }
    }

    pub fn broadcast(self, f: impl Fn() + Sync) -> usize {
        match self {
            Self::Outside(pool) => pool.broadcast(|_| f()).len(),
            Self::Inside => heartbeat_pool::broadcast(|_| f()).len(),
        }
    }

    /// Spawns a call of `f` on each thread that there is.
    pub fn spawn_on_each(self, f: impl Fn() + Send + Sync + 'static) {
        let f = Arc::new(f);
        self.with_worker(|worker| {
            for index in 0..worker.num_threads() {
                let f = f.clone();
                worker.try_spawn_on(index, move || f());
            }
        });
    }

    /// `by_pool`: where it can be done by the pool's method.
    pub fn block_on<F: Future>(self, by_pool: bool, future: F) -> F::Output {
        match self {
            Self::Outside(pool) if by_pool => pool.block_on(future),
            _ => heartbeat_pool::block_on(future),
        }
    }

    pub fn yield_now(self) {
        self.with_worker(Worker::yield_now);
    }

    pub fn yield_local(self) {
        self.with_worker(Worker::yield_local);
    }
}
