//! The two programs' runs of a workload, in turn.

use crate::child::{self, Failure, Run};
use std::path::{Path, PathBuf};
use suite::order;
use thiserror::Error;

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

impl Programs {
    /// Makes sure that both know these workloads, before an hour is spent on others.
    ///
    /// # Errors
    ///
    /// The first that one of them doesn't know.
    pub fn check_names(&self, names: &[&str]) -> Result<(), NamesError> {
        for program in [&self.ours, &self.other] {
            let known = child::names(program).map_err(|failure| NamesError::Refused {
                program: program.clone(),
                failure,
            })?;
            let is_known = |name: &str| known.iter().any(|known| known == name);
            if let Some(name) = names.iter().find(|name| !is_known(name)) {
                return Err(NamesError::Unknown {
                    program: program.clone(),
                    name: (*name).to_owned(),
                });
            }
        }
        Ok(())
    }
}

/// Why a comparison can't begin.
#[derive(Debug, Error)]
pub enum NamesError {
    /// A program doesn't say what it has.
    #[error("{program} does not print its workloads' names: {failure}")]
    Refused {
        /// Which.
        program: PathBuf,
        /// What became of it.
        failure: Failure,
    },
    /// A name that only the comparison has.
    #[error(
        "{program} has no workload {name:?}: give it there and in the comparison the same name"
    )]
    Unknown {
        /// Which.
        program: PathBuf,
        /// The name.
        name: String,
    },
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
            for place in order(round, 2) {
                let (side, program) = match place {
                    0 => (&mut sides.ours, &programs.ours),
                    _ => (&mut sides.other, &programs.other),
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

    /// Two programs that print names in place of a workload's figures.
    #[cfg(unix)]
    #[test]
    fn a_name_that_a_program_does_not_know_is_told() {
        let programs = Programs {
            ours: PathBuf::from("uname"),
            other: PathBuf::from("false"),
            arguments: Vec::new(),
        };
        let error = programs.check_names(&["idle"]).unwrap_err().to_string();
        assert!(error.contains("uname has no workload \"idle\""), "{error}");
        let error = programs.check_names(&[]).unwrap_err().to_string();
        assert!(error.contains("false does not print"), "{error}");
    }

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
