//! What is logged of jobs that come to nothing. In a process of its own, for all log to one place.
#![allow(missing_docs, reason = "a test")]

mod common;

use bevy_app::App;
use bevy_ecs::error::{BevyError, ErrorContext};
use bevy_ecs::prelude::*;
use bevy_heartbeat::prelude::*;
use common::{logged, within};
use std::sync::Mutex;

static HANDLED: Mutex<Vec<String>> = Mutex::new(Vec::new());

#[expect(clippy::needless_pass_by_value, reason = "the engine's signature")]
fn handle(error: BevyError, context: ErrorContext) {
    let line = format!("{context}: {error}");
    let first = line.lines().next().unwrap_or_default();
    HANDLED.lock().unwrap().push(first.to_owned());
}

/// Runs `app` until the system of a job named "sum" has failed, and gives what was logged.
fn fail(app: &mut App) -> Vec<String> {
    let fails = |In(outcome): In<JobOutcome<u32>>| -> Result { Err(format!("{outcome:?}").into()) };
    let job = app.world_mut().spawn_job(Lane::Background, |_| async { 7 });
    let job = job.named("sum").then(fails).id();
    while app.world().get_entity(job).is_ok() {
        app.update();
    }
    logged::take()
}

#[test]
fn who_is_told_of_what_comes_to_nothing() {
    logged::keep();
    within(60, || {
        let mut app = App::new();
        app.add_plugins(HeartbeatPlugin::default());
        _ = logged::take();

        let gone = app.world_mut().spawn_empty().id();
        let mut commands = app.world_mut().commands();
        commands.entity(gone).despawn();
        let mut entity = commands.entity(gone);
        entity
            .spawn_job(Lane::Io, |_| async {})
            .named("save")
            .detach();
        app.update();
        let line = format!("bevy_heartbeat: job `save` never starts: its entity {gone} is gone");
        assert_eq!(logged::take(), [line]);

        let line = "bevy_heartbeat: the `then` of job `sum` failed: Ok(7)";
        let lines = fail(&mut app);
        assert_eq!(lines.len(), 1);
        assert!(lines[0].starts_with(line), "{lines:?}");

        app.set_error_handler(handle);
        assert!(fail(&mut app).is_empty());
        let handled = HANDLED.lock().unwrap();
        assert_eq!(*handled, ["System `the `then` of job `sum`` failed: Ok(7)"]);
    });
}
