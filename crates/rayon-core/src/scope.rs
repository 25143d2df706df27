//! `scope`: jobs that borrow from outside, all over when it returns.

use crate::broadcast::BroadcastContext;
use crate::home::{self, Home};
use crate::latch::Latch;
use crate::order::Order;
use crate::pool::Inner;
use crate::unwind::{self, Payload};
use heartbeat_pool::{Lane, Worker};
use std::fmt;
use std::marker::PhantomData;
use std::mem;
use std::ptr::NonNull;
use std::sync::{Arc, OnceLock};

/// A scope of the heartbeat pool, whose lifetimes only [`Base`] knows.
struct PoolScope(NonNull<heartbeat_pool::Scope<'static, 'static>>);

// SAFETY: a shared reference to a `Scope`, which is `Sync`.
unsafe impl Send for PoolScope {}
// SAFETY: as above.
unsafe impl Sync for PoolScope {}

/// A job that is counted by a latch until this is dropped.
struct Pending {
    latch: Arc<Latch>,
    result: Result<(), Payload>,
}

impl Pending {
    fn begin(latch: &Arc<Latch>) -> Self {
        latch.begin();
        Self {
            latch: latch.clone(),
            result: Ok(()),
        }
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        self.latch.finish(mem::replace(&mut self.result, Ok(())));
    }
}

/// A job of a scope whose owner is no worker. It keeps the pool, so it is run if that takes it.
struct StrangersJob {
    job: Option<Box<dyn FnOnce() + Send>>,
    /// Declared later, so dropped later: the job is gone by then.
    pending: Pending,
    _keep: Arc<Inner>,
}

impl StrangersJob {
    fn run(mut self) {
        if let Some(job) = self.job.take() {
            self.pending.result = unwind::catch(job);
        }
    }
}

/// Where a scope's jobs go, and who waits for them.
enum Owner {
    /// A worker of the pool that the jobs run in: it helps. Set before anything is spawned.
    Worker(OnceLock<PoolScope>),
    /// A thread that doesn't belong to that pool.
    Stranger { pool: Arc<Inner>, latch: Arc<Latch> },
}

/// What both kinds of scope are made of.
///
/// It lives on its owner's stack until all jobs are over.
struct Base<'scope> {
    owner: Owner,
    num_threads: usize,
    /// Invariant, as in rayon: jobs may borrow for exactly this long.
    marker: PhantomData<fn(&'scope ()) -> &'scope ()>,
}

impl<'scope> Base<'scope> {
    fn of_worker(worker: &Worker) -> Self {
        Self {
            owner: Owner::Worker(OnceLock::new()),
            num_threads: worker.num_threads(),
            marker: PhantomData,
        }
    }

    fn of_stranger(pool: &Arc<Inner>) -> Self {
        Self {
            owner: Owner::Stranger {
                pool: pool.clone(),
                latch: Arc::default(),
            },
            num_threads: pool.pool().num_threads(),
            marker: PhantomData,
        }
    }

    /// The heartbeat pool's scope that the jobs go to, where a worker waits for them.
    fn pool_scope(&self) -> Option<&'scope heartbeat_pool::Scope<'scope, 'scope>> {
        let Owner::Worker(scope) = &self.owner else {
            return None;
        };
        // SAFETY: only the scope's closure and its jobs call this, and the owner is inside of the
        // heartbeat pool's `scope` until they are over, which is before 'scope ends.
        scope.get().map(|scope| unsafe { scope.0.cast().as_ref() })
    }

    /// Spawns a job of a scope whose owner is no worker.
    fn spawn_for_stranger(&self, job: impl FnOnce() + Send + 'scope, index: Option<usize>) {
        let Owner::Stranger { pool, latch } = &self.owner else {
            unreachable!("a worker's scope is set before anything is spawned");
        };
        let pending = Pending::begin(latch);
        let job: Box<dyn FnOnce() + Send + 'scope> = Box::new(job);
        // SAFETY: the owner waits for the latch before 'scope ends, and the job is gone by then,
        // run or dropped.
        let job: Box<dyn FnOnce() + Send> = unsafe { mem::transmute(job) };
        let job = StrangersJob {
            job: Some(job),
            pending,
            _keep: pool.clone(),
        };
        let job = move || job.run();
        match index {
            Some(index) => pool.pool().spawn_on(index, job),
            None => pool.pool().spawn(Lane::Frame, job),
        }
    }

    fn spawn(&self, job: impl FnOnce() + Send + 'scope) {
        match self.pool_scope() {
            Some(scope) => scope.spawn(job),
            None => self.spawn_for_stranger(job, None),
        }
    }

    fn spawn_on(&self, index: usize, job: impl FnOnce() + Send + 'scope) {
        match self.pool_scope() {
            Some(scope) => scope.spawn_on(index, job),
            None => self.spawn_for_stranger(job, Some(index)),
        }
    }

    /// Spawns a call of `call` for each of the pool's threads.
    fn spawn_broadcast(&self, call: impl Fn(BroadcastContext<'_>) + Send + Sync + 'scope) {
        let call = Arc::new(call);
        let num_threads = self.num_threads;
        if num_threads == 0 {
            // There is nobody but the owner.
            return self.spawn(move || call(BroadcastContext::new(0, 1)));
        }
        for index in 0..num_threads {
            let call = call.clone();
            self.spawn_on(index, move || {
                call(BroadcastContext::new(index, num_threads));
            });
        }
    }
}

/// A scope as its jobs see it: alive until they are over.
struct Ref<S>(NonNull<S>);

// SAFETY: used as a shared reference alone.
unsafe impl<S: Sync> Send for Ref<S> {}
// SAFETY: as above.
unsafe impl<S: Sync> Sync for Ref<S> {}

impl<S> Ref<S> {
    fn to(scope: &S) -> Self {
        Self(NonNull::from(scope))
    }

    /// # Safety
    ///
    /// The scope is alive: what calls this is one of its jobs.
    unsafe fn get<'a>(&self) -> &'a S {
        // SAFETY: by contract.
        unsafe { self.0.as_ref() }
    }
}

type Body<'scope> = Box<dyn FnOnce(&Scope<'scope>) + Send + 'scope>;

/// A scope whose jobs may borrow what outlives it. Made by [`scope`] and its namesakes.
pub struct Scope<'scope> {
    base: Base<'scope>,
    order: Order<Body<'scope>>,
}

/// As [`Scope`], but a thread runs the oldest of the jobs that it has spawned first. Made by
/// [`scope_fifo`] and its namesakes.
pub struct ScopeFifo<'scope> {
    base: Base<'scope>,
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
        self.order.push(home::current_key(), Box::new(body));
        let scope = Ref::to(self);
        self.base.spawn(move || {
            // SAFETY: this is a job of the scope.
            let scope: &Self = unsafe { scope.get() };
            if let Some(body) = scope.order.pop(home::current_key()) {
                body(scope);
            }
        });
    }

    /// Spawns a call of `body` for each of the pool's threads.
    ///
    /// A panic in one is resumed by the scope's owner, after everything else is over.
    pub fn spawn_broadcast<BODY>(&self, body: BODY)
    where
        BODY: Fn(&Self, BroadcastContext<'_>) + Send + Sync + 'scope,
    {
        let scope = Ref::to(self);
        self.base.spawn_broadcast(move |context| {
            // SAFETY: this is a job of the scope.
            body(unsafe { scope.get() }, context);
        });
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
        let scope = Ref::to(self);
        self.base.spawn(move || {
            // SAFETY: this is a job of the scope.
            body(unsafe { scope.get() });
        });
    }

    /// Spawns a call of `body` for each of the pool's threads.
    ///
    /// A panic in one is resumed by the scope's owner, after everything else is over.
    pub fn spawn_broadcast<BODY>(&self, body: BODY)
    where
        BODY: Fn(&Self, BroadcastContext<'_>) + Send + Sync + 'scope,
    {
        let scope = Ref::to(self);
        self.base.spawn_broadcast(move |context| {
            // SAFETY: this is a job of the scope.
            body(unsafe { scope.get() }, context);
        });
    }
}

/// A kind of scope.
trait Kind<'scope>: Sized {
    fn new(base: Base<'scope>) -> Self;
    fn base(&self) -> &Base<'scope>;
}

impl<'scope> Kind<'scope> for Scope<'scope> {
    fn new(base: Base<'scope>) -> Self {
        Self {
            base,
            order: Order::new(),
        }
    }

    fn base(&self) -> &Base<'scope> {
        &self.base
    }
}

impl<'scope> Kind<'scope> for ScopeFifo<'scope> {
    fn new(base: Base<'scope>) -> Self {
        Self { base }
    }

    fn base(&self) -> &Base<'scope> {
        &self.base
    }
}

/// Calls `op` with a scope of `worker`, which waits for its jobs and helps.
fn of_worker<'scope, S: Kind<'scope>, R>(worker: &Worker, op: impl FnOnce(&S) -> R) -> R {
    // Outside of the call, for it must outlive the jobs.
    let scope = S::new(Base::of_worker(worker));
    worker.scope(|inner| {
        if let Owner::Worker(cell) = &scope.base().owner {
            _ = cell.set(PoolScope(NonNull::from(inner).cast()));
        }
        op(&scope)
    })
}

/// Calls `op` with a scope whose jobs run in `pool`, which the calling thread doesn't belong to: it
/// waits for them and doesn't help.
fn of_stranger<'scope, S: Kind<'scope>, R>(pool: &Arc<Inner>, op: impl FnOnce(&S) -> R) -> R {
    let scope = S::new(Base::of_stranger(pool));
    let result = unwind::catch(|| op(&scope));
    let panic = match &scope.base().owner {
        Owner::Stranger { latch, .. } => latch.wait(),
        Owner::Worker(_) => None,
    };
    match (result, panic) {
        (Ok(result), None) => result,
        (Err(payload), _) | (Ok(_), Some(payload)) => unwind::resume(payload),
    }
}

/// Calls `op` with a scope on the calling thread, whose jobs run in the current pool.
fn in_place<'scope, S: Kind<'scope>, R>(op: impl FnOnce(&S) -> R) -> R {
    match Home::current() {
        Home::Built(pool) => in_place_in(&pool, op),
        Home::Here | Home::Process => Worker::with_current(|worker| match worker {
            Some(worker) => of_worker(worker, op),
            None => heartbeat_pool::global().with_worker(|worker| of_worker(worker, op)),
        }),
    }
}

/// Calls `op` with a scope on the calling thread, whose jobs run in `pool`.
fn in_place_in<'scope, S: Kind<'scope>, R>(pool: &Arc<Inner>, op: impl FnOnce(&S) -> R) -> R {
    if pool.is_own() {
        pool.pool().with_worker(|worker| of_worker(worker, op))
    } else {
        of_stranger(pool, op)
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

pub(crate) fn in_place_scope_in<'scope, R>(
    pool: &Arc<Inner>,
    op: impl FnOnce(&Scope<'scope>) -> R,
) -> R {
    in_place_in(pool, op)
}

pub(crate) fn in_place_scope_fifo_in<'scope, R>(
    pool: &Arc<Inner>,
    op: impl FnOnce(&ScopeFifo<'scope>) -> R,
) -> R {
    in_place_in(pool, op)
}

impl fmt::Debug for Scope<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scope")
            .field("num_threads", &self.base.num_threads)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for ScopeFifo<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScopeFifo")
            .field("num_threads", &self.base.num_threads)
            .finish_non_exhaustive()
    }
}
