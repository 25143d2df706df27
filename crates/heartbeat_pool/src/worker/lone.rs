//! A thread that nobody comes to help: in a pool without threads, or whose threads wait in the place
//! of spare ones. What it leaves nobody does, so now and then it begins with what is last otherwise,
//! with another kind each time, and none starves where the tasks of others keep waking each other.

use super::Worker;
use super::work::Found;
use crate::lanes::lane::Lane;
use crate::lanes::occupancy::Charge;
use crate::schedule::News;
use crate::threads::this_thread::Stranger;

/// What is for the thread to do.
#[derive(Clone, Copy)]
pub(super) enum Kind {
    Of(Lane),
    Blocking,
}

/// Best first.
const KINDS: [Kind; 4] = [
    Kind::Of(Lane::Frame),
    Kind::Of(Lane::Io),
    Kind::Of(Lane::Background),
    Kind::Blocking,
];

impl Worker {
    /// Whether no spare thread comes for the work that this one leaves.
    pub(super) fn is_alone(&self) -> bool {
        !self.registry.config.has_spares || self.team().threads.is_short()
    }

    /// Counts a look for work. Gives the kinds in the order of this one.
    pub(super) fn kinds_in_turn(&self) -> [Kind; 4] {
        let tick = self.search.lone_ticks.get().wrapping_add(1);
        self.search.lone_ticks.set(tick);
        let mut kinds = KINDS;
        if tick.is_multiple_of(8) {
            let first = 1 + (tick / 8) as usize % 3;
            kinds.rotate_left(first);
        }
        kinds
    }

    /// Runs one piece of work of any kind, whatever the budgets.
    pub(crate) fn tick(&self) -> bool {
        let kinds = self.kinds_in_turn();
        kinds.into_iter().any(|kind| match kind {
            Kind::Of(lane) => self.tick_lane(lane),
            Kind::Blocking => {
                let _stranger = Stranger::begin();
                let Some(job) = self.take_blocking() else {
                    return false;
                };
                self.tell_of_the_rest();
                self.run(Found::Blocking(job));
                true
            }
        })
    }

    /// Before it gets busy in a pool without threads: who has queued the rest may have relied on
    /// this thread to find it.
    fn tell_of_the_rest(&self) {
        if self.num_threads() > 0 {
            return;
        }
        let (lane, has_blocking) = {
            let look = self.look();
            (look.work(), look.has_blocking())
        };
        if let Some(lane) = lane {
            self.tell(News::for_others(lane));
        } else if has_blocking {
            self.tell(News::blocking());
        }
    }

    pub(super) fn tick_lane(&self, lane: Lane) -> bool {
        let _stranger = Stranger::begin();
        let Some(found) = self.pop(lane) else {
            return false;
        };
        self.tell_of_the_rest();
        self.team().occupancy.enter(Charge::Lane(lane));
        self.run_as(lane, found);
        true
    }
}
