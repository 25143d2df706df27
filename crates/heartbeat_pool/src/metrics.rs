//! What the pool has done, in counts that cost a relaxed store each.

use crate::lane::Lane;
use crate::sync::{AtomicU64, Ordering};

/// A seat's own counts. Only its owner writes them, so a load and a store do for an addition.
#[derive(Debug)]
pub(crate) struct Counters {
    jobs: [AtomicU64; 3],
    promotions: AtomicU64,
    steals: AtomicU64,
    parks: AtomicU64,
    beats: AtomicU64,
}

fn bump(counter: &AtomicU64) {
    // Relaxed: nothing is inferred from a count.
    counter.store(counter.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
}

impl Counters {
    pub(crate) fn new() -> Self {
        Self {
            jobs: [const { AtomicU64::new(0) }; 3],
            promotions: AtomicU64::new(0),
            steals: AtomicU64::new(0),
            parks: AtomicU64::new(0),
            beats: AtomicU64::new(0),
        }
    }

    pub(crate) fn job(&self, lane: Lane) {
        bump(&self.jobs[lane.index()]);
    }

    pub(crate) fn promotion(&self) {
        bump(&self.promotions);
    }

    pub(crate) fn steal(&self) {
        bump(&self.steals);
    }

    pub(crate) fn park(&self) {
        bump(&self.parks);
    }

    pub(crate) fn beat(&self) {
        bump(&self.beats);
    }

    /// Jobs of every lane together: what the sentinel reads as progress.
    pub(crate) fn progress(&self) -> u64 {
        self.jobs
            .iter()
            .map(|count| count.load(Ordering::Relaxed))
            .sum()
    }

    pub(crate) fn read(&self, name: &str) -> WorkerMetrics {
        WorkerMetrics {
            name: name.to_owned(),
            jobs: [0, 1, 2].map(|lane: usize| self.jobs[lane].load(Ordering::Relaxed)),
            promotions: self.promotions.load(Ordering::Relaxed),
            steals: self.steals.load(Ordering::Relaxed),
            parks: self.parks.load(Ordering::Relaxed),
            beats: self.beats.load(Ordering::Relaxed),
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
    /// Private jobs of `join` that were offered to other threads.
    pub promotions: u64,
    /// Jobs taken from another worker.
    pub steals: u64,
    /// Times it went to sleep.
    pub parks: u64,
    /// Times it woke as the sentinel, to keep the beat.
    pub beats: u64,
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
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PoolMetrics {
    /// How many threads are meant to run at once.
    pub threads: usize,
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
        for (sum, jobs) in self.jobs.iter_mut().zip(other.jobs) {
            *sum += jobs;
        }
        self.promotions += other.promotions;
        self.steals += other.steals;
        self.parks += other.parks;
        self.beats += other.beats;
    }
}
