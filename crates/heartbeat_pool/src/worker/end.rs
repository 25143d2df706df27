//! The end of a pool.

use super::Worker;
use crate::active::Tracks;
use crate::late;
use crate::registry::Registry;
use crate::registry::team::Team;
use crate::registry::threads::RETRY;
use crate::sync::{Arc, Instant};
use crate::worker::current;
use crate::worker::wait;
use std::cell::Cell;
use std::time::Duration;

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
        // A thread of the pool that ends it waits as in any wait: another one may have its seat,
        // and what only it can do is done.
        let _standing = Worker::stand_up();
        self.lower.close();
        let relief = Relief::new();
        // First the lower threads, while the frame's do what jobs there wait for, or the caller if
        // nobody else could.
        for team in self.teams.iter().rev() {
            team.close();
            // Whoever waits in a job does what it waits for itself from now on.
            team.occupancy.set_target(0);
            team.sleep.wake_all();
            self.waiters.wake_all();
            let own = current::member().filter(|own| own.is_in(team));
            let own = own.and_then(|own| own.index());
            team.threads.join(
                own,
                || relief.is_over(),
                || {
                    relief.come(self);
                    current::run_pinned()
                        || wait::tick_lone()
                        || self.is_left_to_caller() && self.tick(self.frame())
                },
            );
        }
        // The threads are gone, so nothing runs what this queues.
        self.active().close();
        for seat in self.teams.iter().flat_map(|team| team.seats.all().to_vec()) {
            while !seat.stealer.is_empty() {
                let job = seat.stealer.steal();
                job.into_iter().for_each(|job| self.guard(|| drop(job)));
            }
        }
        self.close_queues().for_each(|job| self.guard(|| drop(job)));
        self.drop_handlers();
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

/// Who runs what the last jobs of a pool wait for in ways that the pool can't see: while it lived,
/// a sentinel let somebody in.
struct Relief {
    /// When the next one comes, and how long after that another one would.
    next: Cell<(Instant, Duration)>,
    /// One more count for each that has come and works still.
    working: Arc<()>,
}

impl Relief {
    fn new() -> Self {
        Self {
            next: Cell::new((Instant::now() + RETRY, RETRY)),
            working: Arc::new(()),
        }
    }

    fn is_over(&self) -> bool {
        Arc::strong_count(&self.working) == 1
    }

    /// Has a thread that belongs to none run one piece of what is queued, if it is time for that.
    /// The pauses double, for the last jobs may be just long.
    fn come(&self, registry: &Arc<Registry>) {
        let (at, pause) = self.next.get();
        if Instant::now() < at {
            return;
        }
        let pause = 2 * pause;
        self.next.set((Instant::now() + pause, pause));
        let stuck = |team: &&Team| team.has_ended() && registry.has_queued(team);
        let Some(rank) = registry.teams.iter().find(stuck).map(|team| team.rank) else {
            return;
        };
        let (registry, working) = (registry.clone(), self.working.clone());
        late::run_elsewhere(move || {
            registry.tick(registry.team(rank));
            drop(working);
        });
    }
}
