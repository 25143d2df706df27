//! Waiting: run what is waited for, else give the seat away and sleep.

use crate::cost::WAKE_UP;
use crate::idle::sleep::Wake;
use crate::idle::spin;
use crate::parker::Parker;
use crate::placement;
use crate::record::{self, What, note};
use crate::registry::Registry;
use crate::registry::team::Team;
use crate::registry::threads::RETRY;
use crate::sync::Arc;
use crate::threads::this_thread::Waiting;
use crate::unwind;
use crate::worker::current;
use crate::worker::turns::Turns;
use crate::worker::watch::RELIEF;
use crate::worker::{STRANGERS_TURN, Worker};
use std::rc::Rc;
use std::time::Duration;

/// How long jobs that a waiting thread has spawned lie there in a pool without spare threads, while
/// nothing comes further, until it runs them itself.
const LONE_JOBS: Duration = RELIEF.saturating_mul(16);

/// Something that a worker waits for.
pub(crate) trait Wait {
    /// Whether it has come about.
    fn is_done(&self) -> bool;
    /// Runs one piece of the work that is waited for, at `is_strangers_turn` of what usually comes
    /// last. False if there is none to take.
    fn step(&self, worker: &Worker, is_strangers_turn: bool) -> bool;
    /// Whether `step` would find something.
    fn is_ready(&self) -> bool;
    /// Tells those who could wake the waiter that it is about to sleep, or that it no longer is.
    fn set_asleep(&self, asleep: bool);
    /// How many jobs in the pool's queues are ways to its own work.
    fn tickets(&self) -> usize {
        0
    }
    /// What it is, for the recorder.
    fn kind(&self) -> record::Wait;
}

impl Worker {
    /// Waits for `event`. Runs nothing but what `event` offers and what only this thread may run,
    /// so a wait can't meet a lock that its caller holds, nor nest deeper than the program does;
    /// the seat goes to a spare thread meanwhile, so no core idles either.
    pub(crate) fn wait(&self, event: &impl Wait) {
        // Others point into the frames of whoever waits here.
        let wait = event.kind();
        unwind::or_abort(|| {
            let begun = || What::WaitBegun { wait };
            note::around(begun, What::WaitEnded, || self.wait_out(event));
        });
    }

    fn wait_out(&self, event: &impl Wait) {
        let _waiting = Waiting::begin();
        let mut turns = Turns::default();
        loop {
            if event.is_done() {
                return;
            }
            let is_strangers_turn = turns.count(STRANGERS_TURN);
            // Its own work may never end until a pinned job has run.
            let has_run = is_strangers_turn && current::run_pinned();
            if event.step(self, is_strangers_turn)
                || has_run
                || do_what_only_it_does(Some(&self.registry))
            {
                if is_strangers_turn {
                    turns.look(Some((&self.registry, event.tickets())));
                }
                continue;
            }
            let came_about = || event.is_done() || event.is_ready() || current::has_pinned();
            // Who was woken on this core may be just the one to help. (If it is a lower
            // thread, this gives up a spin for nothing.)
            if spin::until(WAKE_UP, || came_about() || placement::is_claimed()) && came_about() {
                continue;
            }
            self.sleep_for(event, came_about);
            turns.end();
        }
    }

    /// Gives the seat away and sleeps until `event` `came_about`, or the thread is needed.
    fn sleep_for(&self, event: &impl Wait, came_about: impl Fn() -> bool) {
        let standing = Self::stand_up();
        self.seat.counters.parks.bump();
        let needed = loop {
            event.set_asleep(true);
            let needed = rest(Some(&self.registry), &self.parker, &came_about);
            if needed.is_some() || came_about() {
                break needed;
            }
        };
        event.set_asleep(false);
        drop(standing);
        match needed {
            // A thread that saw this one asleep until just now has called nobody else.
            Some(Duty::All(worker)) if event.is_ready() => worker.hand_on(),
            Some(duty) => duty.do_a_piece(),
            None => {}
        }
    }
}

/// What the calling thread waits for without work of its own to do meanwhile, by its own parker,
/// which is unparked when that comes about.
pub(crate) struct BareWait<'a, F> {
    /// The pool whose work it does where nobody else could.
    pub(crate) pool: Option<&'a Arc<Registry>>,
    pub(crate) kind: record::Wait,
    pub(crate) parker: &'a Arc<Parker>,
    pub(crate) is_over: F,
}

impl<F: Fn() -> bool> BareWait<'_, F> {
    /// Sleeps after a moment, with the thread's seats given away, unless there is work for this
    /// very thread, or work of the pool that nobody else could do. It may return early.
    pub(crate) fn rest(&self, turns: &mut Turns) {
        if do_what_only_it_does(self.pool) {
            if turns.count(STRANGERS_TURN) && turns.look(None) {
                tick_member();
            }
            return;
        }
        turns.end();
        let begun = || What::WaitBegun { wait: self.kind };
        let needed = note::around(begun, What::WaitEnded, || {
            let _standing = Worker::stand_up();
            // What is waited for is often almost there, unless it, or who is to help with it, needs
            // this core.
            let has_to_sleep = || placement::keeps_lower() || placement::is_claimed();
            spin::until(WAKE_UP, || (self.is_over)() || has_to_sleep());
            let came_about = || (self.is_over)() || current::has_pinned();
            rest(self.pool, self.parker, came_about)
        });
        if let Some(duty) = needed {
            duty.do_a_piece();
        }
    }

    /// Waits to the end, without unwinding: others point into the frames of whoever waits here.
    pub(crate) fn to_the_end(&self) {
        unwind::or_abort(|| {
            let _waiting = Waiting::begin();
            let mut turns = Turns::default();
            while !(self.is_over)() {
                self.rest(&mut turns);
            }
        });
    }
}

/// The teams of `pool` without threads: whoever waits does their work.
fn threadless(pool: &Registry) -> impl Iterator<Item = &Team> {
    pool.started().filter(|team| team.occupancy.target() == 0)
}

/// Does one piece of the work that nobody but those who wait in `pool` could do.
fn tick_threadless(pool: &Arc<Registry>) -> bool {
    threadless(pool).any(|team| {
        // It may have none for the system has refused them.
        pool.ask_again(team);
        team.occupancy.target() == 0 && pool.tick(team)
    })
}

/// Does one piece of what is meant for the calling thread, which waits in `pool` or in none, and
/// one of what nobody but those who wait there could do. False if there is neither.
pub(crate) fn do_what_only_it_does(pool: Option<&Arc<Registry>>) -> bool {
    let has_run = current::run_pinned();
    pool.is_some_and(tick_threadless) || has_run
}

/// Does one piece of the work of the calling thread's own pool, if nobody else could. The thread
/// waits, and has given its seats away.
pub(crate) fn tick_lone() -> bool {
    let needed = current::lone_member().filter(|own| own.is_needed());
    needed.is_some_and(|own| own.visit(Worker::tick))
}

/// Does one piece of the work of the calling thread's own pool, if no spare thread comes to that.
pub(crate) fn tick_member() -> bool {
    let lone = current::lone_member().filter(|own| own.look().has_any_work());
    lone.is_some_and(|own| own.visit(Worker::tick))
}

/// The seats by which the calling thread, which waits in `pool` or in none, must do the work that
/// nobody else could.
fn duties(pool: Option<&Arc<Registry>>) -> Vec<Rc<Worker>> {
    let mut seats = Vec::new();
    if let Some(pool) = pool {
        seats.extend(threadless(pool).map(|team| current::worker_in(pool, team)));
    }
    if let Some(own) = current::lone_member()
        && !seats.iter().any(|seat| Rc::ptr_eq(seat, &own))
    {
        seats.push(own);
    }
    seats
}

/// The pools that may come to need the calling thread, which waits in `pool` or in none.
fn watched(pool: Option<&Arc<Registry>>) -> Vec<Arc<Registry>> {
    let is_new = |own: &Arc<Registry>| pool.is_none_or(|pool| !Arc::ptr_eq(pool, own));
    let own = current::member()
        .map(|own| own.registry.clone())
        .filter(is_new);
    pool.cloned().into_iter().chain(own).collect()
}

/// A waiting thread's entry in the lists of some pools, until this is dropped.
struct Listed<'a>(&'a [Arc<Registry>], &'a Arc<Parker>);

impl<'a> Listed<'a> {
    fn in_all(pools: &'a [Arc<Registry>], parker: &'a Arc<Parker>) -> Self {
        for pool in pools {
            pool.waiters.add(parker);
        }
        Self(pools, parker)
    }
}

impl Drop for Listed<'_> {
    fn drop(&mut self) {
        for pool in self.0 {
            pool.waiters.remove(self.1);
        }
    }
}

/// A seat by which a waiting thread must do a piece of work.
pub(crate) enum Duty {
    /// Of anybody's, for nobody else could.
    All(Rc<Worker>),
    /// Of what it has spawned itself, for nobody has for long.
    Own(Rc<Worker>),
}

impl Duty {
    fn do_a_piece(self) {
        match self {
            Self::All(worker) => _ = worker.visit(Worker::tick),
            Self::Own(worker) => _ = worker.visit(Worker::run_spawned),
        }
    }
}

/// One sleep of the calling thread, which has given its seats away, in a wait in `pool`, or in
/// none: until `came_about`, or until it is unparked. Gives the seat by which the caller must do a
/// piece of work that what it waits for may need.
pub(crate) fn rest(
    pool: Option<&Arc<Registry>>,
    parker: &Arc<Parker>,
    came_about: impl Fn() -> bool,
) -> Option<Duty> {
    let watched = watched(pool);
    for pool in &watched {
        pool.started().for_each(|team| pool.ask_again(team));
    }
    // Listed first: whoever changes what this thread must do has it look again.
    let _listed = Listed::in_all(&watched, parker);
    let seats = duties(pool);
    for seat in &seats {
        seat.team().sleep.wait_begin(parker);
    }
    let needed = || seats.iter().find(|seat| seat.is_needed()).cloned();
    let mut needed_for = needed().map(Duty::All);
    if needed_for.is_none() && !came_about() {
        if watched.iter().any(|pool| misses_threads(pool)) {
            // The system is asked again for a thread that it has refused.
            parker.park_timeout(RETRY);
        } else if let Some(own) = seats.iter().find(|seat| seat.has_lone_jobs()) {
            // Who runs may be blocked on them.
            let before = own.look().come();
            let is_called = parker.park_timeout(LONE_JOBS);
            let is_stuck = !is_called && own.has_lone_jobs() && own.look().come() == before;
            needed_for = is_stuck.then(|| Duty::Own(own.clone()));
        } else {
            parker.park();
        }
    }
    let has_come_about = came_about();
    for seat in &seats {
        // A waker was first, and relies on this thread to see to what it has queued.
        let is_relied_on = seat.team().sleep.wait_end(parker) && seat.look().has_any_work();
        if !is_relied_on {
            continue;
        }
        if !has_come_about && needed_for.is_none() && seat.is_needed() {
            needed_for = Some(Duty::All(seat.clone()));
        } else {
            seat.hand_on();
        }
    }
    needed_for.filter(|_| !has_come_about)
}

/// Whether the system has refused a thread of `pool`, and there is work for it.
fn misses_threads(pool: &Registry) -> bool {
    let mut teams = pool.started();
    teams.any(|team| team.threads.is_short() && pool.has_queued(team))
}

impl Worker {
    /// Whether there is work in the pool that the calling thread, which waits, must do, as nobody
    /// else could.
    fn is_needed(&self) -> bool {
        let occupancy = &self.team().occupancy;
        (occupancy.target() == 0 || occupancy.is_quiet()) && self.look().has_any_work()
    }

    /// Whether the thread, a pool's own whose place no spare one takes, has spawned what nobody has
    /// begun.
    fn has_lone_jobs(&self) -> bool {
        !self.registry.config.has_spares && self.has_spawned()
    }

    /// Sees to it that somebody else does what is queued in the pool.
    fn hand_on(&self) {
        let team = self.team();
        if team.sleep.wake_worker() {
            return;
        }
        // Others that wait as well, who would only hand it on again were they not needed.
        if !(self.is_needed() && team.sleep.wake_one(Wake::Anywhere)) && team.occupancy.target() > 0
        {
            self.registry.spawn_spare(team);
        }
    }
}

#[cfg(all(test, not(heartbeat_loom)))]
mod tests {
    use super::*;
    use crate::lanes::lane::Lane;
    use crate::pool::ThreadPool;
    use crate::sync::{AtomicUsize, Ordering};
    use std::cell::Cell;

    /// A wait whose own work comes when others still see the waiter asleep, and the pool's a little
    /// before that.
    struct Late<'a> {
        pool: &'a ThreadPool,
        is_ready: Cell<bool>,
        /// How many of the pool's jobs have run.
        jobs: Arc<AtomicUsize>,
        /// The same when this wait's own work was run.
        jobs_before: Cell<Option<usize>>,
    }

    impl Wait for Late<'_> {
        fn is_done(&self) -> bool {
            self.jobs_before.get().is_some()
        }

        fn step(&self, _: &Worker, _: bool) -> bool {
            let is_ready = self.is_ready.get();
            if is_ready {
                self.jobs_before
                    .set(Some(self.jobs.load(Ordering::Relaxed)));
            }
            is_ready
        }

        fn is_ready(&self) -> bool {
            self.is_ready.get()
        }

        fn set_asleep(&self, asleep: bool) {
            if asleep {
                let jobs = self.jobs.clone();
                self.pool.spawn(Lane::Frame, move || {
                    jobs.fetch_add(1, Ordering::Relaxed);
                });
            } else {
                self.is_ready.set(true);
            }
        }

        fn kind(&self) -> record::Wait {
            record::Wait::Scope
        }
    }

    #[test]
    fn who_was_called_to_its_own_work_does_no_strangers_first() {
        let pool = ThreadPool::builder().num_threads(0).build().unwrap();
        let late = Late {
            pool: &pool,
            is_ready: Cell::new(false),
            jobs: Arc::new(AtomicUsize::new(0)),
            jobs_before: Cell::new(None),
        };
        pool.with_worker(|worker| worker.wait(&late));
        assert_eq!(late.jobs_before.get(), Some(0));
        assert!(pool.tick());
    }
}
