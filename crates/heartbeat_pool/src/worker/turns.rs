//! Others' turns in the middle of a wait whose own work goes on and on.
//!
//! A future that wakes itself again and again may do so until a task has run that lies in the
//! pool's queue. Whoever polls it never sleeps, and so never leaves the count for somebody who
//! would run that task. What is waited for must not be run here, on top of whatever the caller
//! holds; so the count is left for a moment all the same. Where that makes no room, as others that
//! came back from waits are beyond the target as well, somebody is let in beyond it.

use super::Worker;
use super::work::STRANGERS_TURN;
use crate::lanes::stuck::RELIEF;
use crate::registry::Registry;
use crate::sync::Instant;
use crate::threads::this_thread;
use crate::worker::current;

/// Counts the steps of one wait, or of one helper of a scope, that come without a sleep between
/// them.
#[derive(Default)]
pub(crate) struct Turns {
    steps: u32,
    /// When the present turn was first seen.
    since: Option<Instant>,
    /// What others had taken from the queues by then.
    taken: u64,
    /// Turns in a row in which they took something.
    busy: u32,
}

impl Turns {
    /// With a first turn that has begun then, if that is known: else it begins as it is first
    /// looked at.
    pub(crate) fn since(begun: Option<Instant>) -> Self {
        Self {
            since: begun,
            ..Self::default()
        }
    }

    /// Counts a step. True for one of [`STRANGERS_TURN`], at which others may be looked for.
    #[inline]
    pub(crate) fn count(&mut self) -> bool {
        self.count_at(0)
    }

    /// As [`count`](Self::count), in a wait inside of `depth` others: true for half as many steps
    /// with each.
    #[inline]
    pub(crate) fn count_at(&mut self, depth: u32) -> bool {
        self.steps = self.steps.wrapping_add(1);
        self.steps.is_multiple_of(STRANGERS_TURN << depth.min(20))
    }

    /// As [`count`](Self::count), and true for the fourth, eighth ... step as well: these may be
    /// long. Not for the first, for to read the clock would make short ones seem worth the help.
    #[inline]
    pub(crate) fn count_some(&mut self) -> bool {
        let is_early = |step: u32| (4..STRANGERS_TURN).contains(&step) && step.is_power_of_two();
        self.count() || is_early(self.steps)
    }

    /// Whether the turn has taken as long as work may be stuck. Then the next one begins.
    pub(crate) fn is_over(&mut self) -> bool {
        let now = Instant::now();
        let is_over = now.saturating_duration_since(*self.since.get_or_insert(now)) >= RELIEF;
        if is_over {
            self.since = None;
        }
        is_over
    }

    /// At the end of a wait's turn, gives others theirs if nobody else seems to come to what is
    /// queued beside the wait's `own` tickets, which lie in a pool. Whether somebody may have had
    /// one.
    pub(crate) fn look(&mut self, own: Option<(&Registry, usize)>) -> bool {
        if self.since.is_none() {
            self.taken = taken();
        }
        if !self.is_over() {
            return false;
        }
        // What they took may be of another lane, or parts of what is waited for.
        self.busy += 1;
        let is_stuck = self.taken == taken() || self.busy == 8;
        if is_stuck {
            self.busy = 0;
            give_way(own);
        }
        is_stuck
    }

    /// The wait sleeps now.
    pub(crate) fn end(&mut self) {
        *self = Self::default();
    }
}

/// How many jobs were taken from the queues of the pools that the thread is or was in.
fn taken() -> u64 {
    let mut taken: u64 = 0;
    current::for_each_worker(|worker| taken = taken.wrapping_add(worker.look().taken()));
    taken
}

/// Leaves the count in all pools for a beat at most, if somebody could use the room.
fn give_way(own: Option<(&Registry, usize)>) {
    let mut beat = None;
    current::for_each_worker(|worker| {
        let own = own.filter(|(pool, _)| worker.is_of(pool));
        if worker.keeps_others_waiting(own.map_or(0, |(_, tickets)| tickets)) {
            // A long beat is for forks, and no time that others need.
            beat = Some(worker.registry.config.beat.min(RELIEF));
        }
    });
    if let Some(beat) = beat {
        let standing = Worker::stand_up();
        standing.demand_relief();
        let parker = this_thread::parker();
        // The wait's own work may leave one each time. The wait looks for all that tokens are of
        // before it sleeps.
        parker.drop_token();
        parker.park_timeout(beat);
        drop(standing);
    }
}

impl Worker {
    /// Whether a spare thread could take the place of this one, and would find more than `own`
    /// tickets.
    fn keeps_others_waiting(&self, own: usize) -> bool {
        let is_counted = self.count.charge.get().is_some();
        if !is_counted || self.is_lone_member() || self.team_size() == 0 {
            return false;
        }
        let look = self.look();
        look.queued_jobs() > own || look.has_blocking()
    }
}
