//! Whether sharing pays, by measurement.
//!
//! A scheduler can't see into a call, and sharing it may cost more than it gains: where it is
//! short, or where its halves fight over a lock. But calls are made again and again. So the
//! outermost joins of one kind, told by the code that they run, are shared or kept to one thread:
//! shared if that gains something, for it takes a second core's time. The other way is tried now
//! and then, the more seldom the more often it has lost, and soon if what calls take has changed.
//!
//! What is kept is so for a limited time: a call that takes much longer than its like is shared
//! after all.

use crate::sync::{Instant, Mutex, lock};
use crossbeam_utils::CachePadded;
use std::time::Duration;

/// Calls before the first trial: what comes first has cold caches and sleeping helpers.
const WARM_UP: u32 = 6;
/// Calls between two trials: at first, and at most.
const LEAST_PAUSE: u32 = 8;
const MOST_PAUSE: u32 = 1 << 13;
/// However seldom calls are made, the pause ends once this has passed, and as long as so many of
/// them would take, and the least pause in any case.
const LONGEST_PAUSE: Duration = Duration::from_secs(4);
const LONGEST_PAUSE_CALLS: u32 = 500;
/// Calls of a trial that have to be won, in a row. Of short calls, the one before them must only
/// not be [`hopeless`]: threads that the other way has had awake, or has left asleep, disturb it.
const WINS: u32 = 3;
fn hopeless(usual: Duration) -> Duration {
    usual * 2
}
/// What a kept call may take to win over shared ones, and a shared one over kept ones. Apart, so
/// that no two times have both win.
fn enough_to_keep(shared: Duration) -> Duration {
    shared * 11 / 10
}
fn enough_to_share(kept: Duration) -> Duration {
    kept * 17 / 20
}
/// Whether calls take so much more or less than they did that what is known of the other way is out
/// of date.
fn is_news(usual: Duration, before: Duration) -> bool {
    usual * 2 > before * 3 || usual * 3 < before * 2
}
/// Calls that take longer are not tried out: a trial that loses would be felt.
const LONGEST_TRIAL: Duration = Duration::from_millis(100);
/// Calls that take as long wake a helper who would look by itself within a beat.
const LONG: Duration = Duration::from_micros(300);
/// What a surprise counts, a call that was kept for too long; a call as usual counts one off. One
/// that comes alone is the system's doing, not the call's.
const SURPRISE: u32 = 4;
/// How much of it ends the keeping.
const SURPRISED: u32 = 2 * SURPRISE;
/// Calls after a surprise for which somebody looks in time whether the next one is one as well.
const WARY: u32 = 64;
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
    /// What half of the calls take less than, of late, as they are made now.
    usual: Duration,
    /// Whether the last call took more.
    is_over: bool,
    /// `usual` as it was at the last trial, and when that was.
    usual_at_trial: Duration,
    trial: Option<Instant>,
    calls: u32,
    /// Calls to go until the next trial of the other way.
    until_trial: u32,
    pause: u32,
    /// Calls of the present trial that were won; none before its first one.
    wins: Option<u32>,
    /// Counts trials that are over: what another thread has begun in one of them is not judged in
    /// the next.
    trials: u32,
    surprises: u32,
    /// Calls to go for which another surprise is likely.
    wary: u32,
}

/// How one call is made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Way {
    /// For how long it is kept, if it is.
    pub(crate) kept_for: Option<Duration>,
    /// Whether it takes so long that a helper who comes a beat later is missed; or, if it is kept,
    /// it may well take longer than that.
    pub(crate) is_long: bool,
    /// Which trial it is part of, if it is.
    trial: Option<u32>,
}

impl Kind {
    const fn new(key: usize) -> Self {
        Self {
            key,
            is_kept: false,
            usual: Duration::ZERO,
            is_over: false,
            usual_at_trial: Duration::ZERO,
            trial: None,
            calls: 0,
            until_trial: WARM_UP,
            pause: LEAST_PAUSE,
            wins: None,
            trials: 0,
            surprises: 0,
            wary: 0,
        }
    }

    fn begin(&mut self, now: Instant) -> Way {
        let is_trial = self.is_trial_due(now) && self.usual <= LONGEST_TRIAL;
        self.until_trial = self.until_trial.saturating_sub(1);
        if is_trial {
            self.trial = Some(now);
            self.usual_at_trial = self.usual;
        }
        let kept_for = match (self.is_kept, is_trial) {
            (true, false) => Some(patience(self.usual)),
            // Once it has taken longer, it has lost.
            (false, true) => Some(enough_to_keep(self.usual)),
            (false, false) | (true, true) => None,
        };
        Way {
            kept_for,
            is_long: if kept_for.is_some() {
                self.wary > 0
            } else {
                self.usual >= LONG
            },
            trial: is_trial.then_some(self.trials),
        }
    }

    fn is_trial_due(&self, now: Instant) -> bool {
        let pause = LONGEST_PAUSE.max(self.usual * LONGEST_PAUSE_CALLS);
        // Another thread may have looked at the clock before, and come here later.
        let since = |trial| now.saturating_duration_since(trial);
        let is_late = self.trial.is_some_and(|trial| since(trial) > pause);
        self.until_trial == 0 || (is_late && self.until_trial + LEAST_PAUSE <= self.pause)
    }

    fn end(&mut self, way: Way, took: Duration) {
        self.wary = if way.kept_for.is_some_and(|limit| took > limit) {
            WARY
        } else {
            self.wary.saturating_sub(1)
        };
        if let Some(trial) = way.trial {
            if trial == self.trials {
                self.end_of_trial(took);
            }
        } else if way.kept_for.is_some() != self.is_kept {
            // Begun before another thread's call changed the way.
        } else if way.kept_for.is_some_and(|limit| took > limit) {
            self.surprises += SURPRISE;
            if self.surprises >= SURPRISED {
                self.change(took);
                self.has_lost();
            }
        } else {
            self.surprises = self.surprises.saturating_sub(1);
            let has_settled = self.count(took);
            if has_settled && self.trial.is_some() && is_news(self.usual, self.usual_at_trial) {
                self.until_trial = 0;
                self.pause = LEAST_PAUSE;
            }
        }
    }

    fn end_of_trial(&mut self, took: Duration) {
        let is_disturbed = self.wins.is_none() && self.usual < LONG;
        let enough = if is_disturbed {
            hopeless(self.usual)
        } else if self.is_kept {
            enough_to_share(self.usual)
        } else {
            enough_to_keep(self.usual)
        };
        let wins = self.wins.unwrap_or(0) + u32::from(!is_disturbed);
        if took > enough {
            self.has_lost();
        } else if wins == WINS {
            self.change(took);
        } else {
            self.wins = Some(wins);
            self.until_trial = 0;
        }
    }

    /// Moves `usual` towards `took`, by steps whose size doesn't depend on how far that is: so half
    /// of the calls come to lie on each side of it, however long a few of them take. Tells whether
    /// it has got there: the last call was on the other side.
    fn count(&mut self, took: Duration) -> bool {
        self.calls = self.calls.saturating_add(1);
        if self.calls == 1 {
            self.usual = took;
        }
        let step = (self.usual / self.calls.min(8)).max(Duration::from_nanos(1));
        let is_over = took > self.usual;
        let has_settled = is_over != self.is_over;
        self.is_over = is_over;
        self.usual = took.clamp(self.usual.saturating_sub(step), self.usual + step);
        has_settled
    }

    fn has_lost(&mut self) {
        self.wins = None;
        self.trials = self.trials.wrapping_add(1);
        self.pause = (self.pause * 2).min(MOST_PAUSE);
        self.until_trial = self.pause;
    }

    fn change(&mut self, took: Duration) {
        self.is_kept = !self.is_kept;
        self.usual = took;
        self.usual_at_trial = took;
        self.wins = None;
        self.trials = self.trials.wrapping_add(1);
        self.surprises = 0;
        self.pause = LEAST_PAUSE;
        self.until_trial = self.pause;
    }
}

/// A kind of call, of which others know as well.
#[derive(Clone, Copy)]
pub(crate) struct Calls(usize);

impl Calls {
    /// Those whose code is told by `key`.
    pub(crate) fn of(key: usize) -> Self {
        Self(key)
    }

    /// How the call that begins now is to be made.
    pub(crate) fn begin(self, now: Instant) -> Way {
        with_kind(self.0, |kind| kind.begin(now))
    }

    /// What it took, made in this way.
    pub(crate) fn end(self, way: Way, took: Duration) {
        with_kind(self.0, |kind| kind.end(way, took));
    }
}

/// As many kinds as are remembered; of those that meet in one place, the last.
const PLACES: usize = 256;
static KINDS: [CachePadded<Mutex<Kind>>; PLACES] =
    [const { CachePadded::new(Mutex::new(Kind::new(0))) }; PLACES];

fn with_kind<R>(key: usize, f: impl FnOnce(&mut Kind) -> R) -> R {
    // Functions begin at multiples of 16, mostly.
    let place = (key >> 4) % PLACES;
    let mut kind = lock(&KINDS[place]);
    if kind.key != key {
        *kind = Kind::new(key);
    }
    f(&mut kind)
}

/// Forgets all kinds.
#[cfg(heartbeat_sim)]
pub(crate) fn forget() {
    KINDS.iter().for_each(|kind| *lock(kind) = Kind::new(0));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Makes `calls` calls that take `shared` or `kept`, and tells how many were kept.
    fn calls(kind: &mut Kind, calls: u32, shared: Duration, kept: Duration) -> u32 {
        let start = Instant::now();
        (0..calls)
            .filter(|_| {
                let way = kind.begin(start);
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
    fn after_a_kept_call_that_took_too_long_somebody_looks_whether_the_next_does() {
        let mut kind = Kind::new(1);
        calls(&mut kind, 100, LONG, SHORT);
        let is_watched = |kind: &mut Kind, took| {
            let way = kind.begin(Instant::now());
            kind.end(way, took);
            way.kept_for.is_none() || way.is_long
        };
        assert!(!is_watched(&mut kind, LONG * 10));
        for call in 1..60 {
            let took = if call % 6 == 0 { LONG * 10 } else { SHORT };
            assert!(is_watched(&mut kind, took), "{call}");
        }
        calls(&mut kind, 100, LONG, SHORT);
        assert!(kind.is_kept && kind.wary == 0);
    }

    #[test]
    fn sharing_that_gains_next_to_nothing_is_not_worth_a_core() {
        let kept = Duration::from_micros(100);
        let mut kind = Kind::new(1);
        assert!(calls(&mut kind, 1000, kept * 19 / 20, kept) > 900);
        let mut kind = Kind::new(1);
        assert!(calls(&mut kind, 1000, kept * 7 / 10, kept) < 100);
    }

    #[test]
    fn the_other_way_is_tried_soon_where_calls_have_come_to_take_longer() {
        let mut kind = Kind::new(1);
        calls(&mut kind, 5000, SHORT, SHORT * 2);
        assert!(kind.until_trial > 100 && !kind.is_kept);
        calls(&mut kind, 30, SHORT * 4, SHORT * 2);
        assert!(kind.is_kept);
    }

    #[test]
    fn the_other_way_is_tried_within_a_while_however_seldom_calls_are_made() {
        let mut kind = Kind::new(1);
        calls(&mut kind, 5000, SHORT, LONG);
        let trial = kind.trial.unwrap();
        for _ in 0..LEAST_PAUSE {
            let way = kind.begin(trial + LONGEST_PAUSE / 2);
            kind.end(way, SHORT);
            assert!(way.trial.is_none());
        }
        assert!(kind.begin(trial + LONGEST_PAUSE * 2).trial.is_some());
    }

    #[test]
    fn most_calls_go_the_better_way_however_seldom_they_are_made() {
        let mut kind = Kind::new(1);
        let start = Instant::now();
        let kept = (1..=1000).filter(|call| {
            let way = kind.begin(start + LONGEST_PAUSE * 2 * *call);
            let is_kept = way.kept_for.is_some();
            kind.end(way, if is_kept { LONG } else { SHORT });
            is_kept
        });
        assert!(kept.count() < 150);
    }

    /// Two threads, each of which begins its next call when its last one is over.
    #[test]
    fn most_calls_go_the_better_way_where_threads_call_at_once() {
        let mut kind = Kind::new(1);
        let start = Instant::now();
        let mut kept = 0;
        let mut ways = [None; 2];
        for call in 0..2000 {
            let way: &mut Option<Way> = &mut ways[call % 2];
            if let Some(way) = way.take() {
                let is_kept = way.kept_for.is_some();
                kept += usize::from(is_kept);
                // Not so long that the first one tells.
                kind.end(way, if is_kept { SHORT * 3 / 2 } else { SHORT });
            }
            *way = Some(kind.begin(start));
        }
        assert!(kept < 100, "{kept}");
    }

    #[test]
    fn what_calls_usually_take_is_not_moved_by_a_few_long_ones() {
        let mut kind = Kind::new(1);
        for call in 0..200 {
            kind.count(if call % 5 == 0 { LONG * 100 } else { SHORT });
        }
        assert!(kind.usual < SHORT * 3 / 2, "{:?}", kind.usual);
    }

    #[test]
    fn long_calls_are_not_tried_out() {
        let mut kind = Kind::new(1);
        let long = LONGEST_TRIAL * 2;
        assert_eq!(calls(&mut kind, 1000, long, SHORT), 0);
    }
}
