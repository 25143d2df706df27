//! Threads that wait in a pool without spare threads: they take what is queued if nobody else
//! could, and stand in nobody's way.

use crate::idle::sleep::{Sleep, Wake};
use crate::parker::Parker;
use crate::sync::{Arc, AtomicBool, AtomicUsize, Ordering};
use loom::thread;

/// A pool with one queue; all that waits, waits for its last job.
struct Pool {
    sleep: Sleep,
    queued: AtomicUsize,
    running: AtomicUsize,
    done: AtomicBool,
    waiting: Vec<Arc<Parker>>,
}

impl Pool {
    fn new(running: usize, waiting: usize) -> Arc<Self> {
        Arc::new(Self {
            sleep: Sleep::default(),
            queued: AtomicUsize::new(0),
            running: AtomicUsize::new(running),
            done: AtomicBool::new(false),
            waiting: (0..waiting).map(|_| Arc::new(Parker::new())).collect(),
        })
    }

    fn push(&self) {
        self.queued.fetch_add(1, Ordering::Relaxed);
        if self.sleep.needs_searcher() {
            let _ = self.sleep.wake_one(Wake::Anywhere);
        }
    }

    fn take(&self) -> bool {
        let less = |jobs: usize| jobs.checked_sub(1);
        self.queued
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, less)
            .is_ok()
    }

    /// Ends everyone's wait.
    fn finish(&self) {
        self.done.store(true, Ordering::Release);
        self.waiting.iter().for_each(|parker| parker.unpark());
    }

    fn has_work(&self) -> bool {
        self.queued.load(Ordering::Relaxed) > 0
    }

    /// What a waiting thread does until the job is done.
    fn wait(&self, parker: &Arc<Parker>) {
        let is_needed = || self.running.load(Ordering::Relaxed) == 0 && self.has_work();
        while !self.done.load(Ordering::Acquire) {
            self.sleep.wait_begin(parker);
            let awake = self.done.load(Ordering::Acquire) || is_needed();
            if !awake {
                parker.park();
            }
            if self.sleep.wait_end(parker) && self.has_work() {
                let handed_on = self.sleep.wake_worker(Wake::Anywhere);
                if !handed_on && is_needed() {
                    let _ = self.sleep.wake_one(Wake::Anywhere);
                }
            }
            if awake && self.take() {
                self.finish();
            }
        }
    }

    /// A running thread leaves the count, and offers its place.
    fn leave(&self) {
        self.running.fetch_sub(1, Ordering::AcqRel);
        if self.sleep.needs_watch() && self.has_work() {
            let _ = if self.running.load(Ordering::Relaxed) == 0 {
                self.sleep.wake_one(Wake::Anywhere)
            } else {
                self.sleep.wake_worker(Wake::Anywhere)
            };
        }
    }
}

/// A thread that waits alone, one push: it finds the job.
#[test]
fn a_waiting_thread_takes_what_nobody_else_could() {
    loom::model(|| {
        let pool = Pool::new(0, 1);
        let waiting = {
            let pool = pool.clone();
            thread::spawn(move || pool.wait(&pool.waiting[0]))
        };
        pool.push();
        waiting.join().unwrap();
    });
}

/// Two threads that wait, `running` of which run before; one push meanwhile: one of the two finds
/// the job. At most three preemptions.
fn two_begin_to_wait(running: usize) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(3);
    model.check(move || {
        let pool = Pool::new(running, 2);
        let threads: Vec<_> = (0..2)
            .map(|index| {
                let pool = pool.clone();
                thread::spawn(move || {
                    if index < running {
                        pool.leave();
                    }
                    pool.wait(&pool.waiting[index]);
                })
            })
            .collect();
        pool.push();
        for thread in threads {
            thread.join().unwrap();
        }
    });
}

#[test]
fn the_last_one_that_begins_to_wait_leaves_nothing_behind() {
    two_begin_to_wait(1);
}

#[test]
fn nor_do_two_that_begin_to_wait_at_once() {
    two_begin_to_wait(2);
}

/// A waiting thread, a worker that ends a job and looks for the next, and somebody who runs on; two
/// pushes: the worker finds both jobs, though it may be the waiting thread that is woken. At most
/// three preemptions.
#[test]
fn a_waiting_thread_keeps_no_job_from_a_worker() {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(3);
    model.check(|| {
        let pool = Pool::new(1, 1);
        let worker = {
            let pool = pool.clone();
            thread::spawn(move || {
                let parker = Arc::new(Parker::new());
                for left in (0..2).rev() {
                    pool.sleep.search_begin();
                    while !pool.take() {
                        pool.sleep.park_begin(&parker);
                        if !pool.has_work() {
                            parker.park();
                        }
                        pool.sleep.park_cancel(&parker);
                    }
                    if pool.sleep.search_end() && pool.has_work() {
                        let _ = pool.sleep.wake_one(Wake::Anywhere);
                    }
                    if left == 0 {
                        pool.finish();
                    }
                }
            })
        };
        let waiting = {
            let pool = pool.clone();
            thread::spawn(move || pool.wait(&pool.waiting[0]))
        };
        pool.push();
        pool.push();
        worker.join().unwrap();
        waiting.join().unwrap();
    });
}
