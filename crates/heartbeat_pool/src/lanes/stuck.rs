//! Since when a lane may be stuck: work of it is queued that what runs may be waiting for, and the
//! lane comes no further, or comes further and nobody takes that work.

use crate::lanes::lane::Lane;
use crate::sync::{Instant, Mutex, lock};
use std::time::Duration;

/// How far a lane has come.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Progress {
    /// Jobs run so far.
    pub(crate) jobs: u64,
    /// Forks that others may take: whoever makes or ends joins changes it.
    pub(crate) forks: usize,
    /// How much of what was queued or on offer was taken so far.
    pub(crate) taken: u64,
}

/// What was seen of a lane.
struct Seen {
    /// How far it had come at the last look; none if nothing was queued that may be waited for.
    stuck_at: Option<Progress>,
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
        let seen = |_| Seen {
            stuck_at: None,
            since: Instant::now(),
            untaken_since: Instant::now(),
            is_demanded: false,
        };
        Self(Mutex::new(Lane::ALL.map(seen)))
    }

    /// Takes note of what is seen of each lane now.
    pub(crate) fn look(&self, now: [Option<Progress>; 3]) {
        for (seen, now) in lock(&self.0).iter_mut().zip(now) {
            let taken = |at: Option<Progress>| at.map(|progress| progress.taken);
            if now.is_none() || taken(seen.stuck_at) != taken(now) {
                seen.untaken_since = Instant::now();
            }
            if now.is_none() || seen.stuck_at != now {
                seen.stuck_at = now;
                seen.since = Instant::now();
            }
        }
    }

    /// For how long `lane` has come no further.
    pub(crate) fn time(&self, lane: Lane) -> Duration {
        lock(&self.0)[lane.index()].since.elapsed()
    }

    /// For how long nobody has taken what is queued of `lane`, which may come further without that:
    /// by jobs of scopes, say, which their owners run.
    pub(crate) fn untaken(&self, lane: Lane) -> Duration {
        lock(&self.0)[lane.index()].untaken_since.elapsed()
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
