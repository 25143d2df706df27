//! What goes by a clock.

use crate::page::{Count, Page};
use bevy_ecs::prelude::*;
use bevy_heartbeat::prelude::*;
use bevy_time::{Time, TimeUpdateStrategy, Virtual};
use std::future::pending;
use std::time::Duration;

const MOMENT: Duration = Duration::from_millis(30);

pub async fn sleep_is_by_the_apps_clock(mut page: Page) {
    let code = |cx: JobContext| async move {
        let before = cx.with(|time: Res<Time>| time.elapsed()).await?;
        cx.sleep(MOMENT).await?;
        let after = cx.with(|time: Res<Time>| time.elapsed()).await?;
        Ok::<_, WorldError>(after - before)
    };
    let job = page.world().spawn_job(Lane::Background, code).id();
    let slept = page.outcome::<Result<Duration, WorldError>>(job).await;
    assert!(slept.unwrap().unwrap() >= MOMENT);
    // It stands still while the game is paused.
    page.world().resource_mut::<Time<Virtual>>().pause();
    page.frame().await;
    let code = |cx: JobContext| async move { cx.sleep(MOMENT).await };
    let job = page.world().spawn_job(Lane::Background, code).id();
    let step = TimeUpdateStrategy::ManualDuration(MOMENT);
    page.world().insert_resource(step);
    for _ in 0..3 {
        page.frame().await;
    }
    let poll = |world: &mut World| {
        let mut job = world.get_mut::<Job<Result<(), WorldError>>>(job).unwrap();
        job.poll()
    };
    assert_eq!(poll(page.world()), None);
    page.world().resource_mut::<Time<Virtual>>().unpause();
    page.until(poll).await.unwrap().unwrap();
}

pub async fn a_timeout_ends_a_job(mut page: Page) {
    let dropped = Count::default();
    let guard = dropped.on_drop();
    let code = |_| async move {
        let _guard = guard;
        pending::<()>().await;
    };
    let job = page
        .world()
        .spawn_job(Lane::Background, code)
        .timeout(MOMENT)
        .id();
    assert_eq!(page.outcome::<()>(job).await, Err(JobError::TimedOut));
    page.until(|_| (dropped.get() == 1).then_some(())).await;
}

/// Ten requests, of which one takes the whole budget, are as many frames.
pub async fn the_budget_leaves_the_rest_to_the_next_frame(mut page: Page) {
    let count = Count::default();
    page.world().insert_resource(count.clone());
    page.world()
        .insert_resource(WorldAccessBudget(Duration::ZERO));
    for _ in 0..10 {
        page.world().spawn_job(Lane::Background, |cx| async move {
            cx.with(|count: Res<Count>| count.add(1)).await
        });
    }
    page.until(|_| (count.get() == 1).then_some(())).await;
    for done in 2..=10 {
        page.frame().await;
        assert_eq!(count.get(), done);
    }
}
