//! The sentinel against push, promotion and the start of work.

use crate::heartbeat::Beat;
use crate::idle::sleep::{Sleep, Wake};
use crate::lanes::occupancy::Occupancy;
use crate::parker::Parker;
use crate::sync::{Arc, AtomicUsize, Ordering};
use heartbeat_record::Lane;
use loom::thread;

/// An alert sentinel that stands down, a push that relied on it: either the pusher sees that
/// nobody is alert any more, or the sentinel's last look sees the job.
#[test]
fn a_push_is_not_left_to_a_sentinel_that_stands_down() {
    loom::model(|| {
        let sleep = Arc::new(Sleep::default());
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
            let _ = sleep.wake_one(Wake::Anywhere);
        }
        sentinel.join().unwrap();
    });
}

/// A sentinel that stands down and then raises the beat, an owner that forks until it sees it and
/// promotes: the sentinel is woken for what is promoted.
#[test]
fn a_raised_beat_wakes_a_sentinel_that_stood_down() {
    loom::model(|| {
        let sleep = Arc::new(Sleep::default());
        let queue = Arc::new(AtomicUsize::new(0));
        let beat = Arc::new(Beat::new());
        beat.answer();
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
        beat.answer();
        queue.fetch_add(1, Ordering::Relaxed);
        if sleep.needs_watch() {
            let _ = sleep.wake_one(Wake::Anywhere);
        }
        sentinel.join().unwrap();
    });
}

/// An idle worker that keeps the beat only while something runs, and may stay as the lookout once
/// it doesn't; and a thread that starts to run and then queues what there is no room for: in the
/// end somebody keeps the beat, or was woken.
fn busy_pool(stays: bool) {
    loom::model(move || {
        let sleep = Arc::new(Sleep::default());
        let queue = Arc::new(AtomicUsize::new(0));
        let occupancy = Arc::new(Occupancy::new());
        occupancy.set_target(1);
        sleep.search_begin();
        let idle = {
            let (sleep, queue, occupancy) = (sleep.clone(), queue.clone(), occupancy.clone());
            thread::spawn(move || {
                let parker = Arc::new(Parker::new());
                let is_quiet = || occupancy.is_quiet() && queue.load(Ordering::Relaxed) == 0;
                sleep.park_begin(&parker);
                let mut stays = stays;
                while sleep.sentinel_begin() {
                    if !is_quiet() {
                        // On duty, with a timer.
                        return;
                    }
                    sleep.sentinel_end();
                    if !is_quiet() {
                        continue;
                    }
                    if !stays || !sleep.lookout_begin(&parker) {
                        break;
                    }
                    // A timer's time that nobody is called in.
                    stays = false;
                    sleep.lookout_end();
                    if is_quiet() {
                        break;
                    }
                }
                parker.park();
            })
        };
        occupancy.enter(Lane::Frame);
        queue.fetch_add(1, Ordering::Relaxed);
        if sleep.needs_watch() && (occupancy.admits(Lane::Frame) || !sleep.finds_sentinel()) {
            let _ = sleep.wake_one(Wake::Anywhere);
        }
        idle.join().unwrap();
    });
}

#[test]
fn a_busy_pool_has_a_sentinel() {
    busy_pool(false);
}

#[test]
fn a_busy_pool_has_a_sentinel_or_a_lookout() {
    busy_pool(true);
}
