//! A stolen half of a join against the wait of its owner, and against a thread that took it by
//! mistake and gives it back.
//!
//! [`Thief::wait`] stands for `Worker::wait_out` with a `StolenFork` of `verbs/fork.rs`,
//! [`Thief::run`] for `run` there, [`help`] for `StolenFork::step`. What came back lies where it
//! does in the pool.

use super::check;
use crate::age::{Age, Aged};
use crate::parker::Parker;
use crate::queue::by_age::ByAge;
use crate::sync::{Arc, AtomicBool, AtomicUsize, Ordering};
use loom::cell::UnsafeCell;
use loom::thread;

/// The second half of a join.
struct Fork {
    done: AtomicBool,
    result: UnsafeCell<u32>,
}

fn aged(fork: usize) -> Aged<usize> {
    let nth = fork as u32;
    Aged::new(fork, Some(Age::new(1, nth.into())))
}

/// A thread that has stolen a half, the *outer* one, and forks two more: the first inside of it,
/// the second when it is through with it.
struct Thief {
    parker: Arc<Parker>,
    outer_done: AtomicBool,
    forks: [Fork; 2],
    /// Its deque: the number of the fork that lies there plus one, or zero.
    deque: AtomicUsize,
    returned: ByAge<Aged<usize>>,
}

impl Thief {
    /// One that `woken` wakes for what comes back.
    fn new(parker: Arc<Parker>, woken: Arc<Parker>) -> Arc<Self> {
        Arc::new(Self {
            parker,
            outer_done: AtomicBool::new(false),
            forks: [(); 2].map(|()| Fork {
                done: AtomicBool::new(false),
                result: UnsafeCell::new(0),
            }),
            deque: AtomicUsize::new(0),
            returned: ByAge::new(woken),
        })
    }

    fn push(&self, fork: usize) {
        // A swap, for loom lets a plain store fall between another's read and write of one.
        self.deque.swap(fork + 1, Ordering::AcqRel);
    }

    /// Takes the fork, as its owner or as a thief.
    fn take(&self) -> Option<usize> {
        self.deque.swap(0, Ordering::AcqRel).checked_sub(1)
    }

    /// Runs a fork that somebody has taken.
    fn run(&self, fork: usize) {
        let Fork { done, result } = &self.forks[fork];
        // SAFETY: one thread has taken it, and its owner reads once it is done.
        result.with_mut(|result| unsafe { *result += 1 });
        done.store(true, Ordering::Release);
        self.parker.unpark();
    }

    fn is_done(&self, fork: usize) -> bool {
        self.forks[fork].done.load(Ordering::Acquire)
    }

    fn wait(&self, fork: usize) {
        while !self.is_done(fork) {
            if let Some(fork) = self.returned.take(|other| other.item == fork) {
                self.run(fork.item);
            } else if !self.is_done(fork) && !self.returned.has(|other| other.item == fork) {
                self.parker.park();
            }
        }
    }

    fn fork(&self, fork: usize) {
        self.push(fork);
        match self.take() {
            Some(fork) => self.run(fork),
            None => self.wait(fork),
        }
        // SAFETY: whoever ran it is through with it; a second run would race with this.
        self.forks[fork]
            .result
            .with_mut(|result| unsafe { assert_eq!(*result, 1) });
    }
}

/// What the owner of the outer half does once, which waits for it, and asks before it takes a fork
/// of the thief's whether the outer one is done, or after that. False if it ran one that is no part
/// of the outer one.
fn help(thief: &Thief, asks_first: bool) -> bool {
    let is_done = || thief.outer_done.load(Ordering::Acquire);
    let was_done = is_done();
    if was_done {
        return true;
    }
    let Some(fork) = thief.take() else {
        return true;
    };
    let is_over = if asks_first { was_done } else { is_done() };
    if is_over {
        thief.returned.give_back(aged(fork));
        return true;
    }
    thief.run(fork);
    fork == 0
}

/// A thief, and the owner of what it has stolen, which helps it with that; where there is an `idle`
/// thread, it takes what it finds. Each half is run once, the thief sees it done, and the helper
/// runs none of what comes later.
fn steal_back(asks_first: bool, idle: bool) {
    let parker = Arc::new(Parker::new());
    let thief = Thief::new(parker.clone(), parker);
    let helper = {
        let thief = thief.clone();
        thread::spawn(move || help(&thief, asks_first) & help(&thief, asks_first))
    };
    let idle = idle.then(|| {
        let thief = thief.clone();
        thread::spawn(move || {
            let returned = thief.returned.take(|_| true).map(|fork| fork.item);
            let fork = returned.or_else(|| thief.take());
            fork.into_iter().for_each(|fork| thief.run(fork));
        })
    });
    thief.fork(0);
    thief.outer_done.store(true, Ordering::Release);
    thief.fork(1);
    idle.into_iter().for_each(|idle| idle.join().unwrap());
    assert!(helper.join().unwrap(), "a stranger's half was run");
}

#[test]
fn a_half_that_comes_back_is_run_once() {
    loom::model(|| steal_back(false, false));
}

#[test]
fn a_half_that_comes_back_is_run_by_its_owner_or_another() {
    check(4, || steal_back(false, true));
}

/// A thief that asks whether the outer half is done, and then takes one, takes it for part of that;
/// loom must find that.
#[test]
#[should_panic(expected = "a stranger's half was run")]
fn who_asks_too_early_runs_a_strangers_half() {
    loom::model(|| steal_back(true, false));
}

/// A half that comes back while its owner may be anywhere before its sleep. The owner stops short
/// of that, for loom can't unwind out of a deadlock.
fn come_back(wakes_first: bool) {
    let parker = Arc::new(Parker::new());
    let woken = match wakes_first {
        true => Arc::new(Parker::new()),
        false => parker.clone(),
    };
    let thief = Thief::new(parker, woken);
    let other = {
        let thief = thief.clone();
        thread::spawn(move || {
            if wakes_first {
                thief.parker.unpark();
            }
            thief.returned.give_back(aged(0));
        })
    };
    // It drops what an earlier wait was woken for.
    thief.parker.drop_token();
    let sleeps = !thief.returned.has(|_| true);
    other.join().unwrap();
    assert!(!sleeps || thief.parker.has_token(), "lost wake-up");
}

#[test]
fn a_half_that_comes_back_wakes_its_owner() {
    loom::model(|| come_back(false));
}

/// A thief that wakes the owner and then gives back, loses the wake-up; loom must find that.
#[test]
#[should_panic(expected = "lost wake-up")]
fn who_wakes_first_and_then_gives_back_wakes_nobody() {
    loom::model(|| come_back(true));
}
