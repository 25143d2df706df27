//! A thread that nobody comes to help: in a pool without threads, or whose threads wait in the
//! place of spare ones. What it leaves nobody does, so each eighth look begins with another kind of
//! work than the best one, by turns: none starves where the tasks of others keep waking each other.

use super::Worker;
use super::work::Found;
use crate::threads::this_thread::Stranger;
use heartbeat_record::Lane;

impl Worker {
    /// Whether no spare thread comes for the work that this one leaves.
    pub(crate) fn is_left_alone(&self) -> bool {
        !self.registry.config.has_spares || self.team().threads.is_short()
    }

    /// Counts a look for work. Gives what there may be to do, in the order of this one, best first
    /// as a rule: work of a lane, and calls that block.
    pub(super) fn kinds_in_turn(&self) -> [Option<Lane>; 4] {
        let tick = self.search.lone_ticks.get().wrapping_add(1);
        self.search.lone_ticks.set(tick);
        let [frame, io, background] = Lane::ALL.map(Some);
        let mut kinds = [frame, io, background, None];
        if tick.is_multiple_of(8) {
            let first = 1 + (tick / 8) as usize % 3;
            kinds.rotate_left(first);
        }
        kinds
    }

    /// Runs one piece of work of any kind, whatever the budgets.
    pub(crate) fn tick(&self) -> bool {
        let mut kinds = self.kinds_in_turn().into_iter();
        kinds.any(|kind| self.run_kind(kind))
    }

    /// Runs one piece of that kind of work, whatever the budgets.
    pub(super) fn run_kind(&self, kind: Option<Lane>) -> bool {
        let _stranger = Stranger::begin();
        let found = match kind {
            Some(lane) => self.pop(lane),
            None => self.take_blocking().map(Found::Blocking),
        };
        let Some(found) = found else { return false };
        if self.team_size() == 0 {
            // Whoever has queued the rest may have relied on this thread to find it.
            self.offer_room();
        }
        match kind.filter(|lane| *lane != self.lane()) {
            Some(lane) => {
                self.team().occupancy.enter(lane);
                self.run_as(lane, found);
            }
            None => self.run(found),
        }
        true
    }
}
