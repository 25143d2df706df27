//! Push against sleep, and the pool's end against sleep.

use crate::idle::sleep::{Sleep, Wake};
use crate::parker::Parker;
use crate::sync::{Arc, AtomicBool, AtomicUsize, Ordering};
use loom::thread;

/// What a pool thread does about its sleep, with one queue that holds a number of jobs.
fn work_once(sleep: &Sleep, parker: &Arc<Parker>, queue: &AtomicUsize) {
    let take = || {
        queue
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |jobs| {
                jobs.checked_sub(1)
            })
            .is_ok()
    };
    loop {
        if take() {
            if sleep.search_end() && queue.load(Ordering::Relaxed) > 0 {
                let _ = sleep.wake_one(Wake::Anywhere);
            }
            return;
        }
        sleep.park_begin(parker);
        if queue.load(Ordering::Relaxed) > 0 {
            sleep.park_cancel(parker);
            continue;
        }
        parker.park();
        sleep.park_cancel(parker);
    }
}

fn push(sleep: &Sleep, queue: &AtomicUsize) {
    queue.fetch_add(1, Ordering::Relaxed);
    if sleep.needs_searcher() {
        let _ = sleep.wake_one(Wake::Anywhere);
    }
}

/// One worker that may be anywhere between its search and its sleep, one push: it finds the job.
/// A lost wake-up would be a deadlock, which loom reports.
#[test]
fn sleep_loses_no_push() {
    loom::model(|| {
        let sleep = Arc::new(Sleep::default());
        let queue = Arc::new(AtomicUsize::new(0));
        sleep.search_begin();
        let worker = {
            let (sleep, queue) = (sleep.clone(), queue.clone());
            thread::spawn(move || work_once(&sleep, &Arc::new(Parker::new()), &queue))
        };
        push(&sleep, &queue);
        worker.join().unwrap();
    });
}

/// Two workers, two pushes from one thread, at most two preemptions: both jobs are found, whoever
/// is woken for which.
#[test]
fn sleep_wakes_enough_workers() {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(2);
    model.check(|| {
        let sleep = Arc::new(Sleep::default());
        let queue = Arc::new(AtomicUsize::new(0));
        let workers: Vec<_> = (0..2)
            .map(|_| {
                sleep.search_begin();
                let (sleep, queue) = (sleep.clone(), queue.clone());
                thread::spawn(move || work_once(&sleep, &Arc::new(Parker::new()), &queue))
            })
            .collect();
        push(&sleep, &queue);
        push(&sleep, &queue);
        for worker in workers {
            worker.join().unwrap();
        }
    });
}

/// As `sleep_loses_no_push`, with the pusher's fence left out: loom must find the lost wake-up, or
/// these models prove nothing. (The worker stops short of its sleep, for loom can't unwind out of a
/// deadlock.)
#[test]
#[should_panic(expected = "lost wake-up")]
fn sleep_without_its_fence_loses_a_push() {
    loom::model(|| {
        let sleep = Arc::new(Sleep::default());
        let queue = Arc::new(AtomicUsize::new(0));
        let parker = Arc::new(Parker::new());
        sleep.search_begin();
        let worker = {
            let (sleep, queue, parker) = (sleep.clone(), queue.clone(), parker.clone());
            thread::spawn(move || {
                sleep.park_begin(&parker);
                queue.load(Ordering::Relaxed) == 0
            })
        };
        queue.fetch_add(1, Ordering::Relaxed);
        if sleep.searchers() == 0 {
            let _ = sleep.wake_one(Wake::Anywhere);
        }
        let sleeps = worker.join().unwrap();
        assert!(!sleeps || parker.has_token(), "lost wake-up");
    });
}

/// A pool that ends while one worker may be anywhere before its sleep and another is woken for a
/// job: both leave. At most three preemptions.
#[test]
fn a_pools_end_wakes_everyone() {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(3);
    model.check(|| {
        let sleep = Arc::new(Sleep::default());
        let ended = Arc::new(AtomicBool::new(false));
        let workers: Vec<_> = (0..2)
            .map(|_| {
                sleep.search_begin();
                let (sleep, ended) = (sleep.clone(), ended.clone());
                thread::spawn(move || {
                    let parker = Arc::new(Parker::new());
                    while !ended.load(Ordering::Acquire) {
                        sleep.park_begin(&parker);
                        if !ended.load(Ordering::Acquire) {
                            parker.park();
                        }
                        sleep.park_cancel(&parker);
                    }
                })
            })
            .collect();
        let _ = sleep.wake_one(Wake::Anywhere);
        ended.swap(true, Ordering::SeqCst);
        sleep.wake_all();
        for worker in workers {
            worker.join().unwrap();
        }
    });
}
