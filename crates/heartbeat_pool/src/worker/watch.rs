//! The sentinel's watch: how the one idle worker that keeps the beat does so, *alert* at first and
//! then *drowsy* (`heartbeat/README.md`).

use super::Worker;
use super::ladder::{DROWSY, ENOUGH};
use crate::cost::HAND_OVER;
use crate::idle::spin;
use crate::lanes::stuck::RELIEF;
use heartbeat_record::Lane;
use std::mem;
use std::time::Duration;

/// Looks in a row at which no beat was answered, no job begun and no fork hidden, after which the
/// sentinel turns drowsy.
const CALM_BEATS: u32 = 8;

/// How a watch ended.
pub(super) enum WatchEnd {
    /// The sentinel was woken, or there is work for it.
    Called,
    /// Nothing runs any more.
    Quiet,
    /// The sentinel must run stuck work of this lane: of a lower one only parts of what runs,
    /// unless it `is_demanded`. It is counted as running already, and still listed as idle.
    Stuck { lane: Lane, is_demanded: bool },
}

/// What the sentinel has seen.
struct Watch<'a> {
    worker: &'a Worker,
    /// Whether it has promised to look within a beat. The promise is taken back however this ends.
    alert: bool,
    /// Looks in a row at which nothing ran.
    quiet: u32,
    /// Looks in a row that count for [`CALM_BEATS`].
    calm: u32,
    /// The jobs that the pool had run by the last look.
    progress: u64,
}

impl Drop for Watch<'_> {
    fn drop(&mut self) {
        if self.alert {
            self.worker.team().sleep.alert_end();
        }
    }
}

impl Worker {
    /// Keeps the beat until the caller, which is listed as idle, is called or not needed.
    pub(super) fn keep_beat(&self) -> WatchEnd {
        let mut watch = Watch::begin(self);
        loop {
            if let Some(end) = watch.before_sleep() {
                return end;
            }
            let (is_queued, stuck) = watch.look_for_stuck();
            if let Some((lane, is_demanded)) = stuck {
                self.team().occupancy.enter(lane);
                return WatchEnd::Stuck { lane, is_demanded };
            }
            let called = self.parker.park_timeout(watch.interval(is_queued));
            self.make_way();
            if called {
                return WatchEnd::Called;
            }
            watch.look_around();
            if watch.await_work() {
                return WatchEnd::Called;
            }
        }
    }
}

impl<'a> Watch<'a> {
    fn begin(worker: &'a Worker) -> Self {
        Self {
            worker,
            alert: false,
            quiet: 0,
            calm: 0,
            progress: worker.look().progress(),
        }
    }

    fn set_alert(&mut self, alert: bool) {
        let sleep = &self.worker.team().sleep;
        if alert {
            // Again each beat: a napper may have ended the promise of both.
            sleep.alert_begin();
        } else if self.alert {
            sleep.alert_end();
            // In this order: a fork that finds its beat raised sees nobody alert, and wakes.
            self.worker.look().raise_beats(Some(&self.worker.seat));
        }
        self.alert = alert;
    }

    /// Makes the promise or takes it back, and tells whether the watch is over.
    fn before_sleep(&mut self) -> Option<WatchEnd> {
        let team = self.worker.team();
        let is_quiet = team.occupancy.is_quiet();
        self.quiet = if is_quiet { self.quiet + 1 } else { 0 };
        self.set_alert(self.calm < CALM_BEATS && self.quiet < ENOUGH && team.has_room_beside());
        // After that: what was pushed under another promise is seen.
        if self.worker.look().has_admissible_work() {
            return Some(WatchEnd::Called);
        }
        let is_over = !self.alert && team.occupancy.is_quiet();
        is_over.then_some(WatchEnd::Quiet)
    }

    /// How long to sleep, with something queued that may be stuck, or without.
    fn interval(&self, is_queued: bool) -> Duration {
        let beat = self.worker.registry.config.beat;
        match (self.alert, is_queued) {
            (true, _) => beat,
            (false, true) => RELIEF,
            (false, false) => DROWSY.max(beat),
        }
    }

    /// Raises the beats, and sees whether anything was begun since the last look.
    fn look_around(&mut self) {
        let worker = self.worker;
        let look = worker.look();
        let is_answered = look.any_beat_answered(&worker.seat);
        // Drowsy as well: a raise that met its owner closing the gate was not seen.
        look.raise_beats(Some(&worker.seat));
        let progress = look.progress();
        let moved = mem::replace(&mut self.progress, progress) != progress;
        let is_calm = !is_answered && !moved && !look.has_hidden_forks();
        self.calm = if is_calm { self.calm + 1 } else { 0 };
    }

    /// Waits a moment for an answer to the beats: a few forks' time, much less than going back to
    /// sleep costs.
    fn await_work(&self) -> bool {
        let helpful = || self.worker.look().has_admissible_work();
        self.alert && spin::until(3 * HAND_OVER, helpful)
    }

    /// Whether there is work that what runs may be waiting for; and the lane that has been stuck
    /// for too long, or for which somebody is demanded, and whether that is so.
    fn look_for_stuck(&self) -> (bool, Option<(Lane, bool)>) {
        let (team, look) = (self.worker.team(), self.worker.look());
        let lanes = look.work_of_running_jobs();
        let beyond = |lane| team.occupancy.beyond(lane);
        let stuck = team.stuck.look(lanes, beyond, |lane| look.has_work(lane));
        (lanes.iter().any(Option::is_some), stuck)
    }
}
