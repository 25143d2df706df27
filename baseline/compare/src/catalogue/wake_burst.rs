//! How soon a sleeping pool has all its threads at work.

use super::turns::{Runner, fill, in_turn, taken};
use crate::bench::Bench;
use crate::workload::{Report, Workload};
use ours::Ours;
use std::sync::Arc;
use std::thread;
use std::time::Duration;
use suite::program::named;
use suite::{Burst, CpuClock, Refusal, Starts, Table, median, percentile, seconds};

/// Long enough for every pool to go to sleep.
const PAUSE: Duration = Duration::from_millis(2);
/// How long each job spins: longer than a wake-up, so that no thread runs two.
const JOB: Duration = Duration::from_micros(100);
/// A job that has not run by then is lost.
const LOST: Duration = Duration::from_secs(1);
/// Bursts of a contender in a round.
const BURSTS: usize = 10;

const COLUMNS: [&str; 7] = [
    "pool",
    "spawn to first start",
    "p90",
    "first to last start",
    "p90",
    "CPU a burst",
    "bursts",
];

/// The workload.
pub fn workload() -> Workload {
    Workload::special("wake-burst", &["first-start", "last-start", "cpu"], run)
}

#[derive(Default)]
struct Bursts {
    /// Seconds from the spawn to the first job's start, a burst each.
    first: Vec<f64>,
    /// Seconds from the first job's start to the last one's.
    spread: Vec<f64>,
    cpu: f64,
}

impl Bursts {
    /// CPU seconds of the whole process.
    fn cpu_a_burst(&self) -> f64 {
        self.cpu / self.first.len() as f64
    }

    fn row(&self) -> Option<Vec<String>> {
        (!self.first.is_empty()).then(|| {
            vec![
                seconds(median(&self.first)),
                seconds(percentile(&self.first, 0.9)),
                seconds(median(&self.spread)),
                seconds(percentile(&self.spread, 0.9)),
                seconds(self.cpu_a_burst()),
                self.first.len().to_string(),
            ]
        })
    }
}

fn burst(runner: &mut Runner<Bursts>, threads: usize, steps: u64) -> Result<(), Refusal> {
    thread::sleep(PAUSE);
    let cpu = CpuClock::start();
    let burst = Arc::new(Burst::begin(threads, steps));
    runner.contender.spawn_burst(&burst)?;
    let Starts { first, spread } = burst.wait(LOST).ok_or(Refusal::Lost(LOST))?;
    runner.taken.first.push(first);
    runner.taken.spread.push(spread);
    runner.taken.cpu += cpu.elapsed();
    Ok(())
}

fn run(bench: &Bench, name: &str) -> Report {
    let threads = bench.options.threads;
    let steps = bench.spinner.steps(JOB);
    let runners = in_turn(bench, name, bench.plan.rounds, |runner| {
        (0..BURSTS).try_for_each(|_| burst(runner, threads, steps))
    });
    let about = format!(
        "One job a thread ({threads} of 100 us), spawned from outside, the pool asleep before each."
    );
    let mut table = Table::new(name, &about, &COLUMNS);
    let refused = fill(&mut table, &runners, |runner| runner.taken.row());
    let figures = taken(&runners, Ours::NAME).filter(|ours| !ours.first.is_empty());
    let figures = figures.map(|ours| {
        named([
            ("first-start", median(&ours.first)),
            ("last-start", median(&ours.spread)),
            ("cpu", ours.cpu_a_burst()),
        ])
    });
    Report {
        table,
        plot: None,
        figures: figures.unwrap_or_default(),
        refused,
    }
}
