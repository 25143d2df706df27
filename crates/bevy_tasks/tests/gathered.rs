//! What the engine's three pools say of the threads that they share, one after the other.
#![cfg(feature = "multi_threaded")]

mod common;

use bevy_tasks::{AsyncComputeTaskPool, ComputeTaskPool, IoTaskPool, TaskPoolBuilder, block_on};
use common::{dig, in_time};
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::thread;

const DEEP: usize = 8 << 20;

#[test]
fn they_have_the_largest_stack_all_callbacks_and_all_cores() {
    static BEGUN: AtomicUsize = AtomicUsize::new(0);
    in_time(|| {
        // As many as it likes: a number of io tasks, and not of threads.
        let io = TaskPoolBuilder::new().num_threads(1_000_000);
        let io = IoTaskPool::get_or_init(|| io.stack_size(8 * DEEP).build());
        let background = TaskPoolBuilder::new();
        let background = background.on_thread_spawn(|| _ = BEGUN.fetch_add(1, SeqCst));
        AsyncComputeTaskPool::get_or_init(|| background.build());
        let compute = TaskPoolBuilder::new().num_threads(1).stack_size(1 << 20);
        let compute = ComputeTaskPool::get_or_init(|| compute.build());
        // The frame has all cores in any case.
        let cores = thread::available_parallelism().map_or(1, usize::from);
        assert_eq!((compute.thread_num(), io.thread_num()), (cores, cores));
        block_on(compute.spawn(async { dig(DEEP) }));
        assert!(BEGUN.load(SeqCst) > 0);
    });
}
