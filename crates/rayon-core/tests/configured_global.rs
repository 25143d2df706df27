//! A global pool of its own, configured before anything else. In a process of its own, which has one.

mod common;
use common::in_time;
use rayon_core::{ThreadPoolBuilder, current_num_threads, join_context};
use std::thread;

#[test]
fn calls_from_outside_migrate_to_its_threads() {
    in_time(|| {
        let builder = ThreadPoolBuilder::new().num_threads(2);
        let builder = builder.thread_name(|index| format!("configured {index}"));
        builder.build_global().unwrap();
        assert_eq!(current_num_threads(), 2);
        let name = || thread::current().name().unwrap_or_default().to_owned();
        let (a, b) = join_context(|a| (a.migrated(), name()), |b| (b.migrated(), name()));
        for (migrated, name) in [a, b] {
            assert!(migrated && name.starts_with("configured"), "{name}");
        }
        assert!(ThreadPoolBuilder::new().build_global().is_err());
        // An application sets the process's pool up: calls go there, and nothing more is configured.
        heartbeat_pool::global().resize_to(3).unwrap();
        assert_eq!(current_num_threads(), 3);
        assert!(ThreadPoolBuilder::new().build_global().is_err());
    });
}
