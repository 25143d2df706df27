//! What a job runs beside its own code.

use crate::page::Page;
use bevy_ecs::prelude::*;
use bevy_heartbeat::prelude::*;
use std::future::{pending, poll_fn};
use std::task::Poll;

/// Is ready when it is polled once more.
async fn once_more() {
    let mut polled = false;
    poll_fn(|context| {
        if polled {
            return Poll::Ready(());
        }
        polled = true;
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

pub async fn blocking_join_scope_and_lane(mut page: Page) {
    let code = |cx: JobContext| async move {
        let blocked = cx.blocking(|| 1).await;
        let joined = cx.join(|| 2, || 3);
        let borrowed = [4, 5];
        let scoped: Vec<i32> = cx.scope(|scope| {
            for number in &borrowed {
                scope.spawn(async move {
                    once_more().await;
                    *number
                });
            }
        });
        let mut lanes = Vec::new();
        for lane in Lane::ALL {
            let inner = cx.clone();
            let part = async move {
                inner.next_frame().await.unwrap();
                lane
            };
            lanes.push(cx.lane(lane, part).await);
        }
        (blocked, joined, scoped, lanes)
    };
    let job = page.world().spawn_job(Lane::Background, code).id();
    let outcome = page.outcome(job).await;
    assert_eq!(outcome, Ok((1, (2, 3), vec![4, 5], Lane::ALL.to_vec())));
}

#[derive(Resource, Default)]
struct Score(u32);

/// What one job does on its way, and what came of it.
async fn all_of_it(cx: JobContext) -> Result<u32, WorldError> {
    cx.with(|mut score: ResMut<Score>| score.0 += 1).await?;
    cx.next_frame().await?;
    let blocked = cx.blocking(|| 10).await;
    let (a, b) = cx.join(|| 20, || 30);
    let scoped: Vec<u32> = cx.scope(|scope| scope.spawn(async { 40 }));
    let other = cx.lane(Lane::Io, async { 50 }).await;
    let score = cx.world(|world| world.resource::<Score>().0).await?;
    Ok(blocked + a + b + scoped[0] + other + score.min(1))
}

/// While others of the lane wait for ever.
pub async fn all_of_it_on_each_lane(mut page: Page) {
    page.world().init_resource::<Score>();
    for lane in Lane::ALL {
        let waits = page.world().spawn_job(lane, |_| pending::<()>()).id();
        let job = page.world().spawn_job(lane, all_of_it).id();
        let outcome = page.outcome::<Result<u32, WorldError>>(job).await;
        assert_eq!(outcome, Ok(Ok(151)), "{lane:?}");
        page.world().despawn(waits);
    }
    assert_eq!(page.world().resource::<Score>().0, 3);
}

#[derive(Component)]
struct Position(u64);

/// The plugin's loops over queries, in a system.
pub async fn queries_in_parallel(mut page: Page) {
    let numbers = (0..10_000).map(Position);
    page.world().spawn_batch(numbers);
    let step = |mut positions: ParQuery<&mut Position>| {
        positions
            .par_iter_mut()
            .for_each(|mut position| position.0 += 1);
    };
    page.app.add_systems(bevy_app::Update, step);
    page.frame().await;
    page.frame().await;
    let world = page.world();
    let sum: u64 = world.query::<&Position>().iter(world).map(|it| it.0).sum();
    assert_eq!(sum, 9_999 * 5_000 + 20_000);
}

/// The plugin's other helpers, for what it is worth on one thread.
pub async fn metrics_and_calls_of_the_pool(mut page: Page) {
    let metrics = page.world().resource::<HeartbeatMetrics>().read();
    assert_eq!(metrics.total().jobs[Lane::Frame.index()], 0);
    assert_eq!(bevy_heartbeat::join(|| 1, || 2), (1, 2));
}
