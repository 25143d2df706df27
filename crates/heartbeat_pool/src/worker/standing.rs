//! A thread that waits leaves the count meanwhile, so that a spare thread runs in its place.

use super::Worker;
use crate::worker::current;
use heartbeat_record::Lane;
use std::rc::Rc;

/// A thread that waits, and is counted as running in no pool until this is dropped.
pub(crate) struct Standing(Vec<Left>);

struct Left {
    worker: Rc<Worker>,
    charge: Lane,
    /// Whether its thread timed itself there.
    was_busy: bool,
}

impl Standing {
    /// Has somebody let in for each lane that is still full though this thread has left it: a
    /// thread that comes back from a wait needs no room, so there may be more of them than the
    /// target.
    pub(super) fn demand_relief(&self) {
        for left in &self.0 {
            let (team, lane) = (left.worker.team(), left.charge);
            if !team.occupancy.admits(lane) && left.worker.look().has_work(lane) {
                team.stuck.demand(lane);
            }
        }
    }
}

impl Drop for Standing {
    fn drop(&mut self) {
        for left in self.0.drain(..) {
            let (worker, charge) = (&left.worker, left.charge);
            // Whether there is room or not: no thread that comes back is held up.
            worker.seat.set_waiting(false);
            worker.team().occupancy.enter_waiting(charge);
            worker.count_as(Some(charge));
            worker.seat.core.take();
            if left.was_busy {
                worker.seat.counters.busy_begin(worker.lane());
            }
        }
    }
}

impl Worker {
    /// Counts the thread as running here and in no other pool, for as long as `f` does: it runs
    /// what has nothing to do with the work that it has in others, and which may wait for what
    /// these must then do without it.
    pub(crate) fn visit_only_here<R>(self: &Rc<Self>, f: impl FnOnce(&Self) -> R) -> R {
        let mut is_elsewhere = false;
        current::for_each_worker(|worker| {
            is_elsewhere |= worker.count.charge.get().is_some() && !Rc::ptr_eq(worker, self);
        });
        let _standing = is_elsewhere.then(Self::stand_up);
        self.visit(f)
    }

    /// Lets others take all that the thread has forked.
    fn share_all(&self) {
        self.promote_all();
        if self.seat.hidden.is_set() {
            self.seat.hidden.show();
            self.announce_forks();
        }
    }

    /// Leaves the count in every pool that the thread runs in, for it is about to wait, and offers
    /// the room to spare threads.
    pub(crate) fn stand_up() -> Standing {
        let mut left = Vec::new();
        current::for_each_worker(|worker| {
            worker.share_all();
            if let Some(charge) = worker.count_as(None) {
                let was_busy = worker.seat.counters.is_busy();
                worker.seat.counters.busy_end();
                worker.seat.core.give_back();
                worker.count.slot.release(&worker.team().threads.numbers);
                worker.seat.set_waiting(true);
                worker.team().occupancy.leave_waiting(charge);
                worker.offer_room_now();
                left.push(Left {
                    worker: worker.clone(),
                    charge,
                    was_busy,
                });
            }
        });
        Standing(left)
    }
}
