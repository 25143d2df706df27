//! `spawn_broadcast` of a scope: once on each thread before the scope ends.

mod common;
use common::{Fifo, Lifo, fail, in_time, panic_of, pool};
use std::sync::Barrier;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// How often each of `threads` threads ran something.
fn counters(threads: usize) -> Vec<AtomicUsize> {
    (0..threads).map(|_| AtomicUsize::new(0)).collect()
}

fn assert_each_ran(counters: Vec<AtomicUsize>, times: usize) {
    let ran: Vec<_> = counters.into_iter().map(AtomicUsize::into_inner).collect();
    assert_eq!(ran, vec![times; ran.len()]);
}

#[test]
fn once_on_each_thread_of_the_global_pool() {
    in_time(|| {
        for order in [Lifo, Fifo] {
            let ran = counters(rayon_core::current_num_threads());
            order.scope(|s| s.spawn_broadcast(|_, index| _ = ran[index].fetch_add(1, Relaxed)));
            assert_each_ran(ran, 1);
        }
    });
}

#[test]
fn once_on_each_thread_of_a_pool() {
    in_time(|| {
        for order in [Lifo, Fifo] {
            let ran = counters(5);
            order.scope_in(&pool(5), |s| {
                s.spawn_broadcast(|_, index| _ = ran[index].fetch_add(1, Relaxed));
            });
            assert_each_ran(ran, 1);
        }
    });
}

#[test]
fn a_broadcast_from_each_thread_of_a_broadcast() {
    in_time(|| {
        for order in [Lifo, Fifo] {
            let ran = counters(rayon_core::current_num_threads());
            let threads = ran.len();
            order.scope(|s| {
                s.spawn_broadcast(|s, _| {
                    s.spawn_broadcast(|_, index| _ = ran[index].fetch_add(1, Relaxed));
                });
            });
            assert_each_ran(ran, threads);
        }
    });
}

/// The caller's thread is none of the pool's: all of them and it meet.
#[test]
fn all_threads_run_it_at_once() {
    in_time(|| {
        for order in [Lifo, Fifo] {
            let meeting = Barrier::new(6);
            order.in_place_scope_in(&pool(5), |s| {
                s.spawn_broadcast(|_, _| _ = meeting.wait());
                meeting.wait();
            });
        }
    });
}

#[test]
fn a_panic_on_one_thread_reaches_the_caller_and_the_others_run() {
    in_time(|| {
        for order in [Lifo, Fifo] {
            let (pool, ran) = (pool(5), counters(5));
            let panicked = panic_of(|| {
                order.scope_in(&pool, |s| {
                    s.spawn_broadcast(|_, index| {
                        ran[index].fetch_add(1, Relaxed);
                        if index == 2 {
                            fail("one");
                        }
                    });
                });
            });
            assert_eq!(panicked, Some("one"));
            assert_each_ran(ran, 1);
        }
    });
}

#[test]
fn of_several_panics_one_reaches_the_caller_and_all_run() {
    in_time(|| {
        for order in [Lifo, Fifo] {
            let (pool, ran) = (pool(5), counters(5));
            let panicked = panic_of(|| {
                order.scope_in(&pool, |s| {
                    s.spawn_broadcast(|_, index| {
                        ran[index].fetch_add(1, Relaxed);
                        if index != 2 {
                            fail("four");
                        }
                    });
                });
            });
            assert_eq!(panicked, Some("four"));
            assert_each_ran(ran, 1);
        }
    });
}
