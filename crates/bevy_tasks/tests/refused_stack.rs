//! A compute pool that the system gives no threads, or that asks for too many.
#![cfg(all(feature = "multi_threaded", target_pointer_width = "64"))]

mod common;

use bevy_tasks::{ComputeTaskPool, IoTaskPool, TaskPoolBuilder};
use common::in_time;
use std::panic::{self, AssertUnwindSafe};
use std::sync::mpsc;
use std::time::Duration;

fn with_stack(bytes: usize) -> &'static ComputeTaskPool {
    ComputeTaskPool::get_or_init(|| TaskPoolBuilder::new().stack_size(bytes).build())
}

#[test]
fn after_a_stack_that_no_thread_can_have_a_sane_one_works() {
    in_time(|| {
        for _ in 0..2 {
            let refused = panic::catch_unwind(|| with_stack(1 << 60)).unwrap_err();
            let message = refused.downcast::<String>().unwrap();
            assert!(
                message.contains("stack of 1152921504606846976 bytes"),
                "{message}"
            );
            assert!(ComputeTaskPool::try_get().is_none());
        }
        let (sender, starts) = mpsc::channel();
        let io = TaskPoolBuilder::new().on_thread_spawn(move || _ = sender.send(()));
        IoTaskPool::get_or_init(|| io.build());
        let with_threads = |threads| {
            let builder = TaskPoolBuilder::new().num_threads(threads);
            panic::catch_unwind(AssertUnwindSafe(|| {
                ComputeTaskPool::get_or_init(|| builder.build())
            }))
        };
        let refused = with_threads(20_000).unwrap_err();
        let message = refused.downcast::<String>().unwrap();
        assert!(message.contains("20000 threads"), "{message}");
        let pool = with_stack(1 << 20);
        assert!(pool.thread_num() >= 1);
        // What the other pool was given is not lost.
        assert!(starts.recv_timeout(Duration::from_secs(50)).is_ok());
        assert_eq!(pool.scope(|scope| scope.spawn(async { 1 })), [1]);
    });
}
