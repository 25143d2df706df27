//! What a contender says after a sample.

use std::hint::black_box;
use std::time::Duration;
use thiserror::Error;

/// What a contender says after a sample.
pub type Answer = Result<(), Refusal>;

/// Why a sample counts for nothing.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Refusal {
    /// The workload makes no sense for the pool.
    #[error("not supported")]
    Unsupported,
    /// The pool could do it, but is not let to.
    #[error("{0}")]
    Skipped(&'static str),
    /// A spawned job has not run.
    #[error("lost a job: not all that were spawned have run within {0:?}")]
    Lost(Duration),
    /// The pool ran it and the answer is wrong.
    #[error("wrong answer: {got} instead of {expected}")]
    Wrong {
        /// The serial reference's answer.
        expected: u64,
        /// The pool's.
        got: u64,
    },
}

/// Compares an iteration's answer with the reference.
///
/// # Errors
///
/// [`Refusal::Wrong`].
#[inline]
pub fn check(expected: u64, got: u64) -> Answer {
    if got == expected {
        Ok(())
    } else {
        Err(Refusal::Wrong { expected, got })
    }
}

/// Runs `once` that many times and checks each answer.
///
/// # Errors
///
/// The first [`Refusal::Wrong`].
#[inline]
pub fn repeat(iterations: u64, expected: u64, mut once: impl FnMut() -> u64) -> Answer {
    (0..iterations).try_for_each(|_| check(expected, black_box(once())))
}
