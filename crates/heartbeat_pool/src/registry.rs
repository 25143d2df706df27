//! A pool's shared state: its queues, its seats, and who is woken for what.

use crate::active::{ActiveTasks, Tracks};
use crate::idle::sleep::Sleep;
use crate::idle::waiters::Waiters;
use crate::job::Job;
use crate::lanes::lane::Lane;
use crate::lanes::lower::Kin;
use crate::lanes::occupancy::Occupancy;
use crate::lanes::priority::LowerPriority;
use crate::late;
use crate::pool::config::Config;
use crate::pool::metrics::{PoolMetrics, WorkerMetrics};
use crate::queue::blocking::BlockingQueue;
use crate::queue::injector::Injector;
use crate::seat::Seat;
use crate::sync::{Arc, AtomicBool, AtomicUsize, Mutex, Ordering, lock, thread};
use crate::threads::numbers::Slots;
use crate::threads::start::{Main, Threads};
use crate::threads::this_thread;
use crate::unwind;
use crate::worker::Worker;
use std::any::Any;
use std::iter;

/// The seats as one reading: a worker keeps it until the epoch moves.
pub(crate) type SeatList = Arc<Vec<Arc<Seat>>>;

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

    /// Tells whether the jobs that a worker has just run were shorter than a hand-over.
    pub(crate) fn set_brief(&self, brief: bool) {
        if self.is_brief() != brief {
            self.brief.store(brief, Ordering::Relaxed);
        }
    }

    /// Whether they were.
    pub(crate) fn is_brief(&self) -> bool {
        // Relaxed: nothing rests on the flag.
        self.brief.load(Ordering::Relaxed)
    }

    /// How many jobs of `lane` lie where everybody takes them.
    pub(crate) fn injected(&self, lane: Lane) -> usize {
        self.injectors[lane.index()].len()
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
            queued: Lane::ALL.map(|lane| self.injected(lane)),
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
        self.blocking.close().for_each(|job| self.drop_job(job));
        for seat in self.seats().iter() {
            while !seat.stealer.is_empty() {
                seat.stealer
                    .steal()
                    .into_iter()
                    .for_each(|job| self.drop_job(job));
            }
        }
        for injector in &self.injectors {
            injector.close();
            iter::from_fn(|| injector.pop()).for_each(|job| self.drop_job(job));
        }
    }

    /// Drops a job that will not be run. Its panic must not keep the others alive.
    pub(crate) fn drop_job(&self, job: Job) {
        if let Err(payload) = unwind::catch(|| drop(job)) {
            self.report_panic(&*payload);
            unwind::discard(payload);
        }
    }
}
