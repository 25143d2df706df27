//! Why there are no figures.

use crate::command_line::WordError;
use std::error::Error as StdError;
use std::fmt::Display;
use thiserror::Error;

/// Why a workload gave no figures.
#[derive(Debug, Error)]
pub enum Problem {
    /// Not an option, or not a value of its type.
    #[error("{0}; the options are --quick, --folder DIR and a workload's name")]
    Words(#[from] WordError),
    /// No such workload.
    #[error("there is no workload {0:?}; without a name, this program prints all")]
    NoWorkload(String),
    /// The answer is wrong: work was lost, or done twice.
    #[error("wrong answer: {what} is {got} and must be {expected}")]
    Wrong {
        /// What is wrong.
        what: String,
        /// The serial reference's answer.
        expected: String,
        /// The pool's.
        got: String,
    },
    /// What a workload needs can't be had.
    #[error(transparent)]
    Other(Box<dyn StdError + Send + Sync>),
}

impl Problem {
    /// From what a workload itself knows.
    #[must_use]
    pub fn other(reason: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        Self::Other(reason.into())
    }
}

/// A workload's figures by name.
pub type Figures = Result<Vec<(String, f64)>, Problem>;

/// Compares an answer with the reference.
///
/// # Errors
///
/// [`Problem::Wrong`].
pub fn check<T: PartialEq + Display>(
    what: impl Into<String>,
    expected: T,
    got: T,
) -> Result<(), Problem> {
    if expected == got {
        return Ok(());
    }
    Err(Problem::Wrong {
        what: what.into(),
        expected: expected.to_string(),
        got: got.to_string(),
    })
}

/// Compares answers item by item.
///
/// # Errors
///
/// [`Problem::Wrong`].
pub fn check_all<T: PartialEq + Display + Copy>(
    what: &'static str,
    expected: &[T],
    got: &[T],
) -> Result<(), Problem> {
    check("the count of items", expected.len(), got.len())?;
    let mut pairs = expected.iter().zip(got);
    pairs.try_for_each(|(expected, got)| check(what, *expected, *got))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_wrong_item_is_named() {
        let problem = check_all("a cell", &[1, 2, 3], &[1, 5, 4]).unwrap_err();
        assert_eq!(
            problem.to_string(),
            "wrong answer: a cell is 5 and must be 2"
        );
        assert!(check_all("a cell", &[1], &[1, 1]).is_err());
        assert!(check_all("a cell", &[1, 2], &[1, 2]).is_ok());
    }
}
