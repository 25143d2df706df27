//! The sentinel: the one idle worker that keeps the beat.
//!
//! *Alert*, it looks once a beat: it takes what is queued, or raises every seat's beat and waits a
//! moment for an answer. When nothing is shared for a while, or there is no room for one more
//! thread, it turns *drowsy*: it leaves the beats raised, so that the next fork wakes it, and only
//! looks now and then whether the pool is stuck. Once nothing runs its duty is over.

use super::pace;
use crate::idle::spin;
use crate::lanes::lane::Lane;
use crate::lanes::occupancy::Charge;
use crate::sync::Instant;
use crate::worker::Worker;
use std::time::Duration;

/// How long a drowsy sentinel sleeps. A pool that runs one long serial job wakes this seldom.
const DROWSY: Duration = Duration::from_millis(16);

/// Beats without anything shared, after which the sentinel turns drowsy.
const CALM_BEATS: u32 = 8;

/// Looks at a pool where nothing runs, after which the sentinel's duty is over. Not at once,
/// for work from outside often comes in bursts.
const QUIET_BEATS: u32 = 2;

/// How long the sentinel waits for an answer to a raised beat: a few forks' time, much less than
/// going back to sleep costs.
const ANSWER: Duration = Duration::from_micros(3);

/// Frame work that waits this long, and any fork, while nothing in the pool ends, is let in beyond the target:
/// what runs may be blocked on it. Who lets it in goes on with what else is queued. Each thread already beyond the target doubles the wait, so that
/// long jobs are not taken for blocked ones over and over.
const RELIEF: Duration = Duration::from_millis(4);
const RELIEF_DOUBLINGS: usize = 4;

/// How a turn of duty ended.
pub(crate) enum Relieved {
    /// The sentinel was woken, or there is work for it.
    Called,
    /// Nothing runs any more.
    Quiet,
    /// The sentinel must run stuck work of this lane: it is counted as running already, and still
    /// listed as idle.
    Stuck(Lane),
}

/// Keeps the beat until the caller, which is listed as idle, is called or not needed.
pub(crate) fn keep_beat(worker: &Worker) -> Relieved {
    /// An alert sentinel's promise, taken back however its duty ends.
    struct Alert<'a>(&'a Worker, bool);
    impl Alert<'_> {
        fn set(&mut self, alert: bool) {
            if alert {
                // Again each beat: a napper may have ended the promise of both.
                self.0.registry().sleep.alert_begin();
            } else if self.1 {
                self.0.registry().sleep.alert_end();
                // In this order: a fork that finds its beat raised sees nobody alert, and wakes.
                self.0.look().raise_beats(Some(&self.0.seat));
            }
            self.1 = alert;
        }
    }
    impl Drop for Alert<'_> {
        fn drop(&mut self) {
            if self.1 {
                self.0.registry().sleep.alert_end();
            }
        }
    }

    let registry = worker.registry();
    let beat = registry.config.beat;
    let mut alert = Alert(worker, false);
    let mut calm = 0;
    let mut quiet = 0;
    let mut pace = worker.pace();
    let mut forks = worker.look().forks();
    let mut brisk = false;
    let mut brisk_beats = 0;
    let mut since = Instant::now();
    loop {
        quiet = if registry.occupancy.is_quiet() {
            quiet + 1
        } else {
            0
        };
        alert.set(calm < CALM_BEATS && quiet < QUIET_BEATS && registry.has_room());
        // After the promise was made or taken back: what was pushed under another one is seen.
        if worker.look().has_work_for_helper(brisk && alert.1) {
            return Relieved::Called;
        }
        if !alert.1 && registry.occupancy.is_quiet() {
            return Relieved::Quiet;
        }
        let stuck = worker.look().work_of_running_jobs();
        let interval = match (alert.1, stuck) {
            (true, _) => beat,
            (false, Some(_)) => RELIEF,
            (false, None) => DROWSY.max(beat),
        };
        if worker.parker().park_timeout(interval) {
            worker.make_way();
            return Relieved::Called;
        }
        worker.seat.counters.beat();
        worker.make_way();

        let look = worker.look();
        let lowered = look.any_beat_lowered(&worker.seat);
        // Drowsy as well: a raise that met its owner closing the gate was not seen.
        look.raise_beats(Some(&worker.seat));
        let moved = pace.advance(look.progress());
        let hidden = look.has_hidden_forks();
        let stirs = moved > 0 || look.forks() != forks;
        forks = look.forks();
        drop(look);
        brisk_beats = if pace::is_brisk(moved, beat) {
            brisk_beats + 1
        } else {
            0
        };
        brisk = (1..pace::BRISK_BEATS).contains(&brisk_beats);
        let helpful = || worker.look().has_work_for_helper(brisk);
        if alert.1 && spin::until(ANSWER, helpful) {
            return Relieved::Called;
        }
        calm = if lowered || moved > 0 || hidden {
            0
        } else {
            calm + 1
        };
        let Some(lane) = stuck.filter(|_| !stirs) else {
            since = Instant::now();
            continue;
        };
        let extra = match lane {
            Lane::Frame => registry.occupancy.beyond_target().min(RELIEF_DOUBLINGS),
            // Beyond a budget that keeps cores for frames: only what is as good as certain to block.
            Lane::Io | Lane::Background => RELIEF_DOUBLINGS,
        };
        if since.elapsed() >= RELIEF * (1 << extra) {
            registry.occupancy.enter(Charge::Lane(lane));
            return Relieved::Stuck(lane);
        }
    }
}
