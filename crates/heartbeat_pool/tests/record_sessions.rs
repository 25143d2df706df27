//! Sessions of the recorder that overlap, and sizes that nobody has memory for.

#![allow(missing_docs, reason = "a test")]
#![cfg(not(heartbeat_sim))]

use heartbeat_pool::record::{Cursor, Recorder, Snapshot, What};
use heartbeat_pool::{Lane, ThreadPool};
use std::sync::{Mutex, MutexGuard, PoisonError};

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
