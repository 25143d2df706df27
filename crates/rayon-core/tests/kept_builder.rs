//! A `ThreadBuilder` that the spawn handler keeps, run on a thread that is a pool's already.

mod common;
use common::in_time;
use rayon_core::{ThreadPoolBuilder, current_thread_index};
use std::panic::{self, AssertUnwindSafe};
use std::thread;
use std::time::Duration;

/// The thread's own pool, of which it is the only one, goes on as before; the other one ends,
/// though it has no thread.
#[test]
fn a_thread_of_one_pool_is_refused_by_another() {
    in_time(|| {
        let own = ThreadPoolBuilder::new().num_threads(1);
        let own = own.use_current_thread().build().unwrap();
        let mut kept = None;
        let other = ThreadPoolBuilder::new().num_threads(1);
        let other = other.spawn_handler(|thread| {
            kept = Some(thread);
            Ok(())
        });
        let other = other.build().unwrap();
        // Were it not refused, it would run until then.
        let ender = thread::spawn(move || {
            thread::sleep(Duration::from_millis(50));
            drop(other);
        });
        let kept = kept.unwrap();
        let refused = panic::catch_unwind(AssertUnwindSafe(|| kept.run())).unwrap_err();
        let message = refused.downcast_ref::<&str>().unwrap();
        assert!(message.contains("belongs to a pool already"), "{message}");
        ender.join().unwrap();
        assert_eq!(current_thread_index(), Some(0));
        assert_eq!(rayon_core::join(|| 1, || 2), (1, 2));
        assert_eq!(own.install(|| rayon_core::broadcast(|at| at.index())), [0]);
    });
}
