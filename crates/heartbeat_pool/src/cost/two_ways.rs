//! Which of two ways to do the same thing costs less: learnt by doing it, with trials of the other
//! way that grow rarer.
//!
//! A scheduler can't see into the work that it is given, and to share work may cost more than it
//! gains. But the same work comes again and again. So each kind of it has a way in use and what
//! that usually costs, and the other way is tried now and then: the more seldom the more often it
//! has lost, and soon if the cost has changed.

use std::mem;

/// How work is run: by one thread, or so that others can take parts of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// By one thread.
    Alone,
    /// By all that are free.
    Shared,
}

impl Way {
    fn other(self) -> Self {
        match self {
            Self::Alone => Self::Shared,
            Self::Shared => Self::Alone,
        }
    }
}

/// Rounds until the first trial, after the beginning and after a change of the way.
const FIRST_PAUSE: u32 = 8;
/// The pause doubles with each trial that is lost: to this in any case, and then until trials cost
/// one round in [`FRUGALITY`].
const PAUSE: u32 = 128;
/// Rounds of which trials may cost one.
const FRUGALITY: f64 = 1000.0;
/// What a way may cost, as a share of the other one's cost, to be worth all threads' time.
const GAIN: f64 = 0.9;
/// How many rounds in a row must win a trial. The one before them isn't judged, unless it is
/// [`HOPELESS`]: threads that the other way has left awake or asleep disturb it.
const WINS: u32 = 3;
/// Times the usual cost, from which on a trial's first round loses it.
const HOPELESS: f64 = 2.0;
/// A cost that has changed by this factor makes what is known of the other way doubtful.
const NEWS: f64 = 1.5;
/// How many times sooner its trial then comes.
const SOONER: u32 = 16;
/// The step by which the usual cost follows is this part of it, and grows while it goes one way.
const STEP: f64 = 1.0 / 32.0;

/// One round: which way it goes, and of which trial it is part, if it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "its end is to be told"]
pub struct Round {
    /// Which way it goes.
    pub way: Way,
    trial: Option<u32>,
}

impl Round {
    /// A round that goes this way for a reason of the caller's own, and is no trial. Where that is
    /// not the way in use, its cost tells nothing.
    pub const fn untried(way: Way) -> Self {
        Self { way, trial: None }
    }

    /// Whether it tries out the way that is not in use.
    #[must_use]
    pub fn is_trial(self) -> bool {
        self.trial.is_some()
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct Trial {
    rounds: u32,
    /// What the rounds that were judged have cost.
    cost: f64,
    /// What all of them have cost too much, in usual costs.
    loss: f64,
}

/// What is known of one kind of work, whose costs are in any unit.
///
/// Work whose costs alternate, ten times as much every other time, say, loses each trial, for one
/// of its dear rounds falls into it: it stays the way it is. Tell such kinds apart, if you can.
///
/// ```
/// use heartbeat_pool::{TwoWays, Way};
///
/// let mut ways = TwoWays::new();
/// let mut run = |alone: f64, shared: f64| {
///     let round = ways.begin(true);
///     ways.end(round, match round.way {
///         Way::Alone => alone,
///         Way::Shared => shared,
///     });
///     round.way
/// };
/// for _ in 0..100 {
///     run(1.0, 3.0);
/// }
/// assert_eq!(run(1.0, 3.0), Way::Alone);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct TwoWays {
    in_use: Way,
    /// What half of the rounds cost less than, of late; infinite before the first one.
    usual: f64,
    /// What the other way has cost when it was left, or in its last trial; infinite before that.
    other_cost: f64,
    /// Rounds in a row that have cost more than is usual, or less.
    streak: u32,
    is_over: bool,
    usual_at_trial: f64,
    is_news: bool,
    trial: Option<Trial>,
    /// Counts trials that are over: what another thread has begun in one of them is not judged in
    /// the next.
    trials: u32,
    /// What rounds of the last trial have cost too much that ended after it, in usual costs.
    late_loss: f64,
    pause: u32,
    since_trial: u32,
}

impl Default for TwoWays {
    fn default() -> Self {
        Self::new()
    }
}

/// Of what costs nothing, neither way would cost less; what is no number is the dearest.
fn number(cost: f64) -> f64 {
    if cost.is_finite() {
        cost.max(f64::EPSILON)
    } else {
        f64::MAX
    }
}

impl TwoWays {
    /// Of work that was never done. It begins shared: some work comes only once, and is long.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            in_use: Way::Shared,
            usual: f64::INFINITY,
            other_cost: f64::INFINITY,
            streak: 0,
            is_over: false,
            usual_at_trial: f64::INFINITY,
            is_news: false,
            trial: None,
            trials: 0,
            late_loss: 0.0,
            pause: FIRST_PAUSE,
            since_trial: 0,
        }
    }

    /// The way in use.
    #[must_use]
    pub fn in_use(&self) -> Way {
        self.in_use
    }

    /// What it usually costs: half of the rounds cost less. Infinite before the first one.
    #[must_use]
    pub fn usual(&self) -> f64 {
        self.usual
    }

    /// What the other way has cost when it was left, or in the round that lost its last trial.
    /// Infinite where that is not known.
    #[must_use]
    pub fn other_cost(&self) -> f64 {
        self.other_cost
    }

    /// What a round of the other way may cost to win over the way in use. No two costs have each
    /// way win over the other.
    #[must_use]
    pub fn enough(&self) -> f64 {
        match self.in_use {
            Way::Alone => self.usual * GAIN,
            Way::Shared => self.usual / GAIN,
        }
    }

    /// How this round goes; no new trial is begun unless it `may_try`.
    #[inline]
    pub fn begin(&mut self, may_try: bool) -> Round {
        if may_try && self.trial.is_none() && self.is_due() {
            self.trial = Some(Trial::default());
        }
        match self.trial {
            Some(_) => Round {
                way: self.in_use.other(),
                trial: Some(self.trials),
            },
            None => Round {
                way: self.in_use,
                trial: None,
            },
        }
    }

    #[inline]
    fn is_due(&self) -> bool {
        let sooner = self.is_news && self.since_trial >= self.pause / SOONER;
        sooner || self.since_trial >= self.pause
    }

    /// What the round has cost; what is no finite number is as dear as can be. Threads may take
    /// rounds of one kind at once.
    #[inline]
    pub fn end(&mut self, round: Round, cost: f64) {
        let cost = number(cost);
        match (round.trial, self.trial) {
            (Some(number), Some(trial)) if number == self.trials => self.judge(trial, cost),
            (None, _) if round.way == self.in_use => self.count(cost),
            // It began before another thread's round ended the trial,
            (Some(_), _) if round.way != self.in_use => {
                self.late_loss += (cost / self.usual - 1.0).max(0.0);
            }
            // or changed the way.
            _ => {}
        }
    }

    fn judge(&mut self, mut trial: Trial, cost: f64) {
        trial.loss += (cost / self.usual - 1.0).max(0.0);
        let enough = if trial.rounds == 0 {
            self.usual * HOPELESS
        } else {
            trial.cost += cost;
            self.enough()
        };
        if cost > enough {
            self.other_cost = cost;
            self.lose_trial(trial.loss);
        } else if trial.rounds == WINS {
            self.change(trial.cost / f64::from(WINS));
        } else {
            trial.rounds += 1;
            self.trial = Some(trial);
        }
    }

    fn lose_trial(&mut self, loss: f64) {
        // As many rounds will be late as after the last one.
        let loss = loss + mem::take(&mut self.late_loss);
        let most = PAUSE.max((FRUGALITY * loss) as u32);
        self.pause = self.pause.saturating_mul(2).min(most);
        self.rest();
    }

    /// Leaves the way in use, whose rounds have come to cost so much. The other way then costs no
    /// more than that, as far as is known.
    pub fn change(&mut self, cost: f64) {
        self.in_use = self.in_use.other();
        self.other_cost = self.usual;
        self.usual = number(cost);
        self.pause = FIRST_PAUSE;
        self.late_loss = 0.0;
        self.rest();
    }

    fn rest(&mut self) {
        self.trial = None;
        self.trials = self.trials.wrapping_add(1);
        self.since_trial = 0;
        self.streak = 0;
        self.usual_at_trial = self.usual;
        self.is_news = false;
    }

    /// Moves the usual cost towards this one, by steps whose size doesn't depend on how far that
    /// is: so half of the rounds come to lie on each side of it, however much a few of them cost.
    #[inline]
    fn count(&mut self, cost: f64) {
        self.since_trial = self.since_trial.saturating_add(1);
        if self.usual.is_infinite() {
            self.usual = cost;
            self.usual_at_trial = cost;
        }
        let is_over = cost > self.usual;
        self.streak = if is_over == self.is_over {
            self.streak.saturating_add(1)
        } else {
            1
        };
        self.is_over = is_over;
        let least = self.usual * STEP;
        // It says something once it has got there.
        if (cost - self.usual).abs() <= least {
            let before = self.usual_at_trial;
            self.is_news = self.usual > before * NEWS || self.usual < before / NEWS;
        }
        let step = least * f64::from(self.streak);
        self.usual = cost.clamp(self.usual - step, self.usual + step);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs rounds that cost `alone` and `shared`; gives the number of shared ones.
    fn rounds(ways: &mut TwoWays, count: u32, alone: f64, shared: f64) -> u32 {
        rounds_by(ways, count, || (alone, shared))
    }

    fn rounds_by(ways: &mut TwoWays, count: u32, mut costs: impl FnMut() -> (f64, f64)) -> u32 {
        let round = |_: &u32| {
            let round = ways.begin(true);
            let (alone, shared) = costs();
            let is_shared = round.way == Way::Shared;
            ways.end(round, if is_shared { shared } else { alone });
            is_shared
        };
        (0..count).filter(round).count() as u32
    }

    /// Numbers about 1 that vary by so much: the exponential of a normal distribution's.
    fn noise(seed: u64, by: f64) -> impl FnMut() -> f64 {
        let mut state = seed;
        let mut uniform = move || {
            state = state
                .wrapping_mul(0x5851_f42d_4c95_7f2d)
                .wrapping_add(0x1405_7b7e_f767_814f);
            (state >> 40) as f64 / (1 << 24) as f64
        };
        // Twelve uniform ones add up to nearly a normal one, whose variance is 1.
        move || {
            ((0..12).map(|_| uniform()).sum::<f64>() - 6.0)
                .mul_add(by, 0.0)
                .exp()
        }
    }

    /// The share of shared rounds, of many, over some seeds.
    fn shared_of(by: f64, alone: f64, shared: f64) -> f64 {
        let share = |seed| {
            let mut ways = TwoWays::new();
            let mut noise = noise(seed, by);
            f64::from(rounds_by(&mut ways, 20_000, || {
                let noise = noise();
                (alone * noise, shared * noise)
            })) / 20_000.0
        };
        (1..=20).map(share).sum::<f64>() / 20.0
    }

    #[test]
    fn what_comes_first_is_shared() {
        assert_eq!(rounds(&mut TwoWays::new(), 3, 1.0, 9.0), 3);
    }

    #[test]
    #[cfg_attr(miri, ignore = "too many rounds for an interpreter")]
    fn the_cheaper_way_is_found_soon_and_seldom_left() {
        for (alone, shared) in [(1.0, 0.3), (1.0, 0.5), (1.0, 0.8)] {
            let count = rounds(&mut TwoWays::new(), 10_000, alone, shared);
            assert!((9_900..10_000).contains(&count), "{alone} {shared} {count}");
        }
        for (alone, shared) in [(1.0, 0.95), (1.0, 1.0), (1.0, 1.5), (1.0, 9.0)] {
            let count = rounds(&mut TwoWays::new(), 10_000, alone, shared);
            assert!((9..300).contains(&count), "{alone} {shared} {count}");
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "too many rounds for an interpreter")]
    fn it_is_found_in_noise_too() {
        for by in [0.05, 0.1, 0.2, 0.4] {
            for (shared, at_least, at_most) in [
                (0.3, 0.98, 1.0),
                (0.5, 0.98, 1.0),
                (0.8, 0.8, 1.0),
                (1.1, 0.0, 0.12),
                (2.0, 0.0, 0.02),
            ] {
                let share = shared_of(by, 1.0, shared);
                println!("noise {by}, shared {shared}: {share:.3}");
                assert!(
                    (at_least..=at_most).contains(&share),
                    "{by} {shared} {share}"
                );
            }
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "too many rounds for an interpreter")]
    fn trials_cost_next_to_nothing() {
        for (alone, shared) in [(1.0, 2.0), (2.0, 1.0), (1.0, 10.0), (10.0, 1.0)] {
            let mut ways = TwoWays::new();
            rounds(&mut ways, 20_000, alone, shared);
            let count = 100_000;
            let dear = if alone < shared {
                rounds(&mut ways, count, alone, shared)
            } else {
                count - rounds(&mut ways, count, alone, shared)
            };
            let more = f64::from(dear) * ((alone / shared).max(shared / alone) - 1.0);
            assert!(more < f64::from(count) / 500.0, "{alone} {shared} {dear}");
            assert!(dear > 0);
        }
    }

    #[test]
    fn a_change_is_followed() {
        let mut ways = TwoWays::new();
        rounds(&mut ways, 1000, 1.0, 2.0);
        rounds(&mut ways, 60, 100.0, 30.0);
        assert_eq!(rounds(&mut ways, 7, 100.0, 30.0), 7);
        rounds(&mut ways, 1000, 100.0, 30.0);
        rounds(&mut ways, 200, 1.0, 2.0);
        assert_eq!(rounds(&mut ways, 7, 1.0, 2.0), 0);
    }

    #[test]
    fn a_stall_of_the_machine_changes_nothing() {
        let mut ways = TwoWays::new();
        rounds(&mut ways, 200, 1.0, 0.3);
        for _ in 0..20 {
            let round = ways.begin(true);
            ways.end(round, 10.0);
            assert!(rounds(&mut ways, 50, 1.0, 0.3) >= 47);
        }
    }

    #[test]
    fn what_is_usual_is_not_moved_by_a_few_dear_ones() {
        let mut ways = TwoWays::new();
        for round in 0..200 {
            ways.count(if round % 5 == 0 { 1000.0 } else { 10.0 });
        }
        assert!(ways.usual < 15.0, "{}", ways.usual);
    }

    /// Costs that come in two sizes make no news of each other forever.
    #[test]
    #[cfg_attr(miri, ignore = "too many rounds for an interpreter")]
    fn two_faces_cost_few_trials() {
        let mut ways = TwoWays::new();
        let mut noise = noise(1, 1.0);
        let mut both = || {
            let cost = if noise() < 1.0 { 1.0 } else { 3.0 };
            (cost, cost * 2.0)
        };
        rounds_by(&mut ways, 1000, &mut both);
        let shared = rounds_by(&mut ways, 20_000, &mut both);
        assert!(shared < 1000, "{shared}");
    }

    /// Two threads, each of which begins its next round when its last one is over.
    #[test]
    fn most_rounds_go_the_better_way_where_threads_take_them_at_once() {
        let mut ways = TwoWays::new();
        let mut alone = 0;
        let mut rounds = [None; 2];
        for round in 0..2000 {
            let mine: &mut Option<Round> = &mut rounds[round % 2];
            if let Some(mine) = mine.take() {
                alone += usize::from(mine.way == Way::Alone);
                // Not so dear that the first one tells.
                ways.end(mine, if mine.way == Way::Alone { 1.5 } else { 1.0 });
            }
            *mine = Some(ways.begin(true));
        }
        assert!(alone < 100, "{alone}");
    }

    /// Rounds of a trial that others have begun before it was lost cost as much as those judged.
    #[test]
    #[cfg_attr(miri, ignore = "too many rounds for an interpreter")]
    fn trials_of_many_threads_cost_next_to_nothing() {
        let mut ways = TwoWays::new();
        let mut rounds = [None; 64];
        let mut dear = 0;
        let count = 2_000_000;
        for round in 0..count {
            let mine: &mut Option<Round> = &mut rounds[round % 64];
            if let Some(mine) = mine.take() {
                let is_dear = mine.way == Way::Shared;
                dear += usize::from(is_dear && round > count / 2);
                ways.end(mine, if is_dear { 10.0 } else { 1.0 });
            }
            *mine = Some(ways.begin(true));
        }
        assert!(dear > 0);
        assert!(dear * 9 < count / 2 / 300, "{dear}");
    }

    #[test]
    fn what_costs_nothing_or_no_number_is_no_reason_to_try() {
        assert!(rounds(&mut TwoWays::new(), 10_000, 0.0, 0.0) < 300);
        for cost in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let mut ways = TwoWays::new();
            assert!(rounds(&mut ways, 100, cost, cost) < 20);
            assert!(rounds(&mut ways, 100, 1.0, 2.0) < 20);
        }
    }

    /// One that fails each time, say, so that nobody knows what it would cost.
    #[test]
    fn a_trial_whose_costs_are_no_number_ends() {
        for cost in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let mut ways = TwoWays::new();
            rounds(&mut ways, 100, 1.0, 2.0);
            assert_eq!(ways.in_use(), Way::Alone);
            let shared = rounds(&mut ways, 10_000, 1.0, cost);
            assert!(shared < 1000, "{cost} {shared}");
            assert_eq!(ways.in_use(), Way::Alone);
        }
    }

    #[test]
    fn a_way_may_be_left_for_any_cost() {
        for cost in [
            0.0,
            -1.0,
            f64::MAX,
            f64::NAN,
            f64::INFINITY,
            f64::NEG_INFINITY,
        ] {
            let mut ways = TwoWays::new();
            rounds(&mut ways, 100, 1.0, 2.0);
            ways.change(cost);
            assert_eq!(ways.in_use(), Way::Shared);
            rounds(&mut ways, 2000, 1.0, 2.0);
            assert!(ways.usual() == 1.0, "{cost} {}", ways.usual());
            assert_eq!(ways.in_use(), Way::Alone, "{cost}");
        }
    }

    #[test]
    fn rounds_may_cost_the_same_for_ever() {
        let mut ways = TwoWays::new();
        ways.count(1.0);
        ways.streak = u32::MAX;
        ways.count(1.0);
        assert!(ways.usual() == 1.0);
    }

    #[test]
    fn a_unit_is_as_good_as_another() {
        for unit in [1e-9, 1.0, 1e9] {
            let mut ways = TwoWays::new();
            rounds(&mut ways, 1000, unit, 2.0 * unit);
            rounds(&mut ways, 60, 100.0 * unit, 30.0 * unit);
            assert_eq!(rounds(&mut ways, 7, 100.0 * unit, 30.0 * unit), 7, "{unit}");
        }
    }

    #[test]
    fn nothing_is_tried_that_may_not_be() {
        let mut ways = TwoWays::new();
        for _ in 0..1000 {
            let round = ways.begin(false);
            assert_eq!(round.way, Way::Shared);
            ways.end(round, 1.0);
        }
        assert!(ways.begin(true).is_trial());
    }
}
