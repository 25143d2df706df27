//! Busy programs beside the app: images on the io pool, and a lock that frames share with a
//! background task.

use crate::apps;
use crate::frames::{Frames, Pace};
use bevy_tasks::{AsyncComputeTaskPool, IoTaskPool, Task, block_on};
use std::process::{self, Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};
use suite::program::{Figures, Options, Problem, check};
use suite::{Spinner, await_all, percentile, spin};

const IMAGES: u64 = 100;
const IMAGE: Duration = Duration::from_millis(1);
/// How long the background task holds the lock, and how long it does without.
const HELD: Duration = Duration::from_micros(200);
const FREE: Duration = Duration::from_millis(2);

/// Loops, and looks now and then whether the process that is told still runs: one that is killed
/// drops nothing, and all workloads after it would have these beside them.
const BUSY: &str = "while kill -0 $0; do i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done; done";

/// Programs that loop, until this is dropped.
struct Neighbours(Vec<Child>);

impl Neighbours {
    fn start(count: usize) -> Result<Self, Problem> {
        let mut neighbours = Self(Vec::new());
        for _ in 0..count {
            let child = Command::new("sh")
                .args(["-c", BUSY, &process::id().to_string()])
                // Whoever waits for the end of what this process prints doesn't wait for them.
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn();
            let child =
                child.map_err(|reason| Problem::other(format!("can't run sh: {reason}")))?;
            neighbours.0.push(child);
        }
        thread::sleep(Duration::from_millis(50));
        Ok(neighbours)
    }
}

impl Drop for Neighbours {
    fn drop(&mut self) {
        for child in &mut self.0 {
            // One that has ended is no harm.
            _ = child.kill();
            _ = child.wait();
        }
    }
}

/// The median time of loading all images.
fn load(options: &Options, spinner: Spinner) -> Result<f64, Problem> {
    let steps = spinner.steps(IMAGE);
    let expected = spin(steps);
    let image = || IoTaskPool::get().spawn(async move { u64::from(spin(steps) == expected) });
    let mut times = Vec::new();
    let start = Instant::now();
    while times.len() < 3 || start.elapsed() < options.length(2.0) {
        let start = Instant::now();
        let images: Vec<Task<u64>> = (0..IMAGES).map(|_| image()).collect();
        check("the count of images", IMAGES, block_on(await_all(images)))?;
        times.push(start.elapsed().as_secs_f64());
    }
    Ok(percentile(&times, 0.5))
}

/// The waits for a lock before each frame, and how often a background task has held it.
fn lock(options: &Options, spinner: Spinner) -> Result<(Vec<f64>, u64), Problem> {
    let mut frames = Frames::new(apps::app(), Pace::SixtyHertz, spinner);
    let shared = Arc::new((Mutex::new(0_u64), AtomicBool::new(false)));
    let (held, free) = (spinner.steps(HELD), spinner.steps(FREE));
    let other = shared.clone();
    let task = AsyncComputeTaskPool::get().spawn(async move {
        let (lock, over) = &*other;
        let mut rounds = 0;
        while !over.load(Ordering::Relaxed) {
            let mut count = lock.lock().unwrap_or_else(PoisonError::into_inner);
            std::hint::black_box(spin(held));
            *count += 1;
            drop(count);
            std::hint::black_box(spin(free));
            rounds += 1;
        }
        rounds
    });
    let mut waits = Vec::new();
    let start = Instant::now();
    while start.elapsed() < options.length(8.0) {
        let asked = Instant::now();
        drop(shared.0.lock().unwrap_or_else(PoisonError::into_inner));
        waits.push(asked.elapsed().as_secs_f64());
        frames.step();
    }
    shared.1.store(true, Ordering::Relaxed);
    let rounds = block_on(task);
    let count = *shared.0.lock().unwrap_or_else(PoisonError::into_inner);
    check("the count of rounds", rounds, count)?;
    frames.check()?;
    Ok((waits, rounds))
}

/// All beside so many busy programs.
pub fn run(options: &Options, neighbours: usize) -> Figures {
    let spinner = Spinner::calibrate();
    let _pools = apps::app();
    let neighbours = Neighbours::start(neighbours)?;
    let load = load(options, spinner)?;
    let (waits, rounds) = lock(options, spinner)?;
    drop(neighbours);
    let figures = [
        ("load", load),
        ("lock-p99", percentile(&waits, 0.99)),
        ("lock-max", percentile(&waits, 1.0)),
        ("rounds", rounds as f64),
    ];
    Ok(figures
        .map(|(metric, figure)| (metric.to_owned(), figure))
        .into())
}
