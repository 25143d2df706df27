//! The lookout: an idle worker that lingers where a sentinel was wanted and nothing runs now.
//!
//! A game wants one in every frame, for forks that are kept on one thread or for work that there is no room
//! for, and mostly for nothing. To be woken each time costs more than to sleep with a timer in between.

use crate::worker::Worker;
use std::time::Duration;

/// How long the lookout sleeps at first, two frames: twice as long each time that it finds nothing to do, for a look
/// takes as long as a short frame.
const LINGER: Duration = Duration::from_millis(32);
const LONGEST: Duration = Duration::from_millis(128);
/// Looks in a row without anybody having wanted a sentinel, after which it leaves.
const MISSES: u32 = 2;

/// Lingers until the caller, which is listed as idle, is called (true), or somebody runs, or nobody has wanted a
/// sentinel for a while.
pub(crate) fn linger(worker: &Worker) -> bool {
    let registry = worker.registry();
    let mut misses = 0;
    let mut linger = LINGER;
    if !registry.sleep.take_wanted() {
        return false;
    }
    while misses < MISSES {
        let called = worker.parker().park_timeout(linger);
        linger = LONGEST.min(linger * 2);
        worker.make_way();
        if called {
            return true;
        }
        worker.seat.counters.beat();
        if !worker.is_pool_quiet() {
            return false;
        }
        misses = if registry.sleep.take_wanted() {
            0
        } else {
            misses + 1
        };
    }
    false
}
