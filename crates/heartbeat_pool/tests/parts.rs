//! Jobs of the lower lanes that wait for parts of themselves, with no budget left.

mod common;

use common::within_a_minute;
use heartbeat_pool::{Lane, ThreadPool, Worker, yield_task};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Barrier, Weak, mpsc};
use std::thread;
use std::time::Duration;

const LOWER: [Lane; 2] = [Lane::Io, Lane::Background];

/// Pools in which no more than `budget` jobs of each lower lane run at once.
fn pools(budget: usize) -> impl Iterator<Item = Arc<ThreadPool>> {
    let pool = move |lower_threads| {
        let pool = ThreadPool::builder()
            .num_threads(2)
            .lower_threads(lower_threads)
            .build()
            .unwrap();
        for lane in LOWER {
            pool.set_budget(lane, budget);
        }
        Arc::new(pool)
    };
    [false, true].into_iter().map(pool)
}

/// Has a job of `lane` call `f`, in a pool with others before and behind it.
fn run(pool: &Arc<ThreadPool>, lane: Lane, f: impl Fn(&ThreadPool) + Send + Sync + 'static) {
    const JOBS: usize = 3;
    let (sender, receiver) = mpsc::channel();
    let f = Arc::new(f);
    for _ in 0..JOBS {
        let (inside, f, sender) = (Arc::downgrade(pool), f.clone(), sender.clone());
        pool.spawn(lane, move || {
            f(&inside.upgrade().unwrap());
            sender.send(()).unwrap();
        });
    }
    (0..JOBS).for_each(|_| receiver.recv().unwrap());
}

#[test]
fn two_jobs_of_a_scope_may_wait_for_each_other() {
    within_a_minute(|| {
        for pool in pools(1) {
            for lane in LOWER {
                run(&pool, lane, |pool| {
                    let both = Barrier::new(2);
                    let meet = || _ = both.wait();
                    pool.scope(|scope| (0..2).for_each(|_| scope.spawn(meet)));
                });
            }
        }
    });
}

#[test]
fn a_scope_may_wait_for_its_job_before_it_ends() {
    within_a_minute(|| {
        for pool in pools(1) {
            for lane in LOWER {
                run(&pool, lane, wait_for_a_part);
            }
        }
    });
}

/// Its parts come before other jobs every other time.
#[test]
fn a_scope_without_end_leaves_turns_to_the_lanes_other_jobs() {
    within_a_minute(|| {
        for pool in pools(2) {
            for lane in LOWER {
                let over = Arc::new(AtomicBool::new(false));
                let (sender, receiver) = mpsc::channel();
                let (inside, seen) = (Arc::downgrade(&pool), over.clone());
                pool.spawn(lane, move || {
                    let pool = inside.upgrade().unwrap();
                    let goes_on = || async {
                        while !seen.load(Ordering::Relaxed) {
                            yield_task().await;
                        }
                    };
                    pool.scope(|scope| (0..4).for_each(|_| scope.spawn_future(goes_on()).detach()));
                    drop(pool);
                    sender.send(()).unwrap();
                });
                let end = over.clone();
                pool.spawn(lane, move || end.store(true, Ordering::Relaxed));
                receiver.recv().unwrap();
            }
        }
    });
}

/// Has jobs of `lane` queue themselves again and again, until that is over.
fn go_on(pool: &Arc<ThreadPool>, lane: Lane, over: &Arc<AtomicBool>) {
    fn again(pool: &Weak<ThreadPool>, lane: Lane, over: &Arc<AtomicBool>) {
        if let Some(pool) = pool.upgrade().filter(|_| !over.load(Ordering::Relaxed)) {
            let (inside, over) = (Arc::downgrade(&pool), over.clone());
            pool.spawn(lane, move || again(&inside, lane, &over));
        }
    }
    (0..8).for_each(|_| again(&Arc::downgrade(pool), lane, over));
}

/// Waits in a scope's closure for a job of it.
fn wait_for_a_part(pool: &ThreadPool) {
    let (sender, receiver) = mpsc::channel();
    pool.scope(|scope| {
        scope.spawn(move || sender.send(()).unwrap());
        receiver.recv().unwrap();
    });
}

/// Jobs that are queued without end leave turns to the parts of one that waits for them.
#[test]
fn a_scope_comes_to_its_turn_beside_jobs_without_end() {
    within_a_minute(|| {
        for pool in pools(2) {
            for lane in LOWER {
                let over = Arc::new(AtomicBool::new(false));
                go_on(&pool, lane, &over);
                run(&pool, lane, wait_for_a_part);
                over.store(true, Ordering::Relaxed);
            }
        }
    });
}

/// What goes on in the other lane is no sign that this one does.
#[test]
fn a_lane_whose_jobs_all_wait_is_relieved_beside_another_that_goes_on() {
    within_a_minute(|| {
        for pool in pools(1) {
            for lane in LOWER {
                for other in Lane::ALL.into_iter().filter(|other| *other != lane) {
                    let over = Arc::new(AtomicBool::new(false));
                    go_on(&pool, other, &over);
                    run(&pool, lane, wait_for_a_part);
                    over.store(true, Ordering::Relaxed);
                }
            }
        }
    });
}

/// However long it takes to come to all of its parts: none of them waits for another one.
#[test]
fn a_job_that_comes_further_keeps_to_its_lanes_budget() {
    within_a_minute(|| {
        const PARTS: usize = 150;
        for pool in pools(1) {
            for lane in LOWER {
                let inside = Arc::downgrade(&pool);
                let (running, beside) = (AtomicUsize::new(0), AtomicUsize::new(0));
                let task = pool.spawn_future(lane, async move {
                    let part = || {
                        let others = running.fetch_add(1, Ordering::SeqCst);
                        beside.fetch_add(others, Ordering::SeqCst);
                        thread::sleep(Duration::from_millis(2));
                        running.fetch_sub(1, Ordering::SeqCst);
                    };
                    let pool = inside.upgrade().unwrap();
                    pool.scope(|scope| (0..PARTS).for_each(|_| scope.spawn(part)));
                    beside.load(Ordering::SeqCst)
                });
                // Where the machine stands still for long, the job seems to.
                let beside = pool.block_on(task);
                assert!(beside < PARTS / 20, "{beside} of {PARTS} in lane {lane:?}");
            }
        }
    });
}

#[test]
fn beyond_its_budget_a_lower_lane_gets_its_parts_and_no_other_jobs() {
    within_a_minute(|| {
        let pool = ThreadPool::builder()
            .num_threads(2)
            .budget(Lane::Io, 1)
            .build()
            .unwrap();
        let (began, has_begun) = mpsc::channel();
        let (go, may_go) = mpsc::channel::<()>();
        let (sender, receiver) = mpsc::channel::<()>();
        let (done, is_done) = mpsc::channel();
        let ran = Arc::new(AtomicUsize::new(0));
        let runs = ran.clone();
        pool.spawn(Lane::Io, move || {
            began.send(()).unwrap();
            may_go.recv().unwrap();
            Worker::with_current(|worker| {
                worker.unwrap().scope(|scope| {
                    scope.spawn(move || sender.send(()).unwrap());
                    receiver.recv().unwrap();
                    // Before the scope's end, which leaves the count.
                    done.send(runs.load(Ordering::SeqCst)).unwrap();
                });
            });
        });
        has_begun.recv().unwrap();
        pool.spawn(Lane::Io, move || _ = ran.fetch_add(1, Ordering::SeqCst));
        go.send(()).unwrap();
        assert_eq!(
            is_done.recv().unwrap(),
            0,
            "another job ran beyond the budget"
        );
    });
}
