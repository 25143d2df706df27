//! An app's start, its first frames, and a job's `then` that its parameters skip warn of nothing.
//! In a process of its own, for it has the log.

mod common;

use bevy_app::{App, SubApp};
use bevy_ecs::prelude::*;
use bevy_ecs::schedule::{
    MultiThreadedExecutor, ScheduleBuildSettings, ScheduleLabel, SingleThreadedExecutor,
};
use bevy_heartbeat::AdaptiveExecutor;
use bevy_heartbeat::prelude::*;
use common::{app, logged, within};

#[derive(ScheduleLabel, Clone, Debug, PartialEq, Eq, Hash)]
struct Extract(usize);

#[derive(Resource)]
struct Extracted;

#[derive(Resource)]
struct NowhereFound;

/// Schedules that apply no commands, as the renderer's is that takes what it draws from the app.
fn schedules() -> impl Iterator<Item = Schedule> {
    let extract = |number| {
        let mut schedule = Schedule::new(Extract(number));
        schedule.set_build_settings(ScheduleBuildSettings {
            auto_insert_apply_deferred: false,
            ..Default::default()
        });
        schedule.add_systems(|mut commands: Commands| commands.insert_resource(Extracted));
        schedule
    };
    let mut schedules = [0, 1, 2, 3].map(extract);
    schedules[1].set_executor(MultiThreadedExecutor::new());
    schedules[2].set_executor(SingleThreadedExecutor::new());
    schedules[3].set_executor(AdaptiveExecutor::new());
    for schedule in &mut schedules {
        schedule.set_apply_final_deferred(false);
    }
    schedules.into_iter()
}

#[derive(bevy_app::AppLabel, Clone, Debug, PartialEq, Eq, Hash)]
struct Render;

#[test]
fn what_is_as_it_should_be_warns_of_nothing() {
    within(60, || {
        logged::keep();
        let mut app = app(2);
        let mut render = SubApp::new();
        for schedule in schedules() {
            app.add_schedule(schedule);
        }
        for schedule in schedules() {
            render.add_schedule(schedule);
        }
        app.insert_sub_app(Render, render);
        app.finish();
        for _ in 0..3 {
            app.update();
        }
        let skipped = |_: In<JobOutcome<()>>, _: If<Res<NowhereFound>>| panic!("it is not skipped");
        let job = app.world_mut().spawn_job(Lane::Io, |_| async {});
        let entity = job.then(skipped).id();
        while app.world().get_entity(entity).is_ok() {
            app.update();
        }
        assert_eq!(logged::take(), [""; 0]);
        // It is kept, were there one.
        log::warn!("a warning");
        assert_eq!(logged::take(), ["a warning"]);
        what_breaks_is_told_once(&mut app);
    });
}

/// A job's panic, though nobody polls it, and a `then` that lacks what it needs.
fn what_breaks_is_told_once(app: &mut App) {
    let breaks = |_: JobContext| async {
        if true {
            panic!("no flour");
        }
    };
    let job = app.world_mut().spawn_job(Lane::Io, breaks);
    let job = job.named("baker").id();
    while !app.world().get::<Job<()>>(job).unwrap().is_finished() {
        app.update();
    }
    let told = logged::take();
    assert_eq!(told, ["bevy_heartbeat: job `baker` panicked: no flour"]);
    let lacks = |_: In<JobOutcome<()>>, _: Res<NowhereFound>| panic!("it has none");
    let job = app.world_mut().spawn_job(Lane::Io, |_| async {});
    let entity = job.named("eater").then(lacks).id();
    while app.world().get_entity(entity).is_ok() {
        app.update();
    }
    let told = logged::take();
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].contains("`then` of job `eater` failed"), "{told:?}");
}
