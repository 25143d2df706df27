//! `scope`: closures and futures that borrow from outside, all over when it returns.
//!
//! A scope has its own queue. Workers find it through a *ticket*, a job that stands for the whole
//! scope and is queued at most once at a time; the owner, when it waits, takes from this queue and
//! nowhere else, so what it runs is what it waits for.

use crate::job::{Closure, Job, RawJob};
use crate::lane::Lane;
use crate::latch::CountLatch;
use crate::mailbox::Mailbox;
use crate::registry::Registry;
use crate::sync::{Arc, AtomicBool, Mutex, Ordering, fence, lock};
use crate::unwind::{self, Payload};
use crate::wait::Wait;
use crate::worker::Worker;
use async_task::{Runnable, Task};
use concurrent_queue::ConcurrentQueue;
use std::cell::RefCell;
use std::future::Future;
use std::marker::PhantomData;
use std::pin::Pin;
use std::ptr::NonNull;
use std::task::{Context, Poll};

/// What a scope's owner, its jobs and its tickets share.
pub(crate) struct ScopeCore {
    registry: Arc<Registry>,
    lane: Lane,
    queue: ConcurrentQueue<Job>,
    /// Whether a ticket for this scope is queued in the pool.
    ticketed: AtomicBool,
    /// Whether the owner sleeps, so that whoever queues a job may wake it.
    owner_asleep: AtomicBool,
    latch: CountLatch,
    panic: Mutex<Option<Payload>>,
}

/// The job through which workers find a scope.
struct Ticket(Arc<ScopeCore>);

// SAFETY: the pointer is the `Arc`'s own raw form.
unsafe impl RawJob for Ticket {
    fn into_raw(self) -> NonNull<()> {
        // SAFETY: `Arc::into_raw` is never null.
        unsafe { NonNull::new_unchecked(Arc::into_raw(self.0).cast_mut().cast()) }
    }

    unsafe fn from_raw(data: NonNull<()>) -> Self {
        // SAFETY: by contract `data` came from `into_raw`, which gave up one count.
        Self(unsafe { Arc::from_raw(data.as_ptr().cast_const().cast()) })
    }

    fn run(self) {
        let core = self.0;
        // AcqRel: reading the `true` of the pusher's swap makes its job visible; a pusher that
        // reads this `false` queues a new ticket.
        core.ticketed.swap(false, Ordering::AcqRel);
        Worker::with_current(|worker| {
            let Some(worker) = worker else { return };
            while core.run_one(worker) {
                if core.registry.occupancy.crowded(core.lane) {
                    core.offer();
                    return;
                }
            }
        });
    }
}

impl ScopeCore {
    fn push(self: &Arc<Self>, job: Job) {
        // The queue is unbounded and never closed.
        let _ = self.queue.push(job);
        let ticketed = self.put_ticket();
        // Pairs with the fence in `set_asleep`: either the owner sees the job, or this sees that
        // the owner sleeps.
        fence(Ordering::SeqCst);
        // The owner is the best to run it, if there is room for one more thread. In a pool with no
        // threads there is nobody else.
        let occupancy = &self.registry.occupancy;
        if self.owner_asleep.load(Ordering::Relaxed)
            && (occupancy.target() == 0 || occupancy.has_room())
            && self.owner_asleep.swap(false, Ordering::Relaxed)
        {
            self.latch.wake_owner();
        } else if ticketed {
            self.registry.notify(self.lane);
        }
    }

    /// Queues a ticket in the pool unless one is there, waking nobody.
    fn put_ticket(self: &Arc<Self>) -> bool {
        // AcqRel: pairs with the swap in `Ticket::run`.
        if self.ticketed.swap(true, Ordering::AcqRel) {
            return false;
        }
        // SAFETY: a ticket borrows nothing.
        let ticket = unsafe { Job::new(Ticket(self.clone())) };
        self.registry.queue(self.lane, ticket);
        true
    }

    /// Before the caller gets busy: lets another thread come for what is left.
    fn offer(self: &Arc<Self>) {
        if !self.queue.is_empty() {
            self.put_ticket();
            self.registry.notify(self.lane);
        }
    }

    fn run_one(self: &Arc<Self>, worker: &Worker) -> bool {
        let Ok(job) = self.queue.pop() else {
            return false;
        };
        self.offer();
        worker.run_job(job);
        true
    }

    fn record_panic(&self, payload: Payload) {
        // The first one is the caller's; later ones have been printed by the panic hook.
        lock(&self.panic).get_or_insert(payload);
    }
}

/// The owner's wait for its scope.
struct Completion<'a> {
    core: &'a Arc<ScopeCore>,
    mailboxes: &'a [&'a Arc<Mailbox>],
}

impl Wait for Completion<'_> {
    fn is_done(&self) -> bool {
        self.core.latch.is_done()
    }

    fn step(&self, worker: &Worker) -> bool {
        for mailbox in self.mailboxes {
            if !mailbox.is_empty() {
                self.core.offer();
                if let Err(payload) = unwind::catch(|| mailbox.try_tick()) {
                    self.core.record_panic(payload);
                }
                return true;
            }
        }
        self.core.run_one(worker)
    }

    fn is_ready(&self) -> bool {
        !self.core.queue.is_empty() || self.mailboxes.iter().any(|mailbox| !mailbox.is_empty())
    }

    fn set_asleep(&self, asleep: bool) {
        self.core.owner_asleep.store(asleep, Ordering::Relaxed);
        // Pairs with the fence in `push`.
        fence(Ordering::SeqCst);
    }
}

/// A scope: work spawned on it may borrow what lives outside of it.
///
/// Made by [`ThreadPool::scope`](crate::ThreadPool::scope) and its namesakes, which return when
/// everything spawned is over. The two lifetimes are those of [`std::thread::Scope`].
#[derive(Debug)]
pub struct Scope<'scope, 'env: 'scope> {
    core: Arc<ScopeCore>,
    scope: PhantomData<&'scope mut &'scope ()>,
    env: PhantomData<&'env mut &'env ()>,
}

impl std::fmt::Debug for ScopeCore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ScopeCore")
            .field("lane", &self.lane)
            .field("queued", &self.queue.len())
            .field("latch", &self.latch)
            .finish_non_exhaustive()
    }
}

impl<'scope> Scope<'scope, '_> {
    /// Spawns a closure. Any worker may run it at once; the scope's owner does when it waits.
    ///
    /// A panic in it is resumed by the scope's owner, after everything else is over.
    pub fn spawn(&'scope self, f: impl FnOnce() + Send + 'scope) {
        let core = self.core.clone();
        self.core.latch.begin();
        let job = Closure::new(move || {
            if let Err(payload) = unwind::catch(f) {
                core.record_panic(payload);
            }
            core.latch.finish();
        });
        // SAFETY: the scope's owner waits until the latch is done, which this job does last, so
        // it is run before what `f` borrows ends.
        self.core.push(unsafe { Job::new(job) });
    }

    /// Spawns a future. Dropping the task cancels it; the scope waits until the future is dropped.
    ///
    /// A panic in it is resumed by the scope's owner, and whoever awaits the task panics as well.
    pub fn spawn_future<F>(&'scope self, future: F) -> Task<F::Output>
    where
        F: Future + Send + 'scope,
        F::Output: Send + 'scope,
    {
        let core = self.core.clone();
        self.spawn_scheduled(future, move |runnable| {
            // SAFETY: the owner waits until the future is dropped, in the run of a runnable.
            core.push(unsafe { Job::new(ScopedRun(Some(runnable))) });
        })
    }

    /// Spawns a future that is polled only by the owner of `mailbox`, which must be ticked for the
    /// scope to end. A waiting scope ticks the mailboxes that it was given.
    pub fn spawn_future_on<F>(&'scope self, mailbox: &Arc<Mailbox>, future: F) -> Task<F::Output>
    where
        F: Future + Send + 'scope,
        F::Output: Send + 'scope,
    {
        let mailbox = mailbox.clone();
        self.spawn_scheduled(future, move |runnable| {
            // SAFETY: as in `spawn_future`; a closed mailbox drops the runnable, whose end counts
            // as well.
            mailbox.push_job(unsafe { Job::new(ScopedRun(Some(runnable))) });
        })
    }

    fn spawn_scheduled<F>(
        &'scope self,
        future: F,
        schedule: impl Fn(Runnable) + Send + Sync + 'static,
    ) -> Task<F::Output>
    where
        F: Future + Send + 'scope,
        F::Output: Send + 'scope,
    {
        self.core.latch.begin();
        let future = ScopedFuture {
            future,
            _end: End(self.core.clone()),
        };
        let builder = async_task::Builder::new().propagate_panic(true);
        // SAFETY: future and output are `Send`; `schedule` is `Send`, `Sync` and 'static; the
        // scope's owner waits for `End`, so the future is dropped before what it borrows ends.
        let (runnable, task) = unsafe { builder.spawn_unchecked(|()| future, schedule) };
        runnable.schedule();
        task
    }

    /// Whether something spawned here has panicked, so that the rest may stop early.
    #[must_use]
    pub fn has_panicked(&self) -> bool {
        lock(&self.core.panic).is_some()
    }
}

/// A scope's future: its panic goes to the scope, and its drop is counted.
struct ScopedFuture<F> {
    future: F,
    /// Declared last, so dropped last: the future is gone by then.
    _end: End,
}

/// What an awaiting task gets in place of a payload that the scope has taken.
#[derive(Debug)]
struct ScopePanicked;

impl<F: Future> Future for ScopedFuture<F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        // SAFETY: the future is not moved out of the pinned struct, here or elsewhere.
        let this = unsafe { self.get_unchecked_mut() };
        // SAFETY: structural pinning: `this` was pinned, and `future` is moved nowhere.
        let future = unsafe { Pin::new_unchecked(&mut this.future) };
        match unwind::catch(|| future.poll(context)) {
            Ok(poll) => poll,
            Err(payload) => {
                this._end.0.record_panic(payload);
                unwind::resume(Box::new(ScopePanicked))
            }
        }
    }
}

thread_local! {
    /// The scope of a future that was dropped in the run that is under way.
    static ENDED: RefCell<Option<Arc<ScopeCore>>> = const { RefCell::new(None) };
}

/// Reports that a scoped future was dropped.
struct End(Arc<ScopeCore>);

impl Drop for End {
    fn drop(&mut self) {
        // Not to the latch: the run that drops the future still holds its output, which may
        // borrow as well. `ScopedRun` passes it on when that is over.
        ENDED.set(Some(self.0.clone()));
    }
}

/// One run of a scoped future's runnable; dropped instead, it cancels and counts the future.
struct ScopedRun(Option<Runnable>);

impl ScopedRun {
    fn counted(&mut self, f: impl FnOnce(Runnable)) {
        let Some(runnable) = self.0.take() else {
            return;
        };
        let outer = ENDED.take();
        // A panic may come from the drop of an output that nobody wanted.
        let result = unwind::catch(|| f(runnable));
        if let Some(core) = ENDED.replace(outer) {
            if let Err(payload) = result {
                core.record_panic(payload);
            }
            core.latch.finish();
        }
    }
}

impl Drop for ScopedRun {
    fn drop(&mut self) {
        self.counted(drop);
    }
}

// SAFETY: the pointer is the runnable's own raw form.
unsafe impl RawJob for ScopedRun {
    fn into_raw(mut self) -> NonNull<()> {
        match self.0.take() {
            Some(runnable) => runnable.into_raw(),
            None => unreachable!("a run is queued before it is used up"),
        }
    }

    unsafe fn from_raw(data: NonNull<()>) -> Self {
        // SAFETY: by contract `data` came from `into_raw` and is used once.
        Self(Some(unsafe { Runnable::from_raw(data) }))
    }

    fn run(mut self) {
        self.counted(|runnable| {
            runnable.run();
        });
    }
}

impl Worker {
    /// Calls `f` with a scope and waits until everything spawned on it is over.
    ///
    /// # Panics
    ///
    /// With `f`'s payload, or else with the first that something spawned has panicked with.
    pub fn scope<'env, R>(
        &self,
        f: impl for<'scope> FnOnce(&'scope Scope<'scope, 'env>) -> R,
    ) -> R {
        self.scope_with_mailboxes(&[], f)
    }

    /// As [`scope`](Self::scope); while it waits, the calling thread also ticks `mailboxes`, which
    /// must be its own.
    ///
    /// # Panics
    ///
    /// As [`scope`](Self::scope), and when a mailbox is another thread's.
    pub fn scope_with_mailboxes<'env, R>(
        &self,
        mailboxes: &[&Arc<Mailbox>],
        f: impl for<'scope> FnOnce(&'scope Scope<'scope, 'env>) -> R,
    ) -> R {
        assert!(
            mailboxes.iter().all(|mailbox| mailbox.is_mine()),
            "a scope can only tick mailboxes of the thread that waits in it"
        );
        let core = Arc::new(ScopeCore {
            registry: self.registry().clone(),
            lane: self.lane(),
            queue: ConcurrentQueue::unbounded(),
            ticketed: AtomicBool::new(false),
            owner_asleep: AtomicBool::new(false),
            latch: CountLatch::new(self.parker().clone()),
            panic: Mutex::new(None),
        });
        let scope = Scope {
            core: core.clone(),
            scope: PhantomData,
            env: PhantomData,
        };
        let result = unwind::catch(|| f(&scope));
        self.wait(&Completion {
            core: &core,
            mailboxes,
        });
        let panic = lock(&core.panic).take();
        match (result, panic) {
            (Ok(result), None) => result,
            (Err(payload), _) | (Ok(_), Some(payload)) => unwind::resume(payload),
        }
    }
}

/// Calls `f` with a scope of the pool that the calling thread is inside of, and waits until
/// everything spawned on it is over.
///
/// # Panics
///
/// As [`Worker::scope`], and outside of any pool.
///
/// ```
/// let pool = heartbeat_pool::ThreadPool::builder().num_threads(2).build().unwrap();
/// let mut halves = [0; 2];
/// pool.with_worker(|_| {
///     let (left, right) = halves.split_at_mut(1);
///     heartbeat_pool::scope(|scope| {
///         scope.spawn(move || left[0] = 1);
///         scope.spawn_future(async move { right[0] = 2 }).detach();
///     });
/// });
/// assert_eq!(halves, [1, 2]);
/// ```
pub fn scope<'env, R>(f: impl for<'scope> FnOnce(&'scope Scope<'scope, 'env>) -> R) -> R {
    Worker::with_current(|worker| match worker {
        Some(worker) => worker.scope(f),
        None => {
            panic!("heartbeat_pool::scope was called outside of a pool: call ThreadPool::scope")
        }
    })
}
