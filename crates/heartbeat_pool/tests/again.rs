//! Tasks that wake themselves while they run, which are run again at once where nothing else is to
//! be done.

mod common;

use common::{pool, within_a_minute};
use heartbeat_pool::{Lane, ThreadPool, spawn_future, yield_now, yield_task};
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

#[test]
fn others_take_one_that_ran_inside_of_a_job_which_blocks() {
    within_a_minute(|| {
        let pool = Arc::new(pool(2));
        for _ in 0..200 {
            let (over, job_is_over) = mpsc::channel();
            pool.spawn(Lane::Frame, move || {
                let (done, is_done) = mpsc::channel();
                let task = spawn_future(Lane::Frame, async move {
                    yield_task().await;
                    done.send(()).unwrap();
                });
                // Its first half here, most of the time.
                yield_now();
                let result = is_done.recv_timeout(Duration::from_secs(10));
                drop(task);
                over.send(result).unwrap();
            });
            job_is_over.recv().unwrap().unwrap();
        }
    });
}

#[test]
fn two_of_a_thread_take_turns() {
    within_a_minute(|| {
        // A thread that has no core for long, beside other programs, is not stood in for.
        let pool = ThreadPool::builder().num_threads(1).spare_threads(false);
        let pool = pool.build().unwrap();
        let turns = Arc::new(Mutex::new(Vec::new()));
        let tasks = pool.spawn_future(Lane::Frame, {
            let turns = turns.clone();
            async move {
                [0, 1].map(|task| {
                    let turns = turns.clone();
                    spawn_future(Lane::Frame, async move {
                        for _ in 0..1000 {
                            turns.lock().unwrap().push(task);
                            yield_task().await;
                        }
                    })
                })
            }
        });
        for task in pool.block_on(tasks) {
            pool.block_on(task);
        }
        let turns = turns.lock().unwrap();
        let repeated = turns.windows(2).filter(|pair| pair[0] == pair[1]).count();
        assert!(repeated < 100, "{repeated} of 2000 turns");
    });
}

#[test]
fn an_endless_one_starves_nobody_and_ends_with_the_pool() {
    within_a_minute(|| {
        let pool = pool(1);
        let endless = async {
            loop {
                yield_task().await;
            }
        };
        pool.spawn_future(Lane::Frame, endless).detach();
        for lane in Lane::ALL {
            let (ran, has_run) = mpsc::channel();
            pool.spawn(lane, move || ran.send(()).unwrap());
            has_run.recv_timeout(Duration::from_secs(30)).unwrap();
        }
        let (ran, has_run) = mpsc::channel();
        pool.spawn_on(0, move || ran.send(()).unwrap());
        has_run.recv_timeout(Duration::from_secs(30)).unwrap();
    });
}
