//! One run: its threads, its time, and who holds the baton.

use super::failure::{self, Dump};
use super::part;
use super::random::Random;
use super::run::{Outcome, Settings};
use super::strategy::Strategy;
use std::panic::Location;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, Thread};
use std::time::Duration;

/// How long a run may take in virtual time: many times what the longest timeouts add up to.
const LONGEST: u64 = 600_000_000_000;

/// What the clock shows when a run begins.
const BEGIN: u64 = 1_000_000_000;

/// What a thread is blocked on, told apart by address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum On {
    Lock(usize),
    Signal(usize),
    Thread(usize),
    Sleep,
    /// All others being blocked.
    Rest,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Status {
    Ready,
    Blocked { on: On, until: Option<u64> },
    Ended,
}

pub(super) struct Actor {
    pub(super) name: String,
    pub(super) status: Status,
    pub(super) site: &'static Location<'static>,
    /// Whether the last block ended by a wake-up.
    woken: bool,
    /// None until it runs for the first time.
    pub(super) os: Option<Thread>,
}

pub(super) struct State {
    pub(super) actors: Vec<Actor>,
    pub(super) strategy: Strategy,
    pub(super) now: u64,
    pub(super) steps: u64,
    switches: u64,
    trace: u64,
    pub(super) starts: usize,
    ready: Vec<usize>,
    /// What went wrong, before where the threads stand is added.
    failed: Option<String>,
    over: Option<Outcome>,
}

/// One run.
pub(super) struct World {
    pub(super) state: Mutex<State>,
    pub(super) settings: Settings,
    /// Who holds the baton.
    holder: AtomicUsize,
    /// Whether the run has failed: nobody gets the baton any more, all tell where they stand.
    ended: AtomicBool,
    pub(super) dump: Dump,
    over: Condvar,
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl World {
    /// A world of one thread, which holds the baton.
    pub(super) fn new(settings: Settings, name: &str, site: &'static Location<'static>) -> Self {
        let mut state = State {
            actors: Vec::new(),
            strategy: Strategy::new(settings.seed, settings.freeze_at.clone()),
            now: BEGIN,
            steps: 0,
            switches: 0,
            trace: 0,
            starts: 0,
            ready: Vec::new(),
            failed: None,
            over: None,
        };
        let first = state.add(name.to_owned(), site);
        Self {
            state: Mutex::new(state),
            settings,
            holder: AtomicUsize::new(first),
            ended: AtomicBool::new(false),
            dump: Dump::new(),
            over: Condvar::new(),
        }
    }

    /// Waits for the end of all threads, or for a failure; one that holds the baton for `patience`
    /// is one.
    pub(super) fn wait_until_over(&self, patience: Duration) -> Outcome {
        let mut state = lock(&self.state);
        let mut steps = u64::MAX;
        loop {
            if let Some(outcome) = state.over.take() {
                return outcome;
            }
            let is_stuck = steps == state.steps && state.failed.is_none();
            steps = state.steps;
            if is_stuck {
                state.failed = Some(format!(
                    "no point for {patience:?}: blocked outside of the facade?"
                ));
                drop(state);
                self.ended.store(true, Ordering::Release);
                self.report();
                state = lock(&self.state);
                continue;
            }
            (state, _) = self
                .over
                .wait_timeout(state, patience)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// The others' turn, perhaps. `waits`: the caller only looks for what others do.
    pub(super) fn point(&self, own: usize, site: &'static Location<'static>, waits: bool) {
        let mut state = lock(&self.state);
        state.steps += 1;
        state.now += self.settings.tick * if waits { 8 } else { 1 };
        state.come(own, site);
        if self.settings.stalls > 0 && state.strategy.random().once_in(self.settings.stalls) {
            let long = state
                .strategy
                .random()
                .of(&[3_000, 30_000, 200_000, 5_000_000]);
            state.now += long;
        }
        if state.steps > self.settings.most_steps || state.now > LONGEST {
            let what = format!(
                "livelock: not over after {} points and {:?}",
                state.steps,
                Duration::from_nanos(state.now)
            );
            drop(state);
            self.fail(own, what);
        }
        let steps = state.steps;
        if !waits && state.strategy.stays(steps, site) {
            return;
        }
        self.choose(state, own, waits);
    }

    /// Passes the baton to the thread that the strategy chooses, and waits for it.
    fn choose(&self, mut guard: MutexGuard<'_, State>, own: usize, waits: bool) {
        let state = &mut *guard;
        let mut ready = std::mem::take(&mut state.ready);
        state.fill(&mut ready);
        // For threads that stand still, time goes on as well. None does while one waits for all to
        // rest.
        let rests = |actor: &Actor| matches!(actor.status, Status::Blocked { on: On::Rest, .. });
        if state.actors.iter().any(rests) {
            state.strategy.thaw();
        }
        let frozen = state.strategy.frozen(own, state.steps, state.now);
        if ready.iter().all(|thread| Some(*thread) == frozen) && state.advance() {
            state.fill(&mut ready);
        }
        if ready.is_empty() {
            let ended = state.actors.iter().all(|a| a.status == Status::Ended);
            if ended {
                state.over = Some(state.outcome(None));
                drop(guard);
                self.over.notify_all();
                return;
            }
            drop(guard);
            self.fail(
                own,
                "deadlock: nobody can go on, and there is no timeout".to_owned(),
            );
        }
        let steps = state.steps;
        let next = state.strategy.next(&ready, own, waits, steps);
        state.ready = ready;
        if next == own {
            return;
        }
        state.switches += 1;
        let os = state.actors[next].os.clone();
        let has_ended = state.actors[own].status == Status::Ended;
        // Release pairs with the Acquire in `await_baton`; all else is under the lock.
        self.holder.store(next, Ordering::Release);
        drop(guard);
        if let Some(os) = os {
            os.unpark();
        }
        if !has_ended {
            self.await_baton(own);
        }
    }

    pub(super) fn await_baton(&self, own: usize) {
        loop {
            if self.ended.load(Ordering::Acquire) {
                self.dump.add(own, part::noted().unwrap_or_default());
                rest_for_ever();
            }
            if self.holder.load(Ordering::Acquire) == own {
                return;
            }
            thread::park();
        }
    }

    /// Blocks the caller until a wake-up (true) or until `until`.
    pub(super) fn block(
        &self,
        own: usize,
        on: On,
        until: Option<u64>,
        site: &'static Location<'static>,
    ) -> bool {
        let mut state = lock(&self.state);
        state.steps += 1;
        state.come(own, site);
        let actor = &mut state.actors[own];
        actor.woken = false;
        actor.status = Status::Blocked { on, until };
        self.choose(state, own, false);
        let mut state = lock(&self.state);
        let actor = &mut state.actors[own];
        actor.status = Status::Ready;
        actor.woken
    }

    pub(super) fn wake(&self, on: On, one: bool) {
        let mut guard = lock(&self.state);
        let state = &mut *guard;
        let waits = |actor: &Actor| matches!(actor.status, Status::Blocked { on: other, .. } if other == on);
        let count = state.actors.iter().filter(|actor| waits(actor)).count();
        if count == 0 {
            return;
        }
        let chosen = one.then(|| state.strategy.random().below(count as u64) as usize);
        let woken = state.actors.iter_mut().filter(|actor| waits(actor));
        for (place, actor) in woken.enumerate() {
            if chosen.is_none_or(|chosen| chosen == place) {
                actor.status = Status::Ready;
                actor.woken = true;
            }
        }
    }

    pub(super) fn end(&self, own: usize) {
        let mut state = lock(&self.state);
        state.actors[own].status = Status::Ended;
        drop(state);
        self.wake(On::Thread(own), false);
        let state = lock(&self.state);
        self.choose(state, own, false);
    }

    /// Ends the run, and never returns.
    pub(super) fn fail(&self, own: usize, what: String) -> ! {
        let mut state = lock(&self.state);
        state.failed.get_or_insert(what);
        drop(state);
        self.ended.store(true, Ordering::Release);
        // One that has ended has no part any more.
        if let Some(note) = part::noted() {
            self.dump.add(own, note);
        }
        self.report();
        rest_for_ever();
    }

    /// Collects where all threads stand, and tells whoever began the run.
    fn report(&self) {
        let state = lock(&self.state);
        let alive = |actor: &&Actor| actor.status != Status::Ended && actor.os.is_some();
        let expected = state.actors.iter().filter(alive).count();
        for actor in &state.actors {
            actor.os.iter().for_each(Thread::unpark);
        }
        drop(state);
        let stands = self.dump.wait(expected);
        let mut state = lock(&self.state);
        let what = state.failed.clone().unwrap_or_default();
        let holder = self.holder.load(Ordering::Acquire);
        let failure = failure::write(&what, &state, holder, stands);
        state.over = Some(state.outcome(Some(failure)));
        drop(state);
        self.over.notify_all();
    }
}

impl State {
    /// The thread `own` has come to `site`.
    fn come(&mut self, own: usize, site: &'static Location<'static>) {
        self.actors[own].site = site;
        let here = self.now ^ (own as u64) << 56 ^ u64::from(site.line()) << 40;
        self.trace = Random::new(self.trace ^ here).number();
    }

    fn outcome(&self, failure: Option<String>) -> Outcome {
        Outcome {
            failure,
            steps: self.steps,
            switches: self.switches,
            trace: self.trace,
        }
    }

    /// The time since the run began.
    pub(super) fn age(&self) -> Duration {
        Duration::from_nanos(self.now.saturating_sub(BEGIN))
    }

    /// Lists who can go on.
    fn fill(&self, ready: &mut Vec<usize>) {
        ready.clear();
        let mut rests = None;
        for (thread, actor) in self.actors.iter().enumerate() {
            match actor.status {
                Status::Ready => ready.push(thread),
                Status::Blocked {
                    on,
                    until: Some(until),
                } if until <= self.now => {
                    if on == On::Rest {
                        rests = Some(thread);
                    } else {
                        ready.push(thread);
                    }
                }
                _ => {}
            }
        }
        if ready.is_empty() {
            ready.extend(rests);
        }
    }

    /// Moves time to the earliest timeout. False if there is none.
    fn advance(&mut self) -> bool {
        let until = |actor: &Actor| match actor.status {
            Status::Blocked { until, .. } => until,
            _ => None,
        };
        let Some(earliest) = self.actors.iter().filter_map(until).min() else {
            return false;
        };
        self.now = self.now.max(earliest);
        true
    }

    pub(super) fn add(&mut self, name: String, site: &'static Location<'static>) -> usize {
        self.actors.push(Actor {
            name,
            status: Status::Ready,
            site,
            woken: false,
            os: None,
        });
        self.strategy.add_thread();
        self.actors.len() - 1
    }
}

fn rest_for_ever() -> ! {
    loop {
        thread::park();
    }
}
