//! How soon forks are shared whose owner goes on making them, where the thread that took the first
//! one is busy, and a sentinel, if there is one, sleeps for long.

mod common;

use common::{pool, within_a_minute};
use heartbeat_pool::{Lane, ThreadPool, Worker};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

const ROUNDS: usize = 21;
/// Many beats, and a part of what a drowsy sentinel sleeps.
const SOON: Duration = Duration::from_millis(4);

fn sleep(millis: u64) {
    thread::sleep(Duration::from_millis(millis));
}

/// Makes one fork after the other, and tells how long it takes until one is shared. The first one
/// is taken by a thread that is busy until then.
fn until_shared(worker: &Worker) -> Duration {
    let pause = || thread::sleep(Duration::from_micros(200));
    let is_shared = AtomicBool::new(false);
    let is_over = || is_shared.load(Ordering::Relaxed);
    let start = Instant::now();
    let owner = thread::current().id();
    let look = |_: &Worker| {
        if thread::current().id() != owner {
            is_shared.store(true, Ordering::Relaxed);
        }
    };
    let fork = |worker: &Worker| {
        while !is_over() {
            worker.join(|_| pause(), look);
        }
        start.elapsed()
    };
    let wait = |_: &Worker| {
        while !is_over() {
            pause();
        }
    };
    worker.join(fork, wait).0
}

/// Has the sentinel turn drowsy, and another helper sleep after it.
fn after_two_helpers(worker: &Worker) -> Duration {
    worker.join_offered(
        |worker| worker.join_offered(|_| sleep(8), |_| sleep(1)),
        |_| sleep(4),
    );
    until_shared(worker)
}

/// Asserts that most of what `round` measures is short. A busy machine has a few tries: what waits
/// for a timer has no chance in any.
fn assert_soon(round: impl Fn() -> Duration) {
    let most = || {
        let mut rounds: Vec<_> = (0..ROUNDS).map(|_| round()).collect();
        rounds.sort_unstable();
        rounds[ROUNDS / 2]
    };
    let tries = (0..3).map(|_| most());
    assert!(
        tries.into_iter().any(|most| most < SOON),
        "waits for a timer"
    );
}

/// The same, in pools that `prepare` has prepared.
fn assert_soon_in(prepare: fn(&ThreadPool), round: fn(&ThreadPool) -> Duration) {
    within_a_minute(move || {
        for threads in [3, 4, 8] {
            let pool = pool(threads);
            prepare(&pool);
            assert_soon(|| round(&pool));
        }
    });
}

/// Nobody comes free to raise the next beat.
#[test]
fn joins_are_shared_on_while_the_first_helper_is_busy() {
    within_a_minute(|| {
        let pool = pool(3);
        // Its threads sleep.
        thread::sleep(Duration::from_millis(50));
        let is_shared = AtomicBool::new(false);
        let pause = || thread::sleep(Duration::from_millis(1));
        let wait = || {
            while !is_shared.load(Ordering::Relaxed) {
                pause();
            }
        };
        let fork = |worker: &Worker| {
            let owner = thread::current().id();
            let look = |_: &Worker| {
                if thread::current().id() != owner {
                    is_shared.store(true, Ordering::Relaxed);
                }
            };
            while !is_shared.load(Ordering::Relaxed) {
                worker.join(|_| pause(), look);
            }
        };
        pool.with_worker(|worker| worker.join(fork, |_| wait()));
    });
}

#[test]
fn forks_are_shared_soon_while_the_sentinel_is_drowsy() {
    assert_soon_in(|_| (), |pool| pool.with_worker(after_two_helpers));
}

#[test]
fn forks_are_shared_soon_while_there_is_a_lookout() {
    let frame = |pool: &ThreadPool| {
        sleep(10);
        pool.with_worker(until_shared)
    };
    assert_soon_in(|_| (), frame);
}

/// Queued work that there is no room for is nobody's reason to leave beats lowered.
#[test]
fn forks_are_shared_soon_beside_jobs_that_wait_for_their_budget() {
    assert_soon_in(queue_too_much, |pool| pool.with_worker(after_two_helpers));
}

fn queue_too_much(pool: &ThreadPool) {
    pool.set_budget(Lane::Background, 1);
    // For longer than all tries take, one after the other.
    for _ in 0..40 {
        pool.spawn(Lane::Background, || sleep(500));
    }
}

/// The frame has no room, but jobs of another lane have.
#[test]
fn forks_of_a_lower_lane_are_shared_soon_beside_a_full_frame() {
    let prepare = |pool: &ThreadPool| {
        pool.set_budget(Lane::Frame, 1);
        pool.set_budget(Lane::Background, usize::MAX);
        // One for this thread, which has the frame's place.
        pool.resize_to(pool.num_threads() + 1).unwrap();
    };
    let round = |pool: &ThreadPool| {
        pool.with_worker(|_| {
            let (send, took) = mpsc::channel();
            let job = move |worker: Option<&Worker>| send.send(worker.map(until_shared)).unwrap();
            pool.spawn(Lane::Background, || Worker::with_current(job));
            took.recv().unwrap().unwrap()
        })
    };
    assert_soon_in(prepare, round);
}

/// Where the forks have found no room beside jobs that wait for their budget, and a thread from
/// outside leaves.
#[test]
fn a_place_is_offered_to_forks_beside_jobs_that_wait_for_their_budget() {
    within_a_minute(|| {
        let pool = pool(2);
        queue_too_much(&pool);
        assert_soon(|| from_a_place_to_a_fork(&pool));
    });
}

/// How long it takes from when one of two threads from outside leaves until a fork of the other one
/// is shared.
fn from_a_place_to_a_fork(pool: &ThreadPool) -> Duration {
    let is_shared = AtomicBool::new(false);
    let (enter, entered) = mpsc::channel();
    thread::scope(|threads| {
        let leaver = threads.spawn(|| {
            pool.with_worker(|_| {
                enter.send(()).unwrap();
                sleep(5);
            });
            Instant::now()
        });
        entered.recv().unwrap();
        let owner = thread::current().id();
        pool.with_worker(|worker| {
            while !is_shared.load(Ordering::Relaxed) {
                worker.join(
                    |_| thread::sleep(Duration::from_micros(200)),
                    |_| is_shared.store(thread::current().id() != owner, Ordering::Relaxed),
                );
            }
        });
        leaver.join().unwrap().elapsed()
    })
}
