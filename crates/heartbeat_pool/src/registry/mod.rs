//! A pool's shared state: its queues, its `seats`, its threads and how they are `start`ed, and the
//! lower threads that it may have (`kin`). `look` is how others read all of it at once.

pub(crate) mod kin;
pub(crate) mod look;
pub(crate) mod seats;
pub(crate) mod start;

use crate::active::{ActiveTasks, Tracks};
use crate::config::Config;
use crate::idle::sleep::Sleep;
use crate::idle::waiters::Waiters;
use crate::job::Job;
use crate::lanes::lane::Lane;
use crate::lanes::occupancy::Occupancy;
use crate::late;
use crate::metrics::PoolMetrics;
use crate::queue::blocking::BlockingQueue;
use crate::queue::injector::Injector;
use crate::record::{Place, What, note};
use crate::registry::kin::Kin;
use crate::registry::seats::Seats;
use crate::registry::start::{Main, Threads};
use crate::sync::{Arc, AtomicBool, Ordering};
use crate::unwind;
use crate::waits::Waits;
use crossbeam_utils::CachePadded;
use std::any::Any;
use std::iter;

pub(crate) struct Registry {
    /// Work from outside and of the lower lanes; frame work of a worker lies in its own deque.
    injectors: [Injector<Job>; 3],
    pub(crate) blocking: BlockingQueue,
    pub(crate) seats: Seats,
    pub(crate) occupancy: Occupancy,
    /// On a line of its own, all of it: who writes one part is likely to write the others.
    pub(crate) sleep: CachePadded<Sleep>,
    pub(crate) threads: Threads,
    pub(crate) waiters: Waiters,
    pub(crate) config: Config,
    is_terminated: AtomicBool,
    active: ActiveTasks,
    pub(crate) kin: Kin,
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
        Self::beside(config, main, Arc::new(Waits::new()))
    }

    /// One of a pool that has these waits.
    fn beside(config: Config, main: Main, waits: Arc<Waits>) -> Arc<Self> {
        Arc::new(Self {
            kin: Kin::new(&config, waits),
            injectors: Lane::ALL.map(|_| Injector::new()),
            blocking: BlockingQueue::new(),
            seats: Seats::new(),
            occupancy: Occupancy::new(),
            sleep: CachePadded::new(Sleep::new()),
            threads: Threads::new(main),
            waiters: Waiters::new(),
            config,
            is_terminated: AtomicBool::new(false),
            active: ActiveTasks::new(),
        })
    }

    #[inline]
    pub(crate) fn is_terminated(&self) -> bool {
        // Acquire pairs with the SeqCst swap in `close`.
        self.is_terminated.load(Ordering::Acquire)
    }

    /// From now on it is terminated; false if it was already.
    pub(crate) fn close(&self) -> bool {
        !self.is_terminated.swap(true, Ordering::SeqCst)
    }

    /// Closes the injectors, and gives what lay there.
    pub(crate) fn close_injectors(&self) -> impl Iterator<Item = Job> {
        self.injectors.iter().flat_map(|injector| {
            injector.close();
            iter::from_fn(|| injector.pop())
        })
    }

    /// Queues `job` for any worker. The caller must see to it that one takes it.
    #[inline]
    pub(crate) fn inject(&self, lane: Lane, job: Job) {
        note::note(|| What::Queued {
            job: job.number(),
            lane,
            place: Place::Injector,
        });
        let injector = &self.injectors[lane.index()];
        self.kin.waits.queued(lane, job.number(), || injector.len());
        // Closed at the end. What comes then may be a task that its waker woke before that, under
        // whatever locks.
        if let Err(refused) = injector.push(job) {
            late::drop_elsewhere(refused);
        }
    }

    /// How many jobs of `lane` lie where everybody takes them.
    pub(crate) fn injected(&self, lane: Lane) -> usize {
        self.injectors[lane.index()].len()
    }

    pub(crate) fn has_injected(&self, lane: Lane) -> bool {
        !self.injectors[lane.index()].is_empty()
    }

    /// Whether one more thread would be let in to run frame work, or to help those that run.
    pub(crate) fn has_room(&self) -> bool {
        self.occupancy.has_room_beside()
    }

    pub(crate) fn pop_injected(&self, lane: Lane) -> Option<Job> {
        self.injectors[lane.index()].pop()
    }

    pub(crate) fn metrics(&self) -> PoolMetrics {
        let mut metrics = self.own_metrics();
        if let Some(lower) = self.kin.lower() {
            metrics.add_lower(lower.own_metrics());
        }
        metrics
    }

    fn own_metrics(&self) -> PoolMetrics {
        let (workers, departed) = self.seats.metrics();
        PoolMetrics {
            threads: self.occupancy.target(),
            queued: Lane::ALL.map(|lane| self.injected(lane)),
            queued_blocking: self.blocking.len(),
            workers,
            departed,
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
