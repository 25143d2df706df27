//! The workloads of a task or two, written once for all pools that run futures.

use crate::answer::{Answer, repeat};
use crate::work::messages;

/// What a pool needs for the workloads of a task or two.
pub trait Spawner {
    /// Queues a future. What it gives is what the handle gives.
    fn spawn(
        &self,
        future: impl Future<Output = u64> + Send + 'static,
    ) -> impl Future<Output = u64> + Send + 'static;

    /// Waits for a future on the calling thread.
    fn block_on(&self, future: impl Future<Output = u64> + Send) -> u64;

    /// Lets others run.
    fn yield_now() -> impl Future<Output = ()> + Send;
}

/// Spawns one task that yields so often, and waits for it.
///
/// # Errors
///
/// [`Refusal::Wrong`](crate::Refusal::Wrong).
pub fn repeat_yields<S: Spawner>(pool: &S, yields: u64, iterations: u64) -> Answer {
    repeat(iterations, yields, || {
        pool.block_on(pool.spawn(async move {
            for _ in 0..yields {
                S::yield_now().await;
            }
            yields
        }))
    })
}

/// Spawns two tasks that send each other so many messages, and waits for both.
///
/// # Errors
///
/// [`Refusal::Wrong`](crate::Refusal::Wrong).
pub fn repeat_ping_pong(pool: &impl Spawner, messages: u64, iterations: u64) -> Answer {
    repeat(iterations, 2 * messages, || {
        let (ping, pong) = messages::ping_pong(messages);
        let pong = pool.spawn(pong);
        let ping = pool.spawn(ping);
        pool.block_on(async { ping.await + pong.await })
    })
}
