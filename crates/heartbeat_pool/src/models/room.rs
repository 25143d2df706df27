//! Push against a freed place and against growth.

use crate::idle::sleep::{Sleep, Wake};
use crate::lanes::occupancy::Occupancy;
use crate::parker::Parker;
use crate::sync::{Arc, AtomicUsize, Ordering};
use heartbeat_record::Lane;
use loom::thread;

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
    occupancy.set_target(target);
    occupancy.enter(Lane::Frame);
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
        let sleep = Arc::new(Sleep::default());
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
                occupancy.leave(Lane::Frame);
                if sleep.needs_watch() && queue.load(Ordering::Relaxed) > 0 {
                    let _ = sleep.wake_one(Wake::Anywhere);
                }
            })
        };
        queue.fetch_add(1, Ordering::Relaxed);
        if sleep.needs_watch() && occupancy.admits(Lane::Frame) {
            let _ = sleep.wake_one(Wake::Anywhere);
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
        let sleep = Arc::new(Sleep::default());
        let queue = Arc::new(AtomicUsize::new(1));
        let occupancy = one_running_of(1);
        sleep.search_begin();
        let worker = {
            let (sleep, queue, occupancy) = (sleep.clone(), queue.clone(), occupancy.clone());
            thread::spawn(move || {
                work_admitted(&sleep, &Arc::new(Parker::new()), &queue, &occupancy);
            })
        };
        occupancy.set_target(2);
        sleep.wake_all();
        worker.join().unwrap();
    });
}
