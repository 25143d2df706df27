//! Whether sharing pays, by measurement.
//!
//! Sharing a call may cost more than it gains: where it is short, or where its halves fight over a
//! lock. So the outermost joins of one kind, told by the code that they run, are shared or kept to
//! one thread, whichever was seen to cost less.
//!
//! What is kept is so for a limited time: a call that takes much longer than its like is shared
//! after all.

use crate::cost::two_ways::{Round, TwoWays, Way};
use crate::cost::{self, LONGEST_TRIAL, PLACES, WAKE_UP};
use crate::sync::{Mutex, lock};
use crossbeam_utils::CachePadded;
use std::time::Duration;

/// A call that was kept for too long is a surprise. One that comes alone is the system's doing, not
/// the call's; one that comes so few calls after another ends the keeping.
const OFTEN: u32 = 4;
/// After a surprise so many calls are watched as cost, by a wake-up each, what the surprise took,
/// or what the longest trial would: if one of them is a surprise as well, somebody is awake to help
/// in time. Fewer than these are no use.
const WARY: u32 = 64;

/// How long a call is kept that usually takes `usual`.
fn patience(usual: Duration) -> Duration {
    usual * 4 + WAKE_UP
}

fn in_nanos(duration: Duration) -> f64 {
    duration.as_nanos() as f64
}

/// What is known of one kind of call.
#[derive(Clone, Copy)]
struct Kind {
    key: usize,
    /// Costs are nanoseconds.
    ways: TwoWays,
    /// Calls since the last surprise.
    since_surprise: u32,
    /// How many of the next calls are watched, if they are kept.
    watched: u32,
}

/// How one call is made.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Call {
    /// For how long it is kept, if it is.
    pub(crate) kept_for: Option<Duration>,
    /// Whether it is shared and takes so long that a helper that comes a beat later is missed.
    pub(crate) is_long: bool,
    /// Whether it is kept and may well take longer than `kept_for`.
    pub(crate) is_watched: bool,
    round: Round,
}

impl Call {
    /// Whether it has taken much longer than its like. Of a trial nobody knows how long it takes.
    fn is_surprise(&self, took: Duration) -> bool {
        !self.round.is_trial() && self.kept_for.is_some_and(|limit| took > limit)
    }
}

impl Kind {
    const fn new(key: usize) -> Self {
        Self {
            key,
            ways: TwoWays::new(),
            since_surprise: OFTEN,
            watched: 0,
        }
    }

    fn begin(&mut self) -> Call {
        let usual = self.ways.usual();
        let is_kept = self.ways.in_use() == Way::Alone;
        let round = self.ways.begin(is_kept || usual <= in_nanos(LONGEST_TRIAL));
        let kept_for = match round.way {
            Way::Shared => None,
            // Once it has taken longer, it has lost.
            Way::Alone if round.is_trial() => Some(cost::duration(self.ways.enough())),
            Way::Alone => Some(patience(cost::duration(usual))),
        };
        Call {
            kept_for,
            is_long: kept_for.is_none() && cost::is_worth_waking(cost::duration(usual)),
            is_watched: kept_for.is_some() && self.watched > 0,
            round,
        }
    }

    /// A call that was shared, but `nobody_was_free` in it, for all others were busy and nobody has
    /// taken a half, tells nothing of what sharing gains. So it neither wins nor loses, and a trial
    /// waits for the next one that does.
    fn end(&mut self, call: Call, took: Duration, nobody_was_free: bool) {
        if call.kept_for.is_none() && nobody_was_free {
            return;
        }
        let is_surprise = call.is_surprise(took);
        let is_kept = self.ways.in_use() == Way::Alone;
        if is_surprise && is_kept {
            if self.since_surprise < OFTEN {
                self.ways.change(in_nanos(took));
            }
        } else {
            self.ways.end(call.round, in_nanos(took));
        }
        self.watched = self.watched.saturating_sub(1);
        let worth = took.min(LONGEST_TRIAL).div_duration_f32(WAKE_UP) as u32;
        if is_surprise && worth >= WARY {
            self.watched = self.watched.max(worth);
        }
        self.since_surprise = if is_surprise {
            0
        } else {
            self.since_surprise.saturating_add(1)
        };
    }
}

/// How the call that begins now is to be made, of the kind whose code is told by `key`.
pub(crate) fn begin(key: usize) -> Call {
    with_kind(key, Kind::begin)
}

pub(crate) fn end(key: usize, call: Call, took: Duration, nobody_was_free: bool) {
    with_kind(key, |kind| kind.end(call, took, nobody_was_free));
}

/// Of kinds that meet in one place, the last is remembered.
static KINDS: [CachePadded<Mutex<Kind>>; PLACES] =
    [const { CachePadded::new(Mutex::new(Kind::new(0))) }; PLACES];

fn with_kind<R>(key: usize, f: impl FnOnce(&mut Kind) -> R) -> R {
    let mut kind = lock(&KINDS[cost::place(key)]);
    if kind.key != key {
        *kind = Kind::new(key);
    }
    f(&mut kind)
}

/// What calls usually take, in nanoseconds; infinite before the first that told something.
#[cfg(test)]
pub(crate) fn usual(key: usize) -> f64 {
    with_kind(key, |kind| kind.ways.usual())
}

#[cfg(heartbeat_sim)]
pub(crate) fn forget() {
    KINDS.iter().for_each(|kind| *lock(kind) = Kind::new(0));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Makes `calls` calls that take `shared` or `kept`, and tells how many were kept.
    fn calls(kind: &mut Kind, calls: u32, shared: Duration, kept: Duration) -> u32 {
        (0..calls)
            .filter(|_| {
                let call = kind.begin();
                let is_kept = call.kept_for.is_some();
                kind.end(call, if is_kept { kept } else { shared }, false);
                is_kept
            })
            .count() as u32
    }

    fn is_kept(kind: &Kind) -> bool {
        kind.ways.in_use() == Way::Alone
    }

    const SHORT: Duration = Duration::from_micros(10);
    const LONG: Duration = Duration::from_micros(100);

    #[test]
    fn calls_that_take_much_longer_than_their_like_end_the_keeping() {
        let mut kind = Kind::new(1);
        calls(&mut kind, 100, LONG, SHORT);
        calls(&mut kind, 1, LONG, LONG * 10);
        calls(&mut kind, 10, LONG, SHORT);
        assert!(is_kept(&kind), "one alone");
        calls(&mut kind, 1, LONG, LONG * 10);
        calls(&mut kind, 1, LONG, SHORT);
        calls(&mut kind, 1, LONG, LONG * 10);
        assert!(!is_kept(&kind), "every other one");
    }

    #[test]
    fn after_a_kept_call_that_took_too_long_somebody_looks_whether_the_next_does() {
        let mut kind = Kind::new(1);
        calls(&mut kind, 100, LONG, SHORT);
        let is_watched = |kind: &mut Kind, took| {
            let call = kind.begin();
            kind.end(call, took, false);
            call.kept_for.is_none() || call.is_watched
        };
        assert!(!is_watched(&mut kind, LONG * 20));
        for call in 1..200 {
            let took = if call % 6 == 0 { LONG * 20 } else { SHORT };
            assert!(is_watched(&mut kind, took), "{call}");
        }
        calls(&mut kind, 100, LONG, SHORT);
        assert!(is_kept(&kind) && !kind.begin().is_watched);
    }

    #[test]
    fn the_longer_a_surprise_took_the_more_calls_are_watched_after_it() {
        for longest in [WAKE_UP * WARY, WAKE_UP * WARY * 10] {
            let mut kind = Kind::new(1);
            calls(&mut kind, 100, LONG, SHORT);
            let call = kind.begin();
            kind.end(call, longest, false);
            let watched = (0..2000).filter(|_| {
                let call = kind.begin();
                kind.end(call, SHORT, false);
                call.is_watched
            });
            let watched = watched.count() as u32;
            let all = WAKE_UP * watched;
            assert!(all > longest / 2 && all <= longest, "{watched}");
        }
    }

    /// As where the same code is called on all threads at once, and then on one.
    #[test]
    fn what_is_shared_while_all_are_busy_tells_nothing() {
        let mut kind = Kind::new(1);
        let call = |kind: &mut Kind, round: u32| {
            let call = kind.begin();
            let nobody_was_free = !round.is_multiple_of(3);
            let is_shared = call.kept_for.is_none() && !nobody_was_free;
            let took = if is_shared { LONG } else { LONG * 2 };
            kind.end(call, took, nobody_was_free);
        };
        for round in 0..10_000 {
            call(&mut kind, round);
            assert!(!is_kept(&kind), "{round}");
        }
        // It wins a trial all the same.
        calls(&mut kind, 100, LONG * 4, LONG * 2);
        assert!(is_kept(&kind));
        let mut round = 0;
        while is_kept(&kind) {
            call(&mut kind, round);
            round += 1;
            assert!(round < 1000);
        }
    }

    #[test]
    fn nobody_looks_after_surprises_that_cost_less() {
        let mut kind = Kind::new(1);
        calls(&mut kind, 100, LONG, SHORT);
        for call in 0..1000 {
            let now = kind.begin();
            assert!(!now.is_watched);
            let is_surprise = now.kept_for.is_some() && call % 10 == 0;
            kind.end(now, if is_surprise { LONG * 10 } else { SHORT }, false);
        }
    }

    /// Whoever is woken for that shares the core with short calls.
    #[test]
    fn nobody_looks_after_trials_that_lose() {
        let mut kind = Kind::new(1);
        let mut trials = 0;
        for _ in 0..1000 {
            let call = kind.begin();
            assert!(!call.is_watched);
            trials += u32::from(call.round.is_trial());
            let is_kept = call.kept_for.is_some();
            kind.end(call, if is_kept { LONG * 2 } else { LONG }, false);
        }
        assert!(trials > 5);
    }

    #[test]
    fn a_trial_that_loses_is_kept_no_longer_than_it_may_take() {
        let mut kind = Kind::new(1);
        let mut trials = 0;
        for _ in 0..100 {
            let call = kind.begin();
            if let Some(limit) = call.kept_for {
                assert!(limit < LONG * 2, "{limit:?}");
                trials += 1;
            }
            let took = if call.kept_for.is_some() {
                LONG * 9
            } else {
                LONG
            };
            kind.end(call, took, false);
        }
        assert!(trials > 0);
    }

    /// By steps that are too small to be surprises, whenever the last trial was.
    #[test]
    #[cfg_attr(miri, ignore = "too many calls for an interpreter")]
    fn calls_that_have_grown_long_are_shared_where_that_pays() {
        for before in (20_000..30_000).step_by(500) {
            let mut kind = Kind::new(1);
            let mut kept = SHORT;
            calls(&mut kind, before, LONG, kept);
            while kept < LONGEST_TRIAL * 10 {
                kept *= 2;
                calls(&mut kind, 5, kept / 8, kept);
            }
            calls(&mut kind, 5000, kept / 8, kept);
            assert!(!is_kept(&kind), "{before}");
        }
    }

    #[test]
    fn long_calls_are_not_tried_out() {
        let mut kind = Kind::new(1);
        let long = LONGEST_TRIAL * 2;
        assert_eq!(calls(&mut kind, 1000, long, SHORT), 0);
    }
}
