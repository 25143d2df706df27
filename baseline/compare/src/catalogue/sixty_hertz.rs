//! A game's pace: a little parallel work, then a long sleep, sixty times a second.

use crate::bench::Bench;
use crate::workload::Workload;
use std::thread;
use std::time::{Duration, Instant};
use suite::{Coarse, Contender, CpuClock, Refusal, Serial, Table, median, percentile, seconds};

const FRAME: Duration = Duration::from_nanos(16_666_667);
/// Sixteen jobs of this length: a millisecond of work a frame.
const JOB: Duration = Duration::from_nanos(62_500);
const JOBS: usize = 16;
/// Turns of each contender.
const TURNS: usize = 3;

/// The workload.
pub fn workload() -> Workload {
    Workload::special("60hz", |bench, name| run(bench, name).into())
}

struct Runner<'a> {
    contender: &'a dyn Contender,
    frames: Vec<f64>,
    cpu: f64,
}

impl Runner<'_> {
    /// CPU seconds of the whole process, sleep and all, by the frame.
    fn cpu_a_frame(&self) -> f64 {
        self.cpu / self.frames.len().max(1) as f64
    }

    fn frames(&mut self, work: &Coarse, frames: u32) -> Result<(), Refusal> {
        let cpu = CpuClock::start();
        let start = Instant::now();
        for frame in 1..=frames {
            let begin = Instant::now();
            self.contender.coarse(work, 1)?;
            self.frames.push(begin.elapsed().as_secs_f64());
            thread::sleep((start + FRAME * frame).saturating_duration_since(Instant::now()));
        }
        self.cpu += cpu.elapsed();
        Ok(())
    }
}

fn run(bench: &Bench, name: &str) -> Table {
    let about = "Sixty frames a second, each a scope of 16 jobs from outside (chili: joins), a \
                 millisecond of work together, then sleep till the next.";
    let columns = [
        "pool",
        "frame's work",
        "p99",
        "CPU a frame",
        "beyond serial",
        "frames",
    ];
    let mut table = Table::new(name, about, &columns);
    let work = Coarse::new(JOBS, bench.spinner.steps(JOB));
    let frames = if bench.options.quick { 10 } else { 60 };
    let lineup = bench.pools().iter();
    let mut runners: Vec<Runner> = lineup
        .map(|contender| Runner {
            contender,
            frames: Vec::new(),
            cpu: 0.0,
        })
        .collect();
    for turn in 0..TURNS {
        runners.retain_mut(|runner| {
            let name = runner.contender.name();
            match bench.watch(&format!("60hz on {name}"), || runner.frames(&work, frames)) {
                Ok(()) => true,
                Err(Refusal::Unsupported) => false,
                Err(refusal) => {
                    table.notes.push(format!("{name}: {refusal}."));
                    false
                }
            }
        });
        if !runners.is_empty() {
            runners.rotate_left(1);
        }
        bench.advance((turn + 1) as f64 / TURNS as f64);
    }
    let places: Vec<&str> = bench.pools().iter().map(Contender::name).collect();
    runners.sort_by_key(|runner| {
        places
            .iter()
            .position(|name| *name == runner.contender.name())
    });
    let serial = runners
        .iter()
        .find(|runner| runner.contender.name() == Serial::NAME);
    let serial = serial.map(Runner::cpu_a_frame);
    table
        .rows
        .extend(runners.iter().map(|runner| row(runner, serial)));
    table
}

fn row(runner: &Runner, serial: Option<f64>) -> Vec<String> {
    let cpu = runner.cpu_a_frame();
    let beyond = serial.map_or("-".to_owned(), |serial| seconds((cpu - serial).max(0.0)));
    vec![
        runner.contender.name().to_owned(),
        seconds(median(&runner.frames)),
        seconds(percentile(&runner.frames, 0.99)),
        seconds(cpu),
        beyond,
        runner.frames.len().to_string(),
    ]
}
