//! A thread that nobody comes to help: in a pool without threads, or whose threads wait in the place
//! of spare ones. What it leaves nobody does, so now and then it begins with what is last otherwise,
//! and no lane starves where the tasks of a better one keep waking each other.

use super::Worker;
use super::work::Found;
use crate::lanes::lane::Lane;
use crate::lanes::occupancy::Charge;
use crate::threads::this_thread::Stranger;

impl Worker {
    /// Whether no spare thread comes for the work that this one leaves.
    pub(super) fn is_alone(&self) -> bool {
        !self.registry.config.has_spares || self.team().threads.is_short()
    }

    /// Counts a look for work. Whether this one should begin with what is last otherwise.
    pub(super) fn is_lower_turn(&self) -> bool {
        let tick = self.search.lone_ticks.get().wrapping_add(1);
        self.search.lone_ticks.set(tick);
        tick.is_multiple_of(8)
    }

    /// Runs one piece of work of any kind, whatever the budgets.
    pub(crate) fn tick(&self) -> bool {
        let _stranger = Stranger::begin();
        let [best, lower @ ..] = Lane::ALL;
        if self.is_lower_turn() {
            self.tick_blocking()
                || lower.into_iter().rev().any(|lane| self.tick_lane(lane))
                || self.tick_lane(best)
        } else {
            Lane::ALL.into_iter().any(|lane| self.tick_lane(lane)) || self.tick_blocking()
        }
    }

    fn tick_lane(&self, lane: Lane) -> bool {
        let Some(found) = self.pop(lane) else {
            return false;
        };
        self.team().occupancy.enter(Charge::Lane(lane));
        self.run_as(lane, found);
        true
    }

    fn tick_blocking(&self) -> bool {
        let job = self.take_blocking();
        job.map(|job| self.run(Found::Blocking(job))).is_some()
    }
}
