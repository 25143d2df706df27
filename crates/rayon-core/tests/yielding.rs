//! `yield_now` and `yield_local` run what waits, and tell whether they did.

mod common;
use common::{in_time, pool};
use rayon_core::{Yield, current_thread_has_pending_tasks, join, scope, scope_fifo, spawn};
use rayon_core::{yield_local, yield_now};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, OnceLock, mpsc};

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

/// In a pool that was not built here, as the process's, by a thread of its own or from outside.
#[test]
fn to_what_the_thread_has_spawned_in_another_pool() {
    in_time(|| {
        let pool = heartbeat_pool::ThreadPool::builder().num_threads(1).build();
        let pool = pool.unwrap();
        let to_it = || {
            let (note, notes) = mpsc::channel();
            spawn(move || note.send("ran").unwrap());
            while notes.try_recv().is_err() {
                yield_local();
            }
        };
        pool.with_worker(|_| (0..100).for_each(|_| to_it()));
        pool.install(|_| {
            // Unless the pool's own thread is there first.
            let runs_it = || {
                spawn(|| ());
                let is_pending = current_thread_has_pending_tasks() == Some(true);
                is_pending && yield_local() == Some(Yield::Executed)
            };
            assert!((0..1000).any(|_| runs_it()));
            (0..100).for_each(|_| to_it());
        });
    });
}

/// Of what comes from outside `yield_now` alone takes, and either leaves it to run in the end.
#[test]
fn to_what_comes_from_outside() {
    in_time(|| {
        for yields in [yield_now, yield_local] {
            let (note, notes) = mpsc::channel();
            spawn(move || note.send("ran").unwrap());
            scope(|_| _ = yields());
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

/// From the scope's closure, and from one of its jobs to the next.
#[test]
fn to_what_the_thread_has_spawned_on_its_scope() {
    in_time(|| {
        for yields in [yield_now, yield_local] {
            let until = |flag: &AtomicBool| while !flag.load(Relaxed) && yields().is_some() {};
            pool(1).install(|| {
                let ran = AtomicBool::new(false);
                scope(|s| {
                    s.spawn(|_| ran.store(true, Relaxed));
                    until(&ran);
                });
                let ran = AtomicBool::new(false);
                scope_fifo(|s| {
                    s.spawn_fifo(|_| until(&ran));
                    s.spawn_fifo(|_| ran.store(true, Relaxed));
                });
                assert_eq!(yields(), Some(Yield::Idle));
            });
        }
    });
}

#[test]
fn a_scope_s_jobs_are_pending_until_they_have_begun() {
    in_time(|| {
        pool(1).install(|| {
            let ran = AtomicUsize::new(0);
            scope(|s| {
                (0..10).for_each(|_| s.spawn(|_| _ = ran.fetch_add(1, Relaxed)));
                while current_thread_has_pending_tasks() == Some(true) {
                    assert_eq!(yield_local(), Some(Yield::Executed));
                }
                assert_eq!(ran.load(Relaxed), 10);
            });
            assert_eq!(current_thread_has_pending_tasks(), Some(false));
        });
    });
}

/// What is older may wait for what comes after the yield.
#[test]
fn to_the_newest_of_forks_and_jobs() {
    in_time(|| {
        for threads in [1, 2, 4] {
            let pool = pool(threads);
            let flags = [(); 2].map(|()| Arc::new(OnceLock::new()));
            let (note, notes) = mpsc::channel();
            let flag = flags[0].clone();
            pool.install(|| {
                spawn(move || {
                    flag.wait();
                    note.send(()).unwrap();
                });
                let yields = || {
                    yield_local();
                    flags[0].set(()).unwrap();
                };
                join(yields, || ());
            });
            notes.recv().unwrap();
            if threads > 1 {
                let flag = &flags[1];
                let inner = || _ = join(yield_local, || _ = flag.wait());
                let yields = || {
                    yield_local();
                    flag.set(()).unwrap();
                };
                pool.install(|| join(inner, yields));
            }
        }
    });
}

/// The half waits for what its thread has spawned after it, whatever that lies in.
#[test]
fn to_a_job_that_is_newer_than_a_half() {
    in_time(|| {
        for yields in [yield_now, yield_local] {
            let pool = pool(1);
            let flags = [(); 4].map(|()| Arc::new(OnceLock::new()));
            let until = |flag: &OnceLock<()>| {
                while flag.get().is_none() {
                    yields();
                }
            };
            let wait = |flag: &OnceLock<()>| _ = flag.wait();
            let set = |flag: &OnceLock<()>| flag.set(()).unwrap();
            let [spawned, scoped, fifo, outer] = &flags;
            pool.install(|| {
                let first = || {
                    let flag = spawned.clone();
                    spawn(move || set(&flag));
                    until(spawned);
                };
                join(first, || wait(spawned));
                scope(|s| {
                    let first = || {
                        s.spawn(|_| set(scoped));
                        until(scoped);
                    };
                    join(first, || wait(scoped));
                });
                scope_fifo(|s| {
                    let first = || {
                        s.spawn_fifo(|_| set(fifo));
                        until(fifo);
                    };
                    join(first, || wait(fifo));
                });
                scope(|s| {
                    let first = || {
                        scope(|_| {
                            s.spawn(|_| set(outer));
                            until(outer);
                        });
                    };
                    join(first, || wait(outer));
                });
            });
        }
    });
}

/// The newest of these, too: the older waits for it.
#[test]
fn to_the_newest_of_jobs() {
    in_time(|| {
        for yields in [yield_now, yield_local] {
            pool(1).install(|| {
                let flags = [(); 2].map(|()| Arc::new(OnceLock::new()));
                let done = Arc::new(AtomicUsize::new(0));
                scope(|s| {
                    let [first, last] = [0, 1].map(|i| (flags[i].clone(), done.clone()));
                    spawn(move || {
                        first.0.wait();
                        first.1.fetch_add(1, Relaxed);
                    });
                    s.spawn(|_| flags[0].set(()).unwrap());
                    s.spawn(move |_| {
                        last.0.wait();
                        last.1.fetch_add(1, Relaxed);
                    });
                    let flag = flags[1].clone();
                    spawn(move || flag.set(()).unwrap());
                    while done.load(Relaxed) < 2 {
                        yields();
                    }
                });
            });
        }
    });
}

/// Whichever scope the thread has queued on first, and in whatever order a scope's jobs come.
#[test]
fn to_the_newest_of_scopes_jobs() {
    in_time(|| {
        for yields in [yield_now, yield_local] {
            let flags = [(); 3].map(|()| OnceLock::new());
            let until = |flag: &OnceLock<()>| {
                while flag.get().is_none() {
                    yields();
                }
            };
            let wait = |flag: &OnceLock<()>| _ = flag.wait();
            let set = |flag: &OnceLock<()>| flag.set(()).unwrap();
            let [inner, fifo, known] = &flags;
            pool(1).install(|| {
                scope(|outer| {
                    scope(|s| {
                        s.spawn(|_| ());
                        outer.spawn(|_| wait(inner));
                        s.spawn(|_| set(inner));
                        until(inner);
                    });
                });
                scope_fifo(|s| {
                    s.spawn_fifo(|_| set(fifo));
                    let first = || {
                        s.spawn_fifo(|_| ());
                        until(fifo);
                    };
                    join(first, || wait(fifo));
                });
                scope_fifo(|s| {
                    s.spawn_fifo(|_| ());
                    scope(|s| s.spawn(|_| ()));
                });
                scope(|s| {
                    s.spawn(|_| wait(known));
                    scope_fifo(|s| {
                        s.spawn_fifo(|_| set(known));
                        until(known);
                    });
                });
            });
        }
    });
}

/// Which may wait for what comes after the yield.
#[test]
fn to_no_job_that_another_thread_has_spawned_on_the_scope() {
    in_time(|| {
        let flags = [(); 3].map(|()| OnceLock::new());
        let [begun, queued, yielded] = &flags;
        pool(2).install(|| {
            scope(|s| {
                s.spawn(|s| {
                    begun.set(()).unwrap();
                    s.spawn(|_| _ = yielded.wait());
                    queued.set(()).unwrap();
                    yielded.wait();
                });
                begun.wait();
                queued.wait();
                assert_eq!(yield_local(), Some(Yield::Idle));
                yielded.set(()).unwrap();
            });
        });
    });
}
