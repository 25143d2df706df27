//! Jobs that tell when they started, for a pool that was asleep.

use crate::work::spin::spin;
use std::hint::black_box;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// How often it is looked whether the jobs are over; meanwhile the core is the pool's.
const LOOK: Duration = Duration::from_millis(1);

/// A few jobs to be spawned at once, each to call [`Burst::run`].
pub struct Burst {
    begin: Instant,
    steps: u64,
    /// Nanoseconds from the beginning to each job's start, in the order of starts.
    starts: Vec<AtomicU64>,
    started: AtomicUsize,
    ended: AtomicUsize,
}

/// When the jobs of a burst started, in seconds.
#[derive(Clone, Copy, Debug)]
pub struct Starts {
    /// From before the first spawn to the first start.
    pub first: f64,
    /// From the first start to the last.
    pub spread: f64,
}

impl Burst {
    /// That many jobs, each with so many steps of [`spin`]. It begins now.
    #[must_use]
    pub fn begin(jobs: usize, steps: u64) -> Self {
        Self {
            begin: Instant::now(),
            steps,
            starts: (0..jobs).map(|_| AtomicU64::new(0)).collect(),
            started: AtomicUsize::new(0),
            ended: AtomicUsize::new(0),
        }
    }

    /// How many jobs there are.
    #[must_use]
    pub fn jobs(&self) -> usize {
        self.starts.len()
    }

    /// Has `spawn` queue each job: a call of [`run`](Self::run) on what it is given.
    pub fn spawn(self: &Arc<Self>, spawn: impl FnMut(Arc<Self>)) {
        (0..self.jobs()).map(|_| self.clone()).for_each(spawn);
    }

    /// One job.
    pub fn run(&self) {
        let start = self.begin.elapsed().as_nanos();
        let place = self.started.fetch_add(1, Ordering::Relaxed);
        if let Some(slot) = self.starts.get(place) {
            slot.store(u64::try_from(start).unwrap_or(u64::MAX), Ordering::Relaxed);
        }
        black_box(spin(self.steps));
        // Release: pairs with the load in `wait`, which then sees the start.
        self.ended.fetch_add(1, Ordering::Release);
    }

    /// Waits until all jobs are over. None if `limit` passes first.
    #[must_use]
    pub fn wait(&self, limit: Duration) -> Option<Starts> {
        while self.ended.load(Ordering::Acquire) < self.jobs() {
            if self.begin.elapsed() > limit {
                return None;
            }
            thread::sleep(LOOK);
        }
        let starts = self
            .starts
            .iter()
            .map(|start| start.load(Ordering::Relaxed));
        let (first, last) = starts.fold((u64::MAX, 0), |(first, last), start| {
            (first.min(start), last.max(start))
        });
        Some(Starts {
            first: first as f64 / 1e9,
            spread: last.saturating_sub(first) as f64 / 1e9,
        })
    }
}
