//! In which order one thread runs what it has spawned without a scope: the latest first, or with
//! `spawn_fifo` the earliest; nested, and both by turns.

mod common;
use common::{Fifo, Lifo, Order, all, in_time, pool};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Barrier, mpsc};

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

/// One thread's jobs spawn each other without end, the other's thread is blocked until those that
/// it has spawned have run.
#[test]
fn a_job_waits_for_few_of_another_thread_s() {
    in_time(|| {
        for (endless, few) in [(Lifo, Lifo), (Lifo, Fifo), (Fifo, Lifo), (Fifo, Fifo)] {
            let pool = pool(2);
            let both = Arc::new(Barrier::new(2));
            let over = Arc::new(AtomicBool::new(false));
            let (begin, end) = (both.clone(), over.clone());
            endless.spawn_in(&pool, move || {
                begin.wait();
                chain(endless, end);
            });
            let (note, notes) = mpsc::channel();
            let (done, all_done) = mpsc::channel();
            few.spawn_in(&pool, move || {
                both.wait();
                for i in 0..8 {
                    let note = note.clone();
                    few.spawn(move || note.send(i).unwrap());
                }
                drop(note);
                done.send(all(&notes)).unwrap();
            });
            let ran = all_done.recv().unwrap();
            over.store(true, Relaxed);
            assert_eq!(ran, Vec::from_iter(0..8), "{few:?} beside {endless:?}");
        }
    });
}

fn chain(order: Order, over: Arc<AtomicBool>) {
    if !over.load(Relaxed) {
        order.spawn(move || chain(order, over));
    }
}
