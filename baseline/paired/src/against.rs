//! This code and another commit's, in turn.

use crate::build::{BuildError, Package, check_patch};
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
    /// What the program has of this project by a patch.
    pub patched: Option<&'static str>,
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
        if let Some(patched) = self.patched {
            check_patch(&package.folder, patched)?;
        }
        Ok(program)
    }

    /// Builds a commit's program with the present workloads. A pool whose interface was another one
    /// then is called as that commit called it.
    fn build_then(&self, commit: &Commit) -> Result<PathBuf, Box<dyn Error>> {
        commit.overlay(self.baseline)?;
        let package = self.package(&commit.baseline(), commit.target(self.program));
        let built = self.build(&package);
        let Some(face) = self
            .face
            .filter(|_| matches!(built, Err(BuildError::Refused { .. })))
        else {
            return Ok(built?);
        };
        println!(
            "\nWhat baseline/{face} calls is not there in {}: trying that commit's own baseline/{face}.",
            commit.title
        );
        commit.restore(face)?;
        self.build(&package).map_err(|error| {
            let title = &commit.title;
            format!("the present workloads do not build with the pool of {title}: {error}").into()
        })
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
        let programs = Programs {
            other: self.build_then(&commit)?,
            ours: self.build(&present)?,
            arguments,
        };
        let workloads = self.families.iter().map(|family| family.workloads.len());
        let steps = workloads.sum::<usize>() * options.runs() * 2;
        let mut session = Session::begin(Record::default(), steps as u64);
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let spinner = Spinner::calibrate();
        session.tell("now", "what lies here".to_owned());
        session.tell("then", commit.title);
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
