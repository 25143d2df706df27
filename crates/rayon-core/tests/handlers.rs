//! Start and exit handlers run once on each thread, and their panics go to the panic handler.

mod common;
use common::{all, fail, in_time};
use rayon_core::{ThreadPoolBuilder, current_num_threads, current_thread_index};
use std::sync::mpsc;
use std::thread;

const THREADS: usize = 16;

fn sorted<T: Ord>(mut values: Vec<T>) -> Vec<T> {
    values.sort_unstable();
    values
}

/// Both on the thread that they are told of, and on another for each index.
#[test]
fn once_on_each_thread() {
    in_time(|| {
        let (start, starts) = mpsc::channel();
        let (exit, exits) = mpsc::channel();
        let pool = ThreadPoolBuilder::new()
            .num_threads(THREADS)
            .start_handler(move |index| start.send((index, thread::current().id())).unwrap())
            .exit_handler(move |index| exit.send((index, thread::current().id())).unwrap())
            .build()
            .unwrap();
        let on = pool.broadcast(|_| thread::current().id());
        let expected: Vec<_> = on.into_iter().enumerate().collect();
        // Started, all of them, and none has exited.
        let mut started: Vec<_> = starts.iter().take(THREADS).collect();
        started.sort_by_key(|&(index, _)| index);
        assert_eq!(started, expected);
        assert!(exits.try_recv().is_err());
        drop(pool);
        let mut exited = all(&exits);
        exited.sort_by_key(|&(index, _)| index);
        assert_eq!(exited, expected);
        assert!(all(&starts).is_empty());
    });
}

/// A pool that is dropped at once still starts and stops each of its threads.
#[test]
fn of_a_pool_that_is_dropped_at_once() {
    in_time(|| {
        let (start, starts) = mpsc::channel();
        let (exit, exits) = mpsc::channel();
        let builder = ThreadPoolBuilder::new()
            .num_threads(THREADS)
            .start_handler(move |index| start.send(index).unwrap())
            .exit_handler(move |index| exit.send(index).unwrap());
        drop(builder.build().unwrap());
        let each: Vec<_> = (0..THREADS).collect();
        assert_eq!(sorted(all(&starts)), each);
        assert_eq!(sorted(all(&exits)), each);
    });
}

#[test]
fn their_panics_go_to_the_panic_handler() {
    in_time(|| {
        let (report, reports) = mpsc::channel();
        let pool = ThreadPoolBuilder::new()
            .num_threads(THREADS)
            .start_handler(|_| fail("start"))
            .exit_handler(|_| fail("exit"))
            .panic_handler(move |payload| {
                report
                    .send(*payload.downcast::<&'static str>().unwrap())
                    .unwrap();
            })
            .build()
            .unwrap();
        // The threads work nonetheless.
        assert!(pool.install(current_thread_index).is_some());
        let started: Vec<_> = reports.iter().take(THREADS).collect();
        assert_eq!(started, ["start"; THREADS]);
        drop(pool);
        assert_eq!(all(&reports), ["exit"; THREADS]);
    });
}

#[test]
fn they_know_how_many_threads_the_pool_has() {
    in_time(|| {
        for is_dropped_at_once in [false, true] {
            let (say, said) = mpsc::channel();
            let also = say.clone();
            let builder = ThreadPoolBuilder::new()
                .num_threads(THREADS)
                .start_handler(move |_| say.send(current_num_threads()).unwrap())
                .exit_handler(move |_| also.send(current_num_threads()).unwrap());
            let pool = builder.build().unwrap();
            if !is_dropped_at_once {
                pool.broadcast(|_| ());
            }
            drop(pool);
            assert_eq!(all(&said), [THREADS; 2 * THREADS]);
        }
    });
}
