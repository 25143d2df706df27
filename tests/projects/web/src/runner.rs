//! The engine's own loop, which asks the window for its frames.

use crate::page::{Count, Page, turn};
use bevy_app::{AppExit, ScheduleRunnerPlugin};
use bevy_ecs::prelude::*;
use bevy_heartbeat::prelude::*;
use std::time::Duration;

pub async fn the_engines_own_loop_runs_jobs(mut page: Page) {
    let count = Count::default();
    page.world().insert_resource(count.clone());
    let code = |cx: JobContext| async move {
        for _ in 0..5 {
            cx.next_frame().await.unwrap();
        }
        cx.sleep(Duration::from_millis(20)).await.unwrap();
        cx.with(|count: Res<Count>| count.add(1)).await.unwrap();
    };
    let ends =
        |outcome: In<JobOutcome<()>>, mut exit: MessageWriter<AppExit>, count: Res<Count>| {
            count.add(if *outcome == Ok(()) { 1 } else { 10 });
            exit.write(AppExit::Success);
        };
    page.world().spawn_job(Lane::Background, code).then(ends);
    page.app
        .add_plugins(ScheduleRunnerPlugin::run_loop(Duration::from_millis(1)));
    // Comes back at once: the window has the app.
    page.app.run();
    assert_eq!(count.get(), 0);
    while count.get() < 2 {
        turn().await;
    }
    assert_eq!(count.get(), 2);
}
