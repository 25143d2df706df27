//! A rayon call that comes while the global pool is configured. In a process of its own, which has
//! one.

mod common;
use common::in_time;
use rayon_core::{ThreadPoolBuilder, current_num_threads, join};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

#[test]
fn waits_for_the_pool_that_comes() {
    in_time(|| {
        let (begin, begun) = mpsc::channel();
        let other = thread::spawn(move || {
            begun.recv().unwrap();
            let name = || thread::current().name().unwrap_or_default().to_owned();
            (join(name, name), current_num_threads())
        });
        let builder = ThreadPoolBuilder::new().num_threads(3);
        let built = builder
            .spawn_handler(|thread| {
                // Called back by what it does itself, it doesn't wait for itself.
                assert!(ThreadPoolBuilder::new().build_global().is_err());
                if thread.index() == 1 {
                    begin.send(()).unwrap();
                    thread::sleep(Duration::from_millis(100));
                }
                let name = format!("configured {}", thread.index());
                let builder = thread::Builder::new().name(name);
                builder.spawn(|| thread.run()).map(drop)
            })
            .build_global();
        assert!(built.is_ok());
        let ((a, b), threads) = other.join().unwrap();
        assert!(a.starts_with("configured") && b.starts_with("configured"));
        assert_eq!(threads, 3);
    });
}
