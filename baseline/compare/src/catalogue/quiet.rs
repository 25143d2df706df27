//! A loop after a pause in which the other threads have gone to sleep: the first one of a frame, or
//! of a program that waits for its user. A short one is over before anybody has woken.

use super::turns::{Runner, fill, in_turn, taken};
use crate::bench::Bench;
use crate::workload::{Report, Workload};
use ours::Ours;
use std::thread;
use std::time::Duration;
use suite::program::named;
use suite::{Cost, CpuClock, Items, Serial, Table, factor, median, percentile, seconds};

/// Long enough for every pool to go to sleep.
const PAUSE: Duration = Duration::from_millis(1);
/// Loops of a contender in a round.
const LOOPS: u32 = 20;

const LOOPS_OF: [(&str, usize, Duration); 6] = [
    ("64x10ns", 64, Duration::from_nanos(10)),
    ("8x600ns", 8, Duration::from_nanos(600)),
    ("8x5us", 8, Duration::from_micros(5)),
    ("8x20us", 8, Duration::from_micros(20)),
    ("8x100us", 8, Duration::from_micros(100)),
    ("1000x1us", 1_000, Duration::from_micros(1)),
];

const COLUMNS: [&str; 6] = ["pool", "time", "x serial", "p90", "CPU a loop", "loops"];

/// All of this kind.
pub fn workloads() -> Vec<Workload> {
    let quiet = |(label, items, time)| {
        Workload::special(
            format!("quiet-{label}"),
            &["time", "p90", "cpu"],
            move |bench, name| run(bench, name, items, time),
        )
    };
    LOOPS_OF.into_iter().map(quiet).collect()
}

#[derive(Default)]
struct Loops {
    /// The seconds of each.
    times: Vec<f64>,
    /// CPU seconds of the whole process, pauses and all.
    cpu: f64,
}

impl Loops {
    fn cpu_a_loop(&self) -> f64 {
        self.cpu / self.times.len() as f64
    }

    fn row(&self, serial: Option<f64>) -> Option<Vec<String>> {
        let time = (!self.times.is_empty()).then(|| median(&self.times))?;
        Some(vec![
            seconds(time),
            serial.map_or("-".to_owned(), |serial| factor(time / serial)),
            seconds(percentile(&self.times, 0.9)),
            seconds(self.cpu_a_loop()),
            self.times.len().to_string(),
        ])
    }
}

fn run(bench: &Bench, name: &str, len: usize, time: Duration) -> Report {
    let cost = Cost::Steps(bench.spinner.steps(time));
    let runners = in_turn(
        bench,
        name,
        bench.plan.rounds,
        |runner: &mut Runner<Loops>| {
            let mut items = Items::new(len).timed();
            let cpu = CpuClock::start();
            for _ in 0..LOOPS {
                thread::sleep(PAUSE);
                runner.contender.for_each(&mut items, cost, 1)?;
            }
            runner.taken.cpu += cpu.elapsed();
            runner.taken.times.extend(items.take_times());
            items.verify()
        },
    );
    let about = format!(
        "for_each over {len} items of {}, each a millisecond after the one before, in which all threads \
         sleep. Timed without what leads into the pool.",
        seconds(time.as_secs_f64())
    );
    let mut table = Table::new(name, &about, &COLUMNS);
    let serial = taken(&runners, Serial::NAME).filter(|serial| !serial.times.is_empty());
    let serial = serial.map(|serial| median(&serial.times));
    let refused = fill(&mut table, &runners, |runner| runner.taken.row(serial));
    let figures = taken(&runners, Ours::NAME).filter(|ours| !ours.times.is_empty());
    let figures = figures.map(|ours| {
        named([
            ("time", median(&ours.times)),
            ("p90", percentile(&ours.times, 0.9)),
            ("cpu", ours.cpu_a_loop()),
        ])
    });
    Report {
        table,
        plot: None,
        figures: figures.unwrap_or_default(),
        refused,
    }
}
