//! `join_measured`: whether sharing pays, by measurement.
//!
//! A scheduler can't see into a call, and sharing it may cost more than it gains: where it is short, or where
//! its halves fight over a lock. But calls are made again and again. So the outermost joins of one kind, told
//! by the code that they run, are shared or kept to one thread, whichever took less time before. The other way
//! is tried now and then, the more seldom the more often it has lost.
//!
//! What is kept is so for a limited time: a call that takes much longer than its like is shared after all.

use crate::fork;
use crate::lane::Lane;
use crate::sync::{Mutex, lock};
use crate::worker::Worker;
use std::time::{Duration, Instant};

/// Calls before the first trial: what comes first has cold caches and sleeping helpers.
const WARM_UP: u32 = 6;
/// Calls between two trials: at first, and at most.
const LEAST_PAUSE: u32 = 8;
const MOST_PAUSE: u32 = 1 << 13;
/// Trials in a row that have to be won.
const WINS: u32 = 3;
/// A trial has won if it took less than nine tenths of the time.
const fn has_won(trial: Duration, usual: Duration) -> bool {
    trial.as_nanos() * 10 < usual.as_nanos() * 9
}
/// Calls that take longer are not tried out: a trial that loses would be felt.
const LONGEST_TRIAL: Duration = Duration::from_millis(100);
/// Calls that take as long wake a helper who would look by itself within a beat.
const LONG: Duration = Duration::from_micros(300);
/// What a surprise counts, a call that was kept for too long; a call as usual counts one off. One that comes
/// alone is the system's doing, not the call's.
const SURPRISE: u32 = 4;
/// How much of it ends the keeping.
const SURPRISED: u32 = 2 * SURPRISE;
/// How long a call is kept that usually takes `usual`.
fn patience(usual: Duration) -> Duration {
    usual * 4 + Duration::from_micros(20)
}

/// What is known of one kind of call.
#[derive(Clone, Copy)]
struct Kind {
    key: usize,
    /// Whether it is kept, not shared.
    is_kept: bool,
    /// What a call takes as it is made now, if nothing disturbs it.
    usual: Duration,
    calls: u32,
    /// Calls to go until the next trial of the other way.
    until_trial: u32,
    pause: u32,
    wins: u32,
    surprises: u32,
}

/// How one call is made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Way {
    /// For how long it is kept, if it is.
    kept_for: Option<Duration>,
    /// Whether it takes so long that a helper who comes a beat later is missed.
    is_long: bool,
    is_trial: bool,
}

impl Kind {
    const fn new(key: usize) -> Self {
        Self {
            key,
            is_kept: false,
            usual: Duration::ZERO,
            calls: 0,
            until_trial: WARM_UP,
            pause: LEAST_PAUSE,
            wins: 0,
            surprises: 0,
        }
    }

    fn begin(&mut self) -> Way {
        let is_trial = self.until_trial == 0 && self.usual <= LONGEST_TRIAL;
        self.until_trial = self.until_trial.saturating_sub(1);
        let kept_for = match (self.is_kept, is_trial) {
            (true, false) => Some(patience(self.usual)),
            // Once it has taken as long as usual, it has lost.
            (false, true) => Some(self.usual),
            (false, false) | (true, true) => None,
        };
        Way {
            kept_for,
            is_long: self.usual >= LONG,
            is_trial,
        }
    }

    fn end(&mut self, way: Way, took: Duration) {
        let is_change = way.kept_for.is_some() != self.is_kept;
        if way.is_trial && is_change {
            if !has_won(took, self.usual) {
                self.has_lost();
            } else if self.wins + 1 < WINS {
                self.wins += 1;
                self.until_trial = 0;
            } else {
                self.change(took);
            }
        } else if is_change {
            // Begun before another thread's call changed the way.
        } else if way.kept_for.is_some_and(|limit| took > limit) {
            self.surprises += SURPRISE;
            if self.surprises >= SURPRISED {
                self.change(took);
                self.has_lost();
            }
        } else {
            self.surprises = self.surprises.saturating_sub(1);
            self.calls = self.calls.saturating_add(1);
            // About the least of late, for what comes from outside only adds to the time.
            self.usual = if self.calls == 1 || took < self.usual {
                took
            } else {
                self.usual + (took - self.usual) / 16
            };
        }
    }

    fn has_lost(&mut self) {
        self.wins = 0;
        self.pause = (self.pause * 4).min(MOST_PAUSE);
        self.until_trial = self.pause;
    }

    fn change(&mut self, took: Duration) {
        self.is_kept = !self.is_kept;
        self.usual = took;
        self.wins = 0;
        self.surprises = 0;
        self.until_trial = self.pause;
    }
}

/// As many kinds as are remembered; of those that meet in one place, the last.
const PLACES: usize = 256;
static KINDS: [Mutex<Kind>; PLACES] = [const { Mutex::new(Kind::new(0)) }; PLACES];

fn with_kind<R>(key: usize, f: impl FnOnce(&mut Kind) -> R) -> R {
    // Functions begin at multiples of 16, mostly.
    let place = (key >> 4) % PLACES;
    let mut kind = lock(&KINDS[place]);
    if kind.key != key {
        *kind = Kind::new(key);
    }
    f(&mut kind)
}

/// The outermost measured join of a thread, until this is dropped.
struct Outermost<'a>(&'a Worker);

impl Drop for Outermost<'_> {
    fn drop(&mut self) {
        self.0.seat.show_forks();
        self.0.is_measured.set(false);
    }
}

impl Worker {
    /// As [`join_offered`](Self::join_offered), but the outermost of such joins is offered to others only
    /// if that has been paying for calls of the same code, or if it takes much longer than these did. For
    /// drop-ins whose callers don't know whether sharing pays.
    ///
    /// # Panics
    ///
    /// As [`join`](Self::join).
    ///
    /// ```
    /// let pool = heartbeat_pool::ThreadPool::builder().num_threads(2).build().unwrap();
    /// let sum = pool.with_worker(|worker| worker.join_measured(|_| 1, |_| 2));
    /// assert_eq!(sum, (1, 2));
    /// ```
    #[inline]
    pub fn join_measured<A, B, RA, RB>(&self, a: A, b: B) -> (RA, RB)
    where
        A: FnOnce(&Self) -> RA + Send,
        B: FnOnce(&Self) -> RB + Send,
        RA: Send,
        RB: Send,
    {
        if self.is_measured.get() {
            return self.join_offered(a, b);
        }
        self.join_outermost(a, b)
    }

    #[inline(never)]
    fn join_outermost<A, B, RA, RB>(&self, a: A, b: B) -> (RA, RB)
    where
        A: FnOnce(&Self) -> RA + Send,
        B: FnOnce(&Self) -> RB + Send,
        RA: Send,
        RB: Send,
    {
        if self.lane() != Lane::Frame || self.num_threads() <= 1 || !self.forks.is_empty() {
            return self.join_offered(a, b);
        }
        let key = fork::kind::<B, RB>();
        let way = with_kind(key, Kind::begin);
        self.is_measured.set(true);
        let outermost = Outermost(self);
        let start = Instant::now();
        if let Some(kept_for) = way.kept_for {
            self.seat.hide_forks(start + kept_for);
        } else {
            self.wants_help_now.set(way.is_long);
        }
        let results = self.join_offered(a, b);
        drop(outermost);
        let took = start.elapsed();
        with_kind(key, |kind| kind.end(way, took));
        results
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Makes `calls` calls that take `shared` or `kept`, and tells how many were kept.
    fn calls(kind: &mut Kind, calls: u32, shared: Duration, kept: Duration) -> u32 {
        (0..calls)
            .filter(|_| {
                let way = kind.begin();
                let is_kept = way.kept_for.is_some();
                kind.end(way, if is_kept { kept } else { shared });
                is_kept
            })
            .count() as u32
    }

    const SHORT: Duration = Duration::from_micros(10);
    const LONG: Duration = Duration::from_micros(100);

    #[test]
    fn what_is_faster_alone_is_kept_and_the_other_way_still_tried() {
        let mut kind = Kind::new(1);
        assert!(calls(&mut kind, 1000, LONG, SHORT) > 980);
        assert!(calls(&mut kind, 10_000, LONG, SHORT) < 10_000);
    }

    #[test]
    fn what_is_faster_shared_is_shared_and_the_other_way_still_tried() {
        let mut kind = Kind::new(1);
        assert!((1..10).contains(&calls(&mut kind, 1000, SHORT, LONG)));
    }

    #[test]
    fn what_changes_is_followed() {
        let mut kind = Kind::new(1);
        calls(&mut kind, 100, LONG, SHORT);
        assert!(calls(&mut kind, 1000, SHORT, LONG * 2) < 100);
        assert!(calls(&mut kind, 20_000, LONG, SHORT) > 10_000);
    }

    #[test]
    fn calls_that_take_much_longer_than_their_like_end_the_keeping() {
        let mut kind = Kind::new(1);
        calls(&mut kind, 100, LONG, SHORT);
        calls(&mut kind, 1, LONG, LONG * 10);
        calls(&mut kind, 10, LONG, SHORT);
        assert!(kind.is_kept, "one alone");
        for _ in 0..5 {
            calls(&mut kind, 1, LONG, LONG * 10);
            calls(&mut kind, 1, LONG, SHORT);
        }
        assert!(!kind.is_kept, "every other one");
    }

    #[test]
    fn long_calls_are_not_tried_out() {
        let mut kind = Kind::new(1);
        let long = LONGEST_TRIAL * 2;
        assert_eq!(calls(&mut kind, 1000, long, SHORT), 0);
    }
}
