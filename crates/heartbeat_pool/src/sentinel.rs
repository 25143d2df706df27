//! The sentinel: the one idle worker that keeps the beat.
//!
//! It raises the beat of every seat once an interval. Each beat that a `join` lowers by promoting
//! shows that there is private work, so the interval stays at one beat; otherwise it doubles, and
//! the raised flags make the next `join` promote at once. Whenever no sentinel is on duty, the
//! flags have been left raised, so work that starts then is shared at its first fork.

use crate::lane::Lane;
use crate::occupancy::Charge;
use crate::registry::Registry;
use crate::worker::Worker;
use std::time::{Duration, Instant};

/// The longest interval. A pool that runs one long serial job wakes this seldom.
const LONGEST: Duration = Duration::from_millis(16);

/// Frame work that waits this long, while nothing in the pool ends, is let in beyond the target:
/// what runs may be blocked on it. Each thread already beyond the target doubles the wait, so that
/// long jobs are not taken for blocked ones over and over.
const RELIEF: Duration = Duration::from_millis(4);
const RELIEF_DOUBLINGS: usize = 8;

/// How a turn of duty ended.
pub(crate) enum Relieved {
    /// Somebody woke the sentinel, which is counted as a searcher now.
    Woken,
    /// Nothing runs any more: sleep without a timer.
    Quiet,
    /// The sentinel must run stuck frame work: it is counted as running already, and still
    /// listed as idle.
    Stuck,
}

/// Keeps the beat until the caller, which is listed as idle, is woken or not needed.
pub(crate) fn keep_beat(registry: &Registry, worker: &Worker) -> Relieved {
    let beat = registry.config.beat;
    let mut interval = beat;
    let mut progress = registry.progress();
    let mut since = Instant::now();
    let mut quiet_before = false;
    loop {
        if worker.parker().park_timeout(interval) {
            if registry.sleep.idle_count() > 0 {
                // Others could take what is private elsewhere while this one works.
                registry.raise_beats();
            }
            return Relieved::Woken;
        }
        let lowered = registry.any_beat_lowered();
        registry.raise_beats();
        let quiet = registry.occupancy.is_quiet();
        if quiet && quiet_before {
            return Relieved::Quiet;
        }
        quiet_before = quiet;

        let extra = registry.occupancy.beyond_target();
        let now = registry.progress();
        if now != progress || !registry.has_work(Lane::Frame) {
            progress = now;
            since = Instant::now();
        } else if since.elapsed() >= RELIEF * (1 << extra.min(RELIEF_DOUBLINGS)) {
            registry.occupancy.enter(Charge::Lane(Lane::Frame));
            return Relieved::Stuck;
        }
        interval = if lowered {
            beat
        } else {
            (interval * 2).min(LONGEST.max(beat))
        };
        if registry.has_work(Lane::Frame) {
            interval = interval.min(RELIEF);
        }
    }
}
