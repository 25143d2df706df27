//! Loom models of the protocols that sleep and completion rest on: every interleaving, within the
//! bounds that each states.
//!
//! Run with `RUSTFLAGS="--cfg heartbeat_loom" cargo test -p heartbeat_pool --release --lib models`.

use crate::claim::Claim;
use crate::latch::CountLatch;
use crate::parker::Parker;
use crate::sleep::Sleep;
use crate::sync::{Arc, AtomicUsize, Ordering};
use loom::cell::UnsafeCell;
use loom::thread;

/// Two threads, one token: `park` returns for every earlier `unpark`, and what was written before
/// it is seen.
#[test]
fn parker_loses_no_token() {
    loom::model(|| {
        let parker = Arc::new(Parker::new());
        let data = Arc::new(UnsafeCell::new(0));
        let unparker = {
            let (parker, data) = (parker.clone(), data.clone());
            thread::spawn(move || {
                // SAFETY: the owner reads only after it took the token.
                data.with_mut(|data| unsafe { *data = 1 });
                parker.unpark();
            })
        };
        parker.park();
        // SAFETY: the writer left its token after its only access.
        assert_eq!(data.with(|data| unsafe { *data }), 1);
        unparker.join().unwrap();
    });
}

/// Two unparkers, an owner that parks once: tokens may merge but never vanish.
#[test]
fn parker_takes_merged_tokens() {
    loom::model(|| {
        let parker = Arc::new(Parker::new());
        let threads: Vec<_> = (0..2)
            .map(|_| {
                let parker = parker.clone();
                thread::spawn(move || parker.unpark())
            })
            .collect();
        parker.park();
        for thread in threads {
            thread.join().unwrap();
        }
    });
}

/// An owner and two thieves: exactly one of them runs the job, and a thief's result is seen.
#[test]
fn claim_has_one_winner() {
    loom::model(|| {
        let claim = Arc::new(Claim::new());
        let parker = Arc::new(Parker::new());
        let runs = Arc::new(AtomicUsize::new(0));
        let result = Arc::new(UnsafeCell::new(0));
        let thieves: Vec<_> = (0..2)
            .map(|_| {
                let (claim, parker) = (claim.clone(), parker.clone());
                let (runs, result) = (runs.clone(), result.clone());
                thread::spawn(move || {
                    if claim.try_take() {
                        runs.fetch_add(1, Ordering::Relaxed);
                        // SAFETY: the claim was won, and the owner reads only after `finish`.
                        result.with_mut(|result| unsafe { *result = 7 });
                        claim.finish();
                        parker.unpark();
                    }
                })
            })
            .collect();
        if claim.try_recover() {
            runs.fetch_add(1, Ordering::Relaxed);
        } else {
            while !claim.is_done() {
                parker.park();
            }
            // SAFETY: `is_done` acquired the thief's only write.
            assert_eq!(result.with(|result| unsafe { *result }), 7);
        }
        for thief in thieves {
            thief.join().unwrap();
        }
        assert_eq!(runs.load(Ordering::Relaxed), 1);
    });
}

/// Two finishers, an owner that waits: it wakes, and sees what both have written.
#[test]
fn latch_wakes_its_owner_once_all_is_over() {
    loom::model(|| {
        let parker = Arc::new(Parker::new());
        let latch = Arc::new(CountLatch::new(parker.clone()));
        let cells: Vec<_> = (0..2).map(|_| Arc::new(UnsafeCell::new(0))).collect();
        let threads: Vec<_> = cells
            .iter()
            .map(|cell| {
                latch.begin();
                let (latch, cell) = (latch.clone(), cell.clone());
                thread::spawn(move || {
                    // SAFETY: the owner reads only once the latch is done.
                    cell.with_mut(|cell| unsafe { *cell = 1 });
                    latch.finish();
                })
            })
            .collect();
        while !latch.is_done() {
            parker.park();
        }
        for cell in &cells {
            // SAFETY: `is_done` acquired every finisher's writes.
            assert_eq!(cell.with(|cell| unsafe { *cell }), 1);
        }
        for thread in threads {
            thread.join().unwrap();
        }
    });
}

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
                let _ = sleep.wake_one();
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
        let _ = sleep.wake_one();
    }
}

/// One worker that may be anywhere between its search and its sleep, one push: it finds the job.
/// A lost wake-up would be a deadlock, which loom reports.
#[test]
fn sleep_loses_no_push() {
    loom::model(|| {
        let sleep = Arc::new(Sleep::new());
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
        let sleep = Arc::new(Sleep::new());
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
