//! What a job may ask for, all in one, for pools of few threads.

use bevy_app::App;
use bevy_ecs::prelude::*;
use bevy_heartbeat::prelude::*;
use std::future::pending;
use std::time::Duration;

#[derive(Resource, Default)]
struct Score(u32);

/// What one job does on its way, and what came of it.
async fn all_of_it(cx: JobContext) -> Result<u32, WorldError> {
    cx.with(|mut score: ResMut<Score>| score.0 += 1).await?;
    cx.next_frame().await?;
    cx.sleep(Duration::from_millis(1)).await?;
    let blocked = cx.blocking(|| 10).await;
    let (a, b) = cx.join(|| 20, || 30);
    let scoped: Vec<u32> = cx.scope(|scope| scope.spawn(async { 40 }));
    let other = cx.lane(Lane::Io, async { 50 }).await;
    let score = cx.world(|world| world.resource::<Score>().0).await?;
    let sum = blocked + a + b + scoped[0] + other;
    Ok(sum + score.min(1))
}

/// Jobs of every lane do all there is, while others wait for ever and are cancelled.
pub fn every_kind_of_job(app: &mut App) {
    app.init_resource::<Score>();
    for lane in Lane::ALL {
        let waits = app.world_mut().spawn_job(lane, |_| pending::<()>()).id();
        let job = app.world_mut().spawn_job(lane, all_of_it).id();
        let outcome = loop {
            app.update();
            let mut job = app
                .world_mut()
                .get_mut::<Job<Result<u32, WorldError>>>(job)
                .unwrap();
            if let Some(outcome) = job.poll() {
                break outcome;
            }
        };
        assert_eq!(outcome, Ok(Ok(151)), "{lane:?}");
        app.world_mut().despawn(waits);
    }
    assert_eq!(app.world().resource::<Score>().0, 3);
}
