//! Since when a lane may be stuck: work of it is queued that what runs may be waiting for, and the
//! lane comes no further, or comes further and nobody comes to that work.

use crate::lanes::lane::Lane;
use crate::stopwatch;
use crate::sync::{AtomicU64, Instant, Mutex, Ordering, lock};
use crate::thread_clock;
use std::time::Duration;

/// What a look sees of a lane that has work which what runs may be waiting for.
#[derive(Clone, Copy, Default)]
pub(crate) struct Sight {
    /// Jobs and pieces of loops run so far, and forks that others may take: whoever makes or ends
    /// joins changes their number.
    pub(crate) progress: (u64, usize),
    /// How much of what was queued or on offer was taken so far.
    pub(crate) taken: u64,
    /// For how long one of the threads that run it has come no further, or was blocked. While
    /// there is none, nobody waits for what is queued, in ways of its own.
    pub(crate) stalled: Duration,
    /// For how long one of the team's threads was blocked, whatever it runs.
    pub(crate) blocked: Duration,
    /// Whether jobs are queued, and not only forks, to which their owners come.
    pub(crate) has_jobs: bool,
}

/// Since when a thread comes no further, as far as those have seen who looked. All times are
/// nanoseconds.
#[derive(Debug, Default)]
pub(crate) struct Stall {
    /// How far it had come.
    at: AtomicU64,
    /// When that was first seen.
    since: AtomicU64,
    /// For how long it had had a core when that was last noted, and when that was.
    ran: AtomicU64,
    looked: AtomicU64,
    /// When it was last seen to run.
    ran_until: AtomicU64,
}

/// For how long a thread comes no further.
#[derive(Clone, Copy)]
pub(crate) struct Stalled {
    pub(crate) time: Duration,
    /// The part of that in which it has not run either: it is blocked. All of it where the system
    /// doesn't tell.
    pub(crate) blocked: Duration,
}

impl Stall {
    /// For how long the thread comes no further, which has come as far as `now_at` and has had a
    /// core for as long as `ran`, if that is known. What it ran between two looks tells something
    /// if they are at least so far `apart`: where many look one after the other, one falls into any
    /// moment's work of a thread that sleeps again and again.
    pub(crate) fn look(&self, now_at: u64, ran: Option<Duration>, apart: Duration) -> Stalled {
        let now = stopwatch::now();
        // Relaxed, all: one sentinel looks after the other, and one that sees what an older one
        // has written takes a thread for stuck a look later.
        let looked = self.looked.load(Ordering::Relaxed);
        let is_new = looked == 0;
        let has_moved = self.at.swap(now_at, Ordering::Relaxed) != now_at;
        if is_new || has_moved {
            self.since.store(now, Ordering::Relaxed);
        }
        let passed = now.saturating_sub(looked);
        if is_new || passed >= apart.as_nanos() as u64 {
            self.looked.store(now, Ordering::Relaxed);
            let ran = ran.unwrap_or_default().as_nanos() as u64;
            let more = ran.saturating_sub(self.ran.swap(ran, Ordering::Relaxed));
            // Who waits by sleeping again and again runs a little, and who computes has its core
            // for a part of the time where others compute as well.
            if more > 0 && more >= passed / 4 {
                self.ran_until.store(now, Ordering::Relaxed);
            }
        }
        let since = self.since.load(Ordering::Relaxed);
        let idle_since = since.max(self.ran_until.load(Ordering::Relaxed));
        let time = |since: u64| Duration::from_nanos(now.saturating_sub(since));
        let age = ran.map_or(Duration::ZERO, |_| thread_clock::age());
        Stalled {
            time: time(since),
            // What runs may have been seen to run that long ago.
            blocked: time(idle_since).saturating_sub(age),
        }
    }
}

/// What was seen of a lane.
struct Seen {
    /// At the last look; none if nothing was queued that may be waited for.
    last: Option<Sight>,
    /// Since when the lane has come no further.
    since: Instant,
    /// Since when nobody has taken what was queued.
    untaken_since: Instant,
    /// Whether somebody has asked for relief, who waits and goes on itself.
    is_demanded: bool,
}

/// What the sentinels of a team have seen, one after the other.
pub(crate) struct Stuck(Mutex<[Seen; 3]>);

impl Stuck {
    pub(crate) fn new() -> Self {
        let now = Instant::now();
        let seen = |_| Seen {
            last: None,
            since: now,
            untaken_since: now,
            is_demanded: false,
        };
        Self(Mutex::new(Lane::ALL.map(seen)))
    }

    /// Takes note of what is seen of each lane now.
    pub(crate) fn look(&self, now: [Option<Sight>; 3]) {
        for (seen, now) in lock(&self.0).iter_mut().zip(now) {
            let taken = |sight: Option<Sight>| sight.map(|sight| sight.taken);
            let progress = |sight: Option<Sight>| sight.map(|sight| sight.progress);
            if now.is_none() || taken(seen.last) != taken(now) {
                seen.untaken_since = Instant::now();
            }
            if now.is_none() || progress(seen.last) != progress(now) {
                seen.since = Instant::now();
            }
            seen.last = now;
        }
    }

    /// For how long `lane` has come no further.
    pub(crate) fn time(&self, lane: Lane) -> Duration {
        lock(&self.0)[lane.index()].since.elapsed()
    }

    /// For how long `lane` has come no further while a thread was blocked.
    pub(crate) fn blocked(&self, lane: Lane) -> Duration {
        let seen = &lock(&self.0)[lane.index()];
        let blocked = seen.last.map_or(Duration::ZERO, |sight| sight.blocked);
        seen.since.elapsed().min(blocked)
    }

    /// For how long nobody has taken what is queued of `lane`, while a thread that may wait for it
    /// comes no further, though others do: by jobs of scopes, say, which their owners run.
    pub(crate) fn untaken(&self, lane: Lane) -> Duration {
        let seen = &lock(&self.0)[lane.index()];
        let stalled = seen.last.map_or(Duration::ZERO, |sight| sight.stalled);
        seen.untaken_since.elapsed().min(stalled)
    }

    /// For how long nobody has taken a job of `lane`, whether all come further or not.
    pub(crate) fn starved(&self, lane: Lane) -> Duration {
        let seen = &lock(&self.0)[lane.index()];
        let is_starved = seen.last.is_some_and(|sight| sight.has_jobs);
        let untaken = || seen.untaken_since.elapsed();
        is_starved.then(untaken).unwrap_or_default()
    }

    /// Has somebody let in for `lane`, though it comes further.
    pub(crate) fn demand(&self, lane: Lane) {
        lock(&self.0)[lane.index()].is_demanded = true;
    }

    pub(crate) fn is_demanded(&self, lane: Lane) -> bool {
        lock(&self.0)[lane.index()].is_demanded
    }

    /// Somebody is let in for `lane`.
    pub(crate) fn let_in(&self, lane: Lane) {
        let seen = &mut lock(&self.0)[lane.index()];
        seen.since = Instant::now();
        seen.untaken_since = seen.since;
        seen.is_demanded = false;
    }
}
