//! The end of a pool.

use super::Worker;
use crate::active::Tracks;
use crate::late;
use crate::registry::Registry;
use crate::registry::team::{Rank, Team};
use crate::registry::threads::RETRY;
use crate::sync::{Arc, Instant};
use crate::worker::current;

impl Registry {
    /// Ends the pool: its threads finish the job they run, and what is queued is dropped.
    ///
    /// One of the pool's own threads waits for none of the others, which may wait for the job that
    /// it runs: the pool then ends on a thread that belongs to none. Where none can be started, the
    /// caller waits all the same.
    pub(crate) fn terminate(self: &Arc<Self>) {
        let is_own = current::own_registry().is_some_and(|own| Arc::ptr_eq(&own, self));
        let registry = self.clone();
        let elsewhere = || late::run_elsewhere(move || registry.end());
        if !is_own || !elsewhere() {
            self.end();
        }
    }

    fn end(self: &Arc<Self>) {
        // A thread of the pool that ends it waits as in any wait: another one may have its seat,
        // and what only it can do is done.
        let _standing = Worker::stand_up();
        self.lower.close();
        // First the lower threads, while the frame's do what jobs there wait for, or the caller if
        // nobody else could.
        for team in self.teams.iter().rev() {
            team.close();
            // Whoever waits in a job does what it waits for itself from now on.
            team.occupancy.change_target(|_| 0);
            team.sleep.wake_all();
            self.waiters.wake_all();
            let start = Instant::now();
            team.threads.join(current::index_in(team), || {
                if team.rank == Rank::Frame && start.elapsed() >= RETRY {
                    // Who waits for it in a way that the pool can see has run it by now.
                    self.drop_lower_jobs();
                }
                current::run_pinned() || self.is_left_to_caller() && self.tick(self.frame())
            });
        }
        // The threads are gone, so nothing runs what this queues.
        self.active().close();
        for seat in self.teams.iter().flat_map(|team| team.seats.all().to_vec()) {
            while !seat.stealer.is_empty() {
                let job = seat.stealer.steal();
                job.into_iter().for_each(|job| self.drop_job(job));
            }
        }
        self.close_queues().for_each(|job| self.drop_job(job));
    }

    /// Whether nobody but the calling thread, which waits, could do the frame's work.
    fn is_left_to_caller(&self) -> bool {
        let frame = self.frame();
        let is_lone = || current::lone_member().is_some_and(|worker| worker.is_in(frame));
        let is_idle = || frame.occupancy.is_quiet() && is_lone();
        !frame.has_ended() && (frame.occupancy.target() == 0 || is_idle())
    }

    /// Does one piece of the work of `team` on the calling thread.
    pub(crate) fn tick(self: &Arc<Self>, team: &Team) -> bool {
        current::seat_in(self, team).visit(Worker::tick)
    }
}
