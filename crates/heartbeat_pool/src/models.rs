//! Loom models of the protocols that sleep and completion rest on: every interleaving of the
//! threads that each names, or those within the preemption bound that it states.
//!
//! Run with `RUSTFLAGS="--cfg heartbeat_loom" cargo test -p heartbeat_pool --release --lib models`.

use crate::claim::Claim;
use crate::heartbeat::Beat;
use crate::lane::Lane;
use crate::latch::CountLatch;
use crate::occupancy::{Charge, Occupancy};
use crate::parker::Parker;
use crate::sleep::Sleep;
use crate::sync::{Arc, AtomicBool, AtomicUsize, Mutex, Ordering, lock};
use crate::tickets::{Call, Tickets};
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

/// As `sleep_loses_no_push`, with the pusher's fence left out: loom must find the lost wake-up, or
/// these models prove nothing. (The worker stops short of its sleep, for loom can't unwind out of a
/// deadlock.)
#[test]
#[should_panic(expected = "lost wake-up")]
fn sleep_without_its_fence_loses_a_push() {
    loom::model(|| {
        let sleep = Arc::new(Sleep::new());
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
            let _ = sleep.wake_one();
        }
        let sleeps = worker.join().unwrap();
        assert!(!sleeps || parker.has_token(), "lost wake-up");
    });
}

/// A worker that finds nothing it is let in to, and sleeps until somebody wakes it. Its only way
/// out is a job that it is admitted to.
fn work_admitted(sleep: &Sleep, parker: &Arc<Parker>, queue: &AtomicUsize, occupancy: &Occupancy) {
    let admissible = || occupancy.admits(Lane::Frame) && queue.load(Ordering::Relaxed) > 0;
    while !admissible() {
        sleep.park_begin(parker);
        if !admissible() {
            parker.park();
        }
        sleep.park_cancel(parker);
    }
}

fn one_running_of(target: usize) -> Arc<Occupancy> {
    let occupancy = Occupancy::new();
    occupancy.change_target(|_| target);
    occupancy.enter(Charge::Lane(Lane::Frame));
    Arc::new(occupancy)
}

/// A full pool with a sentinel: one thread pushes, another gives its place up, a third may be
/// anywhere before its sleep. Either the pusher sees the place or the leaver sees the job. At most
/// three preemptions.
#[test]
fn a_push_and_a_freed_place_meet() {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(3);
    model.check(|| {
        let sleep = Arc::new(Sleep::new());
        let queue = Arc::new(AtomicUsize::new(0));
        let occupancy = one_running_of(1);
        sleep.search_begin();
        let worker = {
            let (sleep, queue, occupancy) = (sleep.clone(), queue.clone(), occupancy.clone());
            thread::spawn(move || {
                work_admitted(&sleep, &Arc::new(Parker::new()), &queue, &occupancy);
            })
        };
        let leaver = {
            let (sleep, queue, occupancy) = (sleep.clone(), queue.clone(), occupancy.clone());
            thread::spawn(move || {
                occupancy.leave(Charge::Lane(Lane::Frame));
                if sleep.needs_watch() && queue.load(Ordering::Relaxed) > 0 {
                    let _ = sleep.wake_one();
                }
            })
        };
        queue.fetch_add(1, Ordering::Relaxed);
        if sleep.needs_watch() && occupancy.admits(Lane::Frame) {
            let _ = sleep.wake_one();
        }
        worker.join().unwrap();
        leaver.join().unwrap();
    });
}

/// A job that found no room, a worker that may be anywhere before its sleep, a pool that grows:
/// the worker sees the new size.
#[test]
fn a_sleeper_sees_its_pool_grow() {
    loom::model(|| {
        let sleep = Arc::new(Sleep::new());
        let queue = Arc::new(AtomicUsize::new(1));
        let occupancy = one_running_of(1);
        sleep.search_begin();
        let worker = {
            let (sleep, queue, occupancy) = (sleep.clone(), queue.clone(), occupancy.clone());
            thread::spawn(move || {
                work_admitted(&sleep, &Arc::new(Parker::new()), &queue, &occupancy);
            })
        };
        occupancy.change_target(|threads| threads + 1);
        sleep.wake_all();
        worker.join().unwrap();
    });
}

/// An alert sentinel that stands down, a push that relied on it: either the pusher sees that
/// nobody is alert any more, or the sentinel's last look sees the job.
#[test]
fn a_push_is_not_left_to_a_sentinel_that_stands_down() {
    loom::model(|| {
        let sleep = Arc::new(Sleep::new());
        let queue = Arc::new(AtomicUsize::new(0));
        let sentinel = {
            let parker = Arc::new(Parker::new());
            sleep.search_begin();
            sleep.park_begin(&parker);
            sleep.alert_begin();
            let (sleep, queue) = (sleep.clone(), queue.clone());
            thread::spawn(move || {
                sleep.alert_end();
                if queue.load(Ordering::Relaxed) == 0 {
                    // Drowsy: no timer counts here.
                    parker.park();
                }
                assert_eq!(queue.load(Ordering::Relaxed), 1);
            })
        };
        queue.fetch_add(1, Ordering::Relaxed);
        if sleep.needs_watch() {
            let _ = sleep.wake_one();
        }
        sentinel.join().unwrap();
    });
}

/// A sentinel that stands down and then raises the beat, an owner that forks until it sees it and
/// promotes: the sentinel is woken for what is promoted.
#[test]
fn a_raised_beat_wakes_a_sentinel_that_stood_down() {
    loom::model(|| {
        let sleep = Arc::new(Sleep::new());
        let queue = Arc::new(AtomicUsize::new(0));
        let beat = Arc::new(Beat::new());
        beat.lower();
        let sentinel = {
            let parker = Arc::new(Parker::new());
            sleep.search_begin();
            sleep.park_begin(&parker);
            sleep.alert_begin();
            let (sleep, beat) = (sleep.clone(), beat.clone());
            thread::spawn(move || {
                sleep.alert_end();
                beat.raise();
                parker.park();
            })
        };
        while !beat.is_raised() {
            thread::yield_now();
        }
        beat.lower();
        queue.fetch_add(1, Ordering::Relaxed);
        if sleep.needs_watch() {
            let _ = sleep.wake_one();
        }
        sentinel.join().unwrap();
    });
}

/// An idle worker that keeps the beat only while something runs, and a thread that starts to run
/// and then queues what there is no room for: in the end somebody keeps the beat, or was woken.
#[test]
fn a_busy_pool_has_a_sentinel() {
    loom::model(|| {
        let sleep = Arc::new(Sleep::new());
        let queue = Arc::new(AtomicUsize::new(0));
        let occupancy = Arc::new(Occupancy::new());
        occupancy.change_target(|_| 1);
        sleep.search_begin();
        let idle = {
            let (sleep, queue, occupancy) = (sleep.clone(), queue.clone(), occupancy.clone());
            thread::spawn(move || {
                let parker = Arc::new(Parker::new());
                let is_quiet = || occupancy.is_quiet() && queue.load(Ordering::Relaxed) == 0;
                sleep.park_begin(&parker);
                while sleep.sentinel_begin() {
                    if !is_quiet() {
                        // On duty, with a timer.
                        return;
                    }
                    sleep.sentinel_end();
                    if is_quiet() {
                        break;
                    }
                }
                parker.park();
            })
        };
        occupancy.enter(Charge::External);
        queue.fetch_add(1, Ordering::Relaxed);
        if sleep.needs_watch() && (occupancy.admits(Lane::Frame) || !sleep.has_sentinel()) {
            let _ = sleep.wake_one();
        }
        idle.join().unwrap();
    });
}

/// A join's whole protocol around a promoted job: the owner offers it and comes back for it, a
/// thief may take it from the list meanwhile. One of the two runs it; a recovered one leaves the
/// list; the thief touches nothing of the owner's after it let it go.
#[test]
fn a_promoted_job_is_recovered_or_taken() {
    loom::model(|| {
        struct Promoted {
            claim: Claim,
            owner: Arc<Parker>,
            /// Stands for the job on the owner's stack.
            job: Arc<UnsafeCell<u32>>,
        }
        let list = Arc::new(Mutex::new(Vec::<Arc<Promoted>>::new()));
        let thief = {
            let list = list.clone();
            thread::spawn(move || {
                let taken = {
                    let mut list = lock(&list);
                    let place = list.iter().position(|job| job.claim.try_take());
                    place.map(|place| list.remove(place))
                };
                if let Some(taken) = taken {
                    // SAFETY: the claim was won, and the owner waits for `finish`.
                    taken.job.with_mut(|job| unsafe { *job += 1 });
                    taken.claim.finish();
                    taken.owner.unpark();
                }
            })
        };
        let parker = Arc::new(Parker::new());
        let job = Arc::new(UnsafeCell::new(0));
        let promoted = Arc::new(Promoted {
            claim: Claim::new(),
            owner: parker.clone(),
            job: job.clone(),
        });
        lock(&list).push(promoted.clone());
        if promoted.claim.try_recover() {
            lock(&list).retain(|other| !Arc::ptr_eq(other, &promoted));
            // SAFETY: the claim was recovered.
            job.with_mut(|job| unsafe { *job += 1 });
        } else {
            while !promoted.claim.is_done() {
                parker.park();
            }
        }
        // The owner's stack ends: a touch from here on would race with this write.
        // SAFETY: whoever ran the job is done with it.
        job.with_mut(|job| unsafe { assert_eq!(*job, 1) });
        thief.join().unwrap();
        assert!(lock(&list).is_empty());
    });
}

/// Two pushers and a taker of tickets: no job is left behind without a ticket.
#[test]
fn a_ticket_stands_for_every_job() {
    loom::model(|| {
        let tickets = Arc::new(Tickets::new());
        let jobs = Arc::new(AtomicUsize::new(0));
        let queued = Arc::new(AtomicUsize::new(0));
        let push = |tickets: &Tickets, jobs: &AtomicUsize, queued: &AtomicUsize| {
            jobs.fetch_add(1, Ordering::Relaxed);
            if tickets.pushed(|| false) == Call::Ticket {
                queued.fetch_add(1, Ordering::Relaxed);
            }
        };
        push(&tickets, &jobs, &queued);
        let taker = {
            let (tickets, jobs, queued) = (tickets.clone(), jobs.clone(), queued.clone());
            thread::spawn(move || {
                queued.fetch_sub(1, Ordering::Relaxed);
                tickets.taken();
                jobs.swap(0, Ordering::Relaxed);
            })
        };
        let pusher = {
            let (tickets, jobs, queued) = (tickets.clone(), jobs.clone(), queued.clone());
            thread::spawn(move || push(&tickets, &jobs, &queued))
        };
        push(&tickets, &jobs, &queued);
        taker.join().unwrap();
        pusher.join().unwrap();
        let (jobs, queued) = (jobs.load(Ordering::Relaxed), queued.load(Ordering::Relaxed));
        assert!(queued <= 1, "{queued} tickets");
        assert!(jobs == 0 || queued == 1, "{jobs} jobs without a ticket");
    });
}

/// A scope's owner that waits, a job that is still running and spawns another, which only the
/// owner is there to run: it wakes for the job, and again for the end.
#[test]
fn a_scopes_owner_wakes_for_work_and_for_the_end() {
    loom::model(|| {
        let parker = Arc::new(Parker::new());
        let latch = Arc::new(CountLatch::new(parker.clone()));
        let tickets = Arc::new(Tickets::new());
        let jobs = Arc::new(AtomicUsize::new(0));
        latch.begin();
        let running = {
            let (latch, tickets, jobs) = (latch.clone(), tickets.clone(), jobs.clone());
            thread::spawn(move || {
                latch.begin();
                jobs.fetch_add(1, Ordering::Relaxed);
                if tickets.pushed(|| true) == Call::Owner {
                    latch.wake_owner();
                }
                latch.finish();
            })
        };
        while !latch.is_done() {
            if jobs.swap(0, Ordering::Relaxed) == 1 {
                latch.finish();
                continue;
            }
            tickets.set_owner_asleep(true);
            if !latch.is_done() && jobs.load(Ordering::Relaxed) == 0 {
                parker.park();
            }
            tickets.set_owner_asleep(false);
        }
        running.join().unwrap();
    });
}

/// Work for one thread, which may be anywhere before its sleep: it finds it, though no count of
/// searchers is asked.
#[test]
fn a_thread_sees_what_is_sent_to_it() {
    loom::model(|| {
        let sleep = Arc::new(Sleep::new());
        let mailbox = Arc::new(AtomicUsize::new(0));
        let parker = Arc::new(Parker::new());
        sleep.search_begin();
        let owner = {
            let (sleep, mailbox, parker) = (sleep.clone(), mailbox.clone(), parker.clone());
            thread::spawn(move || {
                while mailbox.load(Ordering::Relaxed) == 0 {
                    sleep.park_begin(&parker);
                    if mailbox.load(Ordering::Relaxed) == 0 {
                        parker.park();
                    }
                    sleep.park_cancel(&parker);
                }
            })
        };
        mailbox.store(1, Ordering::Relaxed);
        parker.unpark();
        owner.join().unwrap();
    });
}

/// A pool that ends while one worker may be anywhere before its sleep and another is woken for a
/// job: both leave. At most three preemptions.
#[test]
fn a_pools_end_wakes_everyone() {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(3);
    model.check(|| {
        let sleep = Arc::new(Sleep::new());
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
        let _ = sleep.wake_one();
        ended.swap(true, Ordering::SeqCst);
        sleep.wake_all();
        for worker in workers {
            worker.join().unwrap();
        }
    });
}
