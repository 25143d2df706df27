//! `scope`: closures and futures that borrow from outside, all over when it returns.
//!
//! A scope has its own queue. Workers find it through a *ticket*, a job that stands for the whole
//! scope and is queued at most once at a time; the owner, when it waits, takes from that queue and
//! nowhere else, so what it runs is what it waits for.

mod apart;
mod core;
mod jobs;
mod stacks;
mod wait;

use self::core::{ScopeCore, ScopedJob};
use self::stacks::Stacks;
use self::wait::Completion;
use crate::active::{Tracked, Uncounted};
use crate::job::SmallFn;
use crate::late;
use crate::queue::deque::Order;
use crate::queue::mailbox::Mailbox;
use crate::registry::Registry;
use crate::registry::team::Rank;
use crate::sync::Arc;
use crate::threads::this_thread;
use crate::unwind::{self, Payload};
use crate::worker::Worker;
use crate::worker::wait::BareWait;
use async_task::{Runnable, Schedule, ScheduleInfo, Task, WithInfo};
use heartbeat_record::{Lane, Wait};
use std::fmt;
use std::future::Future;
use std::marker::PhantomData;

/// A scope: work spawned on it may borrow what lives outside of it.
///
/// Made by [`ThreadPool::scope`](crate::ThreadPool::scope) and its namesakes, which return when
/// everything spawned is over. The two lifetimes are those of [`std::thread::Scope`].
pub struct Scope<'scope, 'env: 'scope> {
    core: Arc<ScopeCore>,
    scope: PhantomData<&'scope mut &'scope ()>,
    env: PhantomData<&'env mut &'env ()>,
}

impl fmt::Debug for Scope<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scope").finish_non_exhaustive()
    }
}

impl<'scope> Scope<'scope, '_> {
    /// Spawns a closure. Any worker may run it at once; the scope's owner does when it waits.
    ///
    /// A panic in it is resumed by the scope's owner, after everything else is over.
    pub fn spawn(&'scope self, f: impl FnOnce() + Send + 'scope) {
        let core = &self.core;
        core.begin();
        // SAFETY: the scope's owner waits until the latch is done, and the job is counted off after
        // its run, so it is run before what it borrows ends.
        let job = ScopedJob::Closure(unsafe { SmallFn::new(f) });
        core.push(job);
    }

    /// Calls a thread at once for what is spawned, which the caller knows to be worth that: some
    /// ten microseconds and more. Else one comes within a beat, or as soon as the scope's owner
    /// has found its jobs to be long.
    ///
    /// ```
    /// let pool = heartbeat_pool::ThreadPool::builder().num_threads(2).build()?;
    /// let mut rows = [[1_u64; 10_000]; 2];
    /// pool.scope(|scope| {
    ///     for row in &mut rows {
    ///         scope.spawn(|| row.iter_mut().for_each(|cell| *cell += 1));
    ///     }
    ///     scope.call_for_help();
    /// });
    /// assert!(rows.as_flattened().iter().all(|&cell| cell == 2));
    /// # Ok::<(), heartbeat_pool::BuildError>(())
    /// ```
    pub fn call_for_help(&'scope self) {
        let core = &self.core;
        core.tell_of(core.team(), true, core.jobs.len());
    }

    /// How many threads its pool is meant to run at once. See
    /// [`ThreadPool::num_threads`](crate::ThreadPool::num_threads).
    #[must_use]
    pub fn num_threads(&self) -> usize {
        self.core.registry.frame().occupancy.target()
    }

    /// As [`Worker::try_spawn_on`], but a panic in it is resumed by the scope's owner.
    pub fn try_spawn_on(&'scope self, index: usize, f: impl FnOnce() + Send + 'scope) -> bool {
        self.core.begin();
        // SAFETY: as in `spawn`; dropped, it is counted off as well.
        let job = ScopedJob::Closure(unsafe { SmallFn::new(f) });
        let job = self.core.apart(job);
        self.core.registry.frame().pin(index, job).is_ok()
    }

    /// Spawns a future. Dropping the task cancels it; the scope waits until the future is dropped.
    ///
    /// A panic in it is resumed by the scope's owner, and whoever awaits the task panics as well.
    /// A panic while an output is dropped that nobody took ends the process, as in async-task.
    pub fn spawn_future<F>(&'scope self, future: F) -> Task<F::Output>
    where
        F: Future + Send + 'scope,
        F::Output: Send + 'scope,
    {
        // SAFETY: async-task makes a runnable only of a future that is not dropped, and the owner,
        // which holds the core, waits until that is dropped and counted off.
        let core = unsafe { Uncounted::new(&self.core) };
        let schedule = move |runnable, info: ScheduleInfo| {
            // It may end while it is being queued.
            let core = core.get().clone();
            if info.woken_while_running {
                core.push_again(runnable);
            } else {
                core.push(ScopedJob::Run(runnable));
            }
        };
        // SAFETY: the core runs what is queued there counted, and the owner waits for its latch.
        let (runnable, task) = unsafe { spawn(&self.core, future, WithInfo(schedule)) };
        self.core.push(ScopedJob::Run(runnable));
        task
    }

    /// Spawns a future that is polled only by the owner of `mailbox`, which must be ticked for the
    /// scope to end. A waiting scope ticks the mailboxes that it was given.
    pub fn spawn_future_on<F>(&'scope self, mailbox: &Arc<Mailbox>, future: F) -> Task<F::Output>
    where
        F: Future + Send + 'scope,
        F::Output: Send + 'scope,
    {
        let core = self.core.clone();
        let job = move |runnable| core.apart(ScopedJob::Run(runnable));
        // Not dropped by its waker, which may hold what it wants.
        let schedule = mailbox.schedule(job.clone(), late::drop_elsewhere);
        // SAFETY: what lies apart is run or dropped counted, and the owner waits for the latch.
        let (runnable, task) = unsafe { spawn(&self.core, future, schedule) };
        // An ended thread's mailbox gives it back: dropping it cancels the task, for which the
        // scope waits.
        drop(mailbox.push_job(job(runnable)));
        task
    }
}

/// Makes a task of `future`, begun on the latch of `core`, that is scheduled by `schedule` but for
/// the first time: async-task would count the task once more around that.
///
/// # Safety
///
/// Caller and `schedule` must see to it that the runnable is run, or dropped, by
/// [`ScopeCore::counted`] of the same core; the scope's owner must wait for the latch before what
/// the future borrows ends.
unsafe fn spawn<'a, F>(
    core: &Arc<ScopeCore>,
    future: F,
    schedule: impl Schedule + Send + Sync + 'static,
) -> (Runnable, Task<F::Output>)
where
    F: Future + Send + 'a,
    F::Output: Send + 'a,
{
    core.begin();
    // SAFETY: by contract it is dropped by the core's `counted`, and the owner, which waits for
    // that, holds the core.
    let future = unsafe { Tracked::new(future, core) };
    let builder = async_task::Builder::new().propagate_panic(true);
    // SAFETY: future and output are `Send`; `schedule` is `Send`, `Sync` and 'static; the caller
    // promises that the future is dropped before what it borrows ends.
    unsafe { builder.spawn_unchecked(|()| future, schedule) }
}

/// What is kept for the next scopes: of so many, for programs that divide their work by them are
/// inside of many at a time, and of each the memory for so many jobs of a thread, and stacks for so
/// many threads more than the pool has.
const KEPT: usize = 16;

impl Worker {
    /// The core of a new scope, kept from an earlier one if possible.
    fn take_scope_core(&self, order: Order) -> Arc<ScopeCore> {
        let lane = self.lane();
        let kept = {
            let mut kept = self.kept_scopes.borrow_mut();
            let is_fit = |core: &ScopeCore| core.lane == lane && core.order == order;
            let place = kept
                .iter()
                .rposition(|core| core.downcast_ref().is_some_and(is_fit));
            place.and_then(|place| kept.swap_remove(place).downcast().ok())
        };
        kept.unwrap_or_else(|| {
            let (registry, parker) = (self.registry.clone(), self.parker.clone());
            let (rank, owner) = (self.team().rank, Some(self.seat.clone()));
            Arc::new(ScopeCore::new(registry, rank, lane, parker, owner, order))
        })
    }

    fn keep_scope_core(&self, core: Arc<ScopeCore>) {
        let mut kept = self.kept_scopes.borrow_mut();
        // So many threads had jobs here at a time, from outside most of them: later scopes would
        // look at all their stacks.
        let stacks = core.jobs.stacks();
        let is_long = stacks.is_some_and(|stacks| stacks.has_more_than(self.team_size() + KEPT));
        if core.is_clear(self) && kept.len() < KEPT && !is_long {
            stacks.into_iter().for_each(Stacks::shrink);
            kept.push(core);
        }
    }

    /// Calls `f` with a scope and waits until everything spawned on it is over.
    ///
    /// # Panics
    ///
    /// With `f`'s payload, or else with the first that something spawned has panicked with.
    pub fn scope<'env, R>(
        &self,
        f: impl for<'scope> FnOnce(&'scope Scope<'scope, 'env>) -> R,
    ) -> R {
        self.scope_in_order(Order::OldestFirst, f)
    }

    /// As [`scope`](Self::scope), where each thread runs the closures that it has spawned itself in
    /// `order`. With the newest first it takes those of others oldest first, and now and then
    /// these, or its own oldest, come before its newest; with the oldest first the oldest is next,
    /// whoever has spawned it. In a pool
    /// [whose threads run their newest first](crate::ThreadPoolBuilder::order), those of a thread
    /// from outside are taken oldest first.
    ///
    /// # Panics
    ///
    /// As [`scope`](Self::scope).
    ///
    /// ```
    /// let pool = heartbeat_pool::ThreadPool::builder().num_threads(0).build().unwrap();
    /// let ran = std::sync::Mutex::new(Vec::new());
    /// pool.with_worker(|worker| {
    ///     worker.scope_in_order(heartbeat_pool::Order::NewestFirst, |scope| {
    ///         for i in 0..3 {
    ///             let ran = &ran;
    ///             scope.spawn(move || ran.lock().unwrap().push(i));
    ///         }
    ///     });
    /// });
    /// assert_eq!(ran.into_inner().unwrap(), [2, 1, 0]);
    /// ```
    pub fn scope_in_order<'env, R>(
        &self,
        order: Order,
        f: impl for<'scope> FnOnce(&'scope Scope<'scope, 'env>) -> R,
    ) -> R {
        self.scope_of(order, &[], f)
    }

    pub(crate) fn scope_of<'env, R>(
        &self,
        order: Order,
        mailboxes: &[&Arc<Mailbox>],
        f: impl for<'scope> FnOnce(&'scope Scope<'scope, 'env>) -> R,
    ) -> R {
        let core = self.take_scope_core(order);
        let result = within(&core, f, || self.wait(&Completion::new(&core, mailboxes)));
        core.set_much(false);
        self.keep_scope_core(core);
        result.unwrap_or_else(|payload| unwind::resume(payload))
    }
}

impl Registry {
    /// A scope whose owner only waits: all that is spawned is left to the pool's threads. See
    /// [`ThreadPool::scope_elsewhere`](crate::ThreadPool::scope_elsewhere).
    pub(crate) fn scope_elsewhere<'env, R>(
        self: &Arc<Self>,
        order: Order,
        f: impl for<'scope> FnOnce(&'scope Scope<'scope, 'env>) -> R,
    ) -> R {
        let parker = this_thread::parker();
        let core = ScopeCore::new(
            self.clone(),
            Rank::Frame,
            Lane::Frame,
            parker.clone(),
            None,
            order,
        );
        let core = Arc::new(core);
        let wait = BareWait {
            pool: Some(self),
            kind: Wait::Scope,
            parker: &parker,
            is_over: || {
                core.settle();
                core.is_done()
            },
        };
        within(&core, f, || wait.to_the_end()).unwrap_or_else(|payload| unwind::resume(payload))
    }
}

/// Calls `f` with the scope of `core`, and then `wait`, which returns when everything spawned is
/// over, unless that is so already. Gives the first panic: that of `f`, or else of what was
/// spawned.
fn within<'env, R>(
    core: &Arc<ScopeCore>,
    f: impl for<'scope> FnOnce(&'scope Scope<'scope, 'env>) -> R,
    wait: impl FnOnce(),
) -> Result<R, Payload> {
    let scope = Scope {
        core: core.clone(),
        scope: PhantomData,
        env: PhantomData,
    };
    let result = unwind::catch(|| f(&scope));
    if !core.is_done() {
        wait();
    }
    match (result, core.take_panic()) {
        (Ok(_), Some(payload)) => Err(payload),
        (Err(first), Some(payload)) => {
            unwind::discard(payload);
            Err(first)
        }
        (result, None) => result,
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
    Worker::current_for("scope", |worker| worker.scope(f))
}

#[cfg(all(test, not(heartbeat_loom)))]
mod tests {
    use super::*;
    use crate::pool::ThreadPool;
    use crate::sync::{Mutex, lock};

    #[test]
    fn scopes_are_used_again_in_their_own_order() {
        let pool = ThreadPool::builder().num_threads(0).build().unwrap();
        pool.with_worker(|worker| {
            for order in [Order::NewestFirst, Order::OldestFirst].repeat(2) {
                let ran = Mutex::new(Vec::new());
                worker.scope_in_order(order, |scope| {
                    for i in 0..2 {
                        let ran = &ran;
                        scope.spawn(move || lock(ran).push(i));
                    }
                });
                let expected = match order {
                    Order::OldestFirst => [0, 1],
                    Order::NewestFirst => [1, 0],
                };
                assert_eq!(*lock(&ran), expected);
            }
        });
    }

    #[test]
    fn scopes_are_used_again_in_their_own_lane() {
        let pool = ThreadPool::builder().num_threads(1).build().unwrap();
        for lane in Lane::ALL.repeat(2) {
            pool.block_on(pool.spawn_future(lane, async move {
                let check = |worker: &Worker| {
                    worker.scope(|scope| assert_eq!(scope.core.lane, lane));
                };
                Worker::with_current(|worker| check(worker.unwrap()));
            }));
        }
    }

    #[test]
    fn of_many_scopes_at_a_time_few_are_kept() {
        fn nested(worker: &Worker, depth: usize) {
            if depth > 0 {
                worker.scope(|_| nested(worker, depth - 1));
            }
        }
        let pool = ThreadPool::builder().num_threads(0).build().unwrap();
        pool.with_worker(|worker| {
            nested(worker, 2 * KEPT);
            assert_eq!(worker.kept_scopes.borrow().len(), KEPT);
        });
    }
}
