//! What was measured, as it is kept from run to run.

use crate::who::Missing;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use suite::{median, percentile, replace_file};
use thiserror::Error;

/// One contender at one size with so many threads.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Cell {
    /// Its name.
    pub name: String,
    /// The size.
    pub size: u64,
    /// The running threads.
    pub threads: usize,
    /// Each metric's figures, one a round.
    pub figures: BTreeMap<String, Vec<f64>>,
    /// Why there are no more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
}

impl Cell {
    /// How many rounds have given figures.
    #[must_use]
    pub fn rounds(&self) -> usize {
        self.figures.values().map(Vec::len).max().unwrap_or(0)
    }

    /// The least and the greatest of a metric's figures.
    #[must_use]
    pub fn range(&self, metric: &str) -> Option<(f64, f64)> {
        let figures = self.figures.get(metric)?;
        let is_shown = self.refused.is_none() && !figures.is_empty();
        is_shown.then(|| (percentile(figures, 0.0), percentile(figures, 1.0)))
    }

    /// The median of a metric's figures.
    #[must_use]
    pub fn median(&self, metric: &str) -> Option<f64> {
        let figures = self.figures.get(metric)?;
        (self.refused.is_none() && !figures.is_empty()).then(|| median(figures))
    }

    /// The median of the rounds' ratios to another contender's figures.
    #[must_use]
    pub fn ratio(&self, other: &Self, metric: &str) -> Option<f64> {
        let (mine, other) = (self.figures.get(metric)?, other.figures.get(metric)?);
        let ratios: Vec<f64> = mine.iter().zip(other).map(|(a, b)| a / b).collect();
        (!ratios.is_empty()).then(|| median(&ratios))
    }
}

/// Where and how a table was measured.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Taken {
    /// The day.
    pub date: String,
    /// The processor and its cores.
    pub machine: String,
    /// The commit, and whether files differed from it.
    pub commit: String,
    /// The compiler.
    pub rustc: String,
    /// The machine's load before.
    pub load: String,
    /// How many of the threads that should run did so at once, before.
    pub at_once: String,
    /// Whether other programs had a part of the machine.
    pub is_busy: bool,
    /// Whether `--quick` was told.
    pub quick: bool,
    /// How many rounds at most.
    pub rounds: usize,
}

/// A table's figures.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// The table's name.
    pub table: String,
    /// Where and how.
    pub taken: Taken,
    /// The figures.
    pub cells: Vec<Cell>,
    /// The version of each contender that was there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub versions: Vec<(String, String)>,
}

impl Measured {
    /// The sizes that were run, in order.
    #[must_use]
    pub fn sizes(&self) -> Vec<u64> {
        let mut sizes: Vec<u64> = self.cells.iter().map(|cell| cell.size).collect();
        sizes.sort_unstable();
        sizes.dedup();
        sizes
    }

    /// The thread counts that were run, in order.
    #[must_use]
    pub fn thread_counts(&self) -> Vec<usize> {
        let mut counts: Vec<usize> = self.cells.iter().map(|cell| cell.threads).collect();
        counts.sort_unstable();
        counts.dedup();
        counts
    }

    /// A contender's figures.
    #[must_use]
    pub fn cell(&self, name: &str, size: u64, threads: usize) -> Option<&Cell> {
        let is_it =
            |cell: &&Cell| (cell.size, cell.threads) == (size, threads) && cell.name == name;
        self.cells.iter().find(is_it)
    }
}

/// All that is kept.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Results {
    /// Each contender that was found last, and its version.
    pub versions: Vec<(String, String)>,
    /// Those that weren't.
    pub missing: Vec<Missing>,
    /// The tables that were measured so far.
    pub tables: Vec<Measured>,
}

/// Why results are neither read nor written.
#[derive(Debug, Error)]
pub enum ResultsError {
    /// The system refused.
    #[error("can't read or write {path}: {source}")]
    File {
        /// Which file.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// They are not what this program writes.
    #[error("{path} is no list of results: {source}; delete it, and measure again")]
    Format {
        /// Which file.
        path: PathBuf,
        /// What is wrong.
        source: serde_json::Error,
    },
}

impl Results {
    /// What was kept last; nothing where there is no such file.
    ///
    /// # Errors
    ///
    /// When there is a file that can't be read.
    pub fn load(path: &Path) -> Result<Self, ResultsError> {
        let path = path.to_owned();
        match fs::read_to_string(&path) {
            Ok(text) => {
                serde_json::from_str(&text).map_err(|source| ResultsError::Format { path, source })
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Self::default()),
            Err(source) => Err(ResultsError::File { path, source }),
        }
    }

    /// Keeps them.
    ///
    /// # Errors
    ///
    /// What could not be written.
    pub fn save(&self, path: &Path) -> Result<(), ResultsError> {
        let path = path.to_owned();
        let text = match serde_json::to_string(self) {
            Ok(text) => text + "\n",
            Err(source) => return Err(ResultsError::Format { path, source }),
        };
        replace_file(&path, &text).map_err(|source| ResultsError::File { path, source })
    }

    /// Takes a contender's version away, and what was said of its being missing.
    pub fn forget(&mut self, name: &str) {
        self.versions.retain(|(known, _)| known != name);
        self.missing.retain(|missing| missing.name != name);
    }

    /// Puts a table's new figures in the place of its old ones.
    pub fn put(&mut self, measured: Measured) {
        self.tables.retain(|old| old.table != measured.table);
        self.tables.push(measured);
    }

    /// A table's figures.
    #[must_use]
    pub fn of(&self, table: &str) -> Option<&Measured> {
        self.tables.iter().find(|measured| measured.table == table)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(times: &[f64]) -> Cell {
        Cell {
            figures: BTreeMap::from([("time".to_owned(), times.to_vec())]),
            ..Cell::default()
        }
    }

    #[test]
    fn ratios_are_taken_round_by_round() {
        let (mine, other) = (cell(&[1.0, 10.0, 3.0]), cell(&[2.0, 20.0, 3.0]));
        assert_eq!(mine.ratio(&other, "time"), Some(0.5));
        assert_eq!(mine.median("time"), Some(3.0));
        assert_eq!(mine.median("peak"), None);
        assert_eq!((mine.rounds(), mine.range("time")), (3, Some((1.0, 10.0))));
    }

    #[test]
    fn a_table_is_kept_once() {
        let mut results = Results::default();
        for rounds in [1, 2] {
            let taken = Taken {
                rounds,
                ..Taken::default()
            };
            results.put(Measured {
                table: "fib".to_owned(),
                taken,
                ..Measured::default()
            });
        }
        assert_eq!(results.of("fib").map(|kept| kept.taken.rounds), Some(2));
        assert_eq!(results.tables.len(), 1);
    }
}
