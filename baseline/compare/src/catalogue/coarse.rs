//! A few long jobs, where what counts is that all threads start soon and end together.

use crate::report::Reference;
use crate::workload::{Made, Size, Workload};
use std::time::Duration;
use suite::Coarse;

const JOBS: [usize; 3] = [16, 32, 64];
const TIMES: [(&str, Duration); 3] = [
    ("20us", Duration::from_micros(20)),
    ("200us", Duration::from_micros(200)),
    ("1ms", Duration::from_millis(1)),
];

/// All of this kind.
pub fn workloads() -> Vec<Workload> {
    let all = JOBS
        .iter()
        .flat_map(|&jobs| TIMES.map(|(label, time)| coarse(jobs, label, time)));
    all.collect()
}

fn coarse(jobs: usize, label: &str, time: Duration) -> Workload {
    let name = format!("coarse-{jobs}x{label}");
    let about = format!(
        "A scope of {jobs} equal jobs of {label}, from outside (chili: joins). The ideal is the \
         serial time shared by all threads, plus the time that the system takes to wake one."
    );
    Workload::sampled(name, about, Size::Told, move |bench| {
        let work = Coarse::new(jobs, bench.spinner.steps(time));
        let mut made = Made::call(move |pool, iterations| pool.coarse(&work, iterations));
        made.reference = Reference::Ideal {
            threads: bench.options.threads,
            wake_up: bench.wake_up,
        };
        made
    })
}
