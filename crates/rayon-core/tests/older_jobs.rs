//! Halves of joins that block until a job of the same thread has run, which was spawned before
//! them: others take a thread's oldest first, so all threads but one may block.

mod common;
use common::{in_time, pool};
use rayon_core::{ThreadPool, join, scope, spawn, spawn_fifo};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier, OnceLock, mpsc};
use std::thread;
use std::time::Duration;

/// Calls `leaf` so many times, by joins.
fn leaves(count: usize, leaf: &(impl Fn() + Sync)) {
    if count == 1 {
        return leaf();
    }
    join(
        || leaves(count / 2, leaf),
        || leaves(count - count / 2, leaf),
    );
}

/// Leaves that wait for what `spawn` is given.
fn wait_for_a_job(spawn: fn(Box<dyn FnOnce() + Send>)) {
    let flag = Arc::new(OnceLock::new());
    let set = flag.clone();
    spawn(Box::new(move || set.set(()).unwrap()));
    leaves(64, &|| _ = flag.wait());
}

fn in_pools(f: impl Fn(ThreadPool) + Send + 'static) {
    in_time(move || {
        for threads in [2, 4, 8] {
            for _ in 0..10 {
                f(pool(threads));
            }
        }
    });
}

#[test]
fn leaves_wait_for_a_job() {
    in_pools(|pool| {
        pool.install(|| wait_for_a_job(spawn));
        pool.install(|| wait_for_a_job(spawn_fifo));
    });
}

/// The older halves are over when the first of those that wait begins.
#[test]
fn leaves_of_one_half_wait_for_a_job_of_that() {
    in_pools(|pool| {
        pool.install(|| {
            join(
                || {
                    thread::sleep(Duration::from_millis(1));
                    wait_for_a_job(spawn);
                },
                || (),
            );
        });
    });
}

/// The job is younger, but its thread waits, and nobody else is left.
#[test]
fn a_half_waits_for_a_job_of_the_other() {
    in_time(|| {
        let pool = pool(2);
        let (note, notes) = mpsc::channel();
        pool.install(|| {
            join(
                || {
                    thread::sleep(Duration::from_millis(5));
                    spawn(move || note.send(()).unwrap());
                },
                move || notes.recv().unwrap(),
            );
        });
    });
}

#[test]
fn a_scopes_job_waits_for_one_that_its_owner_spawned() {
    in_time(|| {
        let pool = pool(2);
        let (note, notes) = mpsc::channel();
        pool.install(|| {
            scope(|s| {
                s.spawn(move |_| notes.recv().unwrap());
                thread::sleep(Duration::from_millis(5));
                spawn(move || note.send(()).unwrap());
            });
        });
    });
}

/// They wait in another pool, and wake none of one another meanwhile.
#[test]
fn one_waits_for_what_all_others_have_spawned_who_wait_elsewhere() {
    const THREADS: usize = 16;
    in_time(|| {
        let (own, other) = (pool(THREADS), pool(THREADS));
        let ran = Arc::new(AtomicUsize::new(0));
        let [begin, open] = [(); 2].map(|()| Barrier::new(THREADS));
        let wait_elsewhere = || {
            let ran = ran.clone();
            spawn(move || _ = ran.fetch_add(1, Ordering::Relaxed));
            other.install(|| _ = open.wait());
        };
        let wait_for_all = || {
            while ran.load(Ordering::Relaxed) < THREADS - 1 {
                thread::sleep(Duration::from_millis(1));
            }
            open.wait();
        };
        own.scope(|s| {
            for index in 0..THREADS {
                let (begin, wait_elsewhere, wait_for_all) =
                    (&begin, &wait_elsewhere, &wait_for_all);
                s.spawn(move |_| {
                    begin.wait();
                    if index == 0 {
                        wait_for_all();
                    } else {
                        wait_elsewhere();
                    }
                });
            }
        });
    });
}
