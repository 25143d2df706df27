//! A scope of tasks that do nothing, from the main thread.

use crate::apps;
use crate::sampling::{Subject, sample};
use bevy_tasks::ComputeTaskPool;
use suite::program::Options;
use suite::program::{Figures, check};

/// A scope of that many tasks.
pub fn run(options: &Options, tasks: usize) -> Figures {
    let _pools = apps::app();
    let pool = ComputeTaskPool::get();
    let scope = || {
        let done = pool.scope(|scope| (0..tasks).for_each(|_| scope.spawn(async {})));
        check("the count of tasks", tasks as u64, done.len() as u64)
    };
    sample(options, vec![Subject::new("scope", scope)])
}
