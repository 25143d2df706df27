//! The choice between running a schedule on one thread and on all: by what each was seen to cost.

/// A way to run a schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    OneThread,
    AllThreads,
}

/// Runs between trials of the way that is not in use: at first, by the one in use. It doubles with
/// each trial that changes nothing. One thread doubts itself soon, for a trial of all threads costs
/// little, and the first may fail because they were cold, or shared a core.
const PATIENCE_OF_ONE: u32 = 8;
const PATIENCE_OF_ALL: u32 = 64;
/// By one thread after a switch that came within so many runs of the last. Where there is little
/// between the ways, chance would lead to and fro.
const PATIENCE_OF_FICKLE: u32 = 32;
const FICKLE: u32 = 512;
/// To which it may double in any case, and then until trials cost one run in so many.
const PATIENCE: u32 = 128;
const FRUGALITY: f64 = 1000.0;
const MOST_PATIENCE: u32 = 1 << 14;
/// Runs of all threads in a trial, and of one.
const TRIAL_OF_ALL: u32 = 3;
const TRIAL_OF_ONE: u32 = 1;
/// Runs after a trial before a change of cost may start the next.
const REST: u32 = 8;
/// A change of cost by this factor makes an old decision doubtful.
const CHANGE: f64 = 1.5;
/// All threads must save this share of the time: they cost more processor time in any case.
const GAIN: f64 = 0.9;
/// A new cost counts one in so many, and at most as so many times what was usual: a thread that the
/// system stops for a while is no change of the game.
const WEIGHT: f64 = 8.0;
const OUTLIER: f64 = 3.0;
/// What all threads cost at the least, in nanoseconds: a hand-over, and each system's task.
const LEAST: f64 = 5_000.0;
const LEAST_A_SYSTEM: f64 = 300.0;

/// What one schedule costs, and how to run it. Costs are in nanoseconds.
#[derive(Clone, Debug)]
pub(super) struct Choice {
    systems: usize,
    /// Whether it never ran.
    first: bool,
    in_use: Way,
    /// What the way in use usually costs; infinite before it was seen.
    cost: f64,
    /// What its last two runs cost.
    last: [f64; 2],
    /// What it cost at the last trial of the other.
    cost_at_trial: f64,
    trial: Option<Trial>,
    patience: u32,
    since_trial: u32,
    since_switch: u32,
}

/// A trial of the way that is not in use.
#[derive(Clone, Copy, Debug)]
struct Trial {
    left: u32,
    /// What a run has cost at its best.
    best: f64,
}

impl Choice {
    /// Of a schedule that never ran. Its first run is on all threads: some run only once, and have
    /// much to do.
    pub(super) fn new(systems: usize) -> Self {
        Self {
            systems,
            first: true,
            in_use: Way::OneThread,
            cost: f64::INFINITY,
            last: [f64::INFINITY; 2],
            cost_at_trial: f64::INFINITY,
            trial: None,
            patience: PATIENCE_OF_ONE,
            since_trial: PATIENCE_OF_ONE,
            since_switch: u32::MAX,
        }
    }

    /// How to run it this time.
    pub(super) fn way(&self) -> Way {
        let other = self.first || self.trial.is_some();
        match (self.in_use, other) {
            (Way::OneThread, false) | (Way::AllThreads, true) => Way::OneThread,
            (Way::AllThreads, false) | (Way::OneThread, true) => Way::AllThreads,
        }
    }

    /// Notes what the run took, in a pool of so many threads.
    pub(super) fn ran(&mut self, cost: f64, threads: usize) {
        if self.first {
            // Everything was cold: it says nothing.
            self.first = false;
        } else if let Some(trial) = &mut self.trial {
            trial.left -= 1;
            // Threads may have slept before the first run of several.
            if trial.left < TRIAL_OF_ALL - 1 {
                trial.best = trial.best.min(cost);
            }
            if trial.left == 0 {
                let other = trial.best;
                self.trial = None;
                self.judge(other);
            }
        } else {
            self.update(cost);
            if self.is_doubtful(threads) {
                self.trial = Some(Trial {
                    left: self.trial_length(),
                    best: f64::INFINITY,
                });
            }
        }
    }

    fn update(&mut self, cost: f64) {
        self.since_trial = self.since_trial.saturating_add(1);
        self.since_switch = self.since_switch.saturating_add(1);
        self.last = [self.last[1], cost];
        if self.cost.is_infinite() {
            self.cost = cost;
            self.cost_at_trial = cost;
        } else {
            self.cost += (cost.min(self.cost * OUTLIER) - self.cost) / WEIGHT;
        }
    }

    /// The runs of a trial of the way that is not in use.
    fn trial_length(&self) -> u32 {
        match self.in_use {
            Way::OneThread => TRIAL_OF_ALL,
            Way::AllThreads => TRIAL_OF_ONE,
        }
    }

    /// Whether it is time to try the other way.
    fn is_doubtful(&self, threads: usize) -> bool {
        let due = self.since_trial >= self.patience;
        let rested = self.since_trial >= REST;
        match self.in_use {
            Way::OneThread => {
                let grown = self.cost > self.cost_at_trial * CHANGE;
                (due || rested && grown) && self.may_pay(threads)
            }
            Way::AllThreads => {
                let shrunk = self.cost < self.cost_at_trial / CHANGE;
                due || rested && shrunk
            }
        }
    }

    /// Whether all threads may be faster than the one in use.
    fn may_pay(&self, threads: usize) -> bool {
        let share = self.cost / threads as f64;
        let least = LEAST + LEAST_A_SYSTEM * self.systems as f64;
        share + least < self.cost * GAIN
    }

    /// After a trial, in which the other way cost `other`.
    fn judge(&mut self, other: f64) {
        // A best of two against a best of two. The other way the usual cost follows a change
        // slowly, and the last ones may be exceptions: in doubt it is all threads, where a long
        // schedule belongs.
        let last = self.last[0].min(self.last[1]);
        let (best, cost) = match self.in_use {
            Way::OneThread if other < last * GAIN => (Way::AllThreads, other),
            Way::AllThreads if other * GAIN <= self.cost.min(last) => (Way::OneThread, other),
            in_use => (in_use, last),
        };
        self.patience = if best == self.in_use {
            let loss = (other / cost - 1.0).max(0.0);
            let dear = (FRUGALITY * loss * f64::from(self.trial_length())) as u32;
            (2 * self.patience).min(dear.clamp(PATIENCE, MOST_PATIENCE))
        } else {
            let is_fickle = self.since_switch < FICKLE;
            self.since_switch = 0;
            match best {
                Way::AllThreads => PATIENCE_OF_ALL,
                Way::OneThread if is_fickle => PATIENCE_OF_FICKLE,
                Way::OneThread => PATIENCE_OF_ONE,
            }
        };
        self.in_use = best;
        self.cost = cost;
        self.cost_at_trial = cost;
        self.since_trial = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SYSTEMS: usize = 32;
    const THREADS: usize = 4;

    /// Runs a schedule that costs `one` and `all`; gives the number of runs on all threads.
    fn runs(choice: &mut Choice, count: u32, one: f64, all: f64) -> u32 {
        let run = |_: &u32| {
            let way = choice.way();
            choice.ran(
                match way {
                    Way::OneThread => one,
                    Way::AllThreads => all,
                },
                THREADS,
            );
            way == Way::AllThreads
        };
        (0..count).filter(run).count() as u32
    }

    fn new() -> Choice {
        Choice::new(SYSTEMS)
    }

    #[test]
    fn what_runs_only_once_has_all_threads() {
        assert_eq!(new().way(), Way::AllThreads);
    }

    #[test]
    fn what_is_small_never_leaves_its_thread_again() {
        assert_eq!(runs(&mut new(), 100_000, 10_000.0, 1_000.0), 1);
    }

    #[test]
    fn what_gains_by_all_threads_gets_them_within_a_few_runs() {
        let mut choice = new();
        runs(&mut choice, 5, 1e6, 3e5);
        assert!(runs(&mut choice, 10_000, 1e6, 3e5) > 9_900);
    }

    #[test]
    fn what_loses_by_them_seldom_tries() {
        let mut choice = new();
        runs(&mut choice, 10, 1e6, 2e6);
        assert!(runs(&mut choice, 10_000, 1e6, 2e6) <= 40);
    }

    #[test]
    fn a_bad_start_is_mended_within_a_few_runs() {
        let mut choice = new();
        runs(&mut choice, 5, 1e6, 3e6);
        assert!(runs(&mut choice, 1000, 1e6, 3e5) > 970);
    }

    #[test]
    fn so_is_a_wrong_turn() {
        let mut choice = new();
        runs(&mut choice, 1000, 1e6, 3e5);
        // Until another program has gone.
        while choice.in_use == Way::AllThreads {
            choice.ran(3e6, THREADS);
        }
        runs(&mut choice, 5, 1e6, 3e5);
        assert!(runs(&mut choice, 100, 1e6, 3e5) > 90);
    }

    #[test]
    fn the_way_that_wins_is_seldom_left() {
        let mut choice = new();
        runs(&mut choice, 5, 1e6, 5e5);
        assert!(runs(&mut choice, 10_000, 1e6, 5e5) > 9_975);
    }

    #[test]
    fn noise_does_not_lead_to_all_threads() {
        let mut choice = new();
        let mut seed = 1_u64;
        let mut all = 0;
        for _ in 0..30_000 {
            seed = seed.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
            let noise = 1.0 + 0.4 * ((seed >> 40) as f64 / (1 << 24) as f64 - 0.5);
            let way = choice.way();
            all += u32::from(way == Way::AllThreads);
            let cost = if way == Way::AllThreads { 1.1e6 } else { 1e6 };
            choice.ran(cost * noise, THREADS);
        }
        assert!(all < 10_000, "{all}");
    }

    #[test]
    fn what_costs_the_same_both_ways_uses_all_threads_seldom() {
        let mut choice = new();
        runs(&mut choice, 5, 1e6, 1e6);
        assert!(runs(&mut choice, 10_000, 1e6, 1e6) < 300);
    }

    #[test]
    fn it_follows_the_game() {
        let mut choice = new();
        runs(&mut choice, 1000, 10_000.0, 30_000.0);
        // Within some runs of a sudden growth or end of work.
        runs(&mut choice, 20, 1e6, 3e5);
        assert_eq!(runs(&mut choice, 50, 1e6, 3e5), 50);
        runs(&mut choice, 20, 10_000.0, 30_000.0);
        assert_eq!(runs(&mut choice, 50, 10_000.0, 30_000.0), 0);
    }

    #[test]
    fn a_stall_of_the_machine_changes_nothing() {
        let mut choice = new();
        runs(&mut choice, 200, 1e6, 3e5);
        for _ in 0..20 {
            choice.ran(1e7, THREADS);
            assert!(runs(&mut choice, 50, 1e6, 3e5) >= 48);
        }
    }
}
