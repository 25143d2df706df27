//! What is computed, with the answers.

pub mod burst;
pub mod coarse;
pub mod fib;
pub mod irregular;
pub mod items;
pub mod maze;
pub mod messages;
pub mod mix;
pub mod slots;
pub mod spin;
pub mod tree;
pub mod uneven;

/// What a spawned future gives.
pub async fn one() -> u64 {
    1
}

/// Awaits tasks in order and adds up what they give.
pub async fn await_all<T: Future<Output = u64>>(tasks: Vec<T>) -> u64 {
    let mut sum = 0;
    for task in tasks {
        sum += task.await;
    }
    sum
}
