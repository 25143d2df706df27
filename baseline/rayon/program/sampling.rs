//! Medians of a workload's runs on the pool, with its serial reference in turn.

use crate::entry::Entry;
use std::thread;
use std::time::{Duration, Instant};
use suite::program::{Figures, Options, Problem, named};
use suite::{CpuClock, median, order};

/// Caches, branches and whatever measures itself need so long.
const WARM_UP: f64 = 0.3;
/// What the samples take together, unless they are long.
const BUDGET: f64 = 1.5;
const FEWEST_ROUNDS: usize = 5;
/// Lets a pool that ran go to sleep. What it takes for that is counted with the run.
const PAUSE: Duration = Duration::from_millis(1);

/// A workload that is run over and over.
pub trait Case: Send + Sync {
    /// Makes what a run starts from. It takes no time.
    fn prepare(&mut self) {}
    /// A run on the pool.
    fn parallel(&mut self);
    /// A run on this thread alone.
    fn serial(&mut self);
    /// Whether the last run's answer is right. It takes no time, and is called on the pool.
    fn check(&self) -> Result<(), Problem>;
}

/// What a run takes.
struct Taken {
    time: f64,
    cpu: f64,
}

fn run(
    entry: &Entry,
    case: &mut impl Case,
    once: impl FnOnce(&mut dyn Case),
) -> Result<Taken, Problem> {
    case.prepare();
    let cpu = CpuClock::start();
    let start = Instant::now();
    once(case);
    let time = start.elapsed().as_secs_f64();
    thread::sleep(PAUSE);
    let cpu = cpu.elapsed();
    entry.enter(|| case.check())?;
    thread::sleep(PAUSE);
    Ok(Taken { time, cpu })
}

/// The median seconds of a run and of the reference, and the CPU seconds of a run's second.
pub fn sample(options: &Options, entry: &Entry, mut case: impl Case) -> Figures {
    let case = &mut case;
    let parallel = |case: &mut dyn Case| entry.enter(|| case.parallel());
    let serial = |case: &mut dyn Case| case.serial();
    let start = Instant::now();
    while start.elapsed() < options.length(WARM_UP) {
        run(entry, case, parallel)?;
        run(entry, case, serial)?;
    }
    let (mut times, mut serial_times, mut cpu) = (Vec::new(), Vec::new(), 0.0);
    let start = Instant::now();
    for round in 0.. {
        if round >= FEWEST_ROUNDS && start.elapsed() >= options.length(BUDGET) {
            break;
        }
        for place in order(round, 2) {
            if place == 1 {
                serial_times.push(run(entry, case, serial)?.time);
                continue;
            }
            let taken = run(entry, case, parallel)?;
            times.push(taken.time);
            cpu += taken.cpu;
        }
    }
    Ok(named([
        ("time", median(&times)),
        ("serial", median(&serial_times)),
        ("cpu", cpu / times.iter().sum::<f64>()),
    ]))
}
