//! In which order one thread runs what it has spawned without a scope: the latest first, or with
//! `spawn_fifo` the earliest; nested, and both by turns.

mod common;
use common::{Fifo, Lifo, all, in_time, pool};
use rayon_core::spawn;
use std::sync::{Arc, Barrier, OnceLock, mpsc};

#[test]
fn of_what_spawns_and_what_it_spawns() {
    for (outer, inner) in [(Lifo, Lifo), (Lifo, Fifo), (Fifo, Lifo), (Fifo, Fifo)] {
        let ran = in_time(move || {
            let pool = pool(1);
            let (note, notes) = mpsc::channel();
            pool.install(move || {
                for i in 0..8 {
                    let note = note.clone();
                    outer.spawn(move || {
                        for j in 0..8 {
                            let note = note.clone();
                            inner.spawn(move || note.send((i, j)).unwrap());
                        }
                    });
                }
            });
            all(&notes)
        });
        let rows = outer.of(0..8).into_iter();
        let expected: Vec<_> = rows
            .flat_map(|i| inner.of((0..8).map(move |j| (i, j))))
            .collect();
        assert_eq!(ran, expected, "{inner:?} in {outer:?}");
    }
}

/// Capitals are spawned in one order and the others in the other, by turns. Each takes a turn from
/// the last, and at a turn of the FIFO ones the earliest of them runs.
#[test]
fn of_both_orders_by_turns() {
    for (capitals, letters, expected) in [(Lifo, Fifo, "DaCbBcA"), (Fifo, Lifo, "AcBbCaD")] {
        let ran = in_time(move || {
            let pool = pool(1);
            let (note, notes) = mpsc::channel();
            pool.install(move || {
                for letter in "AaBbCcD".chars() {
                    let note = note.clone();
                    let order = if letter.is_uppercase() {
                        capitals
                    } else {
                        letters
                    };
                    order.spawn(move || note.send(letter).unwrap());
                }
            });
            all(&notes)
        });
        assert_eq!(ran.into_iter().collect::<String>(), expected);
    }
}

#[test]
fn of_a_pool_s_methods_on_its_own_thread() {
    for order in [Lifo, Fifo] {
        let ran = in_time(move || {
            let pool = pool(1);
            let (note, notes) = mpsc::channel();
            pool.install(|| {
                for i in 0..12 {
                    let note = note.clone();
                    order.spawn_in(&pool, move || note.send(i).unwrap());
                }
                drop(note);
            });
            all(&notes)
        });
        assert_eq!(ran, order.of(0..12), "{order:?}");
    }
}

/// One thread is blocked, and what it has spawned waits for what the other one has: as in rayon, a
/// thread comes to others' only once it is through with its own.
#[test]
fn a_thread_s_own_come_before_others() {
    in_time(|| {
        let pool = pool(2);
        let flags = Arc::new((OnceLock::new(), OnceLock::new(), Barrier::new(2)));
        let (done, is_done) = mpsc::channel();
        pool.install(|| {
            let own = flags.clone();
            spawn(move || {
                let inner = own.clone();
                spawn(move || {
                    inner.0.wait();
                    done.send(()).unwrap();
                });
                own.2.wait();
                own.1.wait();
            });
            flags.2.wait();
            let own = flags.clone();
            spawn(move || {
                own.0.set(()).unwrap();
                own.1.set(()).unwrap();
            });
            (0..200).for_each(|_| spawn(|| ()));
        });
        is_done.recv().unwrap();
    });
}
