//! The end of a pool.

use super::Worker;
use crate::active::Tracks;
use crate::late;
use crate::registry::Registry;
use crate::sync::Arc;
use crate::worker::current;

impl Registry {
    /// Ends the pool: its threads finish the job they run, and what is queued is dropped.
    ///
    /// One of the pool's own threads waits for none of the others, which may wait for the job that
    /// it runs: the pool then ends on a thread that belongs to none. Where none can be started, the
    /// caller waits all the same.
    pub(crate) fn terminate(self: &Arc<Self>) {
        let own = current::index_in(self);
        let is_lower = |lower| current::index_in(lower).is_some();
        let is_own = own.is_some() || self.kin.lower().is_some_and(is_lower);
        let registry = self.clone();
        let elsewhere = || late::run_elsewhere(move || registry.end_all(None));
        if !is_own || !elsewhere() {
            self.end_all(own);
        }
    }

    /// Ends both registries. `own` is the calling thread's index, if it is one of this one's.
    fn end_all(self: &Arc<Self>, own: Option<usize>) {
        // A thread of the pool that ends it waits as in any wait: another one may have its seat,
        // and what only it can do is done.
        let _standing = Worker::stand_up();
        // First the lower threads, while this registry's do what jobs there wait for, or the caller
        // if nobody else could.
        if let Some(lower) = self.kin.close() {
            lower.end(current::index_in(lower), || {
                current::run_pinned() || self.is_left_to_caller() && self.tick()
            });
        }
        self.end(own, current::run_pinned);
    }

    /// Whether nobody but the calling thread, which waits, could do this registry's work.
    fn is_left_to_caller(self: &Arc<Self>) -> bool {
        let is_lone = || current::lone_member().is_some_and(|worker| worker.is_in(self));
        self.occupancy.target() == 0 || (self.occupancy.is_quiet() && is_lone())
    }

    /// Does one piece of work on the calling thread.
    pub(crate) fn tick(self: &Arc<Self>) -> bool {
        current::seat_in(self).visit(Worker::tick)
    }

    /// Ends this registry alone. While its threads end, the caller calls `work`, which tells
    /// whether there was some.
    fn end(&self, own: Option<usize>, work: impl Fn() -> bool) {
        if !self.close() {
            return;
        }
        // Whoever waits in a job does what it waits for itself from now on.
        self.occupancy.change_target(|_| 0);
        self.sleep.wake_all();
        self.waiters.wake_all();
        self.threads.join(own, work);
        // The threads are gone, so nothing runs what this queues.
        self.active().close();
        self.blocking.close().for_each(|job| self.drop_job(job));
        for seat in self.seats.all().iter() {
            while !seat.stealer.is_empty() {
                seat.stealer
                    .steal()
                    .into_iter()
                    .for_each(|job| self.drop_job(job));
            }
        }
        self.close_injectors().for_each(|job| self.drop_job(job));
    }
}
