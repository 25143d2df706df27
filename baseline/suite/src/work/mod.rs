//! What is computed, with the answers.

pub mod burst;
pub mod coarse;
pub mod fib;
pub mod irregular;
pub mod items;
pub mod maze;
pub mod messages;
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

/// A hash whose every bit depends on every bit of `x`: splitmix64's finisher.
#[inline]
pub fn mix(x: u64) -> u64 {
    let x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}
