//! A wait inside of a poll against the wake-up of the wait around it.

use crate::parker::Parker;
use crate::signal::Signal;
use crate::sync::{Arc, AtomicBool, Ordering};
use loom::thread;

/// All interleavings with at most three preemptions.
fn model(f: impl Fn() + Sync + Send + 'static) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(3);
    model.check(f);
}

/// Two waits on one thread, the inner one inside of a poll of the outer one's future, whose waker
/// is left with another thread before that. `is_owed` tells whether the outer one may end its
/// sleep.
fn nested(is_owed: fn(&Signal, &Parker) -> bool) {
    let parker = Arc::new(Parker::new());
    let outer = Arc::new(Signal::new(parker.clone()));
    let inner = Arc::new(AtomicBool::new(false));
    let ready = Arc::new(AtomicBool::new(false));
    let wakers = [
        {
            let (inner, parker) = (inner.clone(), parker.clone());
            thread::spawn(move || {
                inner.store(true, Ordering::Release);
                parker.unpark();
            })
        },
        {
            let (outer, ready) = (outer.clone(), ready.clone());
            thread::spawn(move || {
                ready.store(true, Ordering::Release);
                outer.set();
            })
        },
    ];
    // The first poll finds nothing, and waits for something else.
    let mut is_ready = ready.load(Ordering::Acquire);
    while !inner.load(Ordering::Acquire) {
        parker.park();
    }
    for waker in wakers {
        waker.join().unwrap();
    }
    // Nobody will come any more: what is owed must be there.
    while !is_ready {
        assert!(is_owed(&outer, &parker), "lost wake-up");
        is_ready = ready.load(Ordering::Acquire);
    }
}

#[test]
fn an_inner_wait_leaves_the_outer_one_its_wake_up() {
    model(|| nested(|signal, _| signal.take()));
}

/// By the thread's one token alone, loom must find the wake-up lost, or the model above proves
/// nothing.
#[test]
#[should_panic(expected = "lost wake-up")]
fn one_token_for_both_loses_the_outer_ones() {
    model(|| nested(|_, parker| parker.has_token()));
}

/// A waker that comes at any time between the poll and the sleep.
#[test]
fn a_wake_up_ends_the_sleep() {
    model(|| {
        let signal = Arc::new(Signal::new(Arc::new(Parker::new())));
        let ready = Arc::new(AtomicBool::new(false));
        let wakers: Vec<_> = (0..2)
            .map(|_| {
                let (signal, ready) = (signal.clone(), ready.clone());
                thread::spawn(move || {
                    ready.store(true, Ordering::Relaxed);
                    signal.set();
                })
            })
            .collect();
        // `take` acquires what the first of them has written.
        while !ready.load(Ordering::Relaxed) {
            while !signal.take() {
                signal.owner().park();
            }
            assert!(ready.load(Ordering::Relaxed));
        }
        for waker in wakers {
            waker.join().unwrap();
        }
    });
}
