//! Gaps: a thread that works for frames without a pause leaves its core alone now and then.
//!
//! Where the system gives the lower threads what others leave, and frames follow each other without
//! a pause, io and background jobs would stand still. A sleep of a moment is a turn that they get
//! at once and give back at once, which no priority can say: a thread that has any claim to a core
//! keeps it up to the next clock tick.
//!
//! Gaps are left between jobs, by pools whose frame threads fill the machine. Where threads from
//! outside do, or where jobs take seconds, lower threads get what the system gives them, less than
//! a hundredth of a core.

use super::Worker;
use crate::lanes::priority::LowerPriority;
use crate::registry::Registry;
use crate::registry::team::Rank;
use crate::sync::{Instant, thread};
use crate::thread_clock;
use std::cell::Cell;
use std::time::Duration;

/// What the threads that help leave of one core together: a part in so many.
const SHARE: u32 = 8;

/// A gap: longer than it takes to change threads, shorter than a frame would notice.
const GAP: Duration = Duration::from_micros(500);

#[derive(Clone, Copy)]
struct Reading {
    time: Instant,
    /// The time that the thread has run.
    run: Duration,
}

/// What a thread knows of its gaps.
pub(super) struct Gaps(Cell<Option<Reading>>);

impl Gaps {
    pub(super) const fn new() -> Self {
        Self(Cell::new(None))
    }

    /// The length of the gap that the calling thread should leave now, if one is due each `period`.
    fn due(&self, period: Duration) -> Option<Duration> {
        let time = Instant::now();
        let before = self.0.get();
        if before.is_some_and(|before| time - before.time < period) {
            return None;
        }
        // Elsewhere the system itself lets no thread starve.
        let run = thread_clock::this_thread()?;
        let before = self.0.replace(Some(Reading { time, run }))?;
        due(time - before.time, run.saturating_sub(before.run))
    }

    /// After a gap, which is no pause of what follows.
    fn end(&self) {
        if let Some(before) = self.0.get() {
            let time = Instant::now();
            self.0.set(Some(Reading { time, ..before }));
        }
    }
}

/// What a thread owes that ran for `run` of `passed`, a period at least. That it waited for a core
/// counts as a pause: then a gap would be taken by whoever has that core.
fn due(passed: Duration, run: Duration) -> Option<Duration> {
    let paused = passed.saturating_sub(run);
    let due = GAP.saturating_sub(paused);
    (due > Duration::ZERO).then_some(due)
}

impl Registry {
    /// Whether frame threads run on all cores that there are.
    fn fills_all_cores(&self) -> bool {
        self.frame().occupancy.frame_threads() >= self.cores
    }
}

impl Worker {
    /// Leaves the core alone for a moment, if lower threads want it and this thread has left them
    /// nothing. Called between jobs.
    pub(crate) fn leave_gap(&self) {
        if self.may_leave_gap() {
            self.leave_gap_if_due();
        }
    }

    /// Whether a gap is due now and then.
    pub(super) fn may_leave_gap(&self) -> bool {
        let registry = &self.registry;
        let lower = registry.team(Rank::Lower);
        // One that is blocked in a system call can't be told from one that runs.
        registry.lower.priority() == LowerPriority::Leftovers
            && self.team().rank == Rank::Frame
            && (!lower.occupancy.is_quiet() || lower.sleep.searchers() > 0)
            && registry.fills_all_cores()
    }

    #[cold]
    fn leave_gap_if_due(&self) {
        // All but the one that waits for them, which leaves gaps seldom: once it is through, others
        // are.
        let helpers =
            u32::try_from(self.num_threads()).map_or(u32::MAX, |threads| threads.saturating_sub(1));
        let period = GAP.saturating_mul(SHARE.saturating_mul(helpers.max(1)));
        let Some(due) = self.count.gaps.due(period) else {
            return;
        };
        let counters = &self.seat.counters;
        let was_busy = counters.is_busy();
        counters.busy_end();
        counters.park();
        self.seat.core.give_back();
        // Not by the parker, whose token may be meant for a wait around this.
        thread::sleep(due);
        self.seat.core.take();
        if was_busy {
            counters.busy_begin(self.lane());
        }
        self.count.gaps.end();
    }
}

#[cfg(all(test, not(heartbeat_loom)))]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn who_never_paused_owes_a_gap() {
        assert_eq!(due(4 * MS, 4 * MS), Some(GAP));
        assert_eq!(due(10_000 * MS, 10_000 * MS), Some(GAP));
    }

    /// One of two threads, kept to one core, fills not all of those that its pool has.
    #[cfg(all(target_os = "linux", not(miri)))]
    #[test]
    fn a_thread_that_is_kept_to_a_core_knows_of_the_others() {
        use crate::pool::ThreadPool;
        use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
        if thread::available_parallelism().map_or(1, usize::from) < 2 {
            return;
        }
        let pool = ThreadPool::builder().num_threads(2).build().unwrap();
        pool.install(|worker| {
            let allowed = sched_getaffinity(None).unwrap();
            let first = (0..CpuSet::MAX_CPU).find(|core| allowed.is_set(*core));
            let mut one = CpuSet::new();
            one.set(first.unwrap());
            sched_setaffinity(None, &one).unwrap();
            assert!(!worker.registry().fills_all_cores());
            sched_setaffinity(None, &allowed).unwrap();
        });
    }

    #[test]
    fn a_pause_is_a_gap() {
        assert_eq!(due(4 * MS, 15 * MS / 4), Some(MS / 4));
        assert_eq!(due(4 * MS, 4 * MS - GAP), None);
        assert_eq!(due(16 * MS, 2 * MS), None);
    }
}
