//! A pool's shared state: its queues, its seats, and who is woken for what.

use crate::active::{ActiveTasks, Tracks};
use crate::idle::sleep::Sleep;
use crate::idle::waiters::Waiters;
use crate::job::Job;
use crate::lanes::lane::Lane;
use crate::lanes::lower::Kin;
use crate::lanes::occupancy::Occupancy;
use crate::lanes::priority::{self, LowerPriority};
use crate::late;
use crate::pool::config::Config;
use crate::pool::metrics::{PoolMetrics, WorkerMetrics};
use crate::queue::injector::Injector;
use crate::seat::Seat;
use crate::sync::{Arc, AtomicBool, AtomicUsize, Mutex, Ordering, lock, thread};
use crate::threads::numbers::Slots;
use crate::threads::start::{Main, Threads};
use crate::threads::this_thread;
use crate::unwind;
use crate::verbs::blocking::BlockingQueue;
use crate::worker::Worker;
use crate::worker::look::Look;
use std::any::Any;

/// The seats as one reading: a worker keeps it until the epoch moves.
pub(crate) type SeatList = Arc<Vec<Arc<Seat>>>;

/// What becomes of a thread that wakes another one.
#[derive(Clone, Copy)]
enum Waker {
    /// It keeps its core for a while.
    GoesOn,
    /// It keeps its core as long as the other one works.
    Works,
    /// It may be about to sleep, and the other one may as well have that core.
    MayStop,
}

pub(crate) struct Registry {
    /// Work from outside and of the lower lanes; frame work of a worker lies in its own deque.
    injectors: [Injector<Job>; 3],
    pub(crate) blocking: BlockingQueue,
    seats: Mutex<SeatList>,
    /// Counts changes of `seats`.
    seats_epoch: AtomicUsize,
    departed: Mutex<WorkerMetrics>,
    pub(crate) occupancy: Occupancy,
    pub(crate) sleep: Sleep,
    pub(crate) threads: Threads,
    pub(crate) waiters: Waiters,
    pub(crate) config: Config,
    terminated: AtomicBool,
    /// Whether recent jobs were shorter than a hand-over, as the next may be.
    brief: AtomicBool,
    active: ActiveTasks,
    pub(crate) kin: Kin,
    pub(crate) has_lower: AtomicBool,
    /// Whether these get no more than what others leave of the cores.
    pub(crate) has_leftovers: AtomicBool,
    pub(crate) slots: Slots,
    /// Whether somebody has chosen the number of threads.
    pub(crate) sized: AtomicBool,
    /// How many threads the system runs at once of those of the thread that made the pool. A pool's own thread may
    /// be kept to fewer cores.
    pub(crate) cores: usize,
}

impl Tracks for Registry {
    fn active(&self) -> &ActiveTasks {
        &self.active
    }

    fn report_panic(&self, payload: &(dyn Any + Send)) {
        if let Some(handler) = &self.config.panic_handler {
            // No worker dies of a handler either: the panic hook has shown what was wrong with it.
            if let Err(own) = unwind::catch(|| handler(payload)) {
                unwind::discard(own);
            }
        }
    }
}

impl Registry {
    pub(crate) fn new(config: Config, main: Main) -> Arc<Self> {
        Arc::new(Self {
            has_lower: AtomicBool::new(config.has_lower),
            has_leftovers: AtomicBool::new(config.lower_priority == LowerPriority::Leftovers),
            injectors: Lane::ALL.map(|_| Injector::new()),
            blocking: BlockingQueue::new(),
            seats: Mutex::new(Arc::new(Vec::new())),
            seats_epoch: AtomicUsize::new(0),
            departed: Mutex::new(WorkerMetrics::default()),
            occupancy: Occupancy::new(),
            sleep: Sleep::new(),
            threads: Threads::new(main),
            waiters: Waiters::new(),
            config,
            terminated: AtomicBool::new(false),
            brief: AtomicBool::new(false),
            active: ActiveTasks::new(),
            kin: Kin::new(),
            slots: Slots::new(),
            sized: AtomicBool::new(false),
            cores: thread::available_parallelism().map_or(1, usize::from),
        })
    }

    pub(crate) fn is_terminated(&self) -> bool {
        // Acquire pairs with the SeqCst swap in `terminate`.
        self.terminated.load(Ordering::Acquire)
    }

    /// Queues `job` for any worker. The caller must see to it that one takes it.
    pub(crate) fn inject(&self, lane: Lane, job: Job) {
        // Closed at the end. What comes then may be a task that its waker woke before that, under
        // whatever locks.
        if let Err(refused) = self.injectors[lane.index()].push(job) {
            late::drop_elsewhere(refused);
        }
    }

    /// After work of `lane` was queued: wakes somebody, unless somebody is looking for work.
    ///
    /// Tells whether nobody was, so that a thread was woken if there was room.
    pub(crate) fn notify(self: &Arc<Self>, lane: Lane) -> bool {
        self.notify_at_once(lane, Waker::MayStop)
    }

    /// As [`notify`](Self::notify), by a thread that works on beside the helper. Not for joins that are
    /// shared by the beat, which may be too short to be worth a core of their own.
    pub(crate) fn notify_helper(self: &Arc<Self>, lane: Lane) {
        self.notify_at_once(lane, Waker::Works);
    }

    /// As [`notify`](Self::notify), for work that may wait a beat.
    pub(crate) fn notify_within_a_beat(self: &Arc<Self>, lane: Lane) {
        self.notify_soon(lane, Waker::MayStop);
    }

    /// As [`notify_helper`](Self::notify_helper), for work that may wait a beat.
    pub(crate) fn notify_helper_within_a_beat(self: &Arc<Self>, lane: Lane) {
        self.notify_soon(lane, Waker::Works);
    }

    fn notify_at_once(self: &Arc<Self>, lane: Lane, waker: Waker) -> bool {
        let needed = self.sleep.needs_searcher();
        if needed {
            self.wake_for(lane, waker);
        }
        needed
    }

    fn notify_soon(self: &Arc<Self>, lane: Lane, waker: Waker) {
        if self.sleep.needs_watch() {
            self.wake_for(lane, waker);
        }
    }

    /// After blocking work was queued: wakes or starts a thread for it, unless somebody is looking
    /// for work.
    pub(crate) fn notify_of_blocking(self: &Arc<Self>) {
        if self.sleep.needs_searcher() {
            self.wake_any(Waker::MayStop);
        }
    }

    /// After work was queued by somebody who goes on for a while and will not do it: wakes somebody though others
    /// search already, if they are fewer than the jobs; or within a beat where somebody runs who is likely to be
    /// through with it by then.
    pub(crate) fn notify_others(self: &Arc<Self>, lane: Lane) {
        // Relaxed: nothing rests on the flag.
        if self.brief.load(Ordering::Relaxed) && !self.occupancy.is_quiet() {
            self.notify_soon(lane, Waker::GoesOn);
        } else if self.sleep.needs_searcher() || self.wants_more_searchers(lane) {
            self.wake_for(lane, Waker::GoesOn);
        }
    }

    /// Whether more is queued from outside than the searchers will take, and there is room for one more. Lower work
    /// is in no such hurry.
    fn wants_more_searchers(&self, lane: Lane) -> bool {
        let searchers = self.sleep.searchers();
        lane == Lane::Frame
            && searchers < self.occupancy.room()
            && searchers < self.injectors[lane.index()].len()
    }

    /// Tells whether the jobs that a worker has just run were shorter than a hand-over.
    pub(crate) fn set_brief(&self, brief: bool) {
        if self.brief.load(Ordering::Relaxed) != brief {
            self.brief.store(brief, Ordering::Relaxed);
        }
    }

    /// After work was queued that nobody may take yet: somebody must be there to see when they may.
    pub(crate) fn see_to_sentinel(self: &Arc<Self>) {
        if self.sleep.needs_watch() && !self.sleep.has_sentinel() {
            self.wake_any(Waker::GoesOn);
        }
    }

    /// As [`see_to_sentinel`](Self::see_to_sentinel), for what is likely to be there still when others may take it:
    /// somebody must look within a beat.
    pub(crate) fn see_to_watch(self: &Arc<Self>) {
        if self.sleep.needs_watch() {
            self.wake_any(Waker::GoesOn);
        }
    }

    fn wake_any(self: &Arc<Self>, waker: Waker) {
        let woken = match waker {
            // A thread that gives way doesn't go on once a frame's has woken.
            _ if self.kin.is_lower() || priority::gives_way() => self.sleep.wake_one(),
            Waker::MayStop => self.sleep.wake_one(),
            Waker::GoesOn => self.sleep.wake_one_away(),
            Waker::Works => self.sleep.wake_one_elsewhere(),
        };
        if !woken && self.occupancy.target() > 0 {
            self.threads.spawn_spare(self);
        }
    }

    fn wake_for(self: &Arc<Self>, lane: Lane, waker: Waker) {
        // Threadless: a caller of `block_on` may sleep.
        let threadless = self.occupancy.target() == 0;
        if threadless || self.occupancy.admits(lane) || !self.sleep.has_sentinel() {
            // Not admitted, it becomes the sentinel, which relieves a pool whose running jobs
            // block on queued ones.
            self.wake_any(waker);
        }
    }

    /// After the calling thread left the count: its place goes to whoever can use it.
    pub(crate) fn offer_seat(self: &Arc<Self>) {
        if !self.sleep.needs_watch() {
            return;
        }
        let seats = self.seats();
        let look = Look::new(self, seats.as_slice());
        if let Some(lane) = look.work_for_one_more() {
            self.wake_for(lane, Waker::MayStop);
        } else if self.blocking.is_ready() {
            self.wake_any(Waker::MayStop);
        } else if !self.occupancy.is_quiet() {
            // Forks found no room before: the next one looks again.
            look.raise_beats(None);
        }
    }

    pub(crate) fn has_injected(&self, lane: Lane) -> bool {
        !self.injectors[lane.index()].is_empty()
    }

    /// Whether one more thread would be let in to run frame work.
    pub(crate) fn has_room(&self) -> bool {
        self.occupancy.has_room()
    }

    pub(crate) fn pop_injected(&self, lane: Lane) -> Option<Job> {
        self.injectors[lane.index()].pop()
    }

    pub(crate) fn add_seat(&self, seat: Arc<Seat>) {
        self.change_seats(|seats| seats.push(seat));
    }

    pub(crate) fn remove_seat(&self, seat: &Arc<Seat>) {
        // Held throughout, so that a snapshot finds the seat either here or there.
        let mut departed = lock(&self.departed);
        self.change_seats(|seats| seats.retain(|other| !Arc::ptr_eq(other, seat)));
        departed.add(&seat.metrics());
    }

    fn change_seats(&self, change: impl FnOnce(&mut Vec<Arc<Seat>>)) {
        let mut seats = lock(&self.seats);
        let mut changed = Vec::clone(&seats);
        change(&mut changed);
        *seats = Arc::new(changed);
        // Release pairs with the Acquire in `seats_epoch`.
        self.seats_epoch.fetch_add(1, Ordering::Release);
    }

    pub(crate) fn seats(&self) -> SeatList {
        lock(&self.seats).clone()
    }

    pub(crate) fn seats_epoch(&self) -> usize {
        // Acquire pairs with the Release in `change_seats`.
        self.seats_epoch.load(Ordering::Acquire)
    }

    pub(crate) fn metrics(&self) -> PoolMetrics {
        let mut metrics = self.own_metrics();
        if let Some(lower) = self.kin.lower() {
            metrics.add_lower(lower.own_metrics());
        }
        metrics
    }

    fn own_metrics(&self) -> PoolMetrics {
        let departed = lock(&self.departed);
        PoolMetrics {
            threads: self.occupancy.target(),
            queued: [0, 1, 2].map(|lane: usize| self.injectors[lane].len()),
            queued_blocking: self.blocking.len(),
            workers: self.seats().iter().map(|seat| seat.metrics()).collect(),
            departed: WorkerMetrics {
                name: "departed".to_owned(),
                ..departed.clone()
            },
        }
    }

    /// Whether threads of this registry run jobs or are about to. One that is blocked in a system call can't
    /// be told from one that runs.
    pub(crate) fn wants_cores(&self) -> bool {
        !self.occupancy.is_quiet() || self.sleep.searchers() > 0
    }

    /// Ends the pool: its threads finish the job they run, and what is queued is dropped.
    ///
    /// `own` is the calling thread's index, if it is one of the pool's.
    pub(crate) fn terminate(self: &Arc<Self>, own: Option<usize>) {
        // A thread of the pool that ends it waits as in any wait: another one may have its seat, and what only it can
        // do is done.
        let _standing = Worker::stand_up();
        // First the lower threads, while this registry's do what jobs there wait for, or the caller if nobody else
        // could.
        if let Some(lower) = self.kin.close() {
            lower.end(this_thread::index_in(lower), || {
                this_thread::run_pinned() || self.is_left_to_caller() && self.tick()
            });
        }
        self.end(own, this_thread::run_pinned);
    }

    /// Whether nobody but the calling thread, which waits, could do this registry's work.
    fn is_left_to_caller(self: &Arc<Self>) -> bool {
        let is_lone = || this_thread::lone_member().is_some_and(|worker| worker.is_in(self));
        self.occupancy.target() == 0 || (self.occupancy.is_quiet() && is_lone())
    }

    /// Does one piece of work on the calling thread.
    pub(crate) fn tick(self: &Arc<Self>) -> bool {
        this_thread::seat_in(self).visit(Worker::tick)
    }

    /// Ends this registry alone. While its threads end, the caller calls `work`, which tells whether there was some.
    fn end(&self, own: Option<usize>, work: impl Fn() -> bool) {
        if self.terminated.swap(true, Ordering::SeqCst) {
            return;
        }
        // Whoever waits in a job does what it waits for itself from now on.
        self.occupancy.change_target(|_| 0);
        self.sleep.wake_all();
        self.waiters.wake_all();
        self.threads.join(own, work);
        // The threads are gone, so nothing runs what this queues.
        self.active.close();
        self.blocking.close();
        for seat in self.seats().iter() {
            while !seat.stealer.is_empty() {
                drop(seat.stealer.steal());
            }
        }
        for injector in &self.injectors {
            injector.close();
        }
    }
}
