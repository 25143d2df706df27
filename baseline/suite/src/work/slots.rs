//! One slot a task, so that it is seen that each task ran just once.

use crate::answer::{Answer, check};

/// Calls `scope` so often, each time with one slot a task; every task must add one to its own.
///
/// # Errors
///
/// [`Refusal::Wrong`](crate::Refusal::Wrong).
#[inline]
pub fn repeat_slots(tasks: usize, iterations: u64, mut scope: impl FnMut(&mut [u64])) -> Answer {
    let mut slots = vec![0; tasks];
    (1..=iterations).try_for_each(|iteration| {
        scope(&mut slots);
        check(tasks as u64 * iteration, slots.iter().sum())
    })
}
