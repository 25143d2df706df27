//! What a waiting thread must do that nobody else could, and its sleep until there is some or what
//! it waits for comes about.

use super::Worker;
use crate::lanes::stuck::RELIEF;
use crate::lanes::untaken::FOR_LONG;
use crate::parker::Parker;
use crate::placement;
use crate::registry::Registry;
use crate::registry::team::{Rank, Team};
use crate::registry::threads::RETRY;
use crate::sync::{Arc, Ordering, fence};
use crate::worker::current;
use std::rc::Rc;
use std::time::Duration;

/// The teams of `pool` without threads: whoever waits does their work.
fn threadless(pool: &Registry) -> impl Iterator<Item = &Team> {
    pool.started().filter(|team| team.occupancy.target() == 0)
}

/// Does one piece of the work that nobody but those who wait in `pool` could do.
pub(crate) fn tick_threadless(pool: &Arc<Registry>) -> bool {
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
/// waits, and is counted nowhere.
pub(crate) fn tick_lone() -> bool {
    let needed = current::lone_member().filter(|own| own.is_needed());
    needed.is_some_and(|own| own.visit_only_here(Worker::tick))
}

/// Does one piece of the work of the calling thread's own pool, if no spare thread comes to that,
/// whether it was left for long or not.
pub(crate) fn help_out() {
    if let Some(own) = current::lone_member() {
        own.visit_only_here(Worker::run_one_left);
    }
}

/// Does one piece of what is queued in the calling thread's own pool, if nobody has taken of it for
/// long. A wait whose own work never lets it sleep calls this, and has it look anew (`looks`) now
/// and then. Calls `offer` before, so that others come for what is the wait's own.
pub(crate) fn do_what_is_left(looks: bool, offer: impl FnOnce()) {
    let Some(own) = current::lone_member() else {
        return;
    };
    if looks {
        _ = own.leaves_work();
    }
    if let Some(duty) = Duty::of_what_is_left(&own) {
        offer();
        duty.do_a_piece();
    }
}

/// The calling thread's workers, as it waits in `pool` or in none, by which it must do the work
/// that nobody else could.
fn duties(pool: Option<&Arc<Registry>>) -> Vec<Rc<Worker>> {
    let mut workers = Vec::new();
    if let Some(pool) = pool {
        workers.extend(threadless(pool).map(|team| current::worker_in(pool, team)));
    }
    if let Some(own) = current::lone_member()
        && !workers.iter().any(|worker| Rc::ptr_eq(worker, &own))
    {
        workers.push(own);
    }
    workers
}

/// The pools that may come to need the calling thread, which waits in `pool` or in none.
fn watched(pool: Option<&Arc<Registry>>) -> Vec<Arc<Registry>> {
    let is_new = |own: &Arc<Registry>| pool.is_none_or(|pool| !Arc::ptr_eq(pool, own));
    let own = current::member()
        .map(|own| own.registry.clone())
        .filter(is_new);
    pool.cloned().into_iter().chain(own).collect()
}

/// The worker by which a waiting thread must do a piece of work, and how it takes one.
pub(crate) struct Duty(Rc<Worker>, fn(&Worker) -> bool);

impl Duty {
    /// What the calling thread, which waits, must do by `worker`, if there is something.
    fn of(worker: &Rc<Worker>) -> Option<Self> {
        if worker.is_needed() {
            return Some(Self(worker.clone(), Worker::tick));
        }
        Self::of_what_is_left(worker)
    }

    /// What it must do, if anything, of what the threads of its own pool leave.
    fn of_what_is_left(worker: &Rc<Worker>) -> Option<Self> {
        let is_left = worker.is_lone_member() && worker.team().untaken.is_left();
        let has_some = is_left && worker.has_one_left();
        has_some.then(|| Self(worker.clone(), Worker::run_one_left))
    }

    pub(super) fn do_a_piece(self) {
        self.0.visit_only_here(self.1);
    }

    pub(super) fn hand_on(self) {
        self.0.hand_on();
    }
}

/// How long the `nth` sleep of a wait lasts where lower threads run beside the frame's; none if it
/// needs no end. The frame's thread that is waited for may stand behind a lower one while the
/// caller's core is idle, and the system looks for such a thread each time that a core falls idle
/// (`heartbeat/README.md`).
fn pause_beside_lower(watched: &[Arc<Registry>], nth: u32) -> Option<Duration> {
    if current::member().is_some_and(|own| own.team().rank == Rank::Lower) {
        // It would take the core from the frame.
        return None;
    }
    let is_shared = |pool: &&Arc<Registry>| placement::is_on() && pool.shares_cores();
    let beat = watched.iter().find(is_shared)?.config.beat;
    let pause = beat.saturating_mul(1_u32.checked_shl(nth)?);
    (pause < RELIEF).then_some(pause)
}

/// Sleeps until the calling thread is unparked, or for a while if something may change that nobody
/// tells of. Gives the worker, one of `workers`, by which it must do what is queued for the frame.
/// The `nth` sleep of a wait in vain.
fn sleep(
    watched: &[Arc<Registry>],
    workers: &[Rc<Worker>],
    parker: &Arc<Parker>,
    nth: u32,
) -> Option<Duty> {
    // Where no spare thread comes, nobody tells of what is queued; but the longer there was
    // nothing, the later that may be seen.
    let pause = FOR_LONG * (1 << nth.min(4));
    let own = workers.iter().find(|worker| worker.is_lone_member());
    // Each look tells since an earlier one, also where this thread is called for other work again
    // and again.
    let leaves = own.is_some_and(|own| own.leaves_work() || own.has_one_left());
    _ = if watched.iter().any(|pool| misses_threads(pool)) {
        // The system is asked again for a thread that it has refused.
        parker.park_timeout(RETRY)
    } else if own.is_some() {
        parker.park_timeout(if leaves { FOR_LONG } else { pause })
    } else if watched.iter().any(|pool| !pool.config.has_spares) {
        parker.park_timeout(pause)
    } else {
        parker.park_for(pause_beside_lower(watched, nth))
    };
    let own = own.filter(|own| own.leaves_work())?;
    Some(Duty(own.clone(), Worker::run_one_left))
}

/// The sleep of the calling thread, which is counted nowhere, in a wait in `pool`, or in none,
/// until `came_about`. Calls `begin` each time before it looks for that and sleeps. Gives the
/// worker by which the caller must do a piece of work that what it waits for may need.
///
/// A thread that only looks stays out of the count: where the system refuses spare threads, those
/// that wait are called each time that one leaves it.
pub(crate) fn rest(
    pool: Option<&Arc<Registry>>,
    parker: &Arc<Parker>,
    begin: impl Fn(),
    came_about: impl Fn() -> bool,
) -> Option<Duty> {
    let mut nth = 0;
    loop {
        begin();
        let needed_for = sleep_once(pool, parker, &came_about, nth);
        if needed_for.is_some() || came_about() {
            return needed_for;
        }
        nth = nth.saturating_add(1);
    }
}

/// The `nth` sleep, until `came_about`, or the thread is unparked.
fn sleep_once(
    pool: Option<&Arc<Registry>>,
    parker: &Arc<Parker>,
    came_about: impl Fn() -> bool,
    nth: u32,
) -> Option<Duty> {
    let watched = watched(pool);
    for pool in &watched {
        pool.started().for_each(|team| pool.ask_again(team));
    }
    // Listed first: whoever changes what this thread must do has it look again.
    watched.iter().for_each(|pool| pool.waiters.add(parker));
    let workers = duties(pool);
    for worker in &workers {
        worker.team().sleep.wait_begin(parker);
    }
    let mut needed_for = workers.iter().find_map(Duty::of);
    if needed_for.is_none() && !came_about() {
        needed_for = sleep(&watched, &workers, parker, nth);
    }
    let has_come_about = came_about();
    for worker in &workers {
        // A waker was first, and relies on this thread to see to what it has queued.
        if !(worker.team().sleep.wait_end(parker) && worker.look().has_any_work()) {
            continue;
        }
        let is_free = needed_for.is_none() && !has_come_about;
        match is_free.then(|| Duty::of(worker)).flatten() {
            Some(duty) => needed_for = Some(duty),
            None => worker.hand_on(),
        }
    }
    watched.iter().for_each(|pool| pool.waiters.remove(parker));
    needed_for.filter(|_| !has_come_about)
}

/// Whether the system has refused a thread of `pool`, and there is work for it.
fn misses_threads(pool: &Registry) -> bool {
    let mut teams = pool.started();
    teams.any(|team| team.threads.is_short() && pool.has_queued(team))
}

impl Worker {
    /// Whether there is work that the calling thread, which waits, must do, as nobody else could.
    fn is_needed(&self) -> bool {
        let team = self.team();
        let nobody_runs = || team.occupancy.needs_waiters();
        if !nobody_runs() || !self.look().has_any_work() {
            return false;
        }
        if team.occupancy.target() == 0 {
            return true;
        }
        // Pairs with the AcqRel of a thread that leaves the count, after it has begun to search.
        fence(Ordering::Acquire);
        // One that is idle, or looks for work, does it. Asked in the order in which such a thread
        // comes to run, and what it has taken if it was quicker than this.
        let taken = self.look().taken();
        if !nobody_runs() || team.sleep.wakes_or_searches() || !nobody_runs() {
            return false;
        }
        // As above, after it has taken something.
        fence(Ordering::Acquire);
        self.look().taken() == taken
    }

    /// Whether work is queued that the pool's threads leave, as far as those that wait have seen.
    fn leaves_work(&self) -> bool {
        let taken = self.look().taken_of_queued(self.count.charge.get());
        self.team().untaken.look(taken)
    }

    /// Sees to it that somebody else does what is queued in the pool.
    pub(super) fn hand_on(&self) {
        self.registry.call_one(self.team());
    }
}

#[cfg(all(test, not(heartbeat_loom)))]
mod tests {
    use super::*;
    use crate::pool::ThreadPool;
    use heartbeat_record::Lane;
    use std::cell::Cell;

    /// It was called for a job just as what it waits for came about.
    #[test]
    fn who_was_called_in_vain_calls_the_next_one_that_waits() {
        let pool = ThreadPool::builder().num_threads(0).build().unwrap();
        let (own, other) = (Arc::new(Parker::new()), Arc::new(Parker::new()));
        let sleep = &pool.registry().frame().sleep;
        let has_come = Cell::new(false);
        let came_about = || {
            if !has_come.replace(true) {
                sleep.wait_begin(&other);
                pool.spawn(Lane::Frame, || ());
                assert!(!other.has_token());
            }
            true
        };
        assert!(rest(Some(pool.registry()), &own, || (), came_about).is_none());
        assert!(other.has_token());
        assert!(sleep.wait_end(&other));
        assert!(pool.tick());
    }

    #[test]
    fn who_has_what_it_waits_for_does_no_strangers_first() {
        let pool = ThreadPool::builder().num_threads(0).build().unwrap();
        pool.spawn(Lane::Frame, || ());
        let parker = Arc::new(Parker::new());
        assert!(rest(Some(pool.registry()), &parker, || (), || true).is_none());
        assert!(pool.tick());
    }

    #[test]
    fn who_waits_no_more_is_listed_no_more() {
        let pool = ThreadPool::builder().num_threads(0).build().unwrap();
        let parker = Arc::new(Parker::new());
        assert!(rest(Some(pool.registry()), &parker, || (), || true).is_none());
        pool.registry().waiters.wake_all();
        assert!(!parker.has_token());
    }

    #[cfg(all(
        target_os = "linux",
        target_arch = "x86_64",
        not(any(miri, heartbeat_sim))
    ))]
    #[test]
    fn a_wait_beside_lower_threads_sleeps_for_a_while_some_times_and_then_to_the_end() {
        use crate::config::DEFAULT_BEAT;
        use crate::sync::{AtomicBool, AtomicUsize, Ordering};
        use std::sync::mpsc::{self, RecvTimeoutError};
        let _alone = placement::tests::alone();
        let pauses_beside = |lane| {
            let builder = ThreadPool::builder().num_threads(2).lower_threads(true);
            let pool = builder.build().unwrap();
            let shared = Arc::new((AtomicUsize::new(0), AtomicBool::new(false)));
            for lane in [Lane::Frame, lane] {
                let shared = shared.clone();
                pool.spawn(lane, move || {
                    shared.0.fetch_add(1, Ordering::Relaxed);
                    while !shared.1.load(Ordering::Relaxed) {
                        std::thread::yield_now();
                    }
                });
            }
            while shared.0.load(Ordering::Relaxed) < 2 {
                std::thread::yield_now();
            }
            let watched = [pool.registry().clone()];
            let pauses = (0..).map_while(|nth| pause_beside_lower(&watched, nth));
            let pauses: Vec<_> = pauses.collect();
            let (looks, is_late) = (AtomicUsize::new(0), AtomicBool::new(false));
            let parker = Arc::new(Parker::new());
            let has_come =
                || looks.load(Ordering::Relaxed) > pauses.len() || is_late.load(Ordering::Relaxed);
            let (over, ended) = mpsc::channel::<()>();
            std::thread::scope(|scope| {
                // Nobody else unparks it.
                let (is_late, waiting) = (&is_late, &parker);
                scope.spawn(move || {
                    let end = ended.recv_timeout(Duration::from_secs(60));
                    is_late.store(end == Err(RecvTimeoutError::Timeout), Ordering::Relaxed);
                    waiting.unpark();
                });
                let looks_again = || _ = looks.fetch_add(1, Ordering::Relaxed);
                let needed_for = rest(Some(&watched[0]), &parker, looks_again, has_come);
                shared.1.store(true, Ordering::Relaxed);
                drop(over);
                assert!(needed_for.is_none());
            });
            assert!(!is_late.into_inner(), "a sleep has no end");
            pauses
        };
        let pauses = [1, 2, 4, 8, 16, 32].map(|beats| beats * DEFAULT_BEAT);
        assert_eq!(pauses_beside(Lane::Background), pauses);
        assert!(pauses_beside(Lane::Frame).is_empty());
    }
}
