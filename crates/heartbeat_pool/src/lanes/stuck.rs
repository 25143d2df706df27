//! Since when a lane may be stuck: work of it is queued that what runs may be waiting for, and it
//! comes no further.

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
}

/// What was seen of a lane.
struct Seen {
    /// How far it had come at the last look; none if nothing was queued that may be waited for.
    stuck_at: Option<Progress>,
    since: Instant,
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
            is_demanded: false,
        };
        Self(Mutex::new(Lane::ALL.map(seen)))
    }

    /// Takes note of what is seen of each lane now.
    pub(crate) fn look(&self, now: [Option<Progress>; 3]) {
        for (seen, now) in lock(&self.0).iter_mut().zip(now) {
            if now.is_none() || seen.stuck_at != now {
                *seen = Seen {
                    stuck_at: now,
                    since: Instant::now(),
                    ..*seen
                };
            }
        }
    }

    /// For how long `lane` has come no further.
    pub(crate) fn time(&self, lane: Lane) -> Duration {
        lock(&self.0)[lane.index()].since.elapsed()
    }

    /// Has somebody let in for `lane`, though it comes further.
    pub(crate) fn demand(&self, lane: Lane) {
        lock(&self.0)[lane.index()].is_demanded = true;
    }

    pub(crate) fn is_demanded(&self, lane: Lane) -> bool {
        lock(&self.0)[lane.index()].is_demanded
    }

    /// Somebody is let in for `lane`.
    pub(crate) fn relieved(&self, lane: Lane) {
        let seen = &mut lock(&self.0)[lane.index()];
        seen.since = Instant::now();
        seen.is_demanded = false;
    }
}
