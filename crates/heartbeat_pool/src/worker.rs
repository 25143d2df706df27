//! A worker: a thread's own side of its seat, and the loop that a pool thread runs.

use crate::active::Tracks;
use crate::heartbeat::{self, Relieved};
use crate::job::Job;
use crate::lane::Lane;
use crate::mailbox::Mailbox;
use crate::occupancy::Charge;
use crate::parker::Parker;
use crate::pinned::Pinned;
use crate::private::PrivateQueue;
use crate::registry::{Registry, SeatList};
use crate::scope::ScopeCore;
use crate::seat::{Promotion, Seat};
use crate::spin;
use crate::sync::Arc;
use crate::thread_state::{self, Entered};
use crate::unwind;
use crossbeam_deque::{Steal, Worker as Deque};
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::thread;
use std::time::{Duration, Instant};

/// A theft that took this long has paid for itself: the next is worth asking for at once.
const WORTH_TAKING: Duration = Duration::from_micros(10);

/// Every this many jobs a worker looks at the injector before its own deque, so that work from
/// outside is not starved by tasks that keep waking each other.
const INJECTOR_TURN: u32 = 61;

/// A thread's seat in a pool: a pool thread's own, or one that a thread from outside holds while
/// it is inside a pool call.
///
/// All the verbs are methods of it; the [`ThreadPool`](crate::ThreadPool)'s methods of the same
/// names find the calling thread's worker first.
///
/// ```
/// use heartbeat_pool::{ThreadPool, Worker};
///
/// let pool = ThreadPool::builder().num_threads(2).build().unwrap();
/// let sum = pool.with_worker(|worker| {
///     let (a, b) = worker.join(|_| 1, |_| 2);
///     a + b
/// });
/// assert_eq!(sum, 3);
/// assert!(Worker::with_current(|worker| worker.is_none()));
/// ```
pub struct Worker {
    registry: Arc<Registry>,
    pub(crate) seat: Arc<Seat>,
    deque: Deque<Job>,
    pub(crate) private: PrivateQueue,
    /// Jobs of `private` that were promoted and whose `join` has not ended, oldest first.
    pub(crate) promoted: RefCell<Vec<(usize, Arc<Promotion>)>>,
    /// What the thread is counted as in the pool's occupancy.
    charge: Cell<Option<Charge>>,
    parker: Arc<Parker>,
    /// What must run on this very thread; a member empties it between jobs.
    mailbox: Arc<Mailbox>,
    seats: RefCell<(usize, SeatList)>,
    scope_core: Cell<Option<Arc<ScopeCore>>>,
    /// The queue of a member.
    pinned: Option<Arc<Pinned>>,
    /// Where the next search among the others' seats starts.
    turn: Cell<usize>,
    ticks: Cell<u32>,
    /// When the thread, idle, last raised the others' beats.
    asked: Cell<Instant>,
    /// Whether the job last taken from a join was worth taking.
    theft_paid: Cell<bool>,
}

/// Work taken from a queue.
enum Found {
    Job(Job),
    Promotion(Arc<Promotion>),
}

/// What a thread was counted as before a wait, per pool.
pub(crate) struct StoodUp(Vec<(Rc<Worker>, Charge)>);

impl Worker {
    pub(crate) fn new(registry: &Arc<Registry>, pinned: Option<Arc<Pinned>>) -> Self {
        let deque = Deque::new_fifo();
        let thread = thread::current();
        let name = match thread.name() {
            Some(name) => name.to_owned(),
            None => format!("{:?}", thread.id()),
        };
        let seat = Arc::new(Seat::new(name, deque.stealer()));
        registry.add_seat(seat.clone());
        Self {
            registry: registry.clone(),
            seat,
            deque,
            private: PrivateQueue::new(),
            promoted: RefCell::new(Vec::new()),
            charge: Cell::new(None),
            pinned,
            scope_core: Cell::new(None),
            parker: thread_state::parker(),
            mailbox: thread_state::mailbox(),
            seats: RefCell::new((usize::MAX, Arc::new(Vec::new()))),
            turn: Cell::new(0),
            ticks: Cell::new(0),
            asked: Cell::new(Instant::now()),
            theft_paid: Cell::new(true),
        }
    }

    /// Calls `f` with the worker whose pool the calling thread is inside of, if it is in one.
    pub fn with_current<R>(f: impl FnOnce(Option<&Self>) -> R) -> R {
        thread_state::with_current(f)
    }

    /// Whether this is one of the pool's own threads, not one that entered from outside.
    #[must_use]
    pub fn is_member(&self) -> bool {
        self.pinned.is_some()
    }

    /// The thread's index among the pool's own threads; spare threads have one beyond
    /// [`num_threads`](crate::ThreadPool::num_threads), threads from outside have none.
    #[must_use]
    pub fn index(&self) -> Option<usize> {
        self.pinned.as_ref().map(|pinned| pinned.index)
    }

    /// The lane that the thread now works in. Work that it forks goes to the same.
    #[must_use]
    pub fn lane(&self) -> Lane {
        match self.charge.get() {
            Some(Charge::Lane(lane)) => lane,
            Some(Charge::External) | None => Lane::Frame,
        }
    }

    pub(crate) fn registry(&self) -> &Arc<Registry> {
        &self.registry
    }

    pub(crate) fn is_in(&self, registry: &Arc<Registry>) -> bool {
        Arc::ptr_eq(&self.registry, registry)
    }

    pub(crate) fn parker(&self) -> &Arc<Parker> {
        &self.parker
    }

    pub(crate) fn push_own(&self, job: Job) {
        self.deque.push(job);
    }

    /// Counts a thread from outside as running, for as long as `f` does.
    pub(crate) fn visit<R>(self: &Rc<Self>, f: impl FnOnce(&Self) -> R) -> R {
        struct Visit<'a>(&'a Worker);
        impl Drop for Visit<'_> {
            fn drop(&mut self) {
                self.0.set_charge(None);
                self.0.registry.offer_seat();
            }
        }
        let _entered = Entered::new(self.clone());
        // A nested call, or one from a job, is counted already.
        let _visit = self.charge.get().is_none().then(|| {
            self.registry.occupancy.enter(Charge::External);
            self.charge.set(Some(Charge::External));
            Visit(self)
        });
        f(self)
    }

    /// Leaves the count, if the thread was counted, and becomes `charge`, which is counted already.
    fn set_charge(&self, charge: Option<Charge>) {
        if let Some(left) = self.charge.replace(charge) {
            self.registry.occupancy.leave(left);
        }
    }

    /// Takes the next piece of work that the thread may run, best lane first.
    fn next_work(&self) -> Option<Found> {
        for lane in Lane::ALL {
            let kept = self.charge.get() == Some(Charge::Lane(lane));
            if kept {
                if self.registry.occupancy.crowded(lane) {
                    self.set_charge(None);
                    self.registry.offer_seat();
                    continue;
                }
            } else {
                if !self.registry.has_work(lane) || !self.registry.occupancy.try_admit(lane) {
                    continue;
                }
                let changed = self.charge.get().is_some();
                self.set_charge(Some(Charge::Lane(lane)));
                if changed {
                    self.registry.offer_seat();
                }
            }
            if let Some(found) = self.pop(lane) {
                return Some(found);
            }
        }
        self.set_charge(None);
        None
    }

    fn pop(&self, lane: Lane) -> Option<Found> {
        let registry = &self.registry;
        if lane == Lane::Frame {
            let tick = self.ticks.get().wrapping_add(1);
            self.ticks.set(tick);
            if tick.is_multiple_of(INJECTOR_TURN)
                && let Some(job) = registry.pop_injected(lane)
            {
                return Some(Found::Job(job));
            }
            if let Some(job) = self.deque.pop() {
                return Some(Found::Job(job));
            }
        }
        if let Some(job) = registry.pop_injected(lane) {
            return Some(Found::Job(job));
        }
        self.steal(lane)
    }

    fn steal(&self, lane: Lane) -> Option<Found> {
        let epoch = self.registry.seats_epoch();
        if self.seats.borrow().0 != epoch {
            *self.seats.borrow_mut() = (epoch, self.registry.seats());
        }
        let seats = self.seats.borrow();
        let seats = &seats.1;
        let start = self.turn.get();
        self.turn.set(start.wrapping_add(1));
        for place in 0..seats.len() {
            let seat = &seats[start.wrapping_add(place) % seats.len()];
            if let Some(promotion) = seat.take_promoted(|_, job| job.lane == lane) {
                self.seat.counters.steal();
                return Some(Found::Promotion(promotion));
            }
            if lane != Lane::Frame || Arc::ptr_eq(seat, &self.seat) {
                continue;
            }
            loop {
                match seat.stealer.steal_batch_and_pop(&self.deque) {
                    Steal::Success(job) => {
                        self.seat.counters.steal();
                        return Some(Found::Job(job));
                    }
                    Steal::Empty => break,
                    Steal::Retry => {}
                }
            }
        }
        None
    }

    fn run(&self, found: Found) {
        match found {
            Found::Job(job) => self.run_job(job),
            Found::Promotion(promotion) => self.run_promotion(&promotion),
        }
    }

    fn run_job(&self, job: Job) {
        self.count_job();
        job.run();
    }

    pub(crate) fn count_job(&self) {
        self.seat.counters.job(self.lane());
    }

    /// What a new scope of this worker shares with those who help it: kept from an earlier scope,
    /// if possible.
    pub(crate) fn take_scope_core(&self) -> Arc<ScopeCore> {
        let lane = self.lane();
        if let Some(core) = self.scope_core.take()
            && core.lane == lane
        {
            return core;
        }
        let core = ScopeCore::new(self.registry.clone(), lane, self.parker.clone());
        Arc::new(core)
    }

    /// Keeps what a finished scope used, for the next.
    pub(crate) fn keep_scope_core(&self, core: Arc<ScopeCore>) {
        self.scope_core.set(Some(core));
    }

    pub(crate) fn run_promotion(&self, promotion: &Promotion) {
        self.seat.counters.job(self.lane());
        let start = Instant::now();
        promotion.run_taken(self);
        self.theft_paid.set(start.elapsed() >= WORTH_TAKING);
    }

    /// Runs one piece of work of any lane, whatever the budgets: for pools without threads.
    pub(crate) fn tick(&self) -> bool {
        let tick = self.ticks.get().wrapping_add(1);
        self.ticks.set(tick);
        let mut lanes = Lane::ALL;
        if tick.is_multiple_of(8) {
            // No lane starves where frame tasks keep waking each other.
            lanes.reverse();
        }
        for lane in lanes {
            if let Some(found) = self.pop(lane) {
                let visitor = self.charge.replace(Some(Charge::Lane(lane)));
                self.registry.occupancy.enter(Charge::Lane(lane));
                self.run(found);
                self.registry.occupancy.leave(Charge::Lane(lane));
                self.charge.set(visitor);
                return true;
            }
        }
        false
    }

    /// Leaves the count in every pool that the thread runs in, for it is about to wait, and offers
    /// its places to spare threads.
    pub(crate) fn stand_up() -> StoodUp {
        let mut stood_up = Vec::new();
        thread_state::for_each_seat(|worker| {
            worker.promote_all();
            if let Some(charge) = worker.charge.take() {
                worker.registry.occupancy.leave(charge);
                worker.registry.offer_seat();
                worker.seat.counters.park();
                stood_up.push((worker.clone(), charge));
            }
        });
        StoodUp(stood_up)
    }

    /// Ends a wait: the thread is counted again, whether there is room or not.
    pub(crate) fn sit_down(stood_up: StoodUp) {
        for (worker, charge) in stood_up.0 {
            worker.registry.occupancy.enter(charge);
            worker.charge.set(Some(charge));
        }
    }

    /// A pool thread's life: search, run, sleep. It comes counted as a searcher.
    fn main_loop(&self) {
        let registry = &self.registry;
        let mut searching = true;
        loop {
            if registry.is_terminated() {
                break;
            }
            self.empty_mailbox();
            while self.run_pinned() {}
            if let Some(found) = self.next_work() {
                if searching {
                    searching = false;
                    self.end_search();
                }
                self.run(found);
                continue;
            }
            if !searching {
                searching = true;
                registry.sleep.search_begin();
                // What was pushed while nobody searched and this thread ran is found now.
                continue;
            }
            if let Some(pinned) = &self.pinned
                && registry.threads.try_retire(registry, pinned)
            {
                pinned.close();
                break;
            }
            searching = self.idle();
        }
        // What came before the queue was closed; a pool that ended drops it.
        while !registry.is_terminated() && self.run_pinned() {}
        self.set_charge(None);
        if searching && registry.sleep.search_end() {
            registry.offer_seat();
        }
    }

    /// Runs one job that only this thread may run, if there is one.
    pub(crate) fn run_pinned(&self) -> bool {
        let Some(job) = self.pinned.as_ref().and_then(|pinned| pinned.pop()) else {
            return false;
        };
        self.run_job(job);
        true
    }

    /// Whether there is work for this very thread.
    pub(crate) fn has_pinned(&self) -> bool {
        self.pinned
            .as_ref()
            .is_some_and(|pinned| !pinned.is_empty())
    }

    fn empty_mailbox(&self) {
        while !self.mailbox.is_empty() {
            if let Err(payload) = unwind::catch(|| self.mailbox.try_tick()) {
                self.registry.report_panic(&*payload);
            }
        }
    }

    /// The last searcher wakes the next, for pushers have relied on it to find everything.
    fn end_search(&self) {
        if self.registry.sleep.search_end() {
            for lane in Lane::ALL {
                if self.registry.has_work(lane) {
                    return self.registry.notify(lane);
                }
            }
        }
    }

    /// Looks around for a moment more, then sleeps until woken. Tells whether the thread is counted
    /// as a searcher afterwards.
    fn idle(&self) -> bool {
        self.spin() || self.sleep()
    }

    /// The only searcher asks for work to be shared, and waits as long as a sleep would cost: what
    /// comes meanwhile is handed over without a wake-up.
    fn spin(&self) -> bool {
        let registry = &self.registry;
        if registry.sleep.searchers() != 1 || !registry.has_room() {
            return false;
        }
        // Sharing has to pay: small forks are asked for once a beat.
        if self.theft_paid.take() || self.asked.get().elapsed() >= registry.config.beat {
            self.asked.set(Instant::now());
            registry.raise_beats();
        }
        spin::until(spin::BEFORE_SLEEP, || {
            registry.has_admissible_work() || self.is_called()
        })
    }

    /// Whether there is something to do for this very thread.
    fn is_called(&self) -> bool {
        !self.mailbox.is_empty() || self.has_pinned() || self.registry.is_terminated()
    }

    fn sleep(&self) -> bool {
        let registry = &self.registry;
        let sleep = &registry.sleep;
        sleep.park_begin(&self.parker);
        if self.is_called() || registry.has_admissible_work() {
            // A waker that was first has counted the thread as well.
            sleep.park_cancel(&self.parker);
            return true;
        }
        self.seat.counters.park();
        while sleep.sentinel_begin() {
            let relieved = heartbeat::keep_beat(registry, self);
            sleep.sentinel_end();
            match relieved {
                Relieved::Called => {
                    sleep.park_cancel(&self.parker);
                    return true;
                }
                // Once more round: work may have begun just then and seen a sentinel.
                Relieved::Quiet if registry.occupancy.is_quiet() && !registry.has_any_work() => {
                    break;
                }
                Relieved::Quiet => {}
                Relieved::Stuck => {
                    sleep.park_cancel(&self.parker);
                    self.charge.set(Some(Charge::Lane(Lane::Frame)));
                    if sleep.search_end() {
                        registry.offer_seat();
                    }
                    if let Some(found) = self.pop(Lane::Frame) {
                        self.run(found);
                    }
                    return false;
                }
            }
        }
        self.parker.park();
        sleep.park_cancel(&self.parker);
        true
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // Nobody empties this deque any more; in a pool that ended, the jobs are dropped.
        while let Some(job) = self.deque.pop() {
            self.registry.push(Lane::Frame, job);
        }
        self.registry.remove_seat(&self.seat);
    }
}

impl std::fmt::Debug for Worker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Worker")
            .field("name", &self.seat.name)
            .field("index", &self.index())
            .finish_non_exhaustive()
    }
}

/// What a thread of the pool runs from its start to its end, counted as a searcher.
pub(crate) fn thread_main(registry: &Arc<Registry>, pinned: &Arc<Pinned>) {
    struct Exit<'a>(&'a Registry, usize);
    impl Drop for Exit<'_> {
        fn drop(&mut self) {
            if let Some(handler) = &self.0.config.exit_handler {
                handler(self.1);
            }
        }
    }
    if let Some(handler) = &registry.config.start_handler {
        handler(pinned.index);
    }
    let _exit = Exit(registry, pinned.index);
    let worker = Rc::new(Worker::new(registry, Some(pinned.clone())));
    pinned.begin(worker.parker.clone());
    thread_state::keep_seat(worker.clone());
    let entered = Entered::new(worker.clone());
    worker.main_loop();
    drop(entered);
    drop(worker);
    thread_state::drop_seats();
}
