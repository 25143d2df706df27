//! The end of a pool.

use super::Worker;
use crate::late;
use crate::registry::Registry;
use crate::registry::team::{Rank, Team};
use crate::registry::threads::RETRY;
use crate::sync::{Arc, Instant};
use crate::worker::current;
use crate::worker::duty;
use heartbeat_record::Lane;
use std::cell::Cell;

impl Registry {
    /// Ends the pool: its threads finish the job they run, and what is queued is dropped.
    ///
    /// One of the pool's own threads waits for none of the others, which may wait for the job that
    /// it runs: the pool then ends on a thread that belongs to none. Where none can be started, the
    /// caller waits all the same.
    pub(crate) fn terminate(self: &Arc<Self>) {
        let is_own = current::member().is_some_and(|own| own.is_of(self));
        let registry = self.clone();
        let elsewhere = || late::run_elsewhere(move || registry.end());
        if !is_own || !elsewhere() {
            self.end();
        }
    }

    fn end(self: &Arc<Self>) {
        // A thread of the pool that ends it waits as in any wait: another one may run in its place,
        // and what only it can do is done.
        let _standing = Worker::stand_up();
        self.lower.close();
        // First the lower threads, while the frame's do what jobs there wait for, or the caller if
        // nobody else could.
        for team in self.teams.iter().rev() {
            team.close();
            // Whoever waits in a job does what it waits for itself from now on.
            team.occupancy.set_target(0);
            team.sleep.wake_all();
            self.waiters.wake_all();
            self.join(team);
        }
        // The threads are gone, so nothing runs what this queues.
        self.active.close();
        for seat in self.teams.iter().flat_map(|team| team.seats.every()) {
            while seat.has_jobs() {
                seat.drain_jobs().for_each(|job| self.guard(|| drop(job)));
            }
        }
        self.close_queues().for_each(|job| self.guard(|| drop(job)));
        self.drop_handlers();
    }

    /// Waits for the threads of `team`, which has ended, and does what else could be waited for.
    fn join(self: &Arc<Self>, team: &Team) {
        let own = current::member().filter(|own| own.is_in(team));
        let own = own.and_then(|own| own.index());
        let looked = Cell::new(Instant::now());
        let (frame, lower) = Lane::ALL.split_at(1);
        let is_frame = team.rank == Rank::Frame;
        let is_left_to_caller = || {
            let frame = self.frame();
            !frame.has_ended() && frame.occupancy.target() == 0
        };
        team.threads.join(own, || {
            // The last jobs may wait for what is queued, in ways that the pool can't see. Threads
            // that wait in others have run by now what no thread will. The frame's last: what is
            // dropped there may wait for what is dropped of the lower lanes.
            if looked.get().elapsed() >= 16 * RETRY {
                self.drop_queued(lower);
                if is_frame {
                    self.drop_queued(frame);
                }
                looked.set(Instant::now());
            }
            current::run_pinned()
                || duty::tick_lone()
                || is_left_to_caller() && self.tick(self.frame())
        });
    }

    /// Does one piece of the work of `team` on the calling thread.
    pub(crate) fn tick(self: &Arc<Self>, team: &Team) -> bool {
        current::worker_in(self, team).visit_only_here(Worker::tick)
    }
}
