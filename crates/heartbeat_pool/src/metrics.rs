//! What the pool has done, in counts that cost a relaxed store each.

use crate::stopwatch::{self, Stopwatch};
use crate::sync::{AtomicU64, Ordering};
use heartbeat_record::Lane;
use std::ops::AddAssign;
use std::time::Duration;

/// A count that one thread adds to, so a load and a store do for an addition.
#[derive(Debug, Default)]
pub(crate) struct Tally(AtomicU64);

impl Tally {
    pub(crate) fn bump(&self) {
        self.add(1);
    }

    fn add(&self, more: u64) {
        // Relaxed, here and below: a count guards nothing, and who decides by it guesses.
        self.0.store(self.get() + more, Ordering::Relaxed);
    }

    pub(crate) fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// What a seat's owner is counted as running, and how often that has changed.
#[derive(Debug, Default)]
pub(crate) struct Runs(AtomicU64);

/// Changes, above a lane.
type Word = u64;

impl Runs {
    /// The bits that tell the lane, by its index and one more; 0 for none.
    const LANE: Word = 3;

    /// Owner only.
    pub(crate) fn set(&self, lane: Option<Lane>) {
        const { assert!(Lane::ALL.len() <= Self::LANE as usize) };
        let lane = lane.map_or(0, |lane| lane.index() as u64 + 1);
        // Relaxed, here and below: a thread that reads it guesses.
        let changes = self.0.load(Ordering::Relaxed) & !Self::LANE;
        let next = changes.wrapping_add(Self::LANE + 1);
        self.0.store(next | lane, Ordering::Relaxed);
    }

    pub(crate) fn get(&self) -> Option<Lane> {
        let lane = self.0.load(Ordering::Relaxed) & Self::LANE;
        lane.checked_sub(1).map(|index| Lane::ALL[index as usize])
    }

    /// Differs after each change.
    pub(crate) fn changes(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// A seat's own counts, some of them by [`Lane::index`].
#[derive(Debug, Default)]
pub(crate) struct Counters {
    pub(crate) jobs: [Tally; 3],
    pub(crate) runs: Runs,
    /// Pieces of loops run, but for those that are known to be short.
    pub(crate) pieces: [Tally; 3],
    /// Jobs that the owner has queued; of scopes' jobs, those on its own scopes.
    pub(crate) pushes: Tally,
    /// Jobs taken from an injector.
    pub(crate) taken: Tally,
    /// Jobs begun that lay in a queue, the owner's among them, or were woken while they ran; but
    /// for a scope's.
    pub(crate) begun: [Tally; 3],
    pub(crate) blocking: Tally,
    pub(crate) promotions: [Tally; 3],
    /// Taken from other seats, but for `parts`.
    pub(crate) steals: [Tally; 3],
    /// Parts of what the owner waits for, taken from whoever runs that.
    pub(crate) parts: [Tally; 3],
    pub(crate) parks: Tally,
    wakes: [Tally; 3],
    /// Times that another thread has woken this one; for which lane, the next stretch of work
    /// tells.
    pub(crate) woken: Tally,
    /// The time at work for each lane, of which one at most runs.
    busy: [Stopwatch; 3],
}

impl Counters {
    pub(crate) fn busy_begin(&self, lane: Lane) {
        let woken = self.woken.get();
        if woken > 0 {
            self.wakes[lane.index()].add(woken);
            self.woken.0.store(0, Ordering::Relaxed);
        }
        let now = stopwatch::now();
        for (busy, of) in self.busy.iter().zip(Lane::ALL) {
            if of == lane {
                busy.start(now);
            } else {
                busy.stop(now);
            }
        }
    }

    /// If the thread works, it does so for `lane` from now on.
    pub(crate) fn busy_turn(&self, lane: Lane) {
        if self.is_busy() && !self.busy[lane.index()].is_running() {
            self.busy_begin(lane);
        }
    }

    pub(crate) fn is_busy(&self) -> bool {
        self.busy.iter().any(Stopwatch::is_running)
    }

    pub(crate) fn busy_end(&self) {
        if self.is_busy() {
            let now = stopwatch::now();
            self.busy.iter().for_each(|busy| busy.stop(now));
        }
    }

    /// How far the owner has come with what it runs of `lane`.
    pub(crate) fn come(&self, lane: Lane) -> u64 {
        self.jobs[lane.index()].get() + self.pieces[lane.index()].get()
    }

    /// Jobs of every lane together: what the sentinel reads as progress.
    pub(crate) fn progress(&self) -> u64 {
        self.jobs.iter().map(Tally::get).sum()
    }

    /// How much of `lane`, by its index, the owner has taken from other seats.
    fn stolen(&self, lane: usize) -> u64 {
        self.steals[lane].get() + self.parts[lane].get()
    }

    /// How much the owner has taken from others' queues.
    pub(crate) fn taken_or_stolen(&self) -> u64 {
        let stolen: u64 = (0..3).map(|lane| self.stolen(lane)).sum();
        self.taken.get() + stolen
    }

    /// What the owner has taken from queues that are no thread's, and of the lower lanes from other
    /// seats.
    pub(crate) fn taken_of_any(&self) -> u64 {
        let [_, io, background] = self.steals.each_ref().map(Tally::get);
        self.taken.get() + self.blocking.get() + io + background
    }

    /// How much of what others may take, of `lane`, the owner has taken.
    pub(crate) fn taken_of(&self, lane: Lane) -> u64 {
        self.begun[lane.index()].get() + self.stolen(lane.index())
    }

    /// How far the owner has come with queueing and running jobs.
    pub(crate) fn activity(&self) -> u64 {
        self.progress() + self.pushes.get()
    }

    /// The counts so far.
    pub(crate) fn read(&self, name: &str) -> WorkerMetrics {
        let by_lane = |tallies: &[Tally; 3]| tallies.each_ref().map(Tally::get);
        let busy = |lane: usize| self.busy[lane].read(stopwatch::now);
        let busy_by_lane = [0, 1, 2].map(busy);
        WorkerMetrics {
            name: name.to_owned(),
            jobs: by_lane(&self.jobs),
            blocking: self.blocking.get(),
            promotions: by_lane(&self.promotions),
            steals: [0, 1, 2].map(|lane| self.stolen(lane)),
            parks: self.parks.get(),
            wakes: by_lane(&self.wakes),
            busy: busy_by_lane.iter().sum(),
            busy_by_lane,
        }
    }
}

/// What one worker, or one thread that lent itself to the pool, has done since it joined.
///
/// Counts are read one by one while the worker goes on, so they may be a moment apart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct WorkerMetrics {
    /// The thread's name, or its id where it has none.
    pub name: String,
    /// Jobs run, by [`Lane::index`].
    pub jobs: [u64; 3],
    /// Jobs of [`spawn_blocking`](crate::spawn_blocking()) run.
    pub blocking: u64,
    /// Private jobs of `join` that were offered to other threads, by [`Lane::index`].
    pub promotions: [u64; 3],
    /// Jobs taken from another worker, by [`Lane::index`].
    pub steals: [u64; 3],
    /// Times it went to sleep, idle (once for all sleeps of a sentinel's watch) or while it waited
    /// for a join or a scope.
    pub parks: u64,
    /// Times another thread woke it from idle sleep, by the [`Lane::index`] of its next work. A
    /// wake-up after which it found none is counted when it next finds some.
    pub wakes: [u64; 3],
    /// How long it was at work, waits left out. Of a thread from outside, such as the main one, and
    /// of an [enrolled](crate::ThreadBuilder::enroll) one: how long it has had a core since it
    /// first came, whatever it did, on Linux and Android; on Windows and Apple's systems too, to
    /// some 16 ms; elsewhere zero.
    pub busy: Duration,
    /// The parts of [`busy`](Self::busy) that went to each lane, by [`Lane::index`]; together they
    /// are all of it. That of a thread from outside is all the frame's, for the system tells no
    /// more.
    pub busy_by_lane: [Duration; 3],
}

/// What a pool has done, from [`ThreadPool::metrics`](crate::ThreadPool::metrics).
///
/// ```
/// use heartbeat_pool::{Lane, ThreadPool};
///
/// let pool = ThreadPool::builder().num_threads(1).build().unwrap();
/// pool.block_on(pool.spawn_future(Lane::Io, async {}));
/// let metrics = pool.metrics();
/// assert_eq!(metrics.threads, 1);
/// assert!(metrics.total().jobs[Lane::Io.index()] >= 1);
/// assert_eq!(metrics.queued, [0; 3]);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PoolMetrics {
    /// How many threads are meant to run at once.
    pub threads: usize,
    /// Jobs in the pool's own queues now, by [`Lane::index`]; not those in workers' own.
    pub queued: [usize; 3],
    /// Every thread that holds a place in the pool, spare ones included.
    pub workers: Vec<WorkerMetrics>,
    /// The sum over threads that have left.
    pub departed: WorkerMetrics,
}

impl PoolMetrics {
    /// The sum over all threads, present and departed.
    #[must_use]
    pub fn total(&self) -> WorkerMetrics {
        let mut total = self.departed.clone();
        for worker in &self.workers {
            total.add(worker);
        }
        total.name = "total".to_owned();
        total
    }
}

impl WorkerMetrics {
    pub(crate) fn add(&mut self, other: &Self) {
        fn add<T: AddAssign>(sums: &mut [T; 3], more: [T; 3]) {
            sums.iter_mut()
                .zip(more)
                .for_each(|(sum, more)| *sum += more);
        }
        add(&mut self.jobs, other.jobs);
        add(&mut self.promotions, other.promotions);
        add(&mut self.steals, other.steals);
        add(&mut self.wakes, other.wakes);
        add(&mut self.busy_by_lane, other.busy_by_lane);
        self.blocking += other.blocking;
        self.parks += other.parks;
        self.busy += other.busy;
    }
}

#[cfg(all(test, not(heartbeat_loom)))]
mod tests {
    use super::*;
    use crate::pool::ThreadPool;

    #[test]
    fn a_wake_up_counts_once_for_the_lane_of_the_next_work() {
        let counters = Counters::default();
        counters.woken.bump();
        for lane in [Lane::Io, Lane::Frame, Lane::Io] {
            counters.busy_begin(lane);
            counters.busy_end();
        }
        let mut wakes = [0; 3];
        wakes[Lane::Io.index()] = 1;
        assert_eq!(counters.read("").wakes, wakes);
    }

    /// Else a thread in a long loop would be taken for one that is stuck.
    #[test]
    fn who_runs_a_long_loop_comes_further() {
        let pool = ThreadPool::builder().num_threads(0).build().unwrap();
        pool.with_worker(|worker| {
            let come = || worker.seat.counters.come(Lane::Frame);
            let before = come();
            worker.for_each(&mut [0; 10_000], |item| *item += 1);
            assert!(come() > before);
        });
    }

    #[test]
    fn what_all_threads_have_done_is_added_up() {
        let one = WorkerMetrics {
            name: "one".to_owned(),
            jobs: [1, 2, 3],
            blocking: 4,
            promotions: [5, 6, 7],
            steals: [8, 9, 10],
            parks: 11,
            wakes: [12, 13, 14],
            busy: Duration::from_secs(15),
            busy_by_lane: [16, 17, 18].map(Duration::from_secs),
        };
        let pool = PoolMetrics {
            workers: vec![one.clone(); 2],
            departed: one.clone(),
            ..PoolMetrics::default()
        };
        let by_lane = |counts: [u64; 3]| counts.map(|count| 3 * count);
        let all = WorkerMetrics {
            name: "total".to_owned(),
            jobs: by_lane(one.jobs),
            blocking: 3 * one.blocking,
            promotions: by_lane(one.promotions),
            steals: by_lane(one.steals),
            parks: 3 * one.parks,
            wakes: by_lane(one.wakes),
            busy: 3 * one.busy,
            busy_by_lane: one.busy_by_lane.map(|busy| 3 * busy),
        };
        assert_eq!(pool.total(), all);
    }
}
