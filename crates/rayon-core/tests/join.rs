//! `join` and `join_context`: both run, a panic reaches the caller, and who moved to another thread is told.

mod common;
use common::{fail, in_time, panic_of, pool};
use rayon_core::{FnContext, join, join_context, spawn};
use std::sync::{Arc, Barrier, Mutex};
use std::thread;
use std::time::Duration;

/// Sorts by merging halves that are sorted in parallel, down to single numbers.
fn merge_sort(numbers: &mut [u32]) {
    if numbers.len() < 2 {
        return;
    }
    let middle = numbers.len() / 2;
    let (left, right) = numbers.split_at_mut(middle);
    join(|| merge_sort(left), || merge_sort(right));
    let (left, right) = (left.to_vec(), right.to_vec());
    let (mut left, mut right) = (left.into_iter().peekable(), right.into_iter().peekable());
    for place in numbers {
        let from_left = match (left.peek(), right.peek()) {
            (Some(l), Some(r)) => l <= r,
            (l, _) => l.is_some(),
        };
        *place = if from_left { left.next() } else { right.next() }.unwrap();
    }
}

/// Numbers in no order, the same each time.
fn shuffled(count: u32) -> Vec<u32> {
    (1..=count).map(|i| i.wrapping_mul(0x9e37_79b9)).collect()
}

fn assert_sorts(sort: impl FnOnce(&mut Vec<u32>), count: u32) {
    let mut numbers = shuffled(count);
    let mut expected = numbers.clone();
    expected.sort_unstable();
    sort(&mut numbers);
    assert_eq!(numbers, expected);
}

#[test]
fn sorts_on_the_global_pool() {
    in_time(|| assert_sorts(|numbers| merge_sort(numbers), 7_000));
}

#[test]
fn sorts_on_a_pool_of_its_own() {
    in_time(|| {
        for threads in [0, 1, 2, 5] {
            let pool = pool(threads);
            assert_sorts(|numbers| pool.install(|| merge_sort(numbers)), 13_000);
        }
    });
}

#[test]
fn a_panic_of_the_first_reaches_the_caller() {
    in_time(|| assert_eq!(panic_of(|| join(|| fail("first"), || ())), Some("first")));
}

#[test]
fn a_panic_of_the_second_reaches_the_caller() {
    in_time(|| assert_eq!(panic_of(|| join(|| (), || fail("second"))), Some("second")));
}

#[test]
fn of_two_panics_the_first_s_reaches_the_caller() {
    in_time(|| {
        for threads in [1, 2] {
            let pool = pool(threads);
            for _ in 0..100 {
                let both = || pool.join(|| fail("first"), || fail("second"));
                assert_eq!(panic_of(both), Some("first"));
            }
        }
    });
}

#[test]
fn the_other_runs_nonetheless() {
    in_time(|| {
        for threads in [1, 2] {
            let pool = pool(threads);
            for _ in 0..100 {
                let mut ran = false;
                let panicked = panic_of(|| pool.join(|| fail("first"), || ran = true));
                assert_eq!((panicked, ran), (Some("first"), true));
                let mut ran = false;
                let panicked = panic_of(|| pool.join(|| ran = true, || fail("second")));
                assert_eq!((panicked, ran), (Some("second"), true));
            }
        }
    });
}

/// To the process's pool: the caller helps.
#[test]
fn from_outside_those_have_migrated_that_run_elsewhere() {
    in_time(|| {
        let own = thread::current().id();
        let is_elsewhere = || thread::current().id() != own;
        for _ in 0..100 {
            let told = |context: FnContext| (context.migrated(), is_elsewhere());
            let (a, b) = join_context(told, told);
            assert_eq!(a, (false, false));
            assert_eq!(b.0, b.1);
        }
    });
}

#[test]
fn on_a_lone_thread_neither_has_migrated() {
    in_time(|| {
        let migrated = pool(1).install(|| join_context(|a| a.migrated(), |b| b.migrated()));
        assert_eq!(migrated, (false, false));
    });
}

/// Each waits for the other, so that two threads must have run them.
#[test]
fn of_two_that_meet_the_second_has_migrated() {
    in_time(|| {
        let pool = pool(2);
        for _ in 0..100 {
            let meeting = Barrier::new(2);
            let migrated = pool.install(|| {
                join_context(
                    |a| {
                        meeting.wait();
                        a.migrated()
                    },
                    |b| {
                        meeting.wait();
                        b.migrated()
                    },
                )
            });
            assert_eq!(migrated, (false, true));
        }
    });
}

/// More rounds of sleep and wake-up than a counter of them in half a word would hold.
#[test]
fn a_hundred_thousand_joins_from_outside() {
    in_time(|| {
        let pool = pool(2);
        let (mut a, mut b) = (0_u32, 0_u32);
        for _ in 0..100_000 {
            pool.join(|| a += 1, || b += 1);
        }
        assert_eq!((a, b), (100_000, 100_000));
    });
}

/// What waits in a `join` runs none of the spawned jobs that want its lock (rayon#592).
#[test]
fn a_lock_may_be_held_across_a_join() {
    in_time(|| {
        let pool = pool(2);
        let lock = Arc::new(Mutex::new(0));
        for round in 0..200 {
            pool.install(|| {
                let mut held = lock.lock().unwrap();
                let wants = lock.clone();
                spawn(move || *wants.lock().unwrap() += 1);
                join(|| (), || thread::sleep(Duration::from_micros(100)));
                *held += 1;
                assert_eq!(*held % 2, 1, "round {round}");
            });
            while *lock.lock().unwrap() != 2 * (round + 1) {
                thread::yield_now();
            }
        }
    });
}
