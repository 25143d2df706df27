//! A program that runs one workload a process: what such programs have in common. A comparison runs
//! two of them in turn and reads what they print.

mod options;
mod problem;

pub use options::Options;
pub use problem::{Figures, Problem, check, check_all};

use crate::command_line::exit;
use std::env;
use std::process::ExitCode;

/// Something to measure.
pub struct Workload {
    /// By which it is chosen.
    pub name: String,
    run: Box<dyn Fn(&Options) -> Figures>,
}

/// From its name and what measures it.
#[must_use]
pub fn workload(name: impl Into<String>, run: impl Fn(&Options) -> Figures + 'static) -> Workload {
    Workload {
        name: name.into(),
        run: Box::new(run),
    }
}

/// Names figures.
#[must_use]
pub fn named<const N: usize>(figures: [(&str, f64); N]) -> Vec<(String, f64)> {
    figures
        .map(|(metric, figure)| (metric.to_owned(), figure))
        .into()
}

/// Prints a line a figure: the workload's name, what was measured and the figure, in seconds where
/// it is a time, with tabs between.
pub fn print(workload: &str, figures: &[(String, f64)]) {
    for (metric, figure) in figures {
        println!("{workload}\t{metric}\t{figure:e}");
    }
}

/// The whole of such a program: runs the workload that the command line names and prints its
/// figures; without a name, prints the names of all.
#[must_use]
pub fn main(workloads: &[Workload]) -> ExitCode {
    exit(run(workloads).map(|()| ExitCode::SUCCESS))
}

fn run(workloads: &[Workload]) -> Result<(), Problem> {
    let options = Options::parse(env::args_os().skip(1))?;
    let Some(name) = &options.workload else {
        workloads
            .iter()
            .for_each(|workload| println!("{}", workload.name));
        return Ok(());
    };
    let workload = workloads.iter().find(|workload| workload.name == *name);
    let workload = workload.ok_or_else(|| Problem::NoWorkload(name.clone()))?;
    print(name, &(workload.run)(&options)?);
    Ok(())
}
