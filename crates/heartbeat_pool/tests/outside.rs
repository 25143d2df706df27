//! Many threads from outside, of which most have gone elsewhere.

mod common;

use common::within_a_minute;
use heartbeat_pool::{Lane, ThreadPool};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier, mpsc};
use std::thread;
use std::time::Duration;

const THREADS: usize = 40;

/// Whatever each has done, and however long it was elsewhere, what it queues is found.
#[test]
fn who_comes_back_from_elsewhere_is_helped_and_counted() {
    within_a_minute(|| {
        let pool = Arc::new(ThreadPool::builder().num_threads(2).build().unwrap());
        let turn = Arc::new(Barrier::new(THREADS + 1));
        let done = Arc::new(AtomicUsize::new(0));
        let threads: Vec<_> = (0..THREADS)
            .map(|number| {
                let (pool, turn, done) = (pool.clone(), turn.clone(), done.clone());
                thread::spawn(move || {
                    for round in 0..3 {
                        pool.install(|worker| worker.join(|_| (), |_| ()));
                        // Some leave work behind, which none but a thief will run.
                        if number % 3 == 0 {
                            let done = done.clone();
                            pool.install(|worker| {
                                worker.spawn(Lane::Frame, move || {
                                    done.fetch_add(1, Ordering::Relaxed);
                                });
                            });
                        }
                        turn.wait();
                        // Long enough for some to be left out, and different from one to the next.
                        thread::sleep(Duration::from_millis(number as u64 * (round + 1) / 2));
                        // Half of a join that waits for its other half.
                        let (sender, receiver) = mpsc::channel();
                        pool.install(|worker| {
                            let send = move |_: &heartbeat_pool::Worker| sender.send(()).unwrap();
                            worker.join_offered(move |_| receiver.recv().unwrap(), send);
                        });
                        turn.wait();
                    }
                })
            })
            .collect();
        for _ in 0..3 {
            turn.wait();
            // Looks are what leaves threads out.
            for _ in 0..2_000 {
                pool.block_on(pool.spawn_future(Lane::Frame, async {}));
            }
            turn.wait();
        }
        threads
            .into_iter()
            .for_each(|thread| thread.join().unwrap());
        while done.load(Ordering::Relaxed) < 3 * THREADS.div_ceil(3) {
            thread::yield_now();
        }
        let metrics = pool.metrics();
        let jobs: u64 = metrics
            .workers
            .iter()
            .chain([&metrics.departed])
            .map(|of| of.jobs[0])
            .sum();
        assert!(jobs >= (3 * THREADS.div_ceil(3)) as u64, "{jobs}");
    });
}
