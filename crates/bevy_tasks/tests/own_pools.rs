//! Pools beside the engine's three.
#![cfg(feature = "multi_threaded")]

mod common;

use bevy_tasks::{IoTaskPool, ParallelSlice, TaskPool, TaskPoolBuilder, futures::check_ready};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

const DEADLINE: Duration = Duration::from_secs(60);

fn pool(threads: usize) -> TaskPool {
    TaskPoolBuilder::new().num_threads(threads).build()
}

#[test]
fn a_scope_does_the_tasks_of_a_pool_without_threads() {
    let pool = pool(0);
    let (sender, receiver) = mpsc::channel();
    for i in 0..10 {
        let sender = sender.clone();
        pool.spawn(async move { sender.send(i).unwrap() }).detach();
    }
    let mut held = pool.spawn(async { 7 });
    assert_eq!(check_ready(&mut held), None);
    assert_eq!(pool.scope(|scope| scope.spawn(async { 1 })), [1]);
    assert_eq!(
        receiver.try_iter().collect::<Vec<_>>(),
        Vec::from_iter(0..10)
    );
    assert_eq!(check_ready(&mut held), Some(7));
}

/// A task that wakes itself again and again is polled once a scope.
#[test]
fn a_scope_of_such_a_pool_ends_though_its_tasks_do_not() {
    let pool = pool(0);
    let endless = async { std::future::poll_fn(endless).await };
    pool.spawn(endless).detach();
    assert_eq!(pool.scope(|scope| scope.spawn(async { 1 })), [1]);
}

fn endless(context: &mut std::task::Context) -> std::task::Poll<()> {
    context.waker().wake_by_ref();
    std::task::Poll::Pending
}

/// They would nest in one another.
#[test]
fn tasks_that_open_scopes_themselves_are_done_one_after_the_other() {
    let pool = &*Box::leak(Box::new(pool(0)));
    let inside = AtomicUsize::new(0);
    let inside = &*Box::leak(Box::new(inside));
    for _ in 0..10_000 {
        let task = async {
            assert_eq!(inside.fetch_add(1, Ordering::Relaxed), 0);
            pool.scope(|scope| scope.spawn(async {}));
            inside.fetch_sub(1, Ordering::Relaxed);
        };
        pool.spawn(task).detach();
    }
    pool.scope(|scope| scope.spawn(async {}));
    let mut last = pool.spawn(async { 7 });
    pool.scope(|scope| scope.spawn(async {}));
    assert_eq!(check_ready(&mut last), Some(7));
}

#[test]
fn a_scope_is_used_in_what_may_panic() {
    let results = pool(1).scope(|scope| {
        _ = catch_unwind(|| {
            scope.spawn(async { 1 });
            panic!("after it was spawned");
        });
    });
    assert_eq!(results, [1]);
}

/// A physics engine's loops: a chunk for each thread, a few microseconds each, one loop after the
/// other. Each chunk can be taken before another one has ended, though all were short so far.
#[test]
fn a_chunk_for_each_thread_can_be_taken_at_once() {
    let pool = pool(2);
    let (begun, is_late, waits) = (
        AtomicUsize::new(0),
        AtomicBool::new(false),
        AtomicBool::new(false),
    );
    let run = || {
        begun.store(0, Ordering::SeqCst);
        [(); 2].par_chunk_map(&pool, 1, |_, _| {
            begun.fetch_add(1, Ordering::SeqCst);
            let start = Instant::now();
            while waits.load(Ordering::SeqCst) && begun.load(Ordering::SeqCst) < 2 {
                thread::yield_now();
                if start.elapsed() > DEADLINE {
                    return is_late.store(true, Ordering::SeqCst);
                }
            }
        })
    };
    (0..100).for_each(|_| drop(run()));
    waits.store(true, Ordering::SeqCst);
    run();
    assert!(
        !is_late.load(Ordering::SeqCst),
        "one waits for the other's end"
    );
}

/// As Bevy's own, which makes each chunk a task: of eight at the head some run at once, in one call
/// of many at the latest.
#[test]
fn long_chunks_beside_one_another_are_shared() {
    let pool = pool(2);
    let (running, has_met) = (AtomicUsize::new(0), AtomicBool::new(false));
    let chunk = |index: usize, _: &[()]| {
        if index < 8 {
            running.fetch_add(1, Ordering::SeqCst);
            thread::sleep(Duration::from_millis(5));
            if running.fetch_sub(1, Ordering::SeqCst) > 1 {
                has_met.store(true, Ordering::SeqCst);
            }
        }
    };
    let start = Instant::now();
    while !has_met.load(Ordering::SeqCst) {
        assert!(start.elapsed() < DEADLINE, "one thread runs all of them");
        assert_eq!([(); 2_000].par_chunk_map(&pool, 1, chunk).len(), 2_000);
    }
}

/// As in `std`, which rounds it up.
#[test]
fn a_stack_that_is_too_small_is_made_as_large_as_it_must_be() {
    let pool = TaskPoolBuilder::new().num_threads(1).stack_size(1).build();
    assert_eq!(pool.scope(|scope| scope.spawn(async { 5 })), [5]);
}

#[test]
fn a_scope_gives_as_many_units_as_it_had_tasks() {
    let units = pool(2).scope(|scope| (0..5).for_each(|_| scope.spawn(async {})));
    assert_eq!(units.len(), 5);
}

/// Those that wait would keep the scope for ever.
#[test]
fn a_task_that_panics_ends_those_beside_it_that_wait() {
    common::in_time(|| {
        let pool = pool(2);
        let waits = &AtomicBool::new(false);
        let scope = AssertUnwindSafe(|| {
            pool.scope(|scope| {
                scope.spawn(async {
                    waits.store(true, Ordering::SeqCst);
                    std::future::pending::<()>().await;
                });
                scope.spawn(async {
                    while !waits.load(Ordering::SeqCst) {
                        thread::yield_now();
                    }
                    panic!("as a test");
                });
            })
        });
        assert!(catch_unwind(scope).is_err());
    });
}

#[test]
fn what_has_not_begun_when_a_scopes_closure_panics_never_does() {
    let pool = pool(0);
    let begun = &AtomicBool::new(false);
    let scope = AssertUnwindSafe(|| {
        pool.scope(|scope| {
            scope.spawn(async { begun.store(true, Ordering::SeqCst) });
            panic!("as a test");
        })
    });
    assert!(catch_unwind(scope).is_err());
    assert!(!begun.load(Ordering::SeqCst));
}

#[test]
fn a_scope_with_an_executor_does_the_tasks_of_a_pool_without_threads() {
    let pool = pool(0);
    let mut held = pool.spawn(async { 7 });
    let one = pool.scope_with_executor(false, None, |scope| scope.spawn(async { 1 }));
    assert_eq!((one, check_ready(&mut held)), (vec![1], Some(7)));
}

#[test]
fn threads_have_the_stack_and_the_callbacks_that_were_asked_for() {
    const DEEP: usize = 8 << 20;
    common::in_time(|| {
        let [begun, ended] = [(); 2].map(|()| Arc::new(AtomicUsize::new(0)));
        let (begins, ends) = (begun.clone(), ended.clone());
        let pool = TaskPoolBuilder::new()
            .num_threads(2)
            .stack_size(8 * DEEP)
            .on_thread_spawn(move || _ = begins.fetch_add(1, Ordering::SeqCst))
            .on_thread_destroy(move || _ = ends.fetch_add(1, Ordering::SeqCst))
            .build();
        bevy_tasks::block_on(pool.spawn(async { common::dig(DEEP) }));
        assert!(begun.load(Ordering::SeqCst) > 0);
        drop(pool);
        while ended.load(Ordering::SeqCst) < begun.load(Ordering::SeqCst) {
            thread::yield_now();
        }
    });
}

#[test]
fn a_pool_that_is_built_after_one_of_the_engines_is_none_of_these() {
    IoTaskPool::get_or_init(TaskPool::new);
    let own = TaskPoolBuilder::new()
        .num_threads(1)
        .thread_name("own".to_owned())
        .build();
    let name = || async { thread::current().name().map(str::to_owned) };
    let name = bevy_tasks::block_on(own.spawn(name())).unwrap();
    assert!(name.starts_with("own ("), "{name}");
}
