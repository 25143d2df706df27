//! Sessions of the recorder that overlap, and sizes that nobody has memory for.

#![allow(missing_docs, reason = "a test")]
#![cfg(not(heartbeat_sim))]

use heartbeat_pool::record::{Cursor, Recorder, Snapshot, ThreadEvents, What};
use heartbeat_pool::{Lane, ThreadPool};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

/// One recorder a process: one test at a time.
fn alone() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    ONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The values that the calling thread has marked.
fn marks(snapshot: &Snapshot) -> Vec<u64> {
    let own = Recorder::this_thread();
    let of_own = snapshot
        .threads
        .iter()
        .filter(|thread| thread.thread == own);
    let events = of_own.flat_map(|thread| &thread.events);
    events
        .filter_map(|event| match event.what {
            What::Mark { value, .. } => Some(value),
            _ => None,
        })
        .collect()
}

#[test]
fn a_cursor_misses_nothing_of_a_new_session() {
    let _alone = alone();
    let name = Recorder::name("mark");
    let mut cursor = Cursor::default();
    Recorder::start(64);
    (0..5).for_each(|value| Recorder::mark(name, value));
    assert_eq!(marks(&Recorder::snapshot_after(&mut cursor)).len(), 5);
    Recorder::start(64);
    (10..20).for_each(|value| Recorder::mark(name, value));
    let snapshot = Recorder::snapshot_after(&mut cursor);
    Recorder::stop();
    assert_eq!(marks(&snapshot), (10..20).collect::<Vec<_>>());
}

#[test]
fn a_session_that_begins_inside_of_a_job_has_one_ring_a_thread() {
    let _alone = alone();
    let name = Recorder::name("mark");
    let pool = ThreadPool::builder().num_threads(1).build().unwrap();
    Recorder::start(64);
    let thread = pool.block_on(pool.spawn_future(Lane::Io, async move {
        // What runs this was begun in the session before.
        Recorder::start(64);
        Recorder::mark(name, 1);
        Recorder::this_thread()
    }));
    pool.block_on(pool.spawn_future(Lane::Io, async move { Recorder::mark(name, 2) }));
    let snapshot = Recorder::snapshot();
    Recorder::stop();
    let mut numbers: Vec<_> = snapshot.threads.iter().map(|ring| ring.thread).collect();
    numbers.sort_unstable();
    let all = numbers.len();
    numbers.dedup();
    assert_eq!(numbers.len(), all, "thread {thread} twice: {snapshot:?}");
}

#[test]
fn a_size_that_no_power_of_two_reaches_is_cut() {
    let _alone = alone();
    let pool = ThreadPool::builder().num_threads(1).build().unwrap();
    Recorder::start(usize::MAX);
    pool.block_on(pool.spawn_future(Lane::Io, async {}));
    Recorder::stop();
    assert!(!Recorder::snapshot().threads.is_empty());
}

#[test]
fn sessions_that_begin_and_end_while_jobs_run_keep_each_threads_events_in_order() {
    let _alone = alone();
    let pool = ThreadPool::builder().num_threads(8).build().unwrap();
    let is_over = AtomicBool::new(false);
    let checked = AtomicUsize::new(0);
    let name = Recorder::name("mark");
    let check = |snapshot: &Snapshot| {
        let mut threads: Vec<_> = snapshot.threads.iter().map(|ring| ring.thread).collect();
        threads.sort_unstable();
        assert!(
            threads.windows(2).all(|pair| pair[0] < pair[1]),
            "{threads:?}"
        );
        for thread in &snapshot.threads {
            let times = thread.events.windows(2);
            assert!(times.into_iter().all(|pair| pair[0].time <= pair[1].time));
            let mut open = Vec::new();
            for event in &thread.events {
                match event.what {
                    What::Begun { job, .. } => open.push(job),
                    // That of a job may be lost that began in the session before.
                    What::Ended { job } => assert_eq!(open.pop(), Some(job), "{snapshot:?}"),
                    _ => {}
                }
            }
        }
    };
    thread::scope(|scope| {
        for number in 0..4_usize {
            let (is_over, checked, check) = (&is_over, &checked, &check);
            scope.spawn(move || {
                for round in 0..60 {
                    match (number + round) % 4 {
                        0 => Recorder::start(1 << 12),
                        1 => Recorder::stop(),
                        _ => Recorder::mark(name, round as u64),
                    }
                    let snapshot = Recorder::snapshot();
                    if snapshot.all_lost() == 0 {
                        check(&snapshot);
                        checked.fetch_add(1, Ordering::Relaxed);
                    }
                }
                is_over.store(true, Ordering::Relaxed);
            });
        }
        while !is_over.load(Ordering::Relaxed) {
            let tasks = Lane::ALL.map(|lane| pool.spawn_future(lane, async {}));
            pool.scope(|scope| (0..20).for_each(|_| scope.spawn(|| ())));
            tasks.into_iter().for_each(|task| pool.block_on(task));
        }
    });
    assert!(checked.into_inner() > 0, "each had lost events");
    Recorder::stop();
}

#[test]
fn each_of_64_threads_has_its_events() {
    let _alone = alone();
    let name = Recorder::name("mark");
    let pool = ThreadPool::builder().num_threads(64).build().unwrap();
    Recorder::start(1 << 8);
    let marks = 5;
    let numbers = pool.broadcast(|_| {
        (0..marks).for_each(|value| Recorder::mark(name, value));
        Recorder::this_thread()
    });
    Recorder::stop();
    let snapshot = Recorder::snapshot();
    for number in numbers {
        let of_thread = |ring: &&ThreadEvents| ring.thread == number;
        let mut rings = snapshot.threads.iter().filter(of_thread);
        let ring = rings.next().unwrap();
        let is_mark = |what: What| matches!(what, What::Mark { .. });
        assert_eq!(
            ring.events
                .iter()
                .filter(|event| is_mark(event.what))
                .count(),
            5
        );
        assert!(rings.next().is_none());
    }
}

#[test]
fn what_a_cursor_has_read_of_a_thread_that_ended_is_not_missing() {
    let _alone = alone();
    let name = Recorder::name("ends soon");
    let end_soon = |times: u64| {
        let mark = move || (0..times).for_each(|value| Recorder::mark(name, value));
        thread::spawn(mark).join().unwrap();
    };
    let mut cursor = Cursor::default();
    Recorder::start(64);
    // More than are kept of those that have ended.
    for _ in 0..200 {
        end_soon(3);
        assert_eq!(Recorder::snapshot_after(&mut cursor).all_lost(), 0);
    }
    assert!(Recorder::snapshot().lost >= 3 * 100);
    (0..200).for_each(|_| end_soon(3));
    assert!(Recorder::snapshot_after(&mut cursor).lost >= 3 * 100);
    assert_eq!(Recorder::snapshot_after(&mut cursor).lost, 0);
    Recorder::stop();
}
