//! `join_offered`: two calls, the second of which another thread may take at once.
//!
//! The second calls lie in a deque that others steal from, as in rayon and Cilk. That costs a fence
//! where [`join`](crate::join()) costs none, but needs no poll of their owner's for them to be
//! taken.
//!
//! Whoever steals usually has an empty deque: an idle thread has begun nothing, and a wait for a
//! stolen fork begins once the own deque is empty, for what is older was stolen before. Then all
//! that the thief's deque holds until it is done with the fork must be over before that is, and its
//! owner may run it.

use crate::parker::Parker;
use crate::queue::forks::ForkPtr;
use crate::queue::private::StackPtr;
use crate::record::{self, What, note};
use crate::schedule::{News, Teller};
use crate::seat::Seat;
use crate::sync::{Arc, AtomicBool, OnceLock, Ordering};
use crate::unwind::{self, Payload};
use crate::worker::Worker;
use crate::worker::wait::Wait;
use std::any::Any;
use std::cell::UnsafeCell;

/// What owner and thief tell each other.
struct State<'a> {
    done: AtomicBool,
    /// Who runs it, if that is another one whose deque was empty, and how many strangers' jobs its
    /// thread was inside of then.
    thief: OnceLock<(Arc<Seat>, usize)>,
    owner: &'a Arc<Parker>,
    seat: &'a Seat,
}

/// The second half of a join, on its owner's stack.
struct Fork<'a, F, R> {
    f: UnsafeCell<Option<F>>,
    result: UnsafeCell<Option<Result<R, Payload>>>,
    state: State<'a>,
}

impl<'a, F: FnOnce(&Worker) -> R + Send, R: Send> Fork<'a, F, R> {
    fn new(f: F, owner: &'a Worker) -> Self {
        Self {
            f: UnsafeCell::new(Some(f)),
            result: UnsafeCell::new(None),
            state: State {
                done: AtomicBool::new(false),
                thief: OnceLock::new(),
                owner: owner.parker(),
                seat: owner.seat(),
            },
        }
    }

    fn as_ptr(&self) -> ForkPtr {
        let fork = StackPtr {
            data: std::ptr::from_ref(self).cast(),
            run: run::<F, R>,
        };
        // SAFETY: both are `Send` by this function's bounds, and `join_offered` pops the fork or
        // waits until it is done.
        unsafe { ForkPtr::new(fork) }
    }
}

/// Runs a stolen fork and tells its owner.
///
/// # Safety
///
/// `data` points to a `Fork` of these types that its owner keeps until it is done; this is its only
/// run.
unsafe fn run<F: FnOnce(&Worker) -> R + Send, R: Send>(data: *const (), thief: &dyn Any) {
    let thief = Worker::of(thief);
    // SAFETY: by contract.
    let fork = unsafe { &*data.cast::<Fork<'_, F, R>>() };
    if thief.joins().forks.is_empty() {
        let seat = thief.seat();
        let _ = fork.state.thief.set((seat.clone(), seat.strangers()));
    }
    // SAFETY: this is the only run, so nobody else touches the cell until the fork is done.
    let f = unsafe { &mut *fork.f.get() }.take();
    let result = f.map(|f| unwind::catch(|| f(thief)));
    // SAFETY: as above; the owner reads it once the fork is done.
    unsafe { *fork.result.get() = result };
    // The fork may be gone as soon as it is done.
    let owner = fork.state.owner.clone();
    // Release pairs with the Acquire in `StolenFork::is_done`.
    fork.state.done.store(true, Ordering::Release);
    owner.unpark();
}

/// Tells forks of different code apart, as far as their machine code differs.
pub(crate) fn kind<F: FnOnce(&Worker) -> R + Send, R: Send>() -> usize {
    (run::<F, R> as unsafe fn(*const (), &dyn Any)) as usize
}

/// The wait for a thief.
struct StolenFork<'a> {
    fork: *const (),
    state: &'a State<'a>,
}

impl StolenFork<'_> {
    fn is(&self, fork: &ForkPtr) -> bool {
        self.fork == fork.data()
    }

    /// Whether what the thief forks now is likely to be part of what is waited for.
    fn may_steal(&self) -> bool {
        let thief = self.state.thief.get();
        thief.is_some_and(|(seat, strangers)| seat.shows_forks() && seat.strangers() == *strangers)
    }
}

impl Wait for StolenFork<'_> {
    // Where it is called, a simulated thread can be made to stand still.
    #[cfg_attr(heartbeat_sim, track_caller)]
    fn is_done(&self) -> bool {
        // Acquire pairs with the Release in `run`.
        self.state.done.load(Ordering::Acquire)
    }

    fn step(&self, worker: &Worker) -> bool {
        // It came back itself. Of others that did, some belong to the joins around this one.
        if let Some(fork) = worker.seat().take_returned(|fork| self.is(fork)) {
            worker.run_fork(fork);
            return true;
        }
        let Some((seat, strangers)) = self.state.thief.get() else {
            return false;
        };
        // None that came back to the thief, for the same reason.
        if !self.may_steal() {
            return false;
        }
        let Some(fork) = seat.forks.steal() else {
            return false;
        };
        if self.is_done() || seat.strangers() != *strangers {
            // The thief may have begun something else, and this be part of that. Otherwise the fork
            // was in the thief's deque before that, which was empty when the thief began.
            seat.give_back(fork);
            worker.registry().tell(News::at_once(seat.fork_lane()));
        } else {
            worker.seat().counters.steal();
            note::note(|| What::Stolen { from: seat.thread });
            worker.run_fork(fork);
        }
        true
    }

    fn is_ready(&self) -> bool {
        let thief = self.state.thief.get();
        self.state.seat.has_returned_one(|fork| self.is(fork))
            || (self.may_steal() && thief.is_some_and(|(seat, _)| !seat.forks.is_empty()))
    }

    fn set_asleep(&self, _: bool) {}

    fn kind(&self) -> record::Wait {
        record::Wait::Join
    }
}

impl Worker {
    /// Tells of forks that others may take, as soon as these are not hidden.
    #[cold]
    pub(crate) fn announce_forks(&self) {
        self.seat().set_fork_lane(self.lane());
        // Others point into the frames of whoever forks.
        unwind::AbortOnUnwind::guard(|| {
            let is_shown = self.seat().shows_forks();
            if is_shown {
                self.seat().show_forks();
            }
            let news = match (is_shown, self.joins().wants_help_now.take()) {
                (true, true) => News::at_once(self.lane()).by(Teller::Works),
                (true, false) => News::within_a_beat(self.lane()).by(Teller::Works),
                (false, true) => News::kept_for_a_beat(),
                (false, false) => News::kept(),
            };
            self.registry().tell(news);
        });
    }

    /// As [`join`](Self::join), but `b` can be taken by others at once, not from the next beat on:
    /// for calls that join nothing and [split](crate::for_each()) nothing for long, so that nobody
    /// could take what was left private, or that wait for `b` themselves. It costs some ten
    /// nanoseconds.
    ///
    /// # Panics
    ///
    /// As [`join`](Self::join).
    ///
    /// ```
    /// let pool = heartbeat_pool::ThreadPool::builder().num_threads(2).build().unwrap();
    /// let sums = pool.with_worker(|worker| {
    ///     worker.join_offered(|_| (0..1000).sum::<u64>(), |_| (1000..2000).sum::<u64>())
    /// });
    /// assert_eq!(sums, (499_500, 1_499_500));
    /// ```
    #[inline]
    pub fn join_offered<A, B, RA, RB>(&self, a: A, b: B) -> (RA, RB)
    where
        A: FnOnce(&Self) -> RA + Send,
        B: FnOnce(&Self) -> RB + Send,
        RA: Send,
        RB: Send,
    {
        let fork = Fork::new(b, self);
        let job = || fork.as_ptr().number();
        note::note(|| What::Forked { job: job() });
        // Who comes for older forks finds this one too, unless they are hidden.
        if self.joins().forks.push(fork.as_ptr()) || self.seat().hides_forks() {
            self.announce_forks();
        }
        let ra = unwind::catch(|| a(self));
        // What came later is over, so this is the newest.
        let stolen = !self.joins().forks.pop();
        if stolen {
            self.wait(&StolenFork {
                fork: fork.as_ptr().data(),
                state: &fork.state,
            });
        }
        let ra = ra.unwrap_or_else(|payload| unwind::resume(payload));
        if !stolen {
            return match fork.f.into_inner() {
                Some(b) => (ra, b(self)),
                None => unreachable!("a fork that was not stolen was not run"),
            };
        }
        match fork.result.into_inner() {
            Some(Ok(rb)) => (ra, rb),
            Some(Err(payload)) => unwind::resume(payload),
            None => unreachable!("a stolen fork is run before the wait for it ends"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pool::ThreadPool;
    use crate::threads::this_thread::Stranger;
    use crate::worker::current;

    /// Calls `test` with a fork of an outer join, which came back to `seat`, and the wait for
    /// another one. Nobody else is there.
    fn beside_a_fork_that_came_back(
        seat: impl FnOnce(&Worker) -> Arc<Seat>,
        test: impl FnOnce(&Worker, &StolenFork<'_>, ForkPtr),
    ) {
        let pool = ThreadPool::builder().num_threads(0).build().unwrap();
        pool.with_worker(|worker| {
            let outer = Fork::new(|_: &Worker| 1, worker);
            let inner = Fork::new(|_: &Worker| 2, worker);
            let seat = seat(worker);
            seat.give_back(outer.as_ptr());
            let wait = StolenFork {
                fork: inner.as_ptr().data(),
                state: &inner.state,
            };
            test(worker, &wait, inner.as_ptr());
            assert!(!outer.state.done.load(Ordering::Relaxed));
            worker.run_fork(seat.take_returned(|_| true).unwrap());
            assert!(matches!(outer.result.into_inner(), Some(Ok(1))));
        });
    }

    #[test]
    fn of_forks_that_came_back_a_wait_runs_its_own() {
        beside_a_fork_that_came_back(
            |worker| worker.seat().clone(),
            |worker, wait, fork| {
                assert!(!wait.is_ready() && !wait.step(worker));
                worker.seat().give_back(fork);
                assert!(wait.is_ready() && wait.step(worker) && wait.is_done());
            },
        );
    }

    /// The thief's thread, in a wait, runs what only it may, and that forks.
    #[test]
    fn a_wait_runs_none_of_a_strangers_job_on_top_of_the_thiefs() {
        let other = ThreadPool::builder().num_threads(0).build().unwrap();
        let thief = other.with_worker(|worker| worker.seat().clone());
        let own = current::seat_in(other.registry());
        beside_a_fork_that_came_back(
            |_| thief.clone(),
            |worker, wait, fork| {
                let _ = wait.state.thief.set((thief.clone(), thief.strangers()));
                let stranger = Stranger::begin();
                own.joins().forks.push(ForkPtr::nothing());
                assert!(!wait.is_ready() && !wait.step(worker));
                drop(stranger);
                assert!(wait.is_ready() && wait.step(worker));
                worker.run_fork(fork);
            },
        );
    }

    #[test]
    fn a_wait_runs_none_that_came_back_to_the_thief() {
        let other = ThreadPool::builder().num_threads(0).build().unwrap();
        let thief = other.with_worker(|worker| worker.seat().clone());
        beside_a_fork_that_came_back(
            |_| thief.clone(),
            |worker, wait, fork| {
                let _ = wait.state.thief.set((thief.clone(), thief.strangers()));
                assert!(!wait.is_ready() && !wait.step(worker));
                worker.run_fork(fork);
            },
        );
    }
}
