//! A thread that nobody comes to help: in a pool without threads, or whose threads wait in the
//! place of spare ones. What it leaves nobody does, so each eighth look begins with another kind of
//! work than the best one, by turns: none starves where the tasks of others keep waking each other.
//! Only between a thread's own work and that of others there are no turns in a pool as rayon's.

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

    /// Whether the thread is one of the pool's own whose place no spare one takes.
    pub(super) fn is_lone_member(&self) -> bool {
        self.is_member() && self.is_left_alone()
    }

    /// Counts a yield, to the thread's own work if it `is_local`. Gives the `kinds` of work that it
    /// may run, best first as a rule; always, where others' may block on what it has itself.
    pub(crate) fn in_turn_of_yields<T>(&self, is_local: bool, kinds: [T; 3]) -> [T; 3] {
        if self.registry.config.have_turns() {
            in_turn(&self.search.yields[usize::from(is_local)], kinds)
        } else {
            kinds
        }
    }

    /// Whether the thread, one of the pool's own, is to take frame work now and then though there
    /// is no room: threads from outside may have all of it for good.
    pub(super) fn takes_though_full(&self) -> bool {
        let ticks = &self.search.full_ticks;
        self.is_lone_member() && {
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
    /// frame, from outside last, then other work for which there is room. Each has its turn, but
    /// where others' work may block on the thread's own only the last two.
    pub(super) fn run_one_left(&self) -> bool {
        let inside: [fn(&Self) -> bool; 2] = [
            |worker| worker.run_one_of_frames(|worker| worker.pop_own().map(Found::Job)),
            |worker| worker.run_one_of_frames(Self::take_from_inside),
        ];
        let others: [fn(&Self) -> bool; 2] = [
            |worker| worker.run_one_of_frames(|worker| worker.pop_injected(Lane::Frame)),
            Self::run_one_of_lower,
        ];
        let looks = &self.search.left_ticks;
        let ([first, second], [third, fourth]) = (inside, others);
        let kinds = if self.registry.config.have_turns() {
            in_turn(looks, [first, second, third, fourth])
        } else {
            let [third, fourth] = in_turn(looks, others);
            [first, second, third, fourth]
        };
        kinds.into_iter().any(|run| run(self))
    }

    /// Runs a piece of frame work whether there is room or not.
    fn run_one_of_frames(&self, take: impl FnOnce(&Self) -> Option<Found>) -> bool {
        let _stranger = Stranger::begin();
        let Some(found) = take(self) else {
            return false;
        };
        if self.lane() == Lane::Frame {
            self.run_piece(found);
        } else {
            self.team().occupancy.enter(Lane::Frame);
            self.run_as(Lane::Frame, found);
        }
        true
    }

    /// Runs a piece of a lower lane that has room for one more, or a call that blocks.
    fn run_one_of_lower(&self) -> bool {
        let mut kinds = self.kinds_in_turn().into_iter();
        kinds.any(|kind| match kind {
            Some(Lane::Frame) => false,
            Some(lane) => self.run_one_of(lane),
            None => self.makes_calls() && self.run_kind(kind),
        })
    }

    /// Whether there is something for [`run_one_left`](Self::run_one_left).
    pub(super) fn has_one_left(&self) -> bool {
        let look = self.look();
        look.has_work_to_leave(self.count.charge.get())
            || (look.has_blocking() && self.makes_calls())
    }

    /// Whether the thread, which waits, makes calls that block. Such a call may block on what the
    /// thread does after its wait; so whoever else runs has a second to come to it.
    fn makes_calls(&self) -> bool {
        let team = self.team();
        !team.occupancy.has_others(self.count.charge.get()) || team.untaken.is_left_for_a_second()
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
            None => self.run_piece(found),
        }
        true
    }
}

#[cfg(all(test, not(heartbeat_loom)))]
mod tests {
    use super::*;
    use crate::age::Aged;
    use crate::job::Job;
    use crate::pool::ThreadPool;
    use crate::queue::forks::Offered;
    use std::sync::mpsc;

    /// Runs `f` as a job of the io lane.
    fn as_io(worker: &Worker, f: impl FnOnce(&Worker) + Send + 'static) {
        worker.team().occupancy.enter(Lane::Io);
        let job = Job::new(Box::new(|| Worker::with_current(|own| f(own.unwrap()))));
        worker.run_as(Lane::Io, Found::Job(job));
    }

    /// Its forks and scopes are for the frame's threads then.
    #[test]
    fn a_frame_job_on_top_of_a_lower_lanes_wait_is_the_frames() {
        let pool = ThreadPool::builder().num_threads(0).build().unwrap();
        let (sender, receiver) = mpsc::channel();
        pool.with_worker(|worker| {
            as_io(worker, move |worker| {
                let tell =
                    move || Worker::with_current(|own| sender.send(own.unwrap().lane()).unwrap());
                worker.deque.push(Aged::new(Job::new(Box::new(tell)), None));
                assert!(worker.run_one_left());
                assert_eq!(worker.lane(), Lane::Io);
            });
        });
        assert_eq!(receiver.try_recv(), Ok(Lane::Frame));
    }

    #[test]
    fn forks_are_of_their_own_lane_again_after_a_job_of_another_one() {
        let pool = ThreadPool::builder().num_threads(0).build().unwrap();
        pool.with_worker(|worker| {
            worker.joins.forks.push(Offered::nothing());
            worker.announce_forks();
            as_io(worker, Worker::announce_forks);
            assert_eq!(worker.seat.fork_lane(), Lane::Frame);
            worker.joins.forks.pop();
        });
    }
}
