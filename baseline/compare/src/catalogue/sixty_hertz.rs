//! A game's pace: a little parallel work, then a long sleep, sixty times a second.

use super::turns::{Runner, fill, in_turn, taken};
use crate::bench::Bench;
use crate::workload::{Report, Workload};
use ours::Ours;
use std::time::Duration;
use suite::program::named;
use suite::{Coarse, Paced, Serial, Table, median, percentile, seconds};

/// Sixteen jobs of this length: a millisecond of work a frame.
const JOB: Duration = Duration::from_nanos(62_500);
const JOBS: usize = 16;
/// Turns of each contender.
const TURNS: usize = 3;

const ABOUT: &str = "Sixty frames a second, each a scope of 16 jobs from outside (chili: joins), a \
                     millisecond of work together, then sleep till the next.";
const COLUMNS: [&str; 6] = [
    "pool",
    "frame's work",
    "p99",
    "CPU a frame",
    "beyond serial",
    "frames",
];

/// The workload.
pub fn workload() -> Workload {
    Workload::special("60hz", &["frame", "p99", "cpu"], run)
}

/// CPU seconds of the whole process, sleep and all, by the frame.
fn cpu_a_frame(paced: &Paced) -> f64 {
    paced.cpu / paced.times.len().max(1) as f64
}

fn run(bench: &Bench, name: &str) -> Report {
    let work = Coarse::new(JOBS, bench.spinner.steps(JOB));
    let frames = if bench.options.common.quick { 10 } else { 60 };
    let runners = in_turn(bench, name, TURNS, |runner: &mut Runner<Paced>| {
        let paced = Paced::run(frames, || runner.contender.coarse(&work, 1))?;
        runner.taken.times.extend(paced.times);
        runner.taken.cpu += paced.cpu;
        Ok(())
    });
    let mut table = Table::new(name, ABOUT, &COLUMNS);
    let serial = taken(&runners, Serial::NAME).map(cpu_a_frame);
    let refused = fill(&mut table, &runners, |runner| row(&runner.taken, serial));
    let figures = taken(&runners, Ours::NAME).filter(|ours| !ours.times.is_empty());
    let figures = figures.map(|ours| {
        named([
            ("frame", median(&ours.times)),
            ("p99", percentile(&ours.times, 0.99)),
            ("cpu", cpu_a_frame(ours)),
        ])
    });
    Report {
        table,
        plot: None,
        figures: figures.unwrap_or_default(),
        refused,
    }
}

fn row(paced: &Paced, serial: Option<f64>) -> Option<Vec<String>> {
    let cpu = cpu_a_frame(paced);
    let beyond = serial.map_or("-".to_owned(), |serial| seconds((cpu - serial).max(0.0)));
    (!paced.times.is_empty()).then(|| {
        vec![
            seconds(median(&paced.times)),
            seconds(percentile(&paced.times, 0.99)),
            seconds(cpu),
            beyond,
            paced.times.len().to_string(),
        ]
    })
}
