//! This code and another commit's, in turn.

use crate::build::{BuildError, Package, check_patches};
use crate::commit::Commit;
use crate::family::Family;
use crate::options::Options;
use crate::session::Session;
use crate::sides::{Programs, Sides};
use crate::verdict::Verdict;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use suite::{Record, Spinner, free_threads};

/// What is run of both commits.
pub struct Against<'a> {
    /// The folder that holds all comparisons.
    pub baseline: &'a Path,
    /// Below it, the package whose program is run.
    pub package: &'a Path,
    /// The program.
    pub program: &'a str,
    /// Where the present program is built.
    pub present: PathBuf,
    /// The folder for all commits' sources and what is built of them.
    pub commits: PathBuf,
    /// The part of `baseline/` that calls the pool by its own interface, which changes.
    pub face: Option<&'static str>,
    /// What the program has of this project by patches.
    pub patched: &'static [&'static str],
    /// What the program is told beside a workload's name.
    pub arguments: Vec<String>,
    /// What is run.
    pub families: &'a [Family],
}

impl Against<'_> {
    fn package(&self, baseline: &Path, target: PathBuf) -> Package {
        Package {
            folder: baseline.join(self.package),
            program: self.program.to_owned(),
            target,
        }
    }

    fn build(&self, package: &Package) -> Result<PathBuf, BuildError> {
        let program = package.build(self.baseline)?;
        check_patches(&package.folder, self.patched)?;
        Ok(program)
    }

    /// Builds a commit's program with the present workloads, and says what it was built from. A pool
    /// whose interface was another one then is called as that commit called it.
    fn build_then(&self, commit: &Commit) -> Result<(PathBuf, String), Box<dyn Error>> {
        let title = &commit.title;
        commit.overlay(self.baseline)?;
        let package = self.package(&commit.baseline(), commit.target(self.program));
        let (built, from) = match (self.build(&package), self.face) {
            (Err(BuildError::Refused { .. }), Some(face)) => {
                println!(
                    "\nWhat baseline/{face} calls is not there in {title}: trying that commit's own \
                     baseline/{face}."
                );
                commit.restore(face)?;
                let from = format!("{title} (with its own baseline/{face})");
                (self.build(&package), from)
            }
            (built, _) => (built, title.clone()),
        };
        match built {
            Ok(program) => Ok((program, from)),
            Err(error @ BuildError::Refused { .. }) => {
                let what = "the present workloads do not build with what the crates were in";
                Err(format!("{what} {title}: {error}").into())
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Builds both, runs them in turn and prints how they compare. The exit is 1 where something
    /// takes more than it may.
    ///
    /// # Errors
    ///
    /// Why there is nothing to compare.
    pub fn run(&self, name: &str, options: &Options) -> Result<ExitCode, Box<dyn Error>> {
        let commit = Commit::unpack(self.baseline, name, &self.commits)?;
        let present = self.package(self.baseline, self.present.clone());
        let mut arguments = self.arguments.clone();
        arguments.extend(options.quick.then(|| "--quick".to_owned()));
        let (other, then) = self.build_then(&commit)?;
        let programs = Programs {
            other,
            ours: self.build(&present)?,
            arguments,
        };
        let workloads = self.families.iter().map(|family| family.workloads.len());
        let steps = workloads.sum::<usize>() * options.runs() * 2;
        let mut session = Session::begin(Record::default(), steps as u64);
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let spinner = Spinner::calibrate();
        session.tell("now", "what lies here".to_owned());
        session.tell("then", then);
        session.tell("rounds", options.runs().to_string());
        session.tell(
            "threads that ran at once before",
            free_threads(threads, spinner),
        );
        let broken = self.compare(&programs, options.runs(), &mut session);
        session.tell(
            "threads that ran at once after",
            free_threads(threads, spinner),
        );
        if broken.is_empty() {
            session.print("\nAll rows hold.");
            return Ok(ExitCode::SUCCESS);
        }
        session.print(&format!("\nThese do not hold:\n- {}", broken.join("\n- ")));
        Ok(ExitCode::FAILURE)
    }

    /// Runs all families and gives what does not hold.
    fn compare(&self, programs: &Programs, rounds: usize, session: &mut Session) -> Vec<String> {
        let mut broken = Vec::new();
        for family in self.families {
            let runs: Vec<Sides> = family.run(programs, rounds, &session.progress);
            let verdict = Verdict::of(family, &runs);
            session.show(verdict.table, None);
            broken.extend(verdict.broken);
        }
        session.progress.finish_and_clear();
        broken
    }
}
