//! `scope`: jobs that borrow from outside, all over when it returns.

use crate::broadcast::BroadcastContext;
use crate::home::{self, Home};
use crate::pool::Inner;
use heartbeat_pool::{Order, Worker};
use std::ptr::NonNull;
use std::sync::Arc;

/// A scope of the heartbeat pool, for its closure and its jobs.
type PoolScope<'scope> = &'scope heartbeat_pool::Scope<'scope, 'scope>;

/// A scope whose jobs may borrow what outlives it. Made by [`scope`] and its namesakes.
#[derive(Debug)]
pub struct Scope<'scope> {
    scope: PoolScope<'scope>,
}

/// As [`Scope`], but a thread runs the oldest of the jobs that it has spawned first. Made by
/// [`scope_fifo`] and its namesakes.
#[derive(Debug)]
pub struct ScopeFifo<'scope> {
    scope: PoolScope<'scope>,
}

impl<'scope> Scope<'scope> {
    /// Spawns a job on the scope, which may spawn more. It is queued, never run inline; a thread
    /// runs the newest of those that it has spawned first.
    ///
    /// A panic in it is resumed by the scope's owner, after everything else is over.
    pub fn spawn<BODY>(&self, body: BODY)
    where
        BODY: FnOnce(&Self) + Send + 'scope,
    {
        let scope = self.scope;
        scope.spawn(move || body(&Self { scope }));
    }

    /// Spawns a call of `body` for each of the pool's threads.
    ///
    /// A panic in one is resumed by the scope's owner, after everything else is over.
    pub fn spawn_broadcast<BODY>(&self, body: BODY)
    where
        BODY: Fn(&Self, BroadcastContext<'_>) + Send + Sync + 'scope,
    {
        let scope = self.scope;
        spawn_broadcast(scope, move |context| body(&Self { scope }, context));
    }
}

impl<'scope> ScopeFifo<'scope> {
    /// Spawns a job on the scope, which may spawn more. It is queued, never run inline; a thread
    /// runs the oldest of those that it has spawned first.
    ///
    /// A panic in it is resumed by the scope's owner, after everything else is over.
    pub fn spawn_fifo<BODY>(&self, body: BODY)
    where
        BODY: FnOnce(&Self) + Send + 'scope,
    {
        let scope = self.scope;
        scope.spawn(move || body(&Self { scope }));
    }

    /// Spawns a call of `body` for each of the pool's threads.
    ///
    /// A panic in one is resumed by the scope's owner, after everything else is over.
    pub fn spawn_broadcast<BODY>(&self, body: BODY)
    where
        BODY: Fn(&Self, BroadcastContext<'_>) + Send + Sync + 'scope,
    {
        let scope = self.scope;
        spawn_broadcast(scope, move |context| body(&Self { scope }, context));
    }
}

/// Spawns a call of `call` for each of the pool's threads.
fn spawn_broadcast<'scope>(
    scope: PoolScope<'scope>,
    call: impl Fn(BroadcastContext<'_>) + Send + Sync + 'scope,
) {
    let call = Arc::new(call);
    let num_threads = scope.num_threads();
    if num_threads == 0 {
        // There is nobody but the owner.
        return scope.spawn(move || call(BroadcastContext::new(0, 1)));
    }
    for index in 0..num_threads {
        let call = call.clone();
        // A thread that the system refused, or that ends just now, misses its call.
        _ = scope.try_spawn_on(index, move || {
            call(BroadcastContext::new(index, num_threads));
        });
    }
}

/// A kind of scope.
pub(crate) trait Kind<'scope>: Sized {
    /// In which order a thread runs what it has spawned.
    const ORDER: Order;

    fn new(scope: PoolScope<'scope>) -> Self;

    /// Calls `op` with the scope that the heartbeat pool has made for it, in a call that 'scope
    /// outlives.
    fn open<R>(scope: &heartbeat_pool::Scope<'_, 'scope>, op: impl FnOnce(&Self) -> R) -> R {
        let scope = NonNull::from(scope).cast();
        // SAFETY: only `op` and the scope's jobs get it, and the heartbeat pool keeps the scope
        // until they are over, which its owner waits for in the call that 'scope outlives.
        let scope = unsafe { scope.as_ref() };
        op(&Self::new(scope))
    }
}

impl<'scope> Kind<'scope> for Scope<'scope> {
    const ORDER: Order = Order::NewestFirst;

    fn new(scope: PoolScope<'scope>) -> Self {
        Self { scope }
    }
}

impl<'scope> Kind<'scope> for ScopeFifo<'scope> {
    const ORDER: Order = Order::OldestFirst;

    fn new(scope: PoolScope<'scope>) -> Self {
        Self { scope }
    }
}

/// Calls `op` with a scope of `worker`, which waits for its jobs and helps.
fn of_worker<'scope, S: Kind<'scope>, R>(worker: &Worker, op: impl FnOnce(&S) -> R) -> R {
    worker.scope_in_order(S::ORDER, |scope| S::open(scope, op))
}

/// Calls `op` with a scope on the calling thread, whose jobs run in the current pool.
fn in_place<'scope, S: Kind<'scope>, R>(op: impl FnOnce(&S) -> R) -> R {
    match Home::current() {
        Home::Built(pool) => in_place_in(&pool, op),
        Home::Here | Home::Process => home::with_worker(|worker| of_worker(worker, op)),
    }
}

/// Calls `op` with a scope on the calling thread, whose jobs run in `pool`: which the thread, where
/// it doesn't belong to it, waits for without helping.
pub(crate) fn in_place_in<'scope, S: Kind<'scope>, R>(
    pool: &Arc<Inner>,
    op: impl FnOnce(&S) -> R,
) -> R {
    if pool.is_own() {
        pool.pool().with_worker(|worker| of_worker(worker, op))
    } else {
        pool.pool()
            .scope_elsewhere(S::ORDER, |scope| S::open(scope, op))
    }
}

/// Calls `op` in the current pool with a scope, and waits until everything spawned on it is over.
/// The thread that waits helps, with this scope's jobs alone.
///
/// # Panics
///
/// With the payload of `op`, or else of the first job that panicked, after everything else is over.
///
/// ```
/// let mut numbers = [1, 2, 3, 4];
/// rayon_core::scope(|scope| {
///     for number in &mut numbers {
///         scope.spawn(move |_| *number *= 10);
///     }
/// });
/// assert_eq!(numbers, [10, 20, 30, 40]);
/// ```
pub fn scope<'scope, OP, R>(op: OP) -> R
where
    OP: FnOnce(&Scope<'scope>) -> R + Send,
    R: Send,
{
    home::in_worker(|worker, _| of_worker(worker, op))
}

/// As [`scope`], but a thread runs the oldest of the jobs that it has spawned first.
///
/// # Panics
///
/// As [`scope`].
///
/// ```
/// let pool = rayon_core::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
/// let order = std::sync::Mutex::new(Vec::new());
/// pool.scope_fifo(|scope| {
///     for i in 0..3 {
///         let order = &order;
///         scope.spawn_fifo(move |_| order.lock().unwrap().push(i));
///     }
/// });
/// assert_eq!(order.into_inner().unwrap(), [0, 1, 2]);
/// ```
pub fn scope_fifo<'scope, OP, R>(op: OP) -> R
where
    OP: FnOnce(&ScopeFifo<'scope>) -> R + Send,
    R: Send,
{
    home::in_worker(|worker, _| of_worker(worker, op))
}

/// As [`scope`], but `op` runs on the calling thread wherever that is, so it need not be `Send`.
///
/// # Panics
///
/// As [`scope`].
///
/// ```
/// let text = std::rc::Rc::new("not Send");
/// let mut length = 0;
/// rayon_core::in_place_scope(|scope| {
///     let text = *text;
///     scope.spawn(|_| length = text.len());
/// });
/// assert_eq!(length, 8);
/// ```
pub fn in_place_scope<'scope, OP, R>(op: OP) -> R
where
    OP: FnOnce(&Scope<'scope>) -> R,
{
    in_place(op)
}

/// As [`in_place_scope`], but a thread runs the oldest of the jobs that it has spawned first.
///
/// # Panics
///
/// As [`scope`].
pub fn in_place_scope_fifo<'scope, OP, R>(op: OP) -> R
where
    OP: FnOnce(&ScopeFifo<'scope>) -> R,
{
    in_place(op)
}
