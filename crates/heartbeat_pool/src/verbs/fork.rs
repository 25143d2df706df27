//! The second half of a join, on its owner's stack, and how its owner and a thief come together.
//!
//! A [`Fork`] is private at first ([`join`](crate::join())) or lies where others take it at once
//! ([`join_offered`](Worker::join_offered)). Why its owner finds it newest in the deque, or stolen
//! after all older ones, is in `heartbeat/README.md`.
//!
//! Whoever steals usually has no forks: an idle thread has begun nothing, and a wait for a stolen
//! fork begins once the own ones were stolen, too. Then all that the thief's deque holds until it
//! is done with the fork must be over before that is, and its owner may run it.

use crate::age::{Age, HasAge};
use crate::idle::sleep::Wake;
use crate::parker::Parker;
use crate::queue::forks::{ForkPtr, Offered};
use crate::schedule::News;
use crate::seat::Seat;
use crate::sync::{Arc, AtomicBool, OnceLock, Ordering, fence};
use crate::unwind::{self, Payload};
use crate::worker::Worker;
use crate::worker::wait::Wait;
use heartbeat_record::Lane;
use std::any::Any;
use std::cell::{Cell, UnsafeCell};
use std::mem::MaybeUninit;
use std::ptr;

/// The thread that runs a stolen fork, if it had no forks of its own then.
struct Thief {
    seat: Arc<Seat>,
    /// How many strangers' jobs its thread was inside of then.
    strangers: usize,
    /// When it began.
    begun: Age,
}

impl Thief {
    fn new(worker: &Worker) -> Self {
        let seat = worker.seat.clone();
        Self {
            strangers: seat.strangers(),
            begun: worker.joins.next_age(&seat),
            seat,
        }
    }

    /// Whether it is inside of a stranger's job now.
    fn is_elsewhere(&self) -> bool {
        self.seat.strangers() != self.strangers
    }
}

/// What owner and thief tell each other of a fork on offer.
#[repr(C)]
struct State<'a> {
    /// First, for [`Offered`].
    age: Age,
    done: AtomicBool,
    thief: OnceLock<Thief>,
    owner: &'a Arc<Parker>,
    /// Whether it is part of a measured join, and what it forks as well.
    is_measured: bool,
}

impl<'a> State<'a> {
    fn new(owner: &'a Worker, age: Age) -> Self {
        Self {
            age,
            done: AtomicBool::new(false),
            thief: OnceLock::new(),
            owner: &owner.parker,
            is_measured: owner.joins.is_measured.get(),
        }
    }
}

#[repr(C)]
pub(super) struct Fork<F, R> {
    /// From when it is on offer until its join ends. First, to be found whatever the types are.
    state: UnsafeCell<MaybeUninit<State<'static>>>,
    f: UnsafeCell<Option<F>>,
    result: UnsafeCell<Option<Result<R, Payload>>>,
}

impl<F: FnOnce(&Worker) -> R + Send, R: Send> Fork<F, R> {
    #[inline]
    pub(super) fn new(f: F) -> Self {
        Self {
            state: UnsafeCell::new(MaybeUninit::uninit()),
            f: UnsafeCell::new(Some(f)),
            result: UnsafeCell::new(None),
        }
    }

    #[inline]
    pub(super) fn as_ptr(&self) -> ForkPtr {
        // SAFETY: closure and result are `Send` by the bounds, and `offer` has it kept.
        unsafe { ForkPtr::new(ptr::from_ref(self).cast(), run::<F, R>) }
    }

    /// Runs it once its offer has ended and no thief has.
    // By reference, here and below: to move it would copy all of it.
    #[inline]
    pub(super) fn run_own(&mut self, worker: &Worker) -> R {
        match self.f.get_mut().take() {
            Some(f) => f(worker),
            None => unreachable!("a fork that was not stolen was not run"),
        }
    }

    /// Runs it, unless a thief has, after the join's first call has panicked, and panics with that.
    #[cold]
    pub(super) fn end_after_panic(&mut self, is_own: bool, worker: &Worker, payload: Payload) -> ! {
        let end = || {
            if is_own {
                drop(self.run_own(worker));
            } else {
                drop(self.take_result());
            }
        };
        if let Err(second) = unwind::catch(end) {
            unwind::discard(second);
        }
        unwind::resume(payload)
    }

    /// What came of it, if a thief has run it.
    #[inline]
    pub(super) fn take_result(&mut self) -> Result<R, Payload> {
        match self.result.get_mut().take() {
            Some(result) => result,
            None => unreachable!("a stolen fork is run before the wait for it ends"),
        }
    }
}

/// Runs a stolen fork and tells its owner.
///
/// # Safety
///
/// `data` points to a `Fork` of these types that is on offer and that its owner keeps until it is
/// done; this is its only run.
unsafe fn run<F: FnOnce(&Worker) -> R + Send, R: Send>(data: *const (), thief: &dyn Any) {
    let thief = Worker::of(thief);
    // SAFETY: by contract.
    let fork = unsafe { &*data.cast::<Fork<F, R>>() };
    // SAFETY: it is on offer.
    let state = unsafe { state_of(data) };
    let joins = &thief.joins;
    if joins.forks.is_empty() && joins.private.is_empty() {
        let _ = state.thief.set(Thief::new(thief));
    }
    let outer = joins.is_measured.replace(state.is_measured);
    // SAFETY: this is the only run, so nobody else touches the cell until the fork is done.
    let f = unsafe { &mut *fork.f.get() }.take();
    let result = f.map(|f| unwind::catch(|| f(thief)));
    joins.is_measured.set(outer);
    // SAFETY: as above; the owner reads it once the fork is done.
    unsafe { *fork.result.get() = result };
    // The fork may be gone as soon as it is done.
    let owner = state.owner.clone();
    // Release pairs with the Acquire in `StolenFork::is_done`.
    state.done.store(true, Ordering::Release);
    owner.unpark();
    // Nobody waits for what the thread runs next. Whoever waits for what is around this asks again,
    // or sleeps, and its place is free.
    thief.seat.beat.take_waiter();
}

/// The state of a fork of any type.
///
/// # Safety
///
/// `data` points to a `Fork` that is on offer and stays so for `'a`.
unsafe fn state_of<'a>(data: *const ()) -> &'a State<'a> {
    // SAFETY: its first field is the state, which `offer` has written.
    unsafe { &*data.cast() }
}

/// Tells forks of different code apart, as far as their machine code differs.
pub(super) fn kind<F: FnOnce(&Worker) -> R + Send, R: Send>() -> usize {
    (run::<F, R> as unsafe fn(*const (), &dyn Any)) as usize
}

/// The wait for a thief.
struct StolenFork<'a> {
    fork: *const (),
    state: &'a State<'a>,
    /// The owner's.
    seat: &'a Seat,
    /// A fork that this wait gave back to the thief until something older was done.
    put_back: Cell<*const ()>,
}

impl StolenFork<'_> {
    fn is(&self, fork: &Offered) -> bool {
        self.fork == fork.data()
    }

    fn has_put_back(&self, fork: &Offered) -> bool {
        self.put_back.get() == fork.data()
    }

    /// Whether the thief, of `seat`, has forked something to take.
    fn has_parts(&self, seat: &Seat) -> bool {
        !seat.forks.is_empty() || seat.returned.has(|fork| self.has_put_back(fork))
    }

    /// Runs what the `thief` has forked there, or what it has queued there before that; or first,
    /// where no spare thread comes to it, what this thread has queued since the fork that it waits
    /// for: the thief's may wait for just that.
    fn run_part(&self, worker: &Worker, thief: &Thief, fork: Offered) {
        let seat = &thief.seat;
        worker.seat.counters.parts[seat.fork_lane().index()].bump();
        let is_frames = seat.fork_lane() == Lane::Frame;
        let since = Some(self.state.age);
        // With spare threads one of them comes for these.
        let is_lone = is_frames && worker.is_left_alone();
        let own = || worker.take_new(since);
        let older = || worker.take_job_between(seat, Some(thief.begun), fork.age()?);
        match is_lone.then(|| own().or_else(older)).flatten() {
            Some(job) => {
                self.put_back.set(fork.data());
                worker.put_back_fork(seat, fork);
                worker.run_older(job.item, || self.is_done());
            }
            None => worker.run_fork(fork),
        }
    }

    /// Whether what the thief forks now is likely to be part of what is waited for.
    fn may_steal(&self) -> bool {
        let thief = self.state.thief.get();
        thief.is_some_and(|thief| thief.seat.hidden.is_over() && !thief.is_elsewhere())
    }
}

impl Wait for StolenFork<'_> {
    // Where it is called, a simulated thread can be made to stand still.
    #[cfg_attr(heartbeat_sim, track_caller)]
    fn is_done(&self) -> bool {
        // Acquire pairs with the Release in `run`.
        self.state.done.load(Ordering::Acquire)
    }

    fn step(&self, worker: &Worker, _: bool) -> bool {
        // It came back itself. Of others that did, some belong to the joins around this one.
        if let Some(own) = worker.seat.returned.take(|fork| self.is(fork)) {
            worker.run_fork(own);
            return true;
        }
        let Some(thief) = self.state.thief.get() else {
            return false;
        };
        let seat = &thief.seat;
        // None that came back to the thief, for the same reason, but what this wait has put back.
        if !self.may_steal() {
            return false;
        }
        let put_back = seat.returned.take(|fork| self.has_put_back(fork));
        let Some(fork) = put_back.or_else(|| seat.forks.steal()) else {
            // It is to share what is left of it.
            if !self.is_done() {
                seat.beat.raise_for_waiter();
            }
            return false;
        };
        if self.is_done() || thief.is_elsewhere() {
            // The thief may have begun something else, and this be part of that. Otherwise the fork
            // was in the thief's deque before that, which was empty when the thief began.
            worker.put_back_fork(seat, fork);
        } else {
            self.run_part(worker, thief, fork);
        }
        true
    }

    fn is_ready(&self) -> bool {
        let thief = self.state.thief.get();
        self.seat.returned.has(|fork| self.is(fork))
            || (self.may_steal() && thief.is_some_and(|thief| self.has_parts(&thief.seat)))
    }

    fn kind(&self) -> heartbeat_record::Wait {
        heartbeat_record::Wait::Join
    }
}

impl Worker {
    /// Puts `half` where others take it. True if they may have had none to take before it.
    ///
    /// # Safety
    ///
    /// `half` points to a [`Fork`] that is not on offer; the caller sees to it that it is kept
    /// until [`end_offer`](Self::end_offer), on this worker, has returned.
    #[inline]
    pub(super) unsafe fn offer(&self, half: ForkPtr) -> bool {
        let state = half.data().cast::<State<'_>>().cast_mut();
        let age = self.joins.next_age(&self.seat);
        // SAFETY: its first field is the state, in a cell, which nobody sees before the push. The
        // parker is the worker's, which the caller keeps as long.
        unsafe { state.write(State::new(self, age)) };
        let forks = &self.joins.forks;
        // SAFETY: the state, which comes first, begins with the age; and the caller has it kept.
        forks.push(unsafe { Offered::new(half) });
        // Asked after the push, so that whoever took the last one before it, and looked for more,
        // is not relied on.
        forks.len() <= 1
    }

    /// The same, asked once more after an offer that seemed to be none to tell of: of what was on
    /// offer before, the last may have been taken just then by a thread that has not seen this one.
    pub(super) fn offers_news_after_all(&self) -> bool {
        // Pairs with the fence in `search_end`: either whoever leaves the search with the last one
        // sees this one, or it is seen here that it was taken.
        fence(Ordering::SeqCst);
        self.joins.forks.len() <= 1
    }

    /// Takes the newest fork on offer, `half`, back (true), or waits until its thief is through
    /// with it.
    ///
    /// # Safety
    ///
    /// `half` is what [`offer`](Self::offer) was called with, and what was offered later has ended.
    #[inline]
    pub(super) unsafe fn end_offer(&self, half: *const ()) -> bool {
        let forks = &self.joins.forks;
        let newest = forks.pop();
        let is_own = newest.as_ref().is_some_and(|it| it.data() == half);
        if !is_own {
            // It was stolen, and so were all that are older, which are taken first; or the thread
            // has run it itself, in a yield.
            if let Some(older) = newest {
                forks.push(older);
                // A thread that has looked meanwhile has not seen it.
                self.announce_forks();
            }
            // SAFETY: by contract.
            unsafe { self.wait_for_thief(half) };
        }
        is_own
    }

    /// # Safety
    ///
    /// As [`end_offer`](Self::end_offer), and the fork was stolen.
    #[cold]
    unsafe fn wait_for_thief(&self, half: *const ()) {
        // SAFETY: the fork is on offer until this returns.
        let state = unsafe { state_of(half) };
        self.wait(&StolenFork {
            fork: half,
            state,
            seat: &self.seat,
            put_back: Cell::new(ptr::null()),
        });
        self.joins.were_taken.set(true);
        let state = half.cast::<State<'_>>().cast_mut();
        // SAFETY: the thief touches it no more after it is done, and nobody reads it again.
        unsafe { state.drop_in_place() };
    }

    /// Tells of forks that others may take, as soon as these are not hidden.
    #[cold]
    pub(crate) fn announce_forks(&self) {
        self.seat.set_fork_lane(self.lane());
        // Others point into the frames of whoever forks.
        unwind::or_abort(|| {
            let is_shown = self.seat.hidden.is_over();
            if is_shown {
                self.seat.hidden.show();
            }
            let news = match (is_shown, self.joins.helpers_wanted.take()) {
                (true, 0) => News::within_a_beat(self.lane()).by(Wake::Elsewhere),
                (true, helpers) => {
                    let news = News::at_once(self.lane()).by(Wake::Elsewhere);
                    news.for_many(helpers)
                }
                (false, 0) => News::to_watch(),
                (false, _) => News::to_watch_within_a_beat(),
            };
            self.tell(news);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pool::ThreadPool;
    use crate::threads::this_thread::Stranger;
    use crate::worker::current;

    /// Puts `fork` on offer, and takes it out of the deque.
    fn stolen<F: FnOnce(&Worker) -> R + Send, R: Send>(
        worker: &Worker,
        fork: &Fork<F, R>,
    ) -> Offered {
        // SAFETY: the caller keeps it until the test is over.
        unsafe { worker.offer(fork.as_ptr()) };
        worker.seat.forks.steal().unwrap()
    }

    /// Calls `test` with a fork of an outer join, which came back to `seat`, and the wait for
    /// another one. Nobody else is there.
    fn beside_a_fork_that_came_back(
        seat: impl FnOnce(&Worker) -> Arc<Seat>,
        test: impl FnOnce(&Worker, &StolenFork<'_>, Offered),
    ) {
        let pool = ThreadPool::builder().num_threads(0).build().unwrap();
        pool.with_worker(|worker| {
            let mut outer = Fork::new(|_: &Worker| 1);
            let inner = Fork::new(|_: &Worker| 2);
            let seat = seat(worker);
            seat.returned.give_back(stolen(worker, &outer));
            let fork = stolen(worker, &inner);
            let wait = StolenFork {
                fork: fork.data(),
                // SAFETY: it is on offer until the test is over.
                state: unsafe { state_of(fork.data()) },
                seat: &worker.seat,
                put_back: Cell::new(ptr::null()),
            };
            test(worker, &wait, fork);
            // SAFETY: as above.
            let state = unsafe { state_of(outer.as_ptr().data()) };
            assert!(!state.done.load(Ordering::Relaxed));
            worker.run_fork(seat.returned.take(|_| true).unwrap());
            for half in [outer.as_ptr(), inner.as_ptr()] {
                // SAFETY: it was stolen and was run.
                unsafe { worker.wait_for_thief(half.data()) };
            }
            assert!(matches!(outer.take_result(), Ok(1)));
        });
    }

    #[test]
    fn the_first_one_on_offer_is_news() {
        let pool = ThreadPool::builder().num_threads(0).build().unwrap();
        pool.with_worker(|worker| {
            let forks = [1, 2].map(|result| Fork::new(move |_: &Worker| result));
            for (fork, is_first) in forks.iter().zip([true, false]) {
                // SAFETY: it is kept until the test is over.
                assert_eq!(unsafe { worker.offer(fork.as_ptr()) }, is_first);
            }
            for fork in forks.iter().rev() {
                // SAFETY: the later one's offer has ended.
                assert!(unsafe { worker.end_offer(fork.as_ptr().data()) });
            }
        });
    }

    #[test]
    fn of_forks_that_came_back_a_wait_runs_its_own() {
        beside_a_fork_that_came_back(
            |worker| worker.seat.clone(),
            |worker, wait, fork| {
                assert!(!wait.is_ready() && !wait.step(worker, false));
                worker.seat.returned.give_back(fork);
                assert!(wait.is_ready() && wait.step(worker, false) && wait.is_done());
            },
        );
    }

    #[test]
    fn nobody_waits_for_a_thief_that_is_done() {
        beside_a_fork_that_came_back(
            |worker| worker.seat.clone(),
            |worker, _, fork| {
                worker.seat.beat.raise_for_waiter();
                worker.run_fork(fork);
                assert!(!worker.seat.beat.has_waiter());
            },
        );
    }

    /// The thief's thread, in a wait, runs what only it may, and that forks.
    #[test]
    fn a_wait_runs_none_of_a_strangers_job_on_top_of_the_thiefs() {
        let other = ThreadPool::builder().num_threads(0).build().unwrap();
        let thief = other.with_worker(|worker| worker.seat.clone());
        let own = current::worker_in(other.registry(), other.registry().frame());
        beside_a_fork_that_came_back(
            |_| thief.clone(),
            |worker, wait, fork| {
                let begun = fork.age().unwrap();
                let _ = wait.state.thief.set(Thief {
                    strangers: thief.strangers(),
                    seat: thief.clone(),
                    begun,
                });
                let stranger = Stranger::begin();
                own.joins.forks.push(Offered::nothing());
                assert!(!wait.is_ready() && !wait.step(worker, false));
                drop(stranger);
                assert!(wait.is_ready() && wait.step(worker, false));
                worker.run_fork(fork);
            },
        );
    }

    #[test]
    fn a_wait_runs_none_that_came_back_to_the_thief() {
        let other = ThreadPool::builder().num_threads(0).build().unwrap();
        let thief = other.with_worker(|worker| worker.seat.clone());
        beside_a_fork_that_came_back(
            |_| thief.clone(),
            |worker, wait, fork| {
                let begun = fork.age().unwrap();
                let _ = wait.state.thief.set(Thief {
                    strangers: thief.strangers(),
                    seat: thief.clone(),
                    begun,
                });
                assert!(!wait.is_ready() && !wait.step(worker, false));
                worker.run_fork(fork);
            },
        );
    }

    /// As above, with a thief that has begun the fork, and its worker.
    fn beside_a_thief(test: impl FnOnce(&Worker, &StolenFork<'_>, &Worker, Offered)) {
        let other = ThreadPool::builder().num_threads(0).build().unwrap();
        let thief = other.with_worker(|worker| worker.seat.clone());
        let own = current::worker_in(other.registry(), other.registry().frame());
        beside_a_fork_that_came_back(
            |worker| worker.seat.clone(),
            |worker, wait, fork| {
                let begun = fork.age().unwrap();
                let _ = wait.state.thief.set(Thief {
                    strangers: thief.strangers(),
                    seat: thief,
                    begun,
                });
                test(worker, wait, &own, fork);
            },
        );
    }

    #[test]
    fn a_wait_takes_nothing_that_its_thief_hides() {
        beside_a_thief(|worker, wait, thief, fork| {
            let hour = std::time::Duration::from_secs(3600);
            thief.seat.hidden.hide(crate::sync::Instant::now() + hour);
            thief.joins.forks.push(Offered::nothing());
            assert!(!wait.is_ready() && !wait.step(worker, false));
            thief.seat.hidden.show();
            assert!(wait.is_ready() && wait.step(worker, false));
            worker.run_fork(fork);
        });
    }

    /// The thief's thread may have begun something else by then, and this be part of that.
    #[test]
    fn what_a_thief_forks_once_it_is_done_is_given_back_to_it() {
        beside_a_thief(|worker, wait, thief, fork| {
            worker.run_fork(fork);
            assert!(wait.is_done());
            thief.joins.forks.push(Offered::nothing());
            assert!(wait.step(worker, false));
            assert!(thief.seat.returned.take(|_| true).is_some());
        });
    }

    /// What lies there is older than the stolen fork, and nothing that its owner waits for.
    #[test]
    fn nobody_helps_a_thief_that_has_had_forks_of_its_own() {
        for has_private in [false, true] {
            beside_a_fork_that_came_back(
                |worker| worker.seat.clone(),
                |worker, wait, fork| {
                    let joins = &worker.joins;
                    let private = has_private.then(|| joins.private.push(ForkPtr::nothing()));
                    if !has_private {
                        joins.forks.push(Offered::nothing());
                    }
                    worker.run_fork(fork);
                    match private {
                        Some(index) => {
                            assert!(joins.private.pop(index));
                            joins.private.end();
                        }
                        None => assert!(joins.forks.pop().is_some()),
                    }
                    assert!(wait.is_done() && wait.state.thief.get().is_none());
                },
            );
        }
    }

    #[test]
    fn a_part_of_a_measured_join_is_measured_and_what_its_thief_runs_next_is_not() {
        let pool = ThreadPool::builder().num_threads(0).build().unwrap();
        pool.with_worker(|worker| {
            let is_measured = &worker.joins.is_measured;
            let mut fork = Fork::new(|worker: &Worker| worker.joins.is_measured.get());
            is_measured.set(true);
            let part = stolen(worker, &fork);
            is_measured.set(false);
            worker.run_fork(part);
            assert!(!is_measured.get());
            // SAFETY: it was stolen and was run.
            unsafe { worker.wait_for_thief(fork.as_ptr().data()) };
            assert!(matches!(fork.take_result(), Ok(true)));
        });
    }

    #[test]
    fn a_join_that_is_over_keeps_nothing_of_its_thief() {
        let pool = ThreadPool::builder().num_threads(0).build().unwrap();
        pool.with_worker(|worker| {
            let kept = Arc::strong_count(&worker.seat);
            let fork = Fork::new(|_: &Worker| ());
            let part = stolen(worker, &fork);
            worker.run_fork(part);
            assert!(
                Arc::strong_count(&worker.seat) > kept,
                "the fork tells who has run it"
            );
            // SAFETY: it was stolen and was run.
            unsafe { worker.wait_for_thief(fork.as_ptr().data()) };
            assert_eq!(Arc::strong_count(&worker.seat), kept);
        });
    }

    /// Who has looked while it was out of the deque has not seen it.
    #[test]
    fn a_fork_that_is_put_back_as_another_one_ends_is_news_again() {
        let pool = ThreadPool::builder().num_threads(0).build().unwrap();
        pool.with_worker(|worker| {
            let forks = [1, 2].map(|result| Fork::new(move |_: &Worker| result));
            let [kept, ended] = &forks;
            let part = stolen(worker, ended);
            worker.run_fork(part);
            // SAFETY: it is kept until the test is over.
            unsafe { worker.offer(kept.as_ptr()) };
            let sleep = &worker.team().sleep;
            let idle = Arc::new(Parker::new());
            sleep.search_begin();
            sleep.park_begin(&idle);
            // SAFETY: it was offered, and nothing after it that has not ended but what is put back.
            assert!(!unsafe { worker.end_offer(ended.as_ptr().data()) });
            assert!(idle.has_token());
            // SAFETY: it was offered.
            assert!(unsafe { worker.end_offer(kept.as_ptr().data()) });
            assert!(!sleep.park_cancel(&idle) && sleep.search_end());
        });
    }
}
