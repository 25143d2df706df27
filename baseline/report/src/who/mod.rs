//! The contenders: who they are, where their programs come from, and who is missing.

mod build;
mod list;
mod refused;

pub use list::{ALL, Contender, Kind, OURS, SERIAL, contender};

use build::{built, packaged_version};
use refused::{Refused, without_folders};
use serde::{Deserialize, Serialize};
use std::env;
use std::io;
use std::path::{Path, PathBuf};

/// A contender that can be run.
#[derive(Clone, Debug)]
pub struct Found {
    /// Who.
    pub contender: &'static Contender,
    /// Its program.
    pub program: PathBuf,
    /// Its version, as it says itself.
    pub version: String,
}

/// A contender that can't be had here.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Missing {
    /// Its name.
    pub name: String,
    /// What was tried, and what became of it.
    pub why: String,
    /// How to get it.
    pub get: String,
}

/// Everyone, as far as they are there.
#[derive(Clone, Debug, Default)]
pub struct Field {
    /// Those who can be run.
    pub found: Vec<Found>,
    /// Those who can't.
    pub missing: Vec<Missing>,
    /// Of the latter, a line for each whose program here is at fault.
    pub broken: Vec<String>,
}

impl Field {
    /// Looks for those that `wanted` names, and builds what must be built into `target`. `tell` is
    /// told who is looked for.
    ///
    /// # Errors
    ///
    /// When this program can't find itself.
    pub fn find(
        target: &Path,
        wanted: impl Fn(&str) -> bool,
        tell: impl Fn(&str),
    ) -> io::Result<Self> {
        let this = env::current_exe()?;
        let mut field = Self::default();
        for contender in ALL.iter().filter(|contender| wanted(contender.name)) {
            tell(contender.name);
            let found = match contender.kind {
                Kind::Rust { package } => Ok((this.clone(), packaged_version(package))),
                _ => built(contender, target),
            };
            match found {
                Ok((program, version)) => field.found.push(Found {
                    contender,
                    program,
                    version,
                }),
                Err(refused) => field.miss(contender, &refused, target),
            }
        }
        Ok(field)
    }

    /// Notes that one has no program.
    fn miss(&mut self, contender: &Contender, refused: &Refused, target: &Path) {
        let (name, why) = (contender.name, without_folders(refused.why(), target));
        if matches!(refused, Refused::Broken(_)) {
            self.broken
                .push(format!("{name} has all it needs and does not build: {why}"));
        }
        self.missing.push(Missing {
            name: name.to_owned(),
            why,
            get: contender.get.to_owned(),
        });
    }

    /// Who is found of that name.
    #[must_use]
    pub fn of(&self, name: &str) -> Option<&Found> {
        self.found.iter().find(|found| found.contender.name == name)
    }
}

impl Found {
    /// Its name and its version.
    #[must_use]
    pub fn named_version(&self) -> (String, String) {
        (self.contender.name.to_owned(), self.version.clone())
    }

    /// The words that its program is given behind a workload's name.
    #[must_use]
    pub fn words(&self, size: u64, threads: usize, milliseconds: u64) -> Vec<String> {
        let mut words = Vec::new();
        let name = self.contender.name.to_owned();
        match self.contender.kind {
            Kind::Rust { .. } => words.extend([crate::contend::FLAG.to_owned(), name]),
            Kind::Callbacks | Kind::Transfers => words.push(name),
            _ => {}
        }
        words.extend([size, threads as u64, milliseconds].map(|word| word.to_string()));
        words
    }
}
