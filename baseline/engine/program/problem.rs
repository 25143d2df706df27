//! Why there are no figures.

use std::io;
use std::path::PathBuf;
use thiserror::Error;

/// Why a workload gave no figures.
#[derive(Debug, Error)]
pub enum Problem {
    /// Not an option, or not a value of its type.
    #[error("{0} (the options are --quick, --images DIR and a workload's name)")]
    Options(#[from] lexopt::Error),
    /// No such workload.
    #[error("there is no workload {0:?}; without a name, this program prints all")]
    NoWorkload(String),
    /// The answer is wrong: work was lost, or done twice.
    #[error("wrong answer: {what} is {got} and must be {expected}")]
    Wrong {
        /// What is wrong.
        what: String,
        /// The serial reference's answer.
        expected: u64,
        /// The pool's.
        got: u64,
    },
    /// The images can't be made.
    #[error("can't make {path}: {reason}; give a folder that can be written to with --images")]
    Images {
        /// The file or folder.
        path: PathBuf,
        /// What refused it.
        reason: Box<dyn std::error::Error>,
    },
    /// An image was made and doesn't load.
    #[error(
        "the image {name} does not load: {reason}; remove the folder {folder} to have it made anew"
    )]
    Load {
        /// The file.
        name: String,
        /// Where it lies.
        folder: PathBuf,
        /// The engine's reason.
        reason: String,
    },
    /// The system doesn't tell how often threads were switched.
    #[error("can't count switches in {path}: {source}; this workload needs Linux")]
    Switches {
        /// The file or folder.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
}

/// A workload's figures by name.
pub type Figures = Result<Vec<(String, f64)>, Problem>;

/// Compares an answer with the reference.
pub fn check(what: impl Into<String>, expected: u64, got: u64) -> Result<(), Problem> {
    if expected == got {
        return Ok(());
    }
    let what = what.into();
    Err(Problem::Wrong {
        what,
        expected,
        got,
    })
}
