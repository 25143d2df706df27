//! The two programs' runs of a workload, in turn.

use crate::child::{self, Failure, Run};
use std::path::{Path, PathBuf};

/// Both programs, built.
#[derive(Clone, Debug)]
pub struct Programs {
    /// This project's, as it is now.
    pub ours: PathBuf,
    /// What that is compared with.
    pub other: PathBuf,
    /// What both are told beside a workload's name.
    pub arguments: Vec<String>,
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
    fn run(&mut self, program: &Path, workload: &str, arguments: &[String]) {
        // A hang takes minutes; one tells enough.
        if self.hung {
            self.runs.push(None);
            return;
        }
        match child::run(program, workload, arguments, &[]) {
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
    /// This project's, as it is now.
    pub ours: Side,
    /// What that is compared with.
    pub other: Side,
}

impl Sides {
    /// Runs both so often; who is first changes.
    #[must_use]
    pub fn run(programs: &Programs, workload: &str, rounds: usize, done: impl Fn()) -> Self {
        let mut sides = Self::default();
        for round in 0..rounds {
            for turn in 0..2 {
                let (side, program) = if (round + turn) % 2 == 0 {
                    (&mut sides.ours, &programs.ours)
                } else {
                    (&mut sides.other, &programs.other)
                };
                side.run(program, workload, &programs.arguments);
                done();
            }
        }
        sides
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A shell that prints one figure, as both programs do.
    #[cfg(unix)]
    #[test]
    fn each_has_a_run_a_round() {
        let shell = || PathBuf::from("/bin/sh");
        let programs = Programs {
            ours: shell(),
            other: shell(),
            arguments: vec!["printf -- '-c\\tm\\t2'".to_owned()],
        };
        let done = std::cell::Cell::new(0);
        let sides = Sides::run(&programs, "-c", 3, || done.set(done.get() + 1));
        let figure = Some(Run::from([("m".to_owned(), 2.0)]));
        for side in [&sides.ours, &sides.other] {
            assert!(side.failures.is_empty(), "{:?}", side.failures);
            assert_eq!(side.runs, [figure.clone(), figure.clone(), figure.clone()]);
        }
        assert_eq!(done.get(), 6);
    }
}
