//! Apps that come and go, and apps beside and inside of each other.

use crate::common::{app_by_environment, pools, within};
use bevy_app::{App, Update};
use bevy_ecs::prelude::*;
use bevy_ecs::schedule::MainThreadExecutor;
use bevy_ecs::system::NonSendMarker;
use bevy_tasks::block_on;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

#[derive(Component)]
struct Count(u64);

/// An app with a bit of everything: a parallel query, a main-thread system, tasks of each pool.
fn busy_app(frames: &Arc<AtomicUsize>) -> App {
    let mut app = app_by_environment();
    app.insert_resource(MainThreadExecutor::new());
    app.world_mut().spawn_batch((0..500).map(Count));
    app.add_systems(Update, |mut all: Query<&mut Count>| {
        all.par_iter_mut().for_each(|mut count| count.0 += 1);
    });
    let (main, frames) = (thread::current().id(), frames.clone());
    app.add_systems(Update, move |_: NonSendMarker| {
        assert_eq!(thread::current().id(), main);
        frames.fetch_add(1, Ordering::Relaxed);
    });
    app.add_systems(Update, || {
        for pool in pools() {
            pool.spawn(async {}).detach();
        }
        let [_, io, _] = pools();
        assert_eq!(block_on(io.spawn(async { 7 })), 7);
    });
    app
}

/// bevy#9477, #18665: the global pools outlive every app, and the next app must find them well.
#[test]
fn a_hundred_apps_come_and_go() {
    within(60, || {
        let frames = Arc::new(AtomicUsize::new(0));
        for round in 0..100 {
            let mut app = busy_app(&frames);
            // Some are dropped before their first frame.
            for _ in 0..round % 4 {
                app.update();
            }
        }
        assert_eq!(frames.load(Ordering::Relaxed), 25 * (1 + 2 + 3));
    });
}

/// bevy#12154: all apps of a process share one pool; they must not share their waits.
#[test]
fn two_apps_run_at_once_on_two_threads() {
    within(60, || {
        let run = || {
            let frames = Arc::new(AtomicUsize::new(0));
            let mut app = busy_app(&frames);
            for _ in 0..200 {
                app.update();
            }
            assert_eq!(frames.load(Ordering::Relaxed), 200);
        };
        let other = thread::spawn(run);
        run();
        other.join().unwrap();
    });
}

/// bevy#7563, fixed by #7825: an app inside of a main-thread system of another hung, for two
/// executors of one thread were ticked in one wait.
#[test]
fn an_app_runs_inside_of_another_ones_main_thread_system() {
    struct Inner(App);
    within(60, || {
        let frames = Arc::new(AtomicUsize::new(0));
        let mut outer = busy_app(&frames);
        outer.world_mut().insert_non_send(Inner(busy_app(&frames)));
        outer.add_systems(Update, |mut inner: NonSendMut<Inner>| inner.0.update());
        for _ in 0..200 {
            outer.update();
        }
        assert_eq!(frames.load(Ordering::Relaxed), 400);
    });
}
