//! In which order one thread runs what it has spawned in scopes: the latest first, or in a FIFO
//! scope the earliest; nested, and of two scopes by turns.

mod common;
use common::{AnyScope, Fifo, Lifo, Order, all, in_time, pool};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Barrier, Mutex, mpsc};

const BOTH: [(Order, Order); 4] = [(Lifo, Lifo), (Lifo, Fifo), (Fifo, Lifo), (Fifo, Fifo)];

/// What `f` notes down, on a pool of one thread.
fn noted<T: Send + 'static>(f: impl FnOnce(&Mutex<Vec<T>>) + Send + 'static) -> Vec<T> {
    in_time(|| {
        let notes = Mutex::new(Vec::new());
        pool(1).install(|| f(&notes));
        notes.into_inner().unwrap()
    })
}

#[test]
fn of_one_scope() {
    for order in [Lifo, Fifo] {
        let ran = noted(move |notes| {
            order.scope(|s| {
                for i in 0..8 {
                    s.spawn(move |s| {
                        for j in 0..8 {
                            s.spawn(move |_| notes.lock().unwrap().push((i, j)));
                        }
                    });
                }
            });
        });
        let expected = order.of((0..8).flat_map(|i| (0..8).map(move |j| (i, j))));
        assert_eq!(ran, expected, "{order:?}");
    }
}

#[test]
fn of_a_pool_s_method_on_its_own_thread() {
    for order in [Lifo, Fifo] {
        let ran = in_time(move || {
            let pool = pool(1);
            let notes = Mutex::new(Vec::new());
            pool.install(|| {
                order.scope_in(&pool, |s| {
                    let notes = &notes;
                    (0..12).for_each(|i| s.spawn(move |_| notes.lock().unwrap().push(i)));
                });
            });
            notes.into_inner().unwrap()
        });
        assert_eq!(ran, order.of(0..12), "{order:?}");
    }
}

/// Each closure of the outer scope opens an inner one, which is done before the next begins.
#[test]
fn of_scopes_in_what_a_scope_spawned() {
    for (outer, inner) in BOTH {
        let ran = noted(move |notes| {
            outer.scope(|s| {
                for i in 0..8 {
                    s.spawn(move |_| {
                        inner.scope(|s| {
                            for j in 0..8 {
                                s.spawn(move |_| notes.lock().unwrap().push((i, j)));
                            }
                        });
                    });
                }
            });
        });
        let rows = outer.of(0..8).into_iter();
        let expected: Vec<_> = rows
            .flat_map(|i| inner.of((0..8).map(move |j| (i, j))))
            .collect();
        assert_eq!(ran, expected, "{inner:?} in {outer:?}");
    }
}

/// Capitals are spawned in the outer scope and the others in the inner, by turns; `D` once the
/// inner has ended: the wait for the inner scope runs none of the outer one, where rayon does by
/// turns.
#[test]
fn of_two_scopes_by_turns() {
    let expected = ["cbaDCBA", "abcDCBA", "cbaABCD", "abcABCD"];
    for ((outer, inner), expected) in BOTH.into_iter().zip(expected) {
        let ran = noted(move |notes| {
            outer.scope(|capitals| {
                capitals.spawn(|_| notes.lock().unwrap().push('A'));
                inner.scope(|letters| {
                    letters.spawn(|_| notes.lock().unwrap().push('a'));
                    capitals.spawn(|_| notes.lock().unwrap().push('B'));
                    letters.spawn(|_| notes.lock().unwrap().push('b'));
                    capitals.spawn(|_| notes.lock().unwrap().push('C'));
                    letters.spawn(|_| notes.lock().unwrap().push('c'));
                });
                capitals.spawn(|_| notes.lock().unwrap().push('D'));
            });
        });
        let ran: String = ran.into_iter().collect();
        assert_eq!(ran, expected, "{inner:?} in {outer:?}");
    }
}

/// The pool's only thread runs what the caller has spawned, the earliest first in either order, and
/// what it spawns itself.
#[test]
fn of_a_scope_that_its_caller_only_waits_for() {
    for order in [Lifo, Fifo] {
        let ran = in_time(move || {
            let pool = pool(1);
            let notes = Mutex::new(Vec::new());
            order.in_place_scope_in(&pool, |s| {
                let notes = &notes;
                for i in 0..3 {
                    s.spawn(move |s| {
                        // More than it takes until one of another thread's is looked for first.
                        (0..200).for_each(|j| s.spawn(move |_| notes.lock().unwrap().push((i, j))));
                    });
                }
            });
            notes.into_inner().unwrap()
        });
        for i in 0..3 {
            let of_one = ran.iter().filter(|(outer, _)| *outer == i).copied();
            let expected = order.of((0..200).map(|j| (i, j)));
            assert_eq!(of_one.collect::<Vec<_>>(), expected, "{order:?}");
        }
        assert!(ran.iter().position(|(i, _)| *i == 0) < ran.iter().position(|(i, _)| *i == 2));
    }
}

/// As among spawned jobs: one thread's spawn each other without end, the other's thread is blocked
/// until those that it has spawned have run.
#[test]
fn a_job_waits_for_few_of_another_thread_s() {
    in_time(|| {
        for order in [Lifo, Fifo] {
            let (both, over) = (Barrier::new(2), AtomicBool::new(false));
            order.scope_in(&pool(2), |s| {
                s.spawn(|s| {
                    both.wait();
                    chain(s, &over);
                });
                s.spawn(|s| {
                    both.wait();
                    let (note, notes) = mpsc::channel();
                    for i in 0..8 {
                        let note = note.clone();
                        s.spawn(move |_| note.send(i).unwrap());
                    }
                    drop(note);
                    assert_eq!(all(&notes), Vec::from_iter(0..8), "{order:?}");
                    over.store(true, Relaxed);
                });
            });
        }
    });
}

fn chain<'scope>(s: AnyScope<'_, 'scope>, over: &'scope AtomicBool) {
    if !over.load(Relaxed) {
        s.spawn(move |s| chain(s, over));
    }
}
