//! The deprecated way to build a pool: `Configuration`, and what takes it.
#![allow(deprecated)]

mod common;
use common::{all, in_time};
use rayon_core::{Configuration, ThreadPool};
use std::sync::mpsc;
use std::thread;

#[test]
fn all_of_its_settings() {
    in_time(|| {
        let (start, starts) = mpsc::channel();
        let (exit, exits) = mpsc::channel();
        let (report, reports) = mpsc::channel();
        let pool = Configuration::new()
            .num_threads(4)
            .thread_name(|index| format!("configured {index}"))
            .stack_size(1 << 22)
            .breadth_first()
            .start_handler(move |index| start.send(index).unwrap())
            .exit_handler(move |index| exit.send(index).unwrap())
            .panic_handler(move |_| report.send(()).unwrap())
            .build()
            .unwrap();
        let names = pool.broadcast(|_| thread::current().name().unwrap().to_owned());
        let expected = [
            "configured 0",
            "configured 1",
            "configured 2",
            "configured 3",
        ];
        assert_eq!(names, expected);
        pool.spawn(|| common::fail("reported"));
        drop(pool);
        assert_eq!(all(&starts).len(), 4);
        assert_eq!(all(&exits).len(), 4);
        assert_eq!(all(&reports).len(), 1);
    });
}

#[test]
fn a_pool_of_it() {
    in_time(|| {
        let pool = ThreadPool::new(Configuration::new().num_threads(22)).unwrap();
        assert_eq!(pool.current_num_threads(), 22);
    });
}
