//! Others' turns in the middle of a wait whose own work goes on and on.
//!
//! A future that wakes itself again and again may do so until a task has run that lies in the pool's
//! queue. Whoever polls it never sleeps, and so never leaves its seat to somebody who would run that
//! task. What is waited for must not be run here, on top of whatever the caller holds; so the seat is
//! left for a moment all the same.

use super::Worker;
use super::watch::RELIEF;
use crate::sync::Instant;
use crate::threads::this_thread;
use crate::worker::current;

/// Counts the steps of one wait, or of one helper of a scope, that come without a sleep between them.
#[derive(Default)]
pub(crate) struct Turns {
    steps: u32,
    /// When the present turn was first seen.
    since: Option<Instant>,
}

impl Turns {
    /// Counts a step. True for one of `every`, at which others may be looked for.
    #[inline]
    pub(crate) fn count(&mut self, every: u32) -> bool {
        self.steps = self.steps.wrapping_add(1);
        self.steps.is_multiple_of(every)
    }

    /// Whether the turn has taken as long as work may be stuck. Then the next one begins.
    pub(crate) fn is_over(&mut self) -> bool {
        let now = Instant::now();
        let is_over = now.duration_since(*self.since.get_or_insert(now)) >= RELIEF;
        if is_over {
            self.since = None;
        }
        is_over
    }

    /// At the end of a wait's turn, gives others theirs.
    pub(crate) fn look(&mut self) {
        if self.is_over() {
            give_way();
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
