//! Many threads from outside, of which most have gone elsewhere.

mod common;

use common::within_a_minute;
use heartbeat_pool::{Lane, ThreadPool, Worker, spawn};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier, mpsc};
use std::thread;
use std::time::{Duration, Instant};

const THREADS: usize = 40;
const ROUNDS: usize = 3;

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
                    for _ in 0..ROUNDS {
                        // In the thread's own seat. Some leave work there, for others to take.
                        pool.scope(|_| {
                            if number % 3 == 0 {
                                let done = done.clone();
                                spawn(Lane::Frame, move || {
                                    done.fetch_add(1, Ordering::Relaxed);
                                });
                            }
                        });
                        // Elsewhere, until it is left out.
                        turn.wait();
                        turn.wait();
                        // Half of a join that waits for its other half, which others must find.
                        let (sender, receiver) = mpsc::channel();
                        pool.with_worker(|worker| {
                            let send = move |_: &Worker| sender.send(()).unwrap();
                            worker.join_offered(move |_| receiver.recv().unwrap(), send);
                        });
                    }
                })
            })
            .collect();
        for _ in 0..ROUNDS {
            turn.wait();
            // Looks are what leaves threads out, at the second one of two that are far enough
            // apart.
            let start = Instant::now();
            while start.elapsed() < Duration::from_millis(60) {
                pool.block_on(pool.spawn_future(Lane::Frame, async {}));
            }
            turn.wait();
        }
        threads
            .into_iter()
            .for_each(|thread| thread.join().unwrap());
        while done.load(Ordering::Relaxed) < ROUNDS * THREADS.div_ceil(3) {
            thread::yield_now();
        }
        let metrics = pool.metrics();
        let jobs: u64 = metrics
            .workers
            .iter()
            .chain([&metrics.departed])
            .map(|of| of.jobs[0])
            .sum();
        assert!(jobs >= (ROUNDS * THREADS.div_ceil(3)) as u64, "{jobs}");
    });
}
