//! A pool that is made after the compute pool, when the threads run already.
#![cfg(feature = "multi_threaded")]

mod common;

use bevy_tasks::{ComputeTaskPool, IoTaskPool, TaskPoolBuilder, block_on};
use common::in_time;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::thread;
use std::time::Duration;

#[test]
fn a_late_pool_s_number_of_threads_holds() {
    static NOW: AtomicUsize = AtomicUsize::new(0);
    static MOST: AtomicUsize = AtomicUsize::new(0);
    in_time(|| {
        // There may be settings to come.
        bevy_tasks::tick_global_task_pools_on_main_thread();
        assert!(ComputeTaskPool::try_get().is_none() && !heartbeat_pool::global().is_sized());
        ComputeTaskPool::get_or_init(|| TaskPoolBuilder::new().num_threads(4).build());
        let io = IoTaskPool::get_or_init(|| TaskPoolBuilder::new().num_threads(1).build());
        assert_eq!(io.thread_num(), 1);
        let tasks = [(); 8].map(|()| {
            io.spawn(async {
                MOST.fetch_max(NOW.fetch_add(1, SeqCst) + 1, SeqCst);
                thread::sleep(Duration::from_millis(20));
                NOW.fetch_sub(1, SeqCst);
            })
        });
        tasks.into_iter().for_each(block_on);
        assert_eq!(MOST.load(SeqCst), 1);
    });
}
