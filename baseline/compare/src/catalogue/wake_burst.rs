//! How soon a sleeping pool has all its threads at work.

use crate::bench::Bench;
use crate::workload::Workload;
use std::sync::Arc;
use std::thread;
use std::time::Duration;
use suite::{Burst, Contender, CpuClock, Refusal, Starts, Table, median, percentile, seconds};

/// Long enough for every pool to go to sleep.
const PAUSE: Duration = Duration::from_millis(2);
/// How long each job spins: longer than a wake-up, so that no thread runs two.
const JOB: Duration = Duration::from_micros(100);
/// A job that has not run by then is lost.
const LOST: Duration = Duration::from_secs(1);
/// Bursts of a contender in a round.
const BURSTS: usize = 10;

/// The workload.
pub fn workload() -> Workload {
    Workload::special("wake-burst", |bench, name| run(bench, name).into())
}

struct Runner<'a> {
    contender: &'a dyn Contender,
    starts: Vec<Starts>,
    cpu: f64,
    /// Why it was taken out.
    out: Option<Refusal>,
}

impl Runner<'_> {
    fn burst(&mut self, bench: &Bench, steps: u64) -> Result<(), Refusal> {
        thread::sleep(PAUSE);
        let cpu = CpuClock::start();
        let what = format!("wake-burst on {}", self.contender.name());
        let starts = bench.watch(&what, || {
            let burst = Arc::new(Burst::begin(bench.options.threads, steps));
            self.contender.spawn_burst(&burst)?;
            burst.wait(LOST).ok_or(Refusal::Lost(LOST))
        })?;
        self.starts.push(starts);
        self.cpu += cpu.elapsed();
        Ok(())
    }

    fn round(&mut self, bench: &Bench, steps: u64) {
        for _ in 0..BURSTS {
            if self.out.is_none() {
                self.out = self.burst(bench, steps).err();
            }
        }
    }
}

fn run(bench: &Bench, name: &str) -> Table {
    let about = format!(
        "One job a thread ({} of 100 us), spawned from outside, the pool asleep before each.",
        bench.options.threads
    );
    let columns = [
        "pool",
        "spawn to first start",
        "p90",
        "first to last start",
        "p90",
        "CPU a burst",
        "bursts",
    ];
    let mut table = Table::new(name, &about, &columns);
    let steps = bench.spinner.steps(JOB);
    let lineup = bench.pools().iter();
    let mut runners: Vec<Runner> = lineup
        .map(|contender| Runner {
            contender,
            starts: Vec::new(),
            cpu: 0.0,
            out: None,
        })
        .collect();
    for round in 0..bench.plan.rounds {
        for turn in 0..runners.len() {
            let place = (turn + round) % runners.len();
            runners[place].round(bench, steps);
        }
        bench.advance((round + 1) as f64 / bench.plan.rounds as f64);
    }
    for runner in &runners {
        let (name, bursts) = (runner.contender.name(), runner.starts.len());
        if let Some(refusal) = &runner.out
            && *refusal != Refusal::Unsupported
        {
            let note = format!("{name}, after {bursts} bursts: {refusal}.");
            table.notes.push(note);
        }
        if bursts > 0 {
            table.rows.push(row(runner));
        }
    }
    table
}

fn row(runner: &Runner) -> Vec<String> {
    let first: Vec<f64> = runner.starts.iter().map(|starts| starts.first).collect();
    let spread: Vec<f64> = runner.starts.iter().map(|starts| starts.spread).collect();
    vec![
        runner.contender.name().to_owned(),
        seconds(median(&first)),
        seconds(percentile(&first, 0.9)),
        seconds(median(&spread)),
        seconds(percentile(&spread, 0.9)),
        seconds(runner.cpu / runner.starts.len() as f64),
        runner.starts.len().to_string(),
    ]
}
