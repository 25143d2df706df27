//! `broadcast` and `spawn_broadcast`: once on each thread, from inside, from outside and between pools; their
//! panics; and what they come after.

mod common;
use common::{all, fail, in_time, panic_of, pool};
use rayon_core::{ThreadPoolBuilder, broadcast, current_num_threads, spawn, spawn_broadcast};
use rayon_core::{yield_local, yield_now};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

/// Long enough for an idle thread to fall asleep.
const DOZE: Duration = Duration::from_millis(300);

fn indices(threads: usize) -> Vec<usize> {
    (0..threads).collect()
}

/// All that is sent, sorted.
fn sorted(sent: &Receiver<usize>) -> Vec<usize> {
    let mut sent = all(sent);
    sent.sort_unstable();
    sent
}

#[test]
fn the_global_pool_s_results_are_in_order() {
    in_time(|| {
        let results = broadcast(|context| {
            assert_eq!(context.num_threads(), current_num_threads());
            context.index()
        });
        assert_eq!(results, indices(current_num_threads()));
    });
}

#[test]
fn spawned_on_the_global_pool() {
    in_time(|| {
        let (note, notes) = mpsc::channel();
        spawn_broadcast(move |context| note.send(context.index()).unwrap());
        assert_eq!(sorted(&notes), indices(current_num_threads()));
    });
}

#[test]
fn a_pool_s_results_are_in_order_and_from_different_threads() {
    in_time(|| {
        let results = pool(6).broadcast(|context| (context.index(), thread::current().id()));
        let (at, mut on): (Vec<_>, Vec<_>) = results.into_iter().unzip();
        assert_eq!(at, indices(6));
        on.sort_by_key(|id| format!("{id:?}"));
        on.dedup();
        assert_eq!(on.len(), 6);
    });
}

#[test]
fn spawned_on_a_pool() {
    in_time(|| {
        let (note, notes) = mpsc::channel();
        let pool = pool(6);
        pool.spawn_broadcast(move |context| note.send(context.index()).unwrap());
        assert_eq!(sorted(&notes), indices(6));
    });
}

/// Inside a pool the function without a receiver means that pool.
#[test]
fn from_a_thread_of_the_pool() {
    in_time(|| {
        let results = pool(6).install(|| broadcast(|context| context.index()));
        assert_eq!(results, indices(6));
    });
}

#[test]
fn spawned_from_a_thread_of_the_pool() {
    in_time(|| {
        let (note, notes) = mpsc::channel();
        let pool = pool(6);
        pool.spawn(|| spawn_broadcast(move |context| note.send(context.index()).unwrap()));
        assert_eq!(sorted(&notes), indices(6));
    });
}

/// A thread of `one` broadcasts to `other`, each of whose threads broadcasts back; each sleeps first.
fn there_and_back(doze: Duration) {
    let (one, other) = (pool(3), pool(5));
    let ran = AtomicUsize::new(0);
    let results = one.install(|| {
        thread::sleep(doze);
        other.broadcast(|_| {
            thread::sleep(doze);
            one.broadcast(|context| {
                thread::sleep(doze / 10);
                ran.fetch_add(1, Relaxed);
                context.index()
            })
        })
    });
    assert_eq!(results, vec![indices(3); 5]);
    assert_eq!(ran.into_inner(), 15);
}

#[test]
fn there_and_back_again() {
    in_time(|| there_and_back(Duration::ZERO));
}

#[test]
fn there_and_back_again_asleep_between() {
    in_time(|| there_and_back(DOZE));
}

fn spawned_there_and_back(doze: Duration) {
    let (one, other) = (Arc::new(pool(3)), pool(5));
    let (note, notes) = mpsc::channel();
    let back = Arc::clone(&one);
    one.spawn(move || {
        thread::sleep(doze);
        other.spawn_broadcast(move |_| {
            thread::sleep(doze);
            let note = note.clone();
            back.spawn_broadcast(move |context| {
                thread::sleep(doze / 10);
                note.send(context.index()).unwrap();
            });
        });
    });
    let each_five_times: Vec<_> = (0..3).flat_map(|index| [index; 5]).collect();
    assert_eq!(sorted(&notes), each_five_times);
}

#[test]
fn spawned_there_and_back_again() {
    in_time(|| spawned_there_and_back(Duration::ZERO));
}

#[test]
fn spawned_there_and_back_again_asleep_between() {
    in_time(|| spawned_there_and_back(DOZE));
}

/// Panics on the threads that `bad` names: all run it, and the caller gets a panic.
fn panics_where(bad: fn(usize) -> bool) {
    let pool = pool(6);
    let ran = AtomicUsize::new(0);
    let panicked = panic_of(|| {
        pool.broadcast(|context| {
            ran.fetch_add(1, Relaxed);
            if bad(context.index()) {
                fail("broadcast");
            }
        })
    });
    assert_eq!((panicked, ran.into_inner()), (Some("broadcast"), 6));
}

#[test]
fn one_thread_panics() {
    in_time(|| panics_where(|index| index == 4));
}

#[test]
fn several_threads_panic() {
    in_time(|| panics_where(|index| index % 3 != 0));
}

/// As [`panics_where`], but each panic goes to the pool's handler.
fn spawned_panics_where(bad: fn(usize) -> bool) {
    let (note, notes) = mpsc::channel();
    let (report, reports) = mpsc::channel();
    let pool = ThreadPoolBuilder::new()
        .num_threads(6)
        .panic_handler(move |_| report.send(()).unwrap())
        .build()
        .unwrap();
    pool.spawn_broadcast(move |context| {
        note.send(context.index()).unwrap();
        if bad(context.index()) {
            fail("broadcast");
        }
    });
    drop(pool);
    assert_eq!(sorted(&notes), indices(6));
    assert_eq!(all(&reports).len(), (0..6).filter(|&i| bad(i)).count());
}

#[test]
fn spawned_one_thread_panics() {
    in_time(|| spawned_panics_where(|index| index == 4));
}

#[test]
fn spawned_several_threads_panic() {
    in_time(|| spawned_panics_where(|index| index % 3 != 0));
}

/// Threads that are done at slightly different times are met by the next broadcast as they fall asleep.
#[test]
fn none_is_lost_on_threads_that_fall_asleep() {
    in_time(|| {
        let pool = pool(7);
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_secs(1) {
            let results = pool.broadcast(|context| {
                thread::sleep(Duration::from_micros(context.index() as u64));
                context.index()
            });
            assert_eq!(results, indices(7));
        }
    });
}

/// A broadcast that is waited for ends after those spawned before it.
#[test]
fn comes_after_a_spawned_broadcast() {
    in_time(|| {
        let (note, notes) = mpsc::channel();
        spawn_broadcast(move |context| note.send(context.index()).unwrap());
        broadcast(|_| {});
        let mut ran: Vec<_> = notes.try_iter().collect();
        ran.sort_unstable();
        assert_eq!(ran, indices(current_num_threads()));
    });
}

/// A thread runs what it spawned itself before a broadcast.
#[test]
fn comes_after_what_its_threads_spawned() {
    in_time(|| {
        for pool in [pool(1), pool(3)] {
            for _ in 0..100 {
                let (note, notes) = mpsc::channel();
                pool.install(|| spawn(move || note.send("ran").unwrap()));
                pool.broadcast(|_| {});
                assert_eq!(notes.try_recv(), Ok("ran"));
            }
        }
    });
}

/// Its calls are queued before its caller runs what it has spawned, so that this may wait for one.
#[test]
fn a_job_that_its_caller_has_spawned_may_wait_for_its_call_on_another_thread() {
    in_time(|| {
        for _ in 0..100 {
            pool(2).install(|| {
                let (call, calls) = mpsc::channel();
                spawn(move || calls.recv().unwrap());
                broadcast(|_| _ = call.send(()));
            });
        }
    });
}

/// It lies beneath no call that it waits for.
#[test]
fn what_its_threads_spawned_may_yield_until_the_call_has_run() {
    in_time(|| {
        for yields in [yield_now, yield_local] {
            for pool in [pool(1), pool(3)] {
                for _ in 0..100 {
                    let calls = Arc::new(AtomicUsize::new(0));
                    let seen = calls.clone();
                    pool.install(|| {
                        spawn(move || while seen.load(Relaxed) == 0 && yields().is_some() {});
                    });
                    pool.broadcast(|_| calls.fetch_add(1, Relaxed));
                }
            }
        }
    });
}
