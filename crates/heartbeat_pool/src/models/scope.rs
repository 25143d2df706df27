//! A scope's completion, its tickets, its owner's sleep.

use crate::latch::CountLatch;
use crate::parker::Parker;
use crate::sync::{Arc, AtomicUsize, Ordering};
use crate::tickets::{Call, Tickets};
use loom::cell::UnsafeCell;
use loom::thread;

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
        while !latch.is_done(0) {
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

/// An owner that counts by itself what it begins and finishes, and tells of it before it sleeps;
/// another thread finishes one of these, and perhaps one that it has begun meanwhile: the owner
/// wakes, and sees what that has written.
#[test]
fn an_owner_that_tells_late_is_woken() {
    tell_late(false);
    tell_late(true);
}

fn tell_late(more: bool) {
    loom::model(move || {
        let parker = Arc::new(Parker::new());
        let latch = Arc::new(CountLatch::new(parker.clone()));
        let cell = Arc::new(UnsafeCell::new(0));
        // One for the other, one of its own.
        let mut untold = 2_usize;
        let other = {
            let (latch, cell) = (latch.clone(), cell.clone());
            thread::spawn(move || {
                if more {
                    latch.begin();
                    latch.finish();
                }
                // SAFETY: the owner reads only once the latch is done.
                cell.with_mut(|cell| unsafe { *cell = 1 });
                latch.finish();
            })
        };
        untold -= 1;
        while !latch.is_done(untold) {
            latch.settle(untold);
            untold = 0;
            if !latch.is_done(untold) {
                parker.park();
            }
        }
        // SAFETY: `is_done` acquired the other's writes.
        assert_eq!(cell.with(|cell| unsafe { *cell }), 1);
        other.join().unwrap();
    });
}

/// Two pushers and a taker of tickets: no job is left behind without a ticket.
#[test]
fn a_ticket_stands_for_every_job() {
    loom::model(|| {
        let tickets = Arc::new(Tickets::default());
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
/// owner is there to run: it wakes for the job, and again for the end; with at most four
/// preemptions.
#[test]
fn a_scopes_owner_wakes_for_work_and_for_the_end() {
    super::check(4, || {
        let parker = Arc::new(Parker::new());
        let latch = Arc::new(CountLatch::new(parker.clone()));
        let tickets = Arc::new(Tickets::default());
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
        while !latch.is_done(0) {
            if jobs.swap(0, Ordering::Relaxed) == 1 {
                latch.finish();
                continue;
            }
            tickets.set_owner_asleep(true);
            if !latch.is_done(0) && jobs.load(Ordering::Relaxed) == 0 {
                parker.park();
            }
            tickets.set_owner_asleep(false);
        }
        running.join().unwrap();
    });
}

/// A scope's owner that was about to sleep and is needed for something else, which may take long,
/// as a job is queued: it sees the job before that, or there is a ticket for others.
fn an_owner_is_needed_elsewhere(looks_again: bool) {
    loom::model(move || {
        let tickets = Arc::new(Tickets::default());
        let jobs = Arc::new(AtomicUsize::new(0));
        let queued = Arc::new(AtomicUsize::new(0));
        let pusher = {
            let (tickets, jobs, queued) = (tickets.clone(), jobs.clone(), queued.clone());
            thread::spawn(move || {
                jobs.fetch_add(1, Ordering::Relaxed);
                if tickets.pushed(|| true) == Call::Ticket {
                    queued.fetch_add(1, Ordering::Relaxed);
                }
            })
        };
        let sees_job = || jobs.load(Ordering::Relaxed) > 0;
        tickets.set_owner_asleep(true);
        let mut sees = sees_job();
        tickets.set_owner_asleep(false);
        sees |= looks_again && sees_job();
        pusher.join().unwrap();
        assert!(
            sees || queued.load(Ordering::Relaxed) == 1,
            "a job that nobody is called for"
        );
    });
}

#[test]
fn an_owner_looks_once_more_before_it_turns_to_something_else() {
    an_owner_is_needed_elsewhere(true);
}

#[test]
#[should_panic(expected = "a job that nobody is called for")]
fn an_owner_that_turns_to_something_else_at_once_leaves_a_job() {
    an_owner_is_needed_elsewhere(false);
}

/// A scope whose owner only waits, a job that spawns another, each run by a thread that a ticket
/// has called: nobody counts on the owner for a job, and the end of the last one wakes it.
#[test]
fn an_owner_that_only_waits_is_woken_for_the_end() {
    loom::model(|| {
        let parker = Arc::new(Parker::new());
        let latch = Arc::new(CountLatch::new(parker.clone()));
        let tickets = Arc::new(Tickets::default());
        let cell = Arc::new(UnsafeCell::new(0));
        // Counted by the owner alone.
        let mut untold = 1;
        assert_eq!(tickets.pushed(|| true), Call::Ticket);
        let thread = {
            let (latch, tickets, cell) = (latch.clone(), tickets.clone(), cell.clone());
            thread::spawn(move || {
                tickets.taken();
                latch.begin();
                assert_eq!(tickets.pushed(|| true), Call::Ticket);
                latch.finish();
                tickets.taken();
                // SAFETY: the owner reads only once the latch is done.
                cell.with_mut(|cell| unsafe { *cell = 1 });
                latch.finish();
            })
        };
        loop {
            latch.settle(untold);
            untold = 0;
            if latch.is_done(0) {
                break;
            }
            parker.park();
        }
        // SAFETY: `is_done` acquired the job's writes.
        assert_eq!(cell.with(|cell| unsafe { *cell }), 1);
        thread.join().unwrap();
    });
}
