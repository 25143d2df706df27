//! In which order one thread runs what it has spawned in scopes: the latest first, or in a FIFO
//! scope the earliest; nested, and of two scopes by turns.

mod common;
use common::{Fifo, Lifo, Order, in_time, pool};
use std::sync::{Arc, Barrier, Mutex, OnceLock};

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

/// One thread is blocked, and what it has spawned waits for what the other one has: as in rayon, a
/// thread comes to others' only once it is through with its own.
#[test]
fn a_thread_s_own_come_before_others() {
    in_time(|| {
        let (set, go, both) = (OnceLock::new(), OnceLock::new(), Barrier::new(2));
        Lifo.scope_in(&pool(2), |s| {
            s.spawn(|s| {
                s.spawn(|_| _ = set.wait());
                both.wait();
                go.wait();
            });
            both.wait();
            s.spawn(|_| {
                set.set(()).unwrap();
                go.set(()).unwrap();
            });
            (0..200).for_each(|_| s.spawn(|_| ()));
        });
    });
}

/// It waits for what the pool's threads have spawned.
#[test]
fn what_comes_from_outside_is_last() {
    in_time(|| {
        let set = OnceLock::new();
        Lifo.in_place_scope_in(&pool(1), |s| {
            s.spawn(|s| {
                s.spawn(|_| set.set(()).unwrap());
                (0..200).for_each(|_| s.spawn(|_| ()));
            });
            s.spawn(|_| _ = set.wait());
        });
        // Of two threads, one waits for a job that the other one must take before that.
        let (set, over, both) = (OnceLock::new(), OnceLock::new(), Barrier::new(2));
        Lifo.in_place_scope_in(&pool(2), |s| {
            s.spawn(|s| {
                both.wait();
                s.spawn(|_| set.set(()).unwrap());
                both.wait();
                set.wait();
                over.set(()).unwrap();
            });
            s.spawn(|_| {
                both.wait();
                both.wait();
            });
            s.spawn(|_| _ = over.wait());
        });
    });
}

/// A job of the scope is put back for a newer one that is not the scope's. The last but one begins
/// what the last one waits for.
#[test]
fn what_is_put_back_hides_nothing_that_is_newer() {
    in_time(|| {
        for jobs in [40, 200] {
            let set = Arc::new(OnceLock::new());
            Fifo.in_place_scope_in(&pool(1), |s| {
                let set = &set;
                s.spawn(move |s| {
                    for left in (0..jobs).rev() {
                        s.spawn(move |_| match left {
                            0 => _ = set.wait(),
                            1 => {
                                let set = set.clone();
                                rayon_core::spawn(move || set.set(()).unwrap());
                            }
                            2 | 3 => (),
                            _ => rayon_core::spawn(|| ()),
                        });
                    }
                });
                s.spawn(|_| ());
            });
        }
    });
}
