//! Others' turns in the middle of a wait whose own work goes on and on.
//!
//! A future that wakes itself again and again may do so until a task has run that lies in the pool's
//! queue. Whoever polls it never sleeps, and so never leaves its seat to somebody who would run that
//! task. What is waited for must not be run here, on top of whatever the caller holds; so the seat is
//! left for a moment all the same.

use super::watch::RELIEF;
use super::{STRANGERS_TURN, Worker};
use crate::sync::Instant;
use crate::threads::this_thread;
use crate::worker::current;

/// Counts the steps of one wait that come without a sleep between them.
#[derive(Default)]
pub(crate) struct Turns {
    steps: u32,
    /// When the present turn of the wait's own work was first seen.
    since: Option<Instant>,
}

impl Turns {
    /// Counts a step. Others get a turn if the wait has had one for as long as work may be stuck.
    pub(crate) fn step(&mut self) {
        self.steps = self.steps.wrapping_add(1);
        if !self.steps.is_multiple_of(STRANGERS_TURN) {
            return;
        }
        let now = Instant::now();
        if now.duration_since(*self.since.get_or_insert(now)) >= RELIEF {
            give_way();
            self.since = None;
        }
    }

    /// The wait sleeps now.
    pub(crate) fn end(&mut self) {
        *self = Self::default();
    }
}

/// Leaves the thread's seats for a beat, if somebody could use one.
fn give_way() {
    let mut beat = None;
    current::for_each_seat(|worker| {
        if worker.keeps_others_waiting() {
            beat = Some(worker.registry.config.beat);
        }
    });
    if let Some(beat) = beat {
        let _standing = Worker::stand_up();
        // A token that ends this is of a wake-up that the wait looks for before it sleeps.
        this_thread::parker().park_timeout(beat);
    }
}

impl Worker {
    /// Whether a spare thread could take the place of this one, and would find work.
    fn keeps_others_waiting(&self) -> bool {
        self.count.charge.get().is_some()
            && !self.is_alone()
            && self.num_threads() > 0
            && self.look().has_any_work()
    }
}
