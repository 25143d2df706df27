//! The engine's own loop, which asks the window for its frames.

use crate::page::{Count, Page, turn};
use bevy_app::{AppExit, ScheduleRunnerPlugin};
use bevy_ecs::prelude::*;
use bevy_heartbeat::prelude::*;
use std::time::Duration;

pub async fn the_engines_own_loop_runs_jobs(mut page: Page) {
    let count = Count::default();
    let ends = count.clone();
    let code = |cx: JobContext| async move {
        for _ in 0..5 {
            cx.next_frame().await.unwrap();
        }
        cx.sleep(Duration::from_millis(20)).await.unwrap();
        cx.with(|mut exit: MessageWriter<AppExit>| _ = exit.write(AppExit::Success))
            .await
            .unwrap();
    };
    page.world()
        .spawn_job(Lane::Background, code)
        .then(move |outcome: In<JobOutcome<()>>| ends.add(outcome.0.map_or(0, |()| 1)));
    page.app
        .add_plugins(ScheduleRunnerPlugin::run_loop(Duration::from_millis(1)));
    page.app.run();
    while count.get() == 0 {
        turn().await;
    }
}
