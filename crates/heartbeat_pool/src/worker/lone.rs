//! A thread that nobody comes to help: in a pool without threads, or whose threads wait in the
//! place of spare ones. What it leaves nobody does, so each eighth look begins with another kind of
//! work than the best one, by turns: none starves where the tasks of others keep waking each other.

use super::Worker;
use super::work::{Found, STRANGERS_TURN};
use crate::threads::this_thread::Stranger;
use heartbeat_record::Lane;
use std::cell::Cell;

/// Counts a look, and gives the `kinds` of work in its order: as they are as a rule, and at every
/// eighth look another one first, for what comes before may go on for ever.
fn in_turn<T, const N: usize>(looks: &Cell<u32>, mut kinds: [T; N]) -> [T; N] {
    let look = looks.get().wrapping_add(1);
    looks.set(look);
    if look.is_multiple_of(8) {
        kinds.rotate_left(1 + (look / 8) as usize % (N - 1));
    }
    kinds
}

impl Worker {
    /// Whether no spare thread comes for the work that this one leaves.
    pub(crate) fn is_left_alone(&self) -> bool {
        self.registry.is_left_alone(self.team())
    }

    /// Counts a yield, to the thread's own work if it `is_local`. Gives the `kinds` of work that it
    /// may run, best first as a rule.
    pub(crate) fn in_turn_of_yields<T>(&self, is_local: bool, kinds: [T; 3]) -> [T; 3] {
        in_turn(&self.search.yields[usize::from(is_local)], kinds)
    }

    /// Whether the thread, one of the pool's own, is to take frame work now and then though there
    /// is no room: threads from outside may have all of it for good.
    pub(super) fn takes_though_full(&self) -> bool {
        let ticks = &self.search.full_ticks;
        self.is_member() && self.is_left_alone() && {
            ticks.set(ticks.get().wrapping_add(1));
            ticks.get().is_multiple_of(STRANGERS_TURN)
        }
    }

    /// Counts a look for work. Gives what there may be to do, in the order of this one, best first
    /// as a rule: work of a lane, and calls that block.
    pub(super) fn kinds_in_turn(&self) -> [Option<Lane>; 4] {
        let [frame, io, background] = Lane::ALL.map(Some);
        in_turn(&self.search.lone_ticks, [frame, io, background, None])
    }

    /// Runs one piece of work of any kind, whatever the budgets.
    pub(crate) fn tick(&self) -> bool {
        let mut kinds = self.kinds_in_turn().into_iter();
        kinds.any(|kind| self.run_kind(kind))
    }

    /// Runs one piece of what nobody has taken for long, for a thread that waits: what others do
    /// may wait for just that. The thread's own comes first, then what others have queued for the
    /// frame, from outside last, then other work for which there is room; but each has its turn.
    pub(super) fn run_one_left(&self) -> bool {
        fn run_found(worker: &Worker, take: impl FnOnce(&Worker) -> Option<Found>) -> bool {
            let _stranger = Stranger::begin();
            take(worker).map(|found| worker.run_piece(found)).is_some()
        }
        let kinds: [fn(&Self) -> bool; 4] = [
            |worker| run_found(worker, |worker| worker.pop_own().map(Found::Job)),
            |worker| run_found(worker, Self::take_from_inside),
            |worker| run_found(worker, |worker| worker.pop_injected(Lane::Frame)),
            Self::run_one_of_lower,
        ];
        let mut kinds = in_turn(&self.search.left_ticks, kinds).into_iter();
        kinds.any(|run| run(self))
    }

    /// The same of a lower lane that has room for one more, or of calls that block.
    fn run_one_of_lower(&self) -> bool {
        let mut kinds = self.kinds_in_turn().into_iter();
        kinds.any(|kind| match kind {
            Some(Lane::Frame) => false,
            Some(lane) => {
                let is_own = lane == self.lane();
                (is_own || self.team().occupancy.admits(lane)) && self.run_kind(kind)
            }
            None => self.run_kind(kind),
        })
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
