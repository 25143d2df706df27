//! What the recorder says of what the pool did.
#![allow(missing_docs, reason = "a test")]
#![cfg(not(heartbeat_sim))]

mod common;

use common::within_a_minute;
use heartbeat_pool::record::{Cursor, Event, Place, Recorder, Snapshot, Wait, What, Work};
use heartbeat_pool::{Lane, ThreadPool};
use std::collections::HashMap;
use std::sync::{Barrier, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// There is one recorder a process.
static TURN: Mutex<()> = Mutex::new(());

/// What is recorded while `f` runs.
fn record(f: impl FnOnce() + Send + 'static) -> Snapshot {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    Recorder::start(Recorder::EVENTS);
    within_a_minute(f);
    Recorder::stop();
    Recorder::snapshot()
}

fn events(snapshot: &Snapshot) -> impl Iterator<Item = (u32, Event)> {
    let threads = snapshot.threads.iter();
    threads.flat_map(|thread| thread.events.iter().map(|event| (thread.thread, *event)))
}

/// Waits until somebody has recorded what `is` it.
fn recorded(is: impl Fn(What) -> bool) {
    while !events(&Recorder::snapshot()).any(|(_, event)| is(event.what)) {
        thread::sleep(Duration::from_millis(1));
    }
}

fn pool(threads: usize) -> ThreadPool {
    ThreadPool::builder().num_threads(threads).build().unwrap()
}

#[test]
fn every_job_was_queued_begins_and_ends() {
    let snapshot = record(|| {
        let pool = pool(2);
        for lane in Lane::ALL {
            pool.block_on(pool.spawn_future(lane, async {}));
        }
        pool.block_on(pool.spawn_blocking(|| ()));
        pool.broadcast(|_| ());
        pool.scope(|scope| (0..20).for_each(|_| scope.spawn(|| ())));
    });
    assert_eq!(snapshot.all_lost(), 0);
    let queued = |place: Place| {
        let is = |event: &Event| matches!(event.what, What::Queued { place: p, .. } if p == place);
        events(&snapshot).filter(|(_, event)| is(event)).count()
    };
    assert_eq!(queued(Place::Scope), 20);
    assert_eq!((queued(Place::Blocking), queued(Place::Pinned)), (1, 2));
    let mut begun = HashMap::new();
    for thread in &snapshot.threads {
        let mut open = Vec::new();
        for pair in thread.events.windows(2) {
            assert!(pair[0].time <= pair[1].time);
        }
        for event in &thread.events {
            match event.what {
                What::Begun { job, work, .. } => {
                    open.push(job);
                    *begun.entry(format!("{work:?}")).or_insert(0) += 1;
                }
                What::Ended { job } => assert_eq!(open.pop(), Some(job)),
                _ => {}
            }
        }
        assert!(open.is_empty(), "{open:?}");
    }
    assert_eq!((begun["Scoped"], begun["Pinned"]), (20, 2));
    assert_eq!(begun["Blocking"], 1);
    assert!(begun["Spawned"] >= 3, "{begun:?}");
}

#[test]
fn who_steals_says_from_whom_and_who_waits_says_for_what() {
    let snapshot = record(|| {
        let pool = pool(2);
        let meet = Barrier::new(2);
        pool.with_worker(|worker| worker.join_offered(|_| meet.wait(), |_| meet.wait()));
    });
    let forked = events(&snapshot).find_map(|(thread, event)| match event.what {
        What::Forked { job } => Some((thread, job)),
        _ => None,
    });
    let (owner, job) = forked.unwrap();
    let thief = events(&snapshot).find_map(|(thread, event)| match event.what {
        What::Begun {
            job: j,
            work: Work::Joined,
            ..
        } if j == job => Some(thread),
        _ => None,
    });
    let thief = thief.unwrap();
    assert_ne!(thief, owner);
}

#[test]
fn who_is_woken_was_parked_and_somebody_did_it() {
    let snapshot = record(|| {
        let pool = pool(1);
        recorded(|what| matches!(what, What::Parked { timed: false, .. }));
        // It is not done before somebody waits for it.
        let waits = || recorded(|what| matches!(what, What::WaitBegun { wait: Wait::Future }));
        pool.block_on(pool.spawn_future(Lane::Frame, async move { waits() }));
    });
    let mut parked: HashMap<u64, u32> = HashMap::new();
    let mut all: Vec<_> = events(&snapshot).collect();
    all.sort_by_key(|(_, event)| event.time);
    for (thread, event) in &all {
        if let What::Parked { parker, .. } = event.what {
            parked.insert(parker, *thread);
        }
    }
    let woke = all.iter().find_map(|(waker, event)| match event.what {
        What::Woke { parker } => Some((*waker, parked[&parker])),
        _ => None,
    });
    let (waker, sleeper) = woke.unwrap();
    assert_ne!(waker, sleeper);
    let is_awake = |(thread, event): &(u32, Event)| {
        *thread == sleeper && event.what == What::Awake { woken: true }
    };
    assert!(all.iter().any(is_awake));
    if cfg!(target_os = "linux") {
        let says = |is: fn(What) -> bool| all.iter().any(|(_, event)| is(event.what));
        assert!(says(|what| matches!(what, What::Ran { ns: 1.. })));
        assert!(says(|what| matches!(what, What::Delayed { .. })));
    }
}

#[test]
fn spans_have_the_names_that_they_were_given_and_a_cursor_gives_each_once() {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let (outer, inner) = (Recorder::name("outer"), Recorder::name("inner"));
    Recorder::begin(outer, 0);
    Recorder::start(256);
    let mut cursor = Cursor::default();
    Recorder::begin(outer, 1);
    Recorder::mark(inner, 2);
    let own = Recorder::this_thread();
    let read = |cursor: &mut Cursor| -> Vec<What> {
        let snapshot = Recorder::snapshot_after(cursor);
        let own = snapshot.threads.iter().find(|thread| thread.thread == own);
        own.map_or_else(Vec::new, |own| own.events.iter().map(|e| e.what).collect())
    };
    let first = [
        What::SpanBegun {
            name: outer,
            value: 1,
        },
        What::Mark {
            name: inner,
            value: 2,
        },
    ];
    assert_eq!(read(&mut cursor), first);
    Recorder::end(outer);
    Recorder::stop();
    Recorder::mark(inner, 3);
    assert_eq!(read(&mut cursor), [What::SpanEnded { name: outer }]);
    // The next start begins with nothing.
    Recorder::start(256);
    Recorder::mark(inner, 4);
    assert_eq!(
        read(&mut Cursor::default()),
        [What::Mark {
            name: inner,
            value: 4
        }]
    );
    Recorder::stop();
    assert_eq!((outer.text(), inner.text()), ("outer", "inner"));
}

#[test]
fn threads_that_come_and_go_are_forgotten_and_counted() {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    Recorder::start(64);
    let name = Recorder::name("short-lived");
    for _ in 0..200 {
        thread::spawn(move || Recorder::mark(name, 0))
            .join()
            .unwrap();
    }
    Recorder::stop();
    let snapshot = Recorder::snapshot();
    let marks =
        |(_, event): &(u32, Event)| matches!(event.what, What::Mark { name: n, .. } if n == name);
    let kept = events(&snapshot).filter(marks).count() as u64;
    assert!(kept < 100);
    assert_eq!(kept + snapshot.lost, 200);
}
