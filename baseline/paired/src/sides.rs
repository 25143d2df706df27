//! The two programs' runs of a workload, in turn.

use crate::build::{BuildError, build, check_patch};
use crate::child::{self, Failure, Run};
use crate::compare::Comparison;
use std::path::{Path, PathBuf};

/// Both programs, built.
pub struct Programs {
    ours: PathBuf,
    stock: PathBuf,
    arguments: Vec<String>,
}

impl Programs {
    /// Builds both.
    ///
    /// # Errors
    ///
    /// Why that failed.
    pub fn build(comparison: &Comparison, quick: bool) -> Result<Self, BuildError> {
        let (folder, name) = (&comparison.folder, comparison.name);
        let mut arguments = comparison.arguments.clone();
        if quick {
            arguments.push("--quick".to_owned());
        }
        let programs = Self {
            stock: build(folder, name, "stock")?,
            ours: build(folder, name, "heartbeat")?,
            arguments,
        };
        check_patch(folder, comparison.patched)?;
        Ok(programs)
    }

    fn run(&self, program: &Path, workload: &str) -> Result<Run, Failure> {
        child::run(program, workload, &self.arguments)
    }
}

/// One program's runs.
#[derive(Default)]
pub struct Side {
    /// One a round; nothing where it failed.
    pub runs: Vec<Option<Run>>,
    /// What went wrong, a sentence each.
    pub failures: Vec<String>,
    hung: bool,
}

impl Side {
    fn run(&mut self, programs: &Programs, program: &Path, workload: &str) {
        // A hang takes minutes; one tells enough.
        if self.hung {
            self.runs.push(None);
            return;
        }
        match programs.run(program, workload) {
            Ok(run) => self.runs.push(Some(run)),
            Err(failure) => {
                self.hung = matches!(failure, Failure::Hung);
                let round = self.runs.len() + 1;
                self.failures
                    .push(format!("{workload}, round {round}: {failure}"));
                self.runs.push(None);
            }
        }
    }
}

/// A workload's runs.
#[derive(Default)]
pub struct Sides {
    /// This project.
    pub ours: Side,
    /// What is published.
    pub stock: Side,
}

impl Sides {
    /// Runs both so often; who is first changes.
    #[must_use]
    pub fn run(programs: &Programs, workload: &str, rounds: usize, done: impl Fn()) -> Self {
        let mut sides = Self::default();
        for round in 0..rounds {
            for turn in 0..2 {
                if (round + turn) % 2 == 0 {
                    sides.ours.run(programs, &programs.ours, workload);
                } else {
                    sides.stock.run(programs, &programs.stock, workload);
                }
                done();
            }
        }
        sides
    }
}
