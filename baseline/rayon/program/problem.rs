//! Why there are no figures.

use rayon::ThreadPoolBuildError;
use std::fmt::Display;
use thiserror::Error;

/// Why a workload gave no figures.
#[derive(Debug, Error)]
pub enum Problem {
    /// Not an option, or not a value of its type.
    #[error("{0} (the options are --quick and a workload's name)")]
    Options(#[from] lexopt::Error),
    /// No such workload.
    #[error("there is no workload {0:?}; without a name, this program prints all")]
    NoWorkload(String),
    /// The answer is wrong: work was lost, or done twice.
    #[error("wrong answer: {what} is {got} and must be {expected}")]
    Wrong {
        /// What is wrong.
        what: &'static str,
        /// The serial reference's answer.
        expected: String,
        /// The pool's.
        got: String,
    },
    /// The system refuses threads.
    #[error("can't build a pool: {0}; end other programs, or raise the limit of threads")]
    Pool(#[from] ThreadPoolBuildError),
}

/// A workload's figures by name.
pub type Figures = Result<Vec<(String, f64)>, Problem>;

/// Compares an answer with the reference.
pub fn check<T: PartialEq + Display>(
    what: &'static str,
    expected: T,
    got: T,
) -> Result<(), Problem> {
    if expected == got {
        return Ok(());
    }
    Err(Problem::Wrong {
        what,
        expected: expected.to_string(),
        got: got.to_string(),
    })
}

/// Compares answers item by item.
pub fn check_all<T: PartialEq + Display + Copy>(
    what: &'static str,
    expected: &[T],
    got: &[T],
) -> Result<(), Problem> {
    check("the count of items", expected.len(), got.len())?;
    let mut pairs = expected.iter().zip(got);
    pairs.try_for_each(|(expected, got)| check(what, *expected, *got))
}
