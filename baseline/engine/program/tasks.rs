//! Background tasks, awaited by the main thread.

use crate::apps;
use crate::sampling::{Subject, sample};
use bevy_tasks::{AsyncComputeTaskPool, Task, block_on};
use suite::program::Options;
use suite::program::{Figures, check};
use suite::{await_all, one};

/// Spawns that many, then awaits all.
pub fn run(options: &Options, count: u64) -> Figures {
    let _pools = apps::app();
    let pool = AsyncComputeTaskPool::get();
    let spawn_await = || {
        let tasks: Vec<Task<u64>> = (0..count).map(|_| pool.spawn(one())).collect();
        check("the count of tasks", count, block_on(await_all(tasks)))
    };
    sample(options, vec![Subject::new("spawn-await", spawn_await)])
}
