//! The choice between running a schedule on one thread and on all: by what each was seen to cost.

use heartbeat_pool::{Round, TwoWays, Way};

/// What all threads cost at the least, in nanoseconds: a hand-over, and each system's task.
const LEAST: f64 = 5_000.0;
const LEAST_A_SYSTEM: f64 = 300.0;
/// What all threads may cost a system, in nanoseconds, where many conflict or the build is not
/// optimized. What takes a schedule longer than that may be work that they share.
const MOST_A_SYSTEM: f64 = 5_000.0;
/// By how much a frame may be late for a trial on one thread, in nanoseconds, if all of that is
/// work that threads share: a quarter of a frame at 60 Hz. By more than `LATE` it is once in so
/// many frames: in a minute of play nobody sees that, among the slowest hundredth neither.
const LATEST: f64 = 4_000_000.0;
const LATE: f64 = 1_000_000.0;
const SELDOM: u32 = 1_000;
/// It is tried all the same where one thread took no more than so many times as long before: that
/// may have been left for what other programs made of a few runs.
const HARDLY_LATE: f64 = 1.5;
/// A run that costs so many times what is usual, and by which a frame may have been `LATEST`, is
/// what the schedule does now and then; so many in a row are what it does from now on.
const RARE: f64 = 2.0;
const IN_A_ROW: u32 = 3;

/// What one schedule costs, in nanoseconds, and how to run it.
#[derive(Clone, Debug)]
pub(super) struct Choice {
    systems: usize,
    ways: TwoWays,
    /// Runs since the last trial.
    since_trial: u32,
    rare: Rare,
}

/// The long runs of a schedule that is short most of the time: so few that what is usual doesn't
/// tell of them, and each a late frame where it is on one thread. After one all threads run the
/// schedule, until that has cost as much as they may have saved in that run: so they cost twice
/// what the better way does at the most, whether the long runs come again or not.
#[derive(Clone, Copy, Debug, Default)]
struct Rare {
    /// What the last one took on one thread.
    alone: f64,
    /// What all threads may still cost beyond the usual run on one.
    owed: f64,
    in_a_row: u32,
}

impl Rare {
    /// After a run on one thread, which all may have done in so much less.
    fn late(&mut self, cost: f64, saved: f64) {
        *self = Self {
            alone: cost,
            owed: saved,
            in_a_row: 0,
        };
    }

    /// After a long run on all threads.
    fn shared(&mut self, cost: f64) {
        self.in_a_row += 1;
        self.owed = if cost < self.alone {
            self.owed.max(self.alone - cost)
        } else {
            0.0
        };
    }

    /// After a usual run on all threads, which cost so much more than on one.
    fn pay(&mut self, more: f64) {
        self.in_a_row = 0;
        self.owed -= more.max(LEAST);
    }
}

impl Choice {
    /// Of a schedule that never ran. Its first runs are on all threads: some run only once, and
    /// have much to do.
    pub(super) fn new(systems: usize) -> Self {
        Self {
            systems,
            ways: TwoWays::new(),
            since_trial: 0,
            rare: Rare::default(),
        }
    }

    /// How to run it this time, in a pool of so many threads.
    pub(super) fn begin(&mut self, threads: usize) -> Round {
        if self.rare.owed > 0.0 {
            return Round::untried(Way::Shared);
        }
        let may_pay = match self.ways.in_use() {
            Way::Shared => {
                let is_known = self.ways.other_cost() <= self.ways.usual() * HARDLY_LATE;
                let is_seldom = self.since_trial >= SELDOM;
                is_known || self.latest(threads) <= if is_seldom { LATEST } else { LATE }
            }
            Way::Alone => self.least(threads) < self.ways.enough(),
        };
        self.ways.begin(may_pay)
    }

    /// What it would cost on all threads at the least.
    fn least(&self, threads: usize) -> f64 {
        self.least_of(self.ways.usual(), threads)
    }

    fn least_of(&self, alone: f64, threads: usize) -> f64 {
        alone / threads as f64 + LEAST + LEAST_A_SYSTEM * self.systems as f64
    }

    /// By how much longer it would take on one thread at the most.
    fn latest(&self, threads: usize) -> f64 {
        let shared = self.ways.usual() - MOST_A_SYSTEM * self.systems as f64;
        shared * (threads - 1) as f64
    }

    /// Notes what the run took, in a pool of so many threads.
    pub(super) fn end(&mut self, round: Round, cost: f64, threads: usize) {
        // A trial's cost is judged as that.
        if self.ways.in_use() == Way::Alone && !round.is_trial() {
            self.note_rare(round.way, cost, threads);
        }
        self.since_trial = if round.is_trial() {
            0
        } else {
            self.since_trial.saturating_add(1)
        };
        self.ways.end(round, cost);
    }

    /// Notes a run of what usually is on one thread.
    fn note_rare(&mut self, way: Way, cost: f64, threads: usize) {
        let saved = cost - self.least_of(cost, threads);
        let is_rare = cost > self.ways.usual() * RARE;
        match way {
            Way::Alone if is_rare && saved > LATEST => self.rare.late(cost, saved),
            Way::Alone => {}
            Way::Shared if is_rare && cost > LATE => self.rare.shared(cost),
            Way::Shared => self.rare.pay(cost - self.ways.usual()),
        }
        if self.rare.in_a_row == IN_A_ROW {
            // As if it were new: what was usual is no more.
            (self.ways, self.rare) = (TwoWays::new(), Rare::default());
        }
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
            let round = choice.begin(THREADS);
            let is_shared = round.way == Way::Shared;
            choice.end(round, if is_shared { all } else { one }, THREADS);
            is_shared
        };
        (0..count).filter(run).count() as u32
    }

    #[test]
    fn what_is_small_never_leaves_its_thread_again() {
        let mut choice = Choice::new(SYSTEMS);
        runs(&mut choice, 20, 10_000.0, 30_000.0);
        // However little it seems that all threads would cost.
        assert_eq!(runs(&mut choice, 100_000, 10_000.0, 1_000.0), 0);
    }

    #[test]
    fn no_frame_is_late_for_a_trial_of_what_is_long() {
        let mut choice = Choice::new(SYSTEMS);
        assert_eq!(runs(&mut choice, 10_000, 3.6e6, 1.8e6), 10_000);
        // Once it is short, one thread is tried after all.
        runs(&mut choice, 1000, 10_000.0, 30_000.0);
        assert_eq!(runs(&mut choice, 50, 10_000.0, 30_000.0), 0);
    }

    #[test]
    fn few_frames_are_late_for_trials_of_what_is_not_short() {
        let mut choice = Choice::new(SYSTEMS);
        let late = 10_000 - runs(&mut choice, 10_000, 2.7e6, 1.4e6);
        assert!((1..=20).contains(&late), "{late}");
        // One thread is found in the end where it is the better one.
        runs(&mut choice, 4_000, 1.2e6, 1.4e6);
        assert_eq!(runs(&mut choice, 50, 1.2e6, 1.4e6), 0);
    }

    #[test]
    fn one_thread_that_was_left_by_mistake_is_tried_again_however_long_it_takes() {
        let mut choice = Choice::new(SYSTEMS);
        runs(&mut choice, 100, 10_000.0, 30_000.0);
        // It has grown, and others disturb what runs on one thread.
        runs(&mut choice, 200, 2.3e6, 1.6e6);
        assert_eq!(choice.ways.in_use(), Way::Shared);
        runs(&mut choice, 150, 1.5e6, 1.7e6);
        // All but trials.
        assert!(runs(&mut choice, 1000, 1.5e6, 1.7e6) <= 20);
    }

    #[test]
    fn no_more_than_a_frame_or_two_is_late_for_such_a_trial() {
        let mut choice = Choice::new(SYSTEMS);
        runs(&mut choice, 100, 10_000.0, 30_000.0);
        // As its cost on one thread becomes known, it is left before all of it is.
        let grows = (20..200).map(|part| part.min(100) as f64 / 100.0);
        grows.for_each(|part| _ = runs(&mut choice, 1, 3.6e6 * part, 1.8e6 * part));
        assert_eq!(choice.ways.in_use(), Way::Shared);
        assert!(runs(&mut choice, 10_000, 3.6e6, 1.8e6) >= 9_998);
    }

    #[test]
    fn many_systems_are_tried_on_one_thread_however_long_they_take() {
        let mut choice = Choice::new(1000);
        runs(&mut choice, 100, 200_000.0, 3.5e6);
        assert_eq!(runs(&mut choice, 50, 200_000.0, 3.5e6), 0);
    }

    #[test]
    fn what_has_grown_leaves_it_soon() {
        let mut choice = Choice::new(SYSTEMS);
        runs(&mut choice, 1000, 10_000.0, 30_000.0);
        runs(&mut choice, 30, 1e6, 3e5);
        // All but trials.
        assert!(runs(&mut choice, 50, 1e6, 3e5) >= 46);
        runs(&mut choice, 60, 10_000.0, 30_000.0);
        assert_eq!(runs(&mut choice, 50, 10_000.0, 30_000.0), 0);
    }
    #[test]
    fn long_runs_that_are_rare_are_on_all_threads() {
        for every in [8, 60, 500] {
            let mut choice = Choice::new(SYSTEMS);
            runs(&mut choice, 1000, 10_000.0, 30_000.0);
            let long = |_| {
                runs(&mut choice, every - 1, 10_000.0, 30_000.0);
                runs(&mut choice, 1, 80e6, 22e6)
            };
            let shared: u32 = (0..50).map(long).sum();
            assert!(shared >= 49, "{every}: {shared}");
        }
    }

    #[test]
    fn trials_that_are_lost_are_no_rare_runs() {
        let mut choice = Choice::new(SYSTEMS);
        runs(&mut choice, 20, 10_000.0, 30_000.0);
        runs(&mut choice, 1_000, 1e6, 3e6);
        assert_eq!(choice.ways.in_use(), Way::Alone);
        let shared = runs(&mut choice, 20_000, 1e6, 3e6);
        assert!(shared <= 20, "{shared}");
    }

    #[test]
    fn what_is_always_long_is_no_rare_run() {
        // So many systems that even on all threads it may have been theirs.
        let mut choice = Choice::new(4_000);
        runs(&mut choice, 100, 10e6, 19e6);
        assert_eq!(choice.ways.in_use(), Way::Alone);
        let shared = runs(&mut choice, 1_000, 10e6, 19e6);
        assert!(shared <= 20, "{shared}");
    }

    #[test]
    fn usual_runs_after_a_rare_one_are_no_more_of_these() {
        let mut choice = Choice::new(SYSTEMS);
        runs(&mut choice, 20, 10_000.0, 30_000.0);
        runs(&mut choice, 1_000, 0.8e6, 1.5e6);
        assert_eq!(choice.ways.in_use(), Way::Alone);
        runs(&mut choice, 1, 80e6, 22e6);
        // All threads have cost by now as much as they may have saved.
        runs(&mut choice, 200, 0.8e6, 1.5e6);
        let shared = runs(&mut choice, 100, 0.8e6, 1.5e6);
        assert!(shared <= 5, "{shared}");
    }

    #[test]
    fn after_what_was_late_for_another_reason_one_thread_is_found_again() {
        let mut choice = Choice::new(SYSTEMS);
        runs(&mut choice, 1000, 10_000.0, 30_000.0);
        runs(&mut choice, 1, 20e6, 20e6);
        // All threads cost as much as was lost, and no more.
        let shared = runs(&mut choice, 10_000, 10_000.0, 30_000.0);
        assert!((1..=800).contains(&shared), "{shared}");
        // Nor do they keep it for ever where it makes no difference.
        runs(&mut choice, 1, 20e6, 20e6);
        let shared = runs(&mut choice, 10_000, 10_000.0, 10_000.0);
        assert!((1..=5_000).contains(&shared), "{shared}");
        // Long runs that all threads don't make shorter are left to one.
        let long = |_| {
            runs(&mut choice, 59, 10_000.0, 30_000.0);
            runs(&mut choice, 1, 20e6, 20e6)
        };
        let shared: u32 = (0..50).map(long).sum();
        assert!((20..=30).contains(&shared), "{shared}");
    }

    #[test]
    fn one_frame_is_late_where_what_was_short_is_long_from_now_on() {
        let mut choice = Choice::new(SYSTEMS);
        runs(&mut choice, 1000, 10_000.0, 30_000.0);
        assert_eq!(runs(&mut choice, 1000, 80e6, 22e6), 999);
        // And what is short again goes back.
        runs(&mut choice, 1000, 10_000.0, 30_000.0);
        assert_eq!(runs(&mut choice, 50, 10_000.0, 30_000.0), 0);
    }
}
