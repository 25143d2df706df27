//! A pool that nobody has any more stops its threads, and leaves nothing behind on them.

mod common;
use common::{all, in_time};
use rayon_core::{ThreadPoolBuilder, current_thread_index, join};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Duration;

/// A builder whose pool's threads send their index as they exit. The receiver ends with the pool itself.
fn counting_exits(threads: usize) -> (ThreadPoolBuilder, Receiver<usize>) {
    let (exit, exits) = mpsc::channel();
    let builder = ThreadPoolBuilder::new()
        .num_threads(threads)
        .exit_handler(move |index| exit.send(index).unwrap());
    (builder, exits)
}

fn assert_all_exit(exits: &Receiver<usize>, threads: usize) {
    let mut exited = all(exits);
    exited.sort_unstable();
    assert_eq!(exited, (0..threads).collect::<Vec<_>>());
}

fn fork(depth: u32) -> u32 {
    if depth == 0 {
        return 1;
    }
    let (a, b) = join(|| fork(depth - 1), || fork(depth - 1));
    a + b
}

#[test]
fn threads_that_have_worked() {
    in_time(|| {
        let (builder, exits) = counting_exits(22);
        let pool = builder.build().unwrap();
        assert_eq!(pool.install(|| fork(16)), 1 << 16);
        drop(pool);
        assert_all_exit(&exits, 22);
    });
}

#[test]
fn threads_that_sleep() {
    in_time(|| {
        let (builder, exits) = counting_exits(22);
        let pool = builder.build().unwrap();
        thread::sleep(Duration::from_secs(1));
        drop(pool);
        assert_all_exit(&exits, 22);
    });
}

#[test]
fn threads_that_have_hardly_started() {
    in_time(|| {
        for _ in 0..20 {
            let (builder, exits) = counting_exits(5);
            drop(builder.build().unwrap());
            assert_all_exit(&exits, 5);
        }
    });
}

/// A thread that was lent to a pool is its owner's again, and may go to another.
#[test]
fn a_lent_thread_comes_back() {
    in_time(|| {
        let (lend, lent) = mpsc::channel();
        let workers: Vec<_> = (0..2)
            .map(|_| {
                let pool = ThreadPoolBuilder::new()
                    .num_threads(3)
                    .spawn_handler(|worker| {
                        lend.send(worker).unwrap();
                        Ok(())
                    })
                    .build()
                    .unwrap();
                (pool, lent.try_iter().collect::<Vec<_>>())
            })
            .collect();
        let (pools, workers): (Vec<_>, Vec<_>) = workers.into_iter().unzip();
        let mut workers = workers.into_iter();
        let (first, second) = (workers.next().unwrap(), workers.next().unwrap());
        assert_eq!((first.len(), second.len()), (3, 3));
        let threads: Vec<_> = first
            .into_iter()
            .zip(second)
            .map(|(first, second)| {
                thread::spawn(move || {
                    for worker in [first, second] {
                        assert_eq!(current_thread_index(), None);
                        worker.run();
                        assert_eq!(current_thread_index(), None);
                    }
                })
            })
            .collect();
        for pool in pools {
            assert!(pool.install(current_thread_index).is_some());
            drop(pool);
        }
        for thread in threads {
            thread.join().unwrap();
        }
    });
}

/// As where the thread that was to run it has panicked before that.
#[test]
fn a_pool_whose_one_thread_was_never_run_does_its_callers_work_on_them_and_ends() {
    in_time(|| {
        let (builder, exits) = counting_exits(1);
        let never_run = |thread| {
            drop(thread);
            Ok(())
        };
        let pool = builder.spawn_handler(never_run).build().unwrap();
        for nth in 0..3 {
            // The pool may ask for it again by now.
            thread::sleep(Duration::from_millis(15));
            assert_eq!(pool.install(|| nth), nth);
        }
        drop(pool);
        assert_all_exit(&exits, 0);
    });
}

#[test]
fn a_pool_that_lost_one_of_its_threads_calls_and_keeps_the_others() {
    in_time(|| {
        for lost in 0..2 {
            let (builder, exits) = counting_exits(2);
            let pool = builder
                .spawn_handler(|thread| {
                    if thread.index() != lost {
                        thread::spawn(|| thread.run());
                    }
                    Ok(())
                })
                .build()
                .unwrap();
            for _ in 0..3 {
                // Who waits asks again for the other one, in vain.
                thread::sleep(Duration::from_millis(15));
                pool.install(|| thread::sleep(Duration::from_millis(1)));
                assert_eq!(pool.broadcast(|context| context.index()), [1 - lost]);
                assert_eq!(pool.current_num_threads(), 2);
            }
            let (sender, receiver) = mpsc::channel();
            pool.spawn_broadcast(move |context| sender.send(context.index()).unwrap());
            assert_eq!(all(&receiver), [1 - lost]);
            drop(pool);
            assert_eq!(all(&exits), [1 - lost]);
        }
    });
}
