//! `yield_now` and `yield_local` run what waits, and tell whether they did.

mod common;
use common::{in_time, pool};
use rayon_core::{Yield, spawn, yield_local, yield_now};
use std::sync::mpsc;

#[test]
fn outside_a_pool_there_is_nothing_to_yield_to() {
    in_time(|| assert_eq!((yield_now(), yield_local()), (None, None)));
}

/// On a pool's only thread nobody else can have run it.
#[test]
fn to_what_the_thread_has_spawned() {
    in_time(|| {
        for yields in [yield_now, yield_local] {
            pool(1).install(|| {
                let (note, notes) = mpsc::channel();
                spawn(move || note.send("ran").unwrap());
                assert!(notes.try_recv().is_err());
                assert_eq!(yields(), Some(Yield::Executed));
                assert_eq!(notes.try_recv(), Ok("ran"));
                assert_eq!(yields(), Some(Yield::Idle));
            });
        }
    });
}

/// Of what comes from outside `yield_now` alone takes, and either leaves it to run in the end.
#[test]
fn to_what_comes_from_outside() {
    in_time(|| {
        for yields in [yield_now, yield_local] {
            let (note, notes) = mpsc::channel();
            spawn(move || note.send("ran").unwrap());
            rayon_core::scope(|_| _ = yields());
            assert_eq!(notes.recv(), Ok("ran"));
        }
        let pool = pool(1);
        let (note, notes) = mpsc::channel();
        let (arrived, arrival) = mpsc::channel();
        pool.in_place_scope(|s| {
            s.spawn(move |_| {
                arrival.recv().unwrap();
                assert_eq!(yield_local(), Some(Yield::Idle));
                assert_eq!(yield_now(), Some(Yield::Executed));
                assert_eq!(notes.try_recv(), Ok("ran"));
            });
            pool.spawn(move || note.send("ran").unwrap());
            arrived.send(()).unwrap();
        });
    });
}
