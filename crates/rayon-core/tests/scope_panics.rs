//! A panic in a scope, or in what it spawned, reaches its caller once all else of it has run.

mod common;
use common::{Fifo, Lifo, fail, in_time, panic_of};

#[test]
fn a_panic_of_the_scope_s_closure() {
    in_time(|| {
        for order in [Lifo, Fifo] {
            assert_eq!(panic_of(|| order.scope(|_| fail("own"))), Some("own"));
            assert_eq!(
                panic_of(|| order.in_place_scope(|_| fail("own"))),
                Some("own")
            );
        }
    });
}

#[test]
fn a_panic_of_what_is_spawned() {
    in_time(|| {
        for order in [Lifo, Fifo] {
            let spawn = || order.scope(|s| s.spawn(|_| fail("spawned")));
            assert_eq!(panic_of(spawn), Some("spawned"));
            let spawn = || order.in_place_scope(|s| s.spawn(|_| fail("spawned")));
            assert_eq!(panic_of(spawn), Some("spawned"));
        }
    });
}

#[test]
fn a_panic_three_spawns_down() {
    in_time(|| {
        for order in [Lifo, Fifo] {
            let spawn = || order.scope(|s| s.spawn(|s| s.spawn(|s| s.spawn(|_| fail("deep")))));
            assert_eq!(panic_of(spawn), Some("deep"));
        }
    });
}

#[test]
fn a_panic_of_a_scope_within_a_scope() {
    in_time(|| {
        for (outer, inner) in [(Lifo, Lifo), (Lifo, Fifo), (Fifo, Lifo), (Fifo, Fifo)] {
            let nest = || {
                outer.scope(|s| s.spawn(move |_| inner.scope(|s| s.spawn(|_| fail("inner")))));
            };
            assert_eq!(panic_of(nest), Some("inner"));
        }
    });
}

#[test]
fn what_is_spawned_after_a_panicking_one_runs() {
    in_time(|| {
        for order in [Lifo, Fifo] {
            let mut ran = false;
            let panicked = panic_of(|| {
                order.scope(|s| {
                    s.spawn(|_| fail("spawned"));
                    s.spawn(|_| ran = true);
                });
            });
            assert_eq!((panicked, ran), (Some("spawned"), true));
        }
    });
}

#[test]
fn what_is_spawned_before_a_panicking_one_runs() {
    in_time(|| {
        for order in [Lifo, Fifo] {
            let mut ran = false;
            let panicked = panic_of(|| {
                order.scope(|s| {
                    s.spawn(|_| ran = true);
                    s.spawn(|_| fail("spawned"));
                });
            });
            assert_eq!((panicked, ran), (Some("spawned"), true));
        }
    });
}

#[test]
fn what_is_spawned_runs_where_the_scope_s_closure_panics() {
    in_time(|| {
        for order in [Lifo, Fifo] {
            let mut ran = false;
            let panicked = panic_of(|| {
                order.scope(|s| {
                    s.spawn(|_| ran = true);
                    fail("own");
                });
            });
            assert_eq!((panicked, ran), (Some("own"), true));
        }
    });
}

#[test]
fn the_scope_s_closure_runs_to_its_end_where_what_it_spawned_panics() {
    in_time(|| {
        for order in [Lifo, Fifo] {
            let mut ran = false;
            let panicked = panic_of(|| {
                order.scope(|s| {
                    s.spawn(|_| fail("spawned"));
                    ran = true;
                });
            });
            assert_eq!((panicked, ran), (Some("spawned"), true));
        }
    });
}
