//! A compute pool that the system gives no threads.
#![cfg(all(feature = "multi_threaded", target_pointer_width = "64"))]

mod common;

use bevy_tasks::{ComputeTaskPool, TaskPoolBuilder};
use common::in_time;
use std::panic;

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
        let pool = with_stack(1 << 20);
        assert!(pool.thread_num() >= 1);
        assert_eq!(pool.scope(|scope| scope.spawn(async { 1 })), [1]);
    });
}
