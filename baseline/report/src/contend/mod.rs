//! The side that is measured: one contender, one workload, in a process of its own.
//!
//! `report WORKLOAD --as NAME SIZE THREADS MILLISECONDS` runs it and prints lines of
//! `WORKLOAD<TAB>METRIC<TAB>FIGURE`, as do the programs that aren't written in Rust.

mod fork;
mod forks;
mod layout;
mod life;
mod lineup;
mod product;
mod queens;
mod rays;
mod recursion;
mod sampler;
mod skynet;
mod spawner;
mod stream;
mod suites;
mod tasks;
mod wire;
mod workers;

pub use product::expected as product_sum;
pub use queens::expected as queens_ways;
pub use rays::RAYS;
pub use recursion::fibonacci;
pub use skynet::expected as skynet_sum;
pub use workers::{MESSAGES, WORKER, serve_pipes};

pub use sampler::{Figures, Sampler};
use std::error::Error;
use std::fs;
use std::time::Duration;
use thiserror::Error;

/// The word behind the workload, by which a process is told to be a contender.
pub const FLAG: &str = "--as";

/// What a contender is told.
#[derive(Clone, Copy, Debug)]
pub struct Task<'a> {
    /// Which workload.
    pub workload: &'a str,
    /// Which contender.
    pub name: &'a str,
    /// How large.
    pub size: u64,
    /// How many threads run.
    pub threads: usize,
    /// How samples are taken.
    pub sampler: Sampler,
}

/// Why a contender can't begin.
#[derive(Debug, Error)]
pub enum TaskError {
    /// Not the five words that it takes.
    #[error("a contender takes WORKLOAD --as NAME SIZE THREADS MILLISECONDS")]
    Words,
    /// Nobody has such a workload.
    #[error("there is no workload {0:?}")]
    Workload(String),
}

impl<'a> Task<'a> {
    /// Reads a contender's words.
    ///
    /// # Errors
    ///
    /// When they are no such words.
    pub fn parse(words: &'a [String]) -> Result<Self, TaskError> {
        let [workload, _, name, size, threads, limit] = words else {
            return Err(TaskError::Words);
        };
        let number = |word: &String| word.parse::<u64>().map_err(|_| TaskError::Words);
        Ok(Self {
            workload,
            name,
            size: number(size)?,
            threads: usize::try_from(number(threads)?).map_err(|_| TaskError::Words)?,
            sampler: Sampler::new(Duration::from_millis(number(limit)?)),
        })
    }

    fn figures(self) -> Result<Figures, Box<dyn Error>> {
        let found = recursion::run(self)
            .or_else(|| forks::run(self))
            .or_else(|| suites::run(self))
            .or_else(|| tasks::run(self))
            .or_else(|| workers::run(self))
            .or_else(|| life::run(self))
            .or_else(|| wire::run(self));
        match found {
            Some(figures) => figures,
            None => Err(TaskError::Workload(self.workload.to_owned()).into()),
        }
    }

    /// Runs the workload and prints its figures.
    ///
    /// # Errors
    ///
    /// What went wrong, a wrong answer too.
    pub fn run(self) -> Result<(), Box<dyn Error>> {
        let mut figures = self.figures()?;
        if !figures.iter().any(|(metric, _)| *metric == "peak") {
            figures.extend(peak_memory_of("self").map(|peak| ("peak", peak)));
        }
        for (metric, figure) in figures {
            println!("{}\t{metric}\t{figure}", self.workload);
        }
        Ok(())
    }
}

/// The most memory that a process has had, in KiB, where the system tells it.
fn peak_memory_of(process: &str) -> Option<f64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse().ok()
}
