//! A thread's part in a run: what the facade's names call.

use super::world::{Actor, On, Status, World, lock};
use std::cell::{Cell, OnceCell};
use std::io;
use std::panic::Location;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

/// A thread's part in a run; its drop, the last of the thread's, passes the baton on.
struct Part {
    own: OnceCell<(Arc<World>, usize)>,
    /// What the thread does, for the report.
    note: Cell<fn() -> String>,
}

thread_local! {
    static PART: Part = const {
        Part { own: OnceCell::new(), note: Cell::new(String::new) }
    };
}

impl Drop for Part {
    fn drop(&mut self) {
        if let Some((world, own)) = self.own.get() {
            world.end(*own);
        }
    }
}

/// What the calling thread does. None once it has ended.
pub(super) fn noted() -> Option<String> {
    PART.try_with(|part| part.note.get()()).ok()
}

/// Calls `f` with the run that the calling thread is part of, if it is in one.
fn part<R>(f: impl FnOnce(&Arc<World>, usize) -> R) -> Option<R> {
    PART.try_with(|part| part.own.get().map(|(world, own)| f(world, *own)))
        .ok()
        .flatten()
}

/// The part of a thread that was just started, which must wait for the baton before anything else.
pub(super) struct Entry(Arc<World>, usize);

impl Entry {
    /// That of a run's first thread.
    pub(super) fn first(world: Arc<World>) -> Self {
        Self(world, 0)
    }

    /// The thread's number in its run.
    pub(super) fn number(&self) -> usize {
        self.1
    }

    /// Makes the calling thread the one that was announced.
    pub(super) fn begin(self) {
        let Self(world, own) = self;
        lock(&world.state).actors[own].os = Some(thread::current());
        // A destructor of a thread-local that is registered first runs last.
        PART.with(|part| _ = part.own.set((world.clone(), own)));
        world.await_baton(own);
    }

    /// The thread could not be started after all.
    pub(super) fn cancel(self) {
        lock(&self.0.state).actors[self.1].status = Status::Ended;
    }
}

/// Announces a thread that the caller starts. None outside of runs.
pub(super) fn announce(name: &str, site: &'static Location<'static>) -> io::Result<Option<Entry>> {
    point(site);
    part(|world, _| {
        let mut state = lock(&world.state);
        let settings = &world.settings;
        let spared = settings
            .never_refused
            .iter()
            .any(|begin| name.starts_with(begin));
        if !spared {
            state.starts += 1;
            if settings.refuses(state.starts - 1, state.age()) {
                return Err(io::Error::new(
                    io::ErrorKind::WouldBlock,
                    "refused by the run",
                ));
            }
        }
        let own = state.add(name.to_owned(), site);
        Ok(Some(Entry(world.clone(), own)))
    })
    .unwrap_or(Ok(None))
}

/// A point where others may have their turn.
pub(super) fn point(site: &'static Location<'static>) {
    part(|world, own| world.point(own, site, false));
}

/// As [`point`], of a caller that looks for what others do.
#[track_caller]
pub(super) fn yields() {
    let site = Location::caller();
    part(|world, own| world.point(own, site, true));
}

/// Blocks the caller; None outside of runs, else whether it was woken, not timed out.
pub(super) fn block(
    on: On,
    timeout: Option<Duration>,
    site: &'static Location<'static>,
) -> Option<bool> {
    part(|world, own| {
        let now = lock(&world.state).now;
        let nanos = |timeout: Duration| u64::try_from(timeout.as_nanos()).unwrap_or(u64::MAX);
        let until = timeout.map(|timeout| now.saturating_add(nanos(timeout)));
        world.block(own, on, until, site)
    })
}

/// Whether a wait is to end for nothing.
pub(super) fn is_spurious() -> bool {
    part(|world, _| {
        lock(&world.state)
            .strategy
            .random()
            .once_in(world.settings.spurious)
    })
    .unwrap_or(false)
}

/// Wakes one, or all, that are blocked on this.
pub(super) fn wake(on: On, one: bool) {
    part(|world, _| world.wake(on, one));
}

pub(super) fn has_ended(thread: usize) -> bool {
    part(|world, _| lock(&world.state).actors[thread].status == Status::Ended).unwrap_or(true)
}

/// The time since the run began. None outside of runs.
pub(super) fn now() -> Option<u64> {
    part(|world, _| lock(&world.state).now)
}

/// Whether the calling thread is part of a run.
#[must_use]
pub fn is_simulated() -> bool {
    part(|_, _| ()).is_some()
}

/// Work that takes so long: the others go on meanwhile, or stand still, as if they had no cores.
#[track_caller]
pub fn pass(time: Duration) {
    let site = Location::caller();
    let goes_on = part(|world, _| lock(&world.state).strategy.random().once_in(2));
    if goes_on == Some(true) {
        block(On::Sleep, Some(time), site);
        return;
    }
    part(|world, own| {
        lock(&world.state).now += time.as_nanos() as u64;
        world.point(own, site, false);
    });
}

/// Has `what` asked for what the calling thread does, should the run fail.
pub fn note(what: fn() -> String) {
    PART.with(|part| part.note.set(what));
}

/// Ends the run as a failure. Does nothing outside of runs, or once one has failed.
pub fn fail(what: String) {
    part(|world, own| world.fail(own, what));
}

/// Waits for so long, and until all other threads are blocked.
#[track_caller]
pub fn settle(time: Duration) {
    block(On::Rest, Some(time), Location::caller());
}

/// The names of the other threads that sleep with a timeout.
#[must_use]
pub fn timers() -> Vec<String> {
    let timers = part(|world, own| {
        let state = lock(&world.state);
        let timed = |(thread, actor): &(usize, &Actor)| {
            *thread != own && matches!(actor.status, Status::Blocked { until: Some(_), .. })
        };
        let actors = state.actors.iter().enumerate().filter(timed);
        actors
            .map(|(_, actor)| format!("{} at {}", actor.name, actor.site))
            .collect()
    });
    timers.unwrap_or_default()
}
