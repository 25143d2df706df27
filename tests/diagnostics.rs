//! The pool's diagnostics, frame by frame.
#![allow(missing_docs, reason = "a test")]

use bevy_app::{App, AppLabel, Plugin, Startup, SubApp, Update};
use bevy_diagnostic::{Diagnostic, DiagnosticPath, DiagnosticsPlugin, DiagnosticsStore};
use bevy_ecs::prelude::*;
use bevy_ecs::schedule::ScheduleLabel;
use bevy_heartbeat::record::{FlightRecorder, HeartbeatDiagnosticsPlugin};
use bevy_heartbeat::{HeartbeatPlugin, Lane};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
use std::thread;
use std::time::{Duration, Instant};

/// There is one pool a process.
static TURN: Mutex<()> = Mutex::new(());

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn app() -> App {
    let mut app = App::new();
    // What is first asks for nothing before the other has set up the pool.
    app.add_plugins((HeartbeatDiagnosticsPlugin, DiagnosticsPlugin));
    app.add_plugins(HeartbeatPlugin {
        threads: Some(2),
        ..Default::default()
    });
    app.add_systems(Update, || ());
    app
}

fn value(app: &App, path: &DiagnosticPath) -> Option<f64> {
    let store = app.world().resource::<DiagnosticsStore>();
    store.get(path).and_then(Diagnostic::value)
}

#[test]
fn each_lane_and_schedule_has_a_value_and_the_overlay_has_them() {
    let _turn = lock(&TURN);
    let mut app = app();
    app.init_schedule(Odd("Never"));
    (0..20).for_each(|_| app.update());
    let overlay = HeartbeatDiagnosticsPlugin::overlay();
    for path in &overlay {
        assert!(value(&app, path).is_some(), "{path:?}");
    }
    for lane in Lane::ALL {
        let of_lane = [
            HeartbeatDiagnosticsPlugin::jobs(lane),
            HeartbeatDiagnosticsPlugin::queued(lane),
            HeartbeatDiagnosticsPlugin::longest_wait(lane),
            HeartbeatDiagnosticsPlugin::utilisation(lane),
        ];
        assert!(of_lane.iter().all(|path| overlay.contains(path)));
        let beside_it = [
            HeartbeatDiagnosticsPlugin::wakes(lane),
            HeartbeatDiagnosticsPlugin::steals(lane),
            HeartbeatDiagnosticsPlugin::promotions(lane),
        ];
        for path in &beside_it {
            assert!(value(&app, path).is_some(), "{path:?}");
        }
    }
    // It has not run.
    let never = HeartbeatDiagnosticsPlugin::schedule("Never");
    let measured = app.world().resource::<DiagnosticsStore>().get(&never);
    assert!(measured.is_none_or(|it| it.value().is_none()));
    let threads = value(&app, &HeartbeatDiagnosticsPlugin::schedule("Update"));
    assert!(threads == Some(1.0) || threads == Some(2.0), "{threads:?}");
    assert!(!app.world().contains_resource::<FlightRecorder>());
}

#[derive(ScheduleLabel, Clone, PartialEq, Eq, Hash)]
struct Odd(&'static str);

impl fmt::Debug for Odd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

#[test]
fn a_schedule_whose_name_is_no_path_has_a_diagnostic() {
    let _turn = lock(&TURN);
    let mut app = app();
    let names = ["", "/", "//a//b/"];
    for name in names {
        app.init_schedule(Odd(name));
        app.add_systems(Odd(name), || ());
        app.add_systems(Update, move |world: &mut World| {
            world.run_schedule(Odd(name));
        });
    }
    (0..4).for_each(|_| app.update());
    for name in names {
        let path = HeartbeatDiagnosticsPlugin::schedule(name);
        assert!(value(&app, &path).is_some(), "{path:?}");
    }
}

#[test]
fn a_job_of_the_first_screen_is_seen_to_wait() {
    let _turn = lock(&TURN);
    let (release, released) = mpsc::channel::<()>();
    let released = Arc::new(Mutex::new(released));
    let jobs = Arc::new(Mutex::new(Vec::new()));
    let mut app = app();
    let started = jobs.clone();
    app.add_systems(Startup, move || {
        let wait = |_| {
            let released = released.clone();
            heartbeat_pool::global().spawn_future(Lane::Background, async move {
                let _ = lock(&released).recv();
            })
        };
        lock(&started).extend((0..8).map(wait));
    });
    app.update();
    thread::sleep(Duration::from_millis(5));
    (0..2).for_each(|_| app.update());
    let path = HeartbeatDiagnosticsPlugin::longest_wait(Lane::Background);
    let wait = value(&app, &path).unwrap();
    assert!(wait >= 5.0, "{wait}");
    drop(release);
    let jobs = std::mem::take(&mut *lock(&jobs));
    let pool = heartbeat_pool::global();
    jobs.into_iter().for_each(|job| pool.block_on(job));
}

#[test]
fn a_background_job_behind_others_is_seen_to_wait_and_those_to_work() {
    let _turn = lock(&TURN);
    let mut app = app();
    // The pool's waits are timed from the first frame on.
    (0..3).for_each(|_| app.update());
    let pool = heartbeat_pool::global();
    let (release, released) = mpsc::channel::<()>();
    let released = Arc::new(Mutex::new(released));
    // More than there are threads; all wait for the lock or the channel.
    let (begun, is_begun) = mpsc::channel();
    let jobs: Vec<_> = (0..8)
        .map(|_| {
            let (released, begun) = (released.clone(), begun.clone());
            pool.spawn_future(Lane::Background, async move {
                let _ = begun.send(());
                let _ = lock(&released).recv();
            })
        })
        .collect();
    let queued = Instant::now();
    is_begun.recv().unwrap();
    app.update();
    thread::sleep(Duration::from_millis(20));
    let waited = queued.elapsed().as_secs_f64() * 1e3;
    app.update();
    let value = |path| value(&app, &path).unwrap();
    let wait = value(HeartbeatDiagnosticsPlugin::longest_wait(Lane::Background));
    assert!(wait >= waited, "{wait} of {waited}");
    // One runs through all of the frame.
    let threads = value(HeartbeatDiagnosticsPlugin::utilisation(Lane::Background));
    assert!(threads > 0.5, "{threads}");
    assert_eq!(
        value(HeartbeatDiagnosticsPlugin::utilisation(Lane::Io)),
        0.0
    );
    drop(release);
    jobs.into_iter().for_each(|job| pool.block_on(job));
}

#[derive(AppLabel, Clone, Debug, PartialEq, Eq, Hash)]
struct Sub;

/// Adds a schedule to a sub-app, after the plugin has looked there.
struct AddsLate;

impl Plugin for AddsLate {
    fn build(&self, app: &mut App) {
        app.insert_sub_app(Sub, SubApp::new());
    }

    fn finish(&self, app: &mut App) {
        let sub = app.sub_app_mut(Sub);
        sub.add_schedule(Schedule::new(Odd("Late")));
        sub.update_schedule = Some(Odd("Late").intern());
    }
}

#[test]
fn what_plugins_add_to_a_sub_app_as_they_finish_has_the_executor() {
    let _turn = lock(&TURN);
    let mut app = app();
    app.add_plugins(AddsLate);
    app.finish();
    app.cleanup();
    (0..4).for_each(|_| app.update());
    let path = HeartbeatDiagnosticsPlugin::schedule("Late");
    assert!(value(&app, &path).is_some());
}

#[test]
fn schedules_keep_their_executors_where_the_app_says_so() {
    let _turn = lock(&TURN);
    let mut app = App::new();
    app.add_plugins((HeartbeatDiagnosticsPlugin, DiagnosticsPlugin));
    app.add_plugins(HeartbeatPlugin {
        threads: Some(2),
        adaptive_schedules: false,
        ..Default::default()
    });
    app.add_systems(Odd("Kept"), || ());
    app.add_systems(Update, |world: &mut World| world.run_schedule(Odd("Kept")));
    app.finish();
    app.cleanup();
    (0..4).for_each(|_| app.update());
    let path = HeartbeatDiagnosticsPlugin::schedule("Kept");
    assert_eq!(value(&app, &path), None);
}

/// Takes a sub-app out of the app as it cleans up, as the engine does that renders beside its main
/// thread.
struct TakesAway(Arc<Mutex<Option<SubApp>>>);

impl Plugin for TakesAway {
    fn build(&self, app: &mut App) {
        let mut sub = SubApp::new();
        sub.add_schedule(Schedule::new(Odd("Taken")));
        sub.update_schedule = Some(Odd("Taken").intern());
        app.insert_sub_app(Sub, sub);
    }

    fn cleanup(&self, app: &mut App) {
        *lock(&self.0) = app.remove_sub_app(Sub);
    }
}

#[test]
fn a_sub_app_that_is_taken_out_as_plugins_clean_up_has_the_executor() {
    let _turn = lock(&TURN);
    let taken = Arc::new(Mutex::new(None));
    let mut app = App::new();
    app.add_plugins(TakesAway(taken.clone()));
    app.add_plugins((HeartbeatDiagnosticsPlugin, DiagnosticsPlugin));
    app.add_plugins(HeartbeatPlugin {
        threads: Some(2),
        ..Default::default()
    });
    app.finish();
    app.cleanup();
    let mut sub = lock(&taken).take().unwrap();
    (0..4).for_each(|_| {
        app.update();
        sub.update();
    });
    let path = HeartbeatDiagnosticsPlugin::schedule("Taken");
    assert!(value(&app, &path).is_some());
}
