//! A thread's place in a pool, as the other threads see it.

use crate::age::{self, Age, Aged, HasAge};
use crate::cost::WAKE_UP;
use crate::heartbeat::Beat;
use crate::job::Job;
use crate::lanes::stuck::Stall;
use crate::metrics::{Counters, WorkerMetrics};
use crate::parker::Parker;
use crate::placement::Core;
use crate::presence::Presence;
use crate::queue::by_age::ByAge;
use crate::queue::deque::Stealer;
use crate::queue::forks::Offered;
use crate::queue::hidden::Hidden;
use crate::sync::{Arc, AtomicBool, AtomicUsize, Ordering};
use crate::threads::this_thread;
use crossbeam_utils::CachePadded;
use heartbeat_record::Lane;
use heartbeat_system::ThreadClock;
use std::time::Duration;

/// The shared side of a worker; its own side is [`Worker`](crate::Worker).
pub(crate) struct Seat {
    pub(crate) name: String,
    /// The number of its thread, by which [ages](Age) know it.
    pub(crate) thread: u32,
    /// For how long its thread has had a core.
    clock: Option<ThreadClock>,
    /// Whether that is told as its busy time, for a thread from outside doesn't time itself.
    is_clocked: bool,
    pub(crate) core: CachePadded<Core>,
    pub(crate) beat: CachePadded<Beat>,
    pub(crate) stealer: Stealer<Aged<Job>>,
    /// Whether its thread waits, perhaps for what lies there.
    waits: AtomicBool,
    /// The second halves of its joins that others may take, newest last.
    pub(crate) forks: Stealer<Offered>,
    /// The lane that they are of, by [`Lane::index`]. A thread has forks of several only if it does
    /// work of a pool without threads on top of its own.
    fork_lane: AtomicUsize,
    /// Until when they are its own.
    pub(crate) hidden: Hidden,
    pub(crate) counters: CachePadded<Counters>,
    /// Since when its owner comes no further, where that matters to somebody, who writes it.
    stall: CachePadded<Stall>,
    pub(crate) presence: Presence,
    /// Forks that came back: of a thief that was wrong, or that found something older.
    pub(crate) returned: ByAge<Offered>,
    /// Tickets of scopes for which it has queued jobs, and jobs that came back from thieves, where
    /// others take its oldest first.
    pub(crate) by_age: ByAge<Aged<Job>>,
    strangers: Arc<AtomicUsize>,
}

impl Seat {
    /// A seat of the calling thread.
    pub(crate) fn new(
        name: String,
        stealer: Stealer<Aged<Job>>,
        forks: Stealer<Offered>,
        owner: Arc<Parker>,
        is_lower: bool,
        is_clocked: bool,
    ) -> Self {
        Self {
            name,
            thread: age::this_thread(),
            clock: ThreadClock::of_this_thread(),
            is_clocked,
            core: CachePadded::new(Core::none(is_lower)),
            beat: CachePadded::new(Beat::new()),
            stealer,
            waits: AtomicBool::new(false),
            forks,
            fork_lane: AtomicUsize::new(0),
            hidden: Hidden::new(),
            stall: CachePadded::default(),
            presence: Presence::default(),
            returned: ByAge::new(owner.clone()),
            by_age: ByAge::new(owner),
            strangers: this_thread::strangers(),
            counters: CachePadded::new(Counters::default()),
        }
    }

    pub(crate) fn set_waiting(&self, waits: bool) {
        // Relaxed, here and below: a thief that sees an old one takes something else first.
        self.waits.store(waits, Ordering::Relaxed);
    }

    fn ran(&self) -> Option<Duration> {
        self.clock.as_ref().and_then(ThreadClock::ran)
    }

    /// For how long its owner, if it runs anything, is blocked.
    pub(crate) fn blocked(&self) -> Option<Duration> {
        let (runs, counters) = (&self.counters.runs, &self.counters);
        let lane = runs.get()?;
        // Also by what it was counted as: it may come and go, and run nothing that counts.
        let at = counters.come(lane).wrapping_add(runs.changes());
        // A thread that wakes and sleeps runs for about that long.
        Some(self.stall.look(at, self.ran(), 16 * WAKE_UP))
    }

    pub(crate) fn metrics(&self) -> WorkerMetrics {
        let mut metrics = self.counters.read(&self.name);
        if self.is_clocked
            && let Some(ran) = self.ran()
        {
            metrics.busy = ran;
            metrics.busy_by_lane = [ran, Duration::ZERO, Duration::ZERO];
        }
        metrics
    }

    /// Whether nothing lies here that others could take.
    pub(crate) fn is_empty(&self) -> bool {
        !self.has_jobs() && self.forks.is_empty() && !self.returned.has_any()
    }

    /// Whether it has jobs or tickets that others could take.
    pub(crate) fn has_jobs(&self) -> bool {
        !self.stealer.is_empty() || self.by_age.has_any()
    }

    pub(crate) fn queued_jobs(&self) -> usize {
        self.stealer.len() + self.by_age.len()
    }

    /// Takes the jobs and tickets that there are now.
    pub(crate) fn drain_jobs(&self) -> impl Iterator<Item = Job> {
        let spawned = (0..self.stealer.len()).map_while(|_| self.stealer.steal());
        let others = (0..self.by_age.len()).map_while(|_| self.by_age.take(|_| true));
        spawned.chain(others).map(|job| job.item)
    }

    /// Takes the oldest fork, whether others may or not.
    pub(crate) fn steal_fork(&self) -> Option<Offered> {
        self.returned.take(|_| true).or_else(|| self.forks.steal())
    }

    pub(crate) fn take_ticket(&self, is_wanted: impl Fn(Age) -> bool) -> Option<Aged<Job>> {
        self.by_age
            .take(|ticket| ticket.age().is_some_and(&is_wanted))
    }

    /// Takes a fork that is older than `age`, if there is one. `Err` if others have to look again.
    pub(crate) fn steal_fork_before(&self, age: Age) -> Result<Option<Offered>, ()> {
        let is_before = |fork: &Offered| fork.age().is_some_and(|fork| fork.is_before(age));
        if let Some(returned) = self.returned.take(is_before) {
            return Ok(Some(returned));
        }
        if !self.forks.oldest().is_some_and(|fork| fork.is_before(age)) {
            return Ok(None);
        }
        match self.forks.steal() {
            Some(fork) if !is_before(&fork) => {
                self.returned.give_back(fork);
                Err(())
            }
            fork => Ok(fork),
        }
    }

    /// Whether its owner has spawned what comes before its forks: it may wait for just that, or its
    /// forks do.
    pub(crate) fn has_older_jobs(&self) -> bool {
        if self.waits.load(Ordering::Relaxed) {
            return !self.stealer.is_empty();
        }
        let Some(job) = self.stealer.oldest() else {
            return false;
        };
        let is_before_those_on_offer = self.forks.oldest().is_none_or(|fork| job.is_before(fork));
        let is_older = |fork: &Offered| fork.age().is_some_and(|fork| fork.is_before(job));
        is_before_those_on_offer && !self.returned.has(is_older)
    }

    /// Whether there is a second half of a join of `lane` that others may take.
    pub(crate) fn has_shared(&self, lane: Lane) -> bool {
        let has_any = self.returned.has_any() || (!self.forks.is_empty() && self.hidden.is_over());
        has_any && self.fork_lane() == lane
    }

    /// Tells the lane of the forks, before others are told of the first one.
    pub(crate) fn set_fork_lane(&self, lane: Lane) {
        // Relaxed, here and below: under the fences of the sleep protocol, as every look at a
        // queue. A thread that takes a fork by an old one counts as of another lane meanwhile.
        self.fork_lane.store(lane.index(), Ordering::Relaxed);
    }

    pub(crate) fn fork_lane(&self) -> Lane {
        Lane::ALL[self.fork_lane.load(Ordering::Relaxed)]
    }

    /// How many jobs its thread is inside of that are no part of those below them.
    pub(crate) fn strangers(&self) -> usize {
        // Relaxed: a thread that has taken a fork sees what came before that was pushed.
        self.strangers.load(Ordering::Relaxed)
    }
}
