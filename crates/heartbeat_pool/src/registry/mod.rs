//! A pool's shared state: its queues, and its two teams of threads. A `team` has `seats` and
//! `threads` of its own; `start` is how they come, and `lower` what sets the second one apart.
//! `look` is how others read all that a team may work on at once.

pub(crate) mod look;
mod lower;
pub(crate) mod seats;
pub(crate) mod start;
pub(crate) mod team;
pub(crate) mod threads;

use crate::active::{ActiveTasks, Tracks};
use crate::config::{Config, Handlers};
use crate::idle::waiters::Waiters;
use crate::job::Job;
use crate::late;
use crate::metrics::PoolMetrics;
use crate::queue::blocking::BlockingQueue;
use crate::queue::injector::Injector;
use crate::queue_times::QueueTimes;
use crate::registry::look::Look;
use crate::registry::lower::Lower;
use crate::registry::team::{Rank, Team};
use crate::sync::{Arc, AtomicBool, Mutex, Ordering, fence, lock};
use crate::unwind::{self, Payload};
use crossbeam_utils::CachePadded;
use heartbeat_record::{Lane, Place, note};
use std::iter;
use std::mem;
use std::rc::Rc;

pub(crate) struct Registry {
    /// Work from outside and of the lower lanes; frame work of a worker lies in its own deque.
    injectors: [Injector<Job>; 3],
    pub(crate) blocking: BlockingQueue,
    /// By their rank.
    pub(crate) teams: [Team; 2],
    pub(crate) waiters: Waiters,
    pub(crate) config: Config,
    handlers: Mutex<Arc<Handlers>>,
    pub(crate) active: ActiveTasks,
    pub(crate) queue_times: Arc<QueueTimes>,
    /// Each thread that queues reads it, so on a line of its own: those that await write what lies
    /// beside it.
    pub(crate) lower: CachePadded<Lower>,
    /// Whether the last job was long of a scope whose owner leaves all of them to the pool.
    pub(crate) left_jobs_are_long: AtomicBool,
}

impl Tracks for Registry {
    fn active(&self) -> Option<&ActiveTasks> {
        Some(&self.active)
    }

    fn panicked(&self, payload: Payload) -> Payload {
        if let Some(handler) = &self.handlers().panic {
            // No worker dies of a handler either: the panic hook has shown what was wrong with it.
            if let Err(own) = unwind::catch(|| handler(&*payload)) {
                unwind::discard(own);
            }
        }
        payload
    }
}

impl Registry {
    pub(crate) fn new(mut config: Config) -> Arc<Self> {
        let handlers = Arc::new(mem::take(&mut config.handlers));
        Arc::new(Self {
            injectors: Lane::ALL.map(|_| Injector::new()),
            blocking: BlockingQueue::new(),
            teams: [Rank::Frame, Rank::Lower].map(Team::new),
            waiters: Waiters::default(),
            active: ActiveTasks::new(),
            queue_times: Arc::new(QueueTimes::default()),
            lower: CachePadded::default(),
            left_jobs_are_long: AtomicBool::new(true),
            config,
            handlers: Mutex::new(handlers),
        })
    }

    /// The program's own code; none once the pool has ended.
    pub(crate) fn handlers(&self) -> Arc<Handlers> {
        lock(&self.handlers).clone()
    }

    /// Drops that code, which may keep what waits for just that.
    pub(crate) fn drop_handlers(&self) {
        let handlers = mem::take(&mut *lock(&self.handlers));
        self.guard(|| drop(handlers));
    }

    #[inline]
    pub(crate) fn team(&self, rank: Rank) -> &Team {
        &self.teams[rank as usize]
    }

    #[inline]
    pub(crate) fn frame(&self) -> &Team {
        self.team(Rank::Frame)
    }

    /// Whether no spare thread comes for work that those of `team` leave.
    pub(crate) fn is_left_alone(&self, team: &Team) -> bool {
        !self.config.has_spares || team.threads.is_short()
    }

    pub(crate) fn has_queued(&self, team: &Team) -> bool {
        Look::new(self, team, Rc::new(team.seats.listed())).has_any_work()
    }

    /// Drops the jobs that are queued of `lanes`, and for the frame those of its threads and the
    /// blocking calls, but no tickets. Whether there were any.
    pub(crate) fn drop_queued(&self, lanes: &[Lane]) -> bool {
        let mut queued: Vec<(Lane, Job)> = Vec::new();
        for &lane in lanes {
            // What is there now, for what is dropped may queue more.
            let injector = &self.injectors[lane.index()];
            let jobs = (0..injector.len()).map_while(|_| injector.pop());
            queued.extend(jobs.map(|job| (lane, job)));
            if lane == Lane::Frame {
                for seat in self.frame().seats.listed().iter() {
                    queued.extend(seat.drain_jobs().map(|job| (lane, job)));
                }
                let jobs = (0..self.blocking.len()).map_while(|_| self.blocking.pop());
                queued.extend(jobs.map(|job| (lane, job)));
            }
        }
        // First, for what is dropped may wait for it.
        for (lane, ticket) in queued.extract_if(.., |(_, job)| job.stands_for_others()) {
            _ = self.inject(lane, ticket);
        }
        self.waiters.wake_all();
        let is_any = !queued.is_empty();
        for (_, job) in queued {
            self.guard(|| drop(job));
        }
        is_any
    }

    pub(crate) fn close_queues(&self) -> impl Iterator<Item = Job> {
        let injected = self.injectors.iter().flat_map(|injector| {
            injector.close();
            iter::from_fn(|| injector.pop().or_else(|| injector.pop_part()))
        });
        self.blocking.close().chain(injected)
    }

    /// Queues `job` for any worker of the team that this gives. The caller must see to it that one
    /// takes it.
    #[must_use]
    #[inline]
    pub(crate) fn inject(&self, lane: Lane, job: Job) -> &Team {
        note::queued(job.number(), lane, Place::Injector);
        let injector = &self.injectors[lane.index()];
        self.queue_times.queued(lane, job.number());
        // A lower lane's budget may be full of jobs that wait for their own parts.
        let pushed = if lane != Lane::Frame && job.stands_for_others() {
            injector.push_part(job)
        } else {
            injector.push(job)
        };
        // Closed at the end. What comes then may be a task that its waker woke before that, under
        // whatever locks.
        if let Err(refused) = pushed {
            late::drop_elsewhere(refused);
        }
        if lane != Lane::Frame {
            // Pairs with the fence in `rouse`.
            fence(Ordering::SeqCst);
        }
        self.team_of(lane)
    }

    /// The queue of `lane`, if it is for `team` to empty.
    #[inline]
    pub(crate) fn injector(&self, team: &Team, lane: Lane) -> Option<&Injector<Job>> {
        let is_its = self.team_of(lane).rank == team.rank;
        is_its.then(|| &self.injectors[lane.index()])
    }

    pub(crate) fn metrics(&self) -> PoolMetrics {
        let mut metrics = PoolMetrics {
            threads: self.frame().occupancy.target(),
            queued: self.injectors.each_ref().map(Injector::len),
            ..PoolMetrics::default()
        };
        metrics.departed.name = "departed".to_owned();
        for team in &self.teams {
            team.seats.add_metrics(&mut metrics);
        }
        metrics
    }

    /// Calls `f`, whose panic is the handler's.
    pub(crate) fn guard(&self, f: impl FnOnce()) {
        if let Err(payload) = unwind::catch(f) {
            unwind::discard(self.panicked(payload));
        }
    }
}

#[cfg(all(test, not(heartbeat_loom)))]
mod tests {
    use super::*;
    use crate::pool::ThreadPool;

    #[test]
    fn what_is_queued_anywhere_ends_with_the_pool() {
        let held = Arc::new(());
        let pool = ThreadPool::builder().num_threads(0).build().unwrap();
        // What is queued mostly holds the pool, which would keep it for ever.
        let job = || {
            let held = (held.clone(), pool.registry().clone());
            Job::new(Box::new(move || drop(held)))
        };
        for injector in &pool.registry().injectors {
            assert!(injector.push(job()).is_ok() && injector.push_part(job()).is_ok());
        }
        assert!(pool.registry().blocking.push(job()).is_ok());
        drop(pool);
        assert_eq!(Arc::strong_count(&held), 1);
    }
}
