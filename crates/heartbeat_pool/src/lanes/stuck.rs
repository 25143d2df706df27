//! Since when a lane may be stuck: work of it is queued that what runs may be waiting for, and the
//! lane comes no further, or comes further and nobody comes to that work.

use crate::stopwatch;
use crate::sync::{AtomicU64, Instant, Mutex, Ordering, lock};
use heartbeat_record::Lane;
use heartbeat_system::CLOCK_AGE;
use std::time::Duration;

/// Frame work that waits this long, forks included, while nothing of its lane ends and a thread has
/// no core, is let in beyond the target: what runs may be blocked on it. Parts of the other lanes
/// wait sixteen times as long. The thread that lets it in goes on with what else is queued. It is
/// later by the [age](CLOCK_AGE) of what clocks say, where that matters. Each thread already beyond
/// the target doubles the wait, so that long jobs are not taken for blocked ones over and over.
///
/// Sixteen times as long it waits where all compute, for one may wait in a loop; sixty-four times
/// as long does a job that nobody takes, though others end. These doublings end at a quarter of a
/// second and a second.
pub(crate) const RELIEF: Duration = Duration::from_millis(4);
const RELIEF_DOUBLINGS: usize = 4;

/// What a look sees of a lane that has work which what runs may be waiting for.
#[derive(Clone, Copy, Default)]
pub(crate) struct Sight {
    /// Jobs and pieces of loops run so far, and forks that others may take: whoever makes or ends
    /// joins changes their number.
    pub(crate) progress: (u64, usize),
    /// How much of what was queued or on offer was taken so far.
    pub(crate) taken: u64,
    /// For how long one of the team's threads was blocked, whatever it runs.
    pub(crate) blocked: Duration,
    /// Whether jobs are queued, and not only forks, to which their owners come.
    pub(crate) has_jobs: bool,
}

/// Since when a thread comes no further, as far as those that looked have seen. All times are
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

impl Stall {
    /// For how long the thread is blocked, which has come as far as `now_at` and has had a core for
    /// as long as `ran`: it comes no further, and doesn't run either, where that is known. What it
    /// ran between two looks tells something if they are at least so far `apart`: where many look
    /// one after the other, one falls into any moment's work of a thread that sleeps again and
    /// again.
    pub(crate) fn look(&self, now_at: u64, ran: Option<Duration>, apart: Duration) -> Duration {
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
            // A thread that waits by sleeping again and again runs a little, and one that computes
            // has its core for a part of the time where others compute as well.
            if more > 0 && more >= passed / 4 {
                self.ran_until.store(now, Ordering::Relaxed);
            }
        }
        let since = self.since.load(Ordering::Relaxed);
        let idle_since = since.max(self.ran_until.load(Ordering::Relaxed));
        let idle = Duration::from_nanos(now.saturating_sub(idle_since));
        // What runs may have been seen to run that long ago.
        idle.saturating_sub(ran.map_or(Duration::ZERO, |_| CLOCK_AGE))
    }
}

struct Seen {
    /// At the last look; none if nothing was queued that may be waited for.
    last: Option<Sight>,
    /// Since when the lane has come no further.
    since: Instant,
    /// Since when nobody has taken what was queued.
    untaken_since: Instant,
    /// Whether a thread that waits, and goes on itself, has asked for relief.
    is_demanded: bool,
}

impl Seen {
    fn note(&mut self, now: Option<Sight>) {
        let taken = |sight: Option<Sight>| sight.map(|sight| sight.taken);
        let progress = |sight: Option<Sight>| sight.map(|sight| sight.progress);
        if now.is_none() || taken(self.last) != taken(now) {
            self.untaken_since = Instant::now();
        }
        if now.is_none() || progress(self.last) != progress(now) {
            self.since = Instant::now();
        }
        self.last = now;
    }

    /// Whether `lane`, of which this is, has been stuck for too long, with so many threads `beyond`
    /// its target.
    fn is_stuck(&self, lane: Lane, beyond: usize) -> bool {
        let Some(last) = self.last else { return false };
        let shortly = RELIEF * (1 << beyond.min(RELIEF_DOUBLINGS));
        let for_long = 16 * shortly;
        let at_last = (4 * for_long).min(256 * RELIEF);
        let time = self.since.elapsed();
        let blocked = time.min(last.blocked);
        match lane {
            Lane::Frame => {
                // Those that come further, by jobs of scopes, say, which their owners run, may
                // never be what those wait for that don't.
                let is_untaken = || last.has_jobs && self.untaken_since.elapsed() >= at_last;
                blocked >= shortly || time >= for_long.min(64 * RELIEF) || is_untaken()
            }
            // Beyond a budget that keeps cores for frames: only what is as good as certain to
            // block.
            Lane::Io | Lane::Background => blocked >= for_long || time >= at_last,
        }
    }
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

    /// Takes note of what is seen of each lane `now`. Gives the best lane of which work must be let
    /// in next, and whether that was [demanded](Self::demand): else the lane has been stuck for
    /// long enough, with so many threads `beyond` its target.
    pub(crate) fn look(
        &self,
        now: [Option<Sight>; 3],
        beyond: impl Fn(Lane) -> usize,
        has_work: impl Fn(Lane) -> bool,
    ) -> Option<(Lane, bool)> {
        let mut seen = lock(&self.0);
        for (seen, now) in seen.iter_mut().zip(now) {
            seen.note(now);
        }
        let mut lanes = Lane::ALL.into_iter().zip(&mut *seen);
        lanes.find_map(|(lane, seen)| {
            let is_demanded = seen.is_demanded && has_work(lane);
            let is_stuck = is_demanded || seen.is_stuck(lane, beyond(lane));
            is_stuck.then(|| {
                seen.since = Instant::now();
                seen.untaken_since = seen.since;
                seen.is_demanded = false;
                (lane, is_demanded)
            })
        })
    }

    /// Has somebody let in for `lane`, though it comes further.
    pub(crate) fn demand(&self, lane: Lane) {
        lock(&self.0)[lane.index()].is_demanded = true;
    }
}

#[cfg(all(test, not(heartbeat_loom)))]
mod tests {
    use super::*;
    use std::thread;

    fn look(stuck: &Stuck, lane: Lane, sight: Option<Sight>) -> Option<(Lane, bool)> {
        let mut now = [None; 3];
        now[lane.index()] = sight;
        stuck.look(now, |_| 0, |_| true)
    }

    /// How long it takes until somebody is let in, by looks `sight`.
    fn until(stuck: &Stuck, lane: Lane, sight: impl Fn(u64) -> Option<Sight>) -> Duration {
        let start = Instant::now();
        let mut nth = 0;
        while look(stuck, lane, sight(nth)).is_none() {
            nth += 1;
            thread::sleep(Duration::from_millis(1));
            assert!(start.elapsed() < Duration::from_secs(5));
        }
        start.elapsed()
    }

    #[test]
    fn frame_jobs_that_nobody_takes_are_let_in_though_others_end() {
        let goes_on = |nth| {
            Some(Sight {
                progress: (nth, 0),
                has_jobs: true,
                ..Sight::default()
            })
        };
        let stuck = Stuck::new();
        // Twice, each as late, unless the machine stops this thread between two steps.
        let is_late = |_| until(&stuck, Lane::Frame, goes_on) >= 64 * RELIEF;
        assert!((0..4).filter(|nth| is_late(*nth)).count() >= 2);
    }

    #[test]
    fn parts_of_lower_lanes_are_let_in_at_last() {
        let stands = |_| Some(Sight::default());
        assert!(until(&Stuck::new(), Lane::Io, stands) >= 64 * RELIEF);
    }

    #[test]
    fn who_is_demanded_is_let_in_once() {
        let stuck = Stuck::new();
        stuck.demand(Lane::Io);
        assert_eq!(look(&stuck, Lane::Io, None), Some((Lane::Io, true)));
        assert_eq!(look(&stuck, Lane::Io, None), None);
    }

    #[test]
    fn nobody_is_let_in_without_work() {
        let stuck = Stuck::new();
        stuck.demand(Lane::Io);
        assert_eq!(stuck.look([None; 3], |_| 0, |_| false), None);
    }

    #[test]
    fn where_a_thread_is_blocked_somebody_is_let_in_soon() {
        let blocked = Sight {
            blocked: Duration::MAX,
            ..Sight::default()
        };
        let stuck = Stuck::new();
        look(&stuck, Lane::Frame, Some(blocked));
        thread::sleep(RELIEF);
        assert_eq!(
            look(&stuck, Lane::Frame, Some(blocked)),
            Some((Lane::Frame, false))
        );
    }
}
