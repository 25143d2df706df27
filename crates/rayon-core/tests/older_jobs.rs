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

#[test]
fn leaves_wait_for_a_scopes_job() {
    in_pools(|pool| {
        pool.install(|| {
            let flag = OnceLock::new();
            scope(|scope| {
                scope.spawn(|_| flag.set(()).unwrap());
                leaves(64, &|| _ = flag.wait());
            });
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

/// All threads of a pool but one wait in another one, and this one for what they have spawned,
/// while `beside` is called again and again.
fn one_waits_for_what_all_others_have_spawned(threads: usize, beside: fn(&ThreadPool)) {
    let (own, other) = (pool(threads), pool(threads));
    let ran = Arc::new(AtomicUsize::new(0));
    let [begin, open] = [(); 2].map(|()| Barrier::new(threads));
    let wait_elsewhere = || {
        let ran = ran.clone();
        spawn(move || _ = ran.fetch_add(1, Ordering::Relaxed));
        other.install(|| _ = open.wait());
    };
    let have_all_run = || ran.load(Ordering::Relaxed) == threads - 1;
    let wait_for_all = || {
        while !have_all_run() {
            thread::sleep(Duration::from_millis(1));
        }
        open.wait();
    };
    thread::scope(|outside| {
        outside.spawn(|| {
            while !have_all_run() {
                beside(&own);
                thread::sleep(Duration::from_millis(1));
            }
        });
        own.scope(|s| {
            for index in 0..threads {
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

#[test]
fn those_who_wait_elsewhere_wake_none_of_one_another() {
    in_time(|| one_waits_for_what_all_others_have_spawned(16, |_| ()));
}

#[test]
fn others_spawn_jobs_beside_those_who_wait_elsewhere() {
    in_time(|| one_waits_for_what_all_others_have_spawned(4, |pool| pool.spawn(|| ())));
}

/// A thief that looked for jobs just before there was one finds the leaves after it.
#[test]
fn leaves_wait_for_a_scopes_job_while_a_thief_looks_for_more() {
    in_pools(|pool| {
        pool.install(|| {
            join(|| scope(|s| s.spawn(|_| ())), || ());
            let flag = OnceLock::new();
            scope(|scope| {
                scope.spawn(|_| flag.set(()).unwrap());
                leaves(64, &|| _ = flag.wait());
            });
        });
    });
}

/// The half is older than the scope.
#[test]
fn a_scopes_job_waits_for_the_half_beside_the_scope() {
    in_pools(|pool| {
        for pause in [0, 0, 0, 200] {
            let flag = OnceLock::new();
            pool.install(|| {
                join(
                    || scope(|s| s.spawn(|_| _ = flag.wait())),
                    || flag.set(()).unwrap(),
                );
            });
            thread::sleep(Duration::from_micros(pause));
        }
    });
}

/// The job is younger, but its thread, the scope's owner, waits for the half.
#[test]
fn a_half_waits_for_a_job_of_the_scope_around_it() {
    in_time(|| {
        let pool = pool(2);
        let (flag, has_begun) = (OnceLock::new(), Barrier::new(2));
        pool.scope(|s| {
            join(
                || {
                    has_begun.wait();
                    s.spawn(|_| flag.set(()).unwrap());
                },
                || {
                    has_begun.wait();
                    flag.wait();
                },
            );
        });
    });
}

/// The thief of the half blocks on what it has queued there itself, and the only other thread
/// waits for the half.
fn a_half_waits_for_what_it_has_queued(half: fn(&OnceLock<()>)) {
    in_time(move || {
        let pool = pool(2);
        let (flag, is_taken) = (OnceLock::new(), Barrier::new(2));
        pool.install(|| {
            join(
                || _ = is_taken.wait(),
                || {
                    is_taken.wait();
                    half(&flag);
                },
            );
        });
    });
}

#[test]
fn a_half_waits_for_a_job_of_its_own_scope() {
    a_half_waits_for_what_it_has_queued(|flag| {
        scope(|s| {
            s.spawn(|_| flag.set(()).unwrap());
            flag.wait();
        });
    });
}

#[test]
fn a_half_waits_for_a_job_that_it_has_spawned() {
    a_half_waits_for_what_it_has_queued(|_| {
        let (note, notes) = mpsc::channel();
        spawn(move || note.send(()).unwrap());
        notes.recv().unwrap();
    });
}

/// The scope's job blocks on another one of it, which its thread has queued, and the owner waits.
#[test]
fn a_scopes_job_waits_for_one_that_it_has_spawned() {
    in_time(|| {
        let pool = pool(2);
        let is_taken = Barrier::new(2);
        pool.scope(|s| {
            s.spawn(|_| {
                is_taken.wait();
                let (note, notes) = mpsc::channel();
                spawn(move || note.send(()).unwrap());
                notes.recv().unwrap();
            });
            is_taken.wait();
        });
    });
}

/// The second half is stolen before the first one spawns, and blocks in both halves of a join of
/// its own: the thread that waits for it runs what it has spawned before it helps with either.
#[test]
fn what_the_first_half_has_spawned_comes_before_joins_of_the_stolen_second() {
    in_time(|| {
        for by_scope in [false, true] {
            let pool = pool(2);
            let flags = Arc::new([OnceLock::new(), OnceLock::new()]);
            let both_run = Arc::new(Barrier::new(2));
            pool.install(|| {
                scope(|s| {
                    let first = || {
                        both_run.wait();
                        // The other thread blocks by then.
                        thread::sleep(Duration::from_millis(5));
                        let flags = flags.clone();
                        let set = move || {
                            join(|| flags[0].set(()).unwrap(), || flags[1].set(()).unwrap());
                        };
                        if by_scope {
                            s.spawn(move |_| set());
                        } else {
                            spawn(set);
                        }
                    };
                    let second = || {
                        both_run.wait();
                        join(|| _ = flags[1].wait(), || _ = flags[0].wait());
                    };
                    join(first, second);
                });
            });
        }
    });
}

/// The scope's only ticket lies with another thread, which has spawned there as well.
#[test]
fn who_waits_or_is_free_finds_its_own_jobs_of_a_scope_though_others_have_the_ticket() {
    in_pools(|pool| {
        let flags = [OnceLock::new(), OnceLock::new()];
        let both_run = Barrier::new(2);
        pool.install(|| {
            scope(|s| {
                let first = || {
                    both_run.wait();
                    thread::sleep(Duration::from_millis(5));
                    s.spawn(|_| {
                        join(|| flags[0].set(()).unwrap(), || flags[1].set(()).unwrap());
                    });
                };
                let second = || {
                    both_run.wait();
                    let first = || {
                        s.spawn(|_| ());
                        flags[1].wait();
                    };
                    join(first, || _ = flags[0].wait());
                };
                join(first, second);
            });
        });
        let flag = OnceLock::new();
        pool.install(|| {
            scope(|s| {
                let first = || {
                    both_run.wait();
                    let spawns = || {
                        s.spawn(|_| ());
                        flag.wait();
                    };
                    join(spawns, || _ = flag.wait());
                };
                let second = || {
                    both_run.wait();
                    thread::sleep(Duration::from_millis(3));
                    s.spawn(|_| flag.set(()).unwrap());
                };
                join(first, second);
            });
        });
    });
}

/// A thread's newest is next, whether it lies on a scope or on none.
#[test]
fn a_job_waits_for_a_newer_one_that_lies_elsewhere() {
    in_time(|| {
        let flag = || Arc::new(OnceLock::new());
        let (spawned, scoped) = (flag(), flag());
        let pool = pool(1);
        pool.in_place_scope(|s| {
            s.spawn(|s| {
                s.spawn(|_| _ = spawned.wait());
                let flag = spawned.clone();
                spawn(move || flag.set(()).unwrap());
            });
        });
        let waits = scoped.clone();
        pool.in_place_scope(|outer| {
            let scoped = &scoped;
            outer.spawn(move |outer| {
                spawn(move || _ = waits.wait());
                outer.spawn(move |_| scoped.set(()).unwrap());
            });
        });
    });
}
