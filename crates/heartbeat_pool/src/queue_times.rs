//! How long queued jobs wait, lane by lane, where somebody asks.
//!
//! A thread that queues a job *marks* it: notes its number, and when. One that begins a job looks
//! whether it is a marked one. Two jobs of a lane have a mark: the one that was queued last, and
//! one that found the other mark free, and keeps that until it begins. So of a burst the last job
//! is timed, which waits longest; of a queue that always has some, one after the other.

use crate::stopwatch;
use crate::sync::{Arc, AtomicU64, AtomicUsize, Ordering};
use crossbeam_utils::CachePadded;
use heartbeat_record::Lane;
use std::time::Duration;

type Job = u64;
/// No job has this number, as none lies at address zero.
const NOBODY: Job = 0;

#[derive(Debug, Default)]
pub(crate) struct QueueTimes {
    /// How many watch. While none does, nothing is marked.
    watches: AtomicUsize,
    lanes: [CachePadded<LaneTimes>; 3],
}

#[derive(Debug, Default)]
struct LaneTimes {
    kept: Mark,
    last: Mark,
    /// Nanoseconds: the longest wait of a marked job that has begun since somebody asked.
    longest: AtomicU64,
}

/// A job that is timed.
#[derive(Debug, Default)]
struct Mark {
    job: AtomicU64,
    /// When it was queued. It only grows: whoever is second to mark a job makes the first one's
    /// wait seem shorter, never longer.
    since: AtomicU64,
}

impl Mark {
    fn take_over(&self, job: u64, now: u64) {
        self.since.fetch_max(now, Ordering::Relaxed);
        // Release pairs with the Acquire in `age`: a thread that sees the job sees its time.
        // Acquire pairs with the Release in `forget`, as in `take_if_free`.
        self.job.swap(job, Ordering::AcqRel);
    }

    fn take_if_free(&self, job: u64, now: u64) {
        // Relaxed: a guess, which spares the second thread a write.
        if self.job.load(Ordering::Relaxed) == NOBODY {
            self.since.fetch_max(now, Ordering::Relaxed);
            let (success, failure) = (Ordering::AcqRel, Ordering::Relaxed);
            // As in `take_over`. The first thread keeps it.
            _ = self.job.compare_exchange(NOBODY, job, success, failure);
        }
    }

    /// How long its job has waited at least, if it has one.
    fn age(&self, now: u64) -> Option<u64> {
        // Acquire pairs with the Release in `take_over` and `take_if_free`, and in `end`: a thread
        // that sees a mark free sees what its job's wait was.
        let job = self.job.load(Ordering::Acquire);
        (job != NOBODY).then(|| now.saturating_sub(self.since.load(Ordering::Relaxed)))
    }

    /// Frees it, if it is `job`'s still.
    fn end(&self, job: u64) {
        // Release: see `age`.
        let (success, failure) = (Ordering::Release, Ordering::Relaxed);
        _ = self.job.compare_exchange(job, NOBODY, success, failure);
    }

    fn forget(&self) {
        // Release pairs with the Acquire of whoever marks a job here next: a thread that begins
        // that job, and so sees what its queuer saw, sees that somebody watches.
        self.job.swap(NOBODY, Ordering::AcqRel);
    }
}

impl LaneTimes {
    fn marks(&self) -> impl Iterator<Item = &Mark> {
        [&self.kept, &self.last].into_iter()
    }

    /// Before `job` is queued. Whoever begins it sees the marks, by way of the queue.
    fn queued(&self, job: u64, now: u64) {
        self.kept.take_if_free(job, now);
        self.last.take_over(job, now);
    }

    fn begun(&self, job: u64, now: impl Fn() -> u64) {
        // Relaxed: its own marks it sees by way of the queue.
        let is_of_job = |mark: &&Mark| mark.job.load(Ordering::Relaxed) == job;
        for mark in self.marks().filter(is_of_job) {
            if let Some(wait) = mark.age(now()) {
                self.longest.fetch_max(wait, Ordering::Relaxed);
            }
            mark.end(job);
        }
    }

    fn take_longest(&self, now: impl FnOnce() -> u64) -> Duration {
        // A job that is marked after this has not waited yet.
        let now = now();
        let waiting = self.marks().filter_map(|mark| mark.age(now)).max();
        let begun = self.longest.swap(0, Ordering::Relaxed);
        Duration::from_nanos(begun.max(waiting.unwrap_or(0)))
    }
}

impl QueueTimes {
    fn is_watched(&self) -> bool {
        // Relaxed: a thread that begins a job that was marked sees what its queuer saw, or later.
        self.watches.load(Ordering::Relaxed) > 0
    }

    #[inline]
    pub(crate) fn queued(&self, lane: Lane, job: u64) {
        if self.is_watched() {
            self.lanes[lane.index()].queued(job, stopwatch::now());
        }
    }

    /// `job`, which may have been queued, begins.
    #[inline]
    pub(crate) fn begun(&self, lane: Lane, job: u64) {
        if self.is_watched() {
            self.lanes[lane.index()].begun(job, stopwatch::now);
        }
    }

    fn watch(&self) {
        // Relaxed: whoever queues marks a job from now on, or a little later.
        if self.watches.fetch_add(1, Ordering::Relaxed) > 0 {
            return;
        }
        // What was marked while the last one watched may have begun since, unseen.
        for lane in &self.lanes {
            lane.marks().for_each(Mark::forget);
            lane.longest.store(0, Ordering::Relaxed);
        }
    }
}

/// Has a pool time how long its queued jobs wait, for as long as this lives: from
/// [`ThreadPool::watch_waits`](crate::ThreadPool::watch_waits).
///
/// Jobs count that lie in the pool's own queues or in a worker's, where others may take them; not
/// forks, a scope's jobs, what only one thread may run, and blocking calls.
#[derive(Debug)]
pub struct WaitWatch(Arc<QueueTimes>);

impl WaitWatch {
    pub(crate) fn new(waits: &Arc<QueueTimes>) -> Self {
        waits.watch();
        Self(waits.clone())
    }

    /// How long jobs of each lane, by [`Lane::index`], have waited at most: those that wait still,
    /// and those that have begun since this was last asked, whichever watch of the pool was asked.
    ///
    /// Not each job is timed, so the longest wait may be longer, and is never shorter. Timed are
    /// the job that was queued last, always, and one of the others from its queueing to its
    /// beginning. So while jobs wait that begin in the order of their queueing, as io and
    /// background jobs do, it isn't zero; of those that were queued at once it is the longest wait.
    /// Jobs that were queued before there was a watch are not known of.
    ///
    /// ```
    /// use heartbeat_pool::{Lane, ThreadPool};
    /// use std::time::{Duration, Instant};
    ///
    /// let pool = ThreadPool::builder().num_threads(0).build().unwrap();
    /// let watch = pool.watch_waits();
    /// pool.spawn(Lane::Io, || ());
    /// let queued = Instant::now();
    /// std::thread::sleep(Duration::from_millis(2));
    /// let waited = queued.elapsed();
    /// pool.tick();
    /// assert!(watch.take_longest()[Lane::Io.index()] >= waited);
    /// assert!(watch.take_longest()[Lane::Io.index()].is_zero());
    /// ```
    #[must_use]
    pub fn take_longest(&self) -> [Duration; 3] {
        Lane::ALL.map(|lane| self.0.lanes[lane.index()].take_longest(stopwatch::now))
    }
}

impl Drop for WaitWatch {
    fn drop(&mut self) {
        // Relaxed: marks that are left are forgotten when the next watch begins.
        self.0.watches.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
impl LaneTimes {
    fn is_free(&self) -> bool {
        self.marks().all(|mark| mark.age(u64::MAX).is_none())
    }
}

#[cfg(test)]
impl QueueTimes {
    /// Whether no job of `lane` is marked.
    pub(crate) fn is_free(&self, lane: Lane) -> bool {
        self.lanes[lane.index()].is_free()
    }
}

#[cfg(all(test, not(heartbeat_loom)))]
mod tests {
    use super::*;
    use std::collections::VecDeque;
    use std::sync::Mutex;

    fn nanos(time: Duration) -> u64 {
        u64::try_from(time.as_nanos()).unwrap()
    }

    fn longest(waits: &LaneTimes, now: u64) -> u64 {
        nanos(waits.take_longest(|| now))
    }

    #[test]
    fn of_a_burst_the_longest_wait_is_known_from_its_first_job_to_its_last() {
        let waits = LaneTimes::default();
        (1..=1_000).for_each(|job| waits.queued(job, 10));
        for job in 1..=1_000 {
            let now = 10 + job * 7;
            assert_eq!(longest(&waits, now), now - 10, "{job} waits still");
            waits.begun(job, || now);
        }
        assert_eq!(longest(&waits, 8_000), 7_000, "the last has begun");
        assert_eq!((longest(&waits, 9_000), waits.is_free()), (0, true));
    }

    #[test]
    fn of_a_queue_that_never_empties_one_job_after_the_other_is_timed_from_end_to_end() {
        const BEFORE: u64 = 100;
        let waits = LaneTimes::default();
        let mut waited = Vec::new();
        for job in 1..=10 * BEFORE {
            waits.queued(job, job);
            if let Some(first) = job.checked_sub(BEFORE).filter(|first| *first > 0) {
                waits.begun(first, || job);
            }
            if job % BEFORE == 0 {
                waited.push(longest(&waits, job));
            }
        }
        // Each job waits for as long as it takes to queue so many.
        assert!(waited[1..].iter().all(|wait| *wait == BEFORE), "{waited:?}");
    }

    #[test]
    fn a_job_that_nobody_marked_and_one_that_is_unknown_change_nothing() {
        let waits = LaneTimes::default();
        waits.queued(1, 5);
        waits.queued(2, 6);
        waits.begun(7, || 100);
        assert_eq!(longest(&waits, 10), 5);
        waits.begun(1, || 20);
        assert_eq!((longest(&waits, 20), longest(&waits, 20)), (15, 14));
    }

    #[test]
    fn while_nobody_watches_nothing_is_marked_and_what_is_left_of_a_watch_is_forgotten() {
        let waits = Arc::new(QueueTimes::default());
        let lane = Lane::Io;
        waits.queued(lane, 1);
        assert!(waits.is_free(lane), "nobody watches");
        let watch = WaitWatch::new(&waits);
        waits.queued(lane, 2);
        let second = WaitWatch::new(&waits);
        drop(watch);
        waits.queued(lane, 3);
        drop(second);
        waits.begun(lane, 2);
        waits.begun(lane, 3);
        let third = WaitWatch::new(&waits);
        assert_eq!(third.take_longest(), [Duration::ZERO; 3]);
        assert!(waits.is_free(lane));
    }

    #[test]
    fn a_new_watch_knows_nothing_of_what_began_before_it() {
        let waits = Arc::new(QueueTimes::default());
        let first = WaitWatch::new(&waits);
        waits.lanes[Lane::Io.index()].queued(1, 10);
        waits.lanes[Lane::Io.index()].begun(1, || 20);
        drop(first);
        assert_eq!(WaitWatch::new(&waits).take_longest(), [Duration::ZERO; 3]);
    }

    #[test]
    fn once_all_have_begun_no_mark_is_left_and_no_wait_was_too_long() {
        const JOBS: u64 = if cfg!(miri) { 40 } else { 20_000 };
        let waits = LaneTimes::default();
        let (queue, began) = (Mutex::new(VecDeque::new()), stopwatch::now());
        let push = |first: u64| {
            for job in first..first + JOBS {
                waits.queued(job, stopwatch::now());
                queue.lock().unwrap().push_back(job);
            }
        };
        let pop = || {
            let mut begun = 0;
            while begun < JOBS {
                let Some(job) = queue.lock().unwrap().pop_front() else {
                    std::thread::yield_now();
                    continue;
                };
                waits.begun(job, stopwatch::now);
                begun += 1;
                let longest = nanos(waits.take_longest(stopwatch::now));
                assert!(longest <= stopwatch::now() - began, "{longest}");
            }
        };
        std::thread::scope(|scope| {
            scope.spawn(|| push(1));
            scope.spawn(|| push(1 + JOBS));
            scope.spawn(pop);
            scope.spawn(pop);
        });
        assert!(waits.is_free());
    }
}
