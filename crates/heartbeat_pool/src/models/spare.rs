//! Pushes against a spare thread that is being started, or that the system refuses.
//!
//! [`Pool::push`] stands for `Registry::tell` of `schedule.rs`, [`Pool::spawn_spare`] for that of
//! `registry/start.rs`, [`Pool::run`] for `thread_main` and `main_loop` of `worker/life.rs`,
//! [`Pool::wait`] for `rest` of `worker/duty.rs`. Who may start one, and what it means to be short
//! of one, is the pool's own.

use super::check;
use crate::idle::sleep::{Sleep, Wake};
use crate::idle::waiters::Waiters;
use crate::parker::Parker;
use crate::sync::{Arc, AtomicUsize, Mutex, Ordering, lock};
use crate::threads::spares::Spares;
use loom::thread::{self, JoinHandle};
use std::time::Duration;

/// What becomes of a thread that is asked for.
#[derive(Clone, Copy, PartialEq)]
enum Start {
    /// It begins its search, then says that it has started.
    SearchesFirst,
    /// It says so when it has searched.
    SearchedBefore,
    /// The system refuses it.
    Refused,
}

/// A pool in which nobody is idle, with one queue.
struct Pool {
    sleep: Sleep,
    spares: Spares,
    waiters: Waiters,
    start: Start,
    queued: AtomicUsize,
    done: AtomicUsize,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

impl Pool {
    fn new(start: Start) -> Arc<Self> {
        Arc::new(Self {
            sleep: Sleep::default(),
            spares: Spares::default(),
            waiters: Waiters::default(),
            start,
            queued: AtomicUsize::new(0),
            done: AtomicUsize::new(0),
            threads: Mutex::new(Vec::new()),
        })
    }

    fn has_work(&self) -> bool {
        self.queued.load(Ordering::Relaxed) > 0
    }

    fn take(&self) -> bool {
        let less = |jobs: usize| jobs.checked_sub(1);
        self.queued
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, less)
            .is_ok()
    }

    fn push(this: &Arc<Self>) {
        this.queued.fetch_add(1, Ordering::Relaxed);
        Self::notify(this);
    }

    fn notify(this: &Arc<Self>) {
        if this.sleep.needs_searcher() && !this.sleep.wake_one(Wake::Anywhere) {
            Self::spawn_spare(this);
        }
    }

    fn spawn_spare(this: &Arc<Self>) {
        // The time for another try never comes.
        if !this.spares.may_ask(Duration::MAX) {
            return this.waiters.wake_all();
        }
        if !this.spares.try_start() {
            return;
        }
        if this.start == Start::Refused {
            this.spares.started();
            this.spares.refuse(&this.waiters);
            return;
        }
        let pool = this.clone();
        let thread = thread::spawn(move || Self::run(&pool));
        lock(&this.threads).push(thread);
    }

    /// A thread from its start to its end: it goes as soon as it finds nothing.
    fn run(this: &Arc<Self>) {
        this.sleep.search_begin();
        if this.start == Start::SearchesFirst {
            this.spares.started();
        }
        let parker = Arc::new(Parker::new());
        loop {
            if this.take() {
                Self::end_search(this);
                this.done.fetch_add(1, Ordering::Relaxed);
                this.sleep.search_begin();
                continue;
            }
            this.sleep.park_begin(&parker);
            let finds_more = this.has_work();
            this.sleep.park_cancel(&parker);
            if !finds_more {
                break;
            }
        }
        Self::end_search(this);
        if this.start == Start::SearchedBefore {
            this.spares.started();
        }
    }

    fn end_search(this: &Arc<Self>) {
        if this.sleep.search_end() && this.has_work() {
            Self::notify(this);
        }
    }

    /// Waits until `jobs` are done, as a thread of the pool that stands in for those that the
    /// system refuses.
    fn wait(&self, jobs: usize) {
        let parker = Arc::new(Parker::new());
        while self.done.load(Ordering::Relaxed) < jobs {
            self.waiters.add(&parker);
            let stands_in = self.spares.is_short();
            if stands_in {
                self.sleep.wait_begin(&parker);
            }
            let mut needed = stands_in && self.has_work();
            if !needed {
                // In the pool with a timer, which this does without.
                parker.park();
            }
            if stands_in && self.sleep.wait_end(&parker) && self.has_work() {
                needed = true;
            }
            self.waiters.remove(&parker);
            if needed && self.take() {
                self.done.fetch_add(1, Ordering::Relaxed);
            }
        }
    }
}

/// Two pushes where nobody is idle: one of them starts a thread. The other one relies on its
/// search, or starts one more.
fn push_twice(start: Start) {
    let pool = Pool::new(start);
    let pusher = {
        let pool = pool.clone();
        thread::spawn(move || Pool::push(&pool))
    };
    Pool::push(&pool);
    pusher.join().unwrap();
    loop {
        let Some(thread) = lock(&pool.threads).pop() else {
            break;
        };
        thread.join().unwrap();
    }
    let done = pool.done.load(Ordering::Relaxed);
    assert_eq!(done, 2, "a job was left behind");
}

#[test]
fn a_push_relies_on_a_thread_that_is_being_started() {
    check(3, || push_twice(Start::SearchesFirst));
}

/// Nobody may rely on a thread whose search is over; loom must find that.
#[test]
#[should_panic(expected = "a job was left behind")]
fn who_says_too_late_that_it_has_started_leaves_a_job_behind() {
    check(2, || push_twice(Start::SearchedBefore));
}

/// Two pushes for which the system has no thread, and a thread of the pool that waits for both: it
/// does them, also that of the pusher that relied on the other one's thread.
#[test]
fn who_waits_stands_in_for_a_thread_that_is_refused() {
    check(3, || {
        let pool = Pool::new(Start::Refused);
        let pushers = [(); 2].map(|()| {
            let pool = pool.clone();
            thread::spawn(move || Pool::push(&pool))
        });
        pool.wait(2);
        pushers
            .into_iter()
            .for_each(|pusher| pusher.join().unwrap());
        assert!(!pool.has_work() && pool.sleep.searchers() == 0);
    });
}

/// A waiting thread that may be anywhere before its sleep, and a push for which the system has no
/// thread. It stops short of its sleep, for loom can't unwind out of a deadlock.
fn list_and_look(lists_first: bool) {
    let pool = Pool::new(Start::Refused);
    let parker = Arc::new(Parker::new());
    let pusher = {
        let pool = pool.clone();
        thread::spawn(move || Pool::push(&pool))
    };
    if lists_first {
        pool.waiters.add(&parker);
    }
    let sleeps = !pool.spares.is_short();
    if !lists_first {
        pool.waiters.add(&parker);
    }
    pusher.join().unwrap();
    assert!(!sleeps || parker.has_token(), "lost wake-up");
}

#[test]
fn who_is_listed_first_sees_that_a_thread_is_missed() {
    loom::model(|| list_and_look(true));
}

/// A thread that looks first and is listed then doesn't learn that it must stand in; loom must find
/// that.
#[test]
#[should_panic(expected = "lost wake-up")]
fn who_looks_first_stands_in_for_nobody() {
    loom::model(|| list_and_look(false));
}
