//! What is printed at the end.

use bevy_heartbeat::{Lane, PoolMetrics, WorkerMetrics};
use std::time::Duration;

/// The times of a phase's frames.
#[derive(Default)]
pub struct FrameTimes(Vec<Duration>);

impl FrameTimes {
    pub fn add(&mut self, time: Duration) {
        self.0.push(time);
    }

    fn line(&self, phase: &str) -> String {
        let mut sorted = self.0.clone();
        sorted.sort_unstable();
        let at = |part: f64| {
            let last = sorted.len().saturating_sub(1);
            let index = (last as f64 * part).round() as usize;
            sorted
                .get(index)
                .map_or(0.0, |time| time.as_secs_f64() * 1e3)
        };
        format!(
            "{phase:<12} {:>7} {:>9.2} {:>9.2} {:>9.2}",
            sorted.len(),
            at(0.5),
            at(0.99),
            at(1.0)
        )
    }
}

pub fn print_frames(loading: &FrameTimes, living: &FrameTimes) {
    println!(
        "\n{:<12} {:>7} {:>9} {:>9} {:>9}",
        "phase", "frames", "p50 ms", "p99 ms", "max ms"
    );
    println!("{}", loading.line("loading"));
    println!("{}", living.line("living"));
}

fn print_worker(worker: &WorkerMetrics) {
    let jobs = |lane: Lane| worker.jobs[lane.index()];
    println!(
        "{:<18} {:>9} {:>7} {:>10} {:>10} {:>7} {:>7}",
        worker.name,
        jobs(Lane::Frame),
        jobs(Lane::Io),
        jobs(Lane::Background),
        worker.promotions.iter().sum::<u64>(),
        worker.steals.iter().sum::<u64>(),
        worker.parks
    );
}

pub fn print_workers(metrics: &PoolMetrics) {
    println!(
        "\n{:<18} {:>9} {:>7} {:>10} {:>10} {:>7} {:>7}",
        "worker", "frame", "io", "background", "promotions", "steals", "parks"
    );
    for worker in &metrics.workers {
        print_worker(worker);
    }
    if metrics.departed.parks + metrics.departed.jobs.iter().sum::<u64>() > 0 {
        print_worker(&metrics.departed);
    }
    print_worker(&metrics.total());
}
