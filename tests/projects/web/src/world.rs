//! The world from jobs.

use crate::page::{Count, Page};
use async_lock::Mutex;
use bevy_app::Update;
use bevy_ecs::prelude::*;
use bevy_heartbeat::prelude::*;
use std::sync::Arc;

#[derive(Resource, Default)]
struct Score(u32);

#[derive(Component)]
struct Player(u32);

pub async fn parameters_the_world_and_commands(mut page: Page) {
    page.world().init_resource::<Score>();
    page.world().spawn(Player(3));
    page.world().spawn(Player(4));
    let code = |cx: JobContext| async move {
        let sum = |players: Query<&Player>, mut score: ResMut<Score>, mut commands: Commands| {
            score.0 = players.iter().map(|player| player.0).sum();
            commands.spawn(Player(5));
        };
        cx.with(sum).await?;
        let players = cx.world(|world| world.query::<&Player>().iter(world).count());
        let players = players.await?;
        cx.commands(|mut commands: Commands| _ = commands.spawn(Player(6)))
            .await?;
        let score = cx.with(|score: Res<Score>| score.0).await?;
        Ok::<_, WorldError>((players, score))
    };
    let job = page.world().spawn_job(Lane::Background, code).id();
    let outcome = page.outcome::<Result<(usize, u32), WorldError>>(job).await;
    assert_eq!(outcome, Ok(Ok((3, 7))));
    let world = page.world();
    assert_eq!(world.query::<&Player>().iter(world).count(), 4);
}

#[derive(Resource, Default)]
struct Log(Vec<usize>);

pub async fn requests_run_in_the_order_asked_for(mut page: Page) {
    page.world().init_resource::<Log>();
    page.world().insert_resource(WorldAccessBudget::default());
    for index in 0..200 {
        page.world()
            .spawn_job(Lane::Background, move |cx| async move {
                cx.with(move |mut log: ResMut<Log>| log.0.push(index)).await
            });
    }
    page.until(|world| (world.resource::<Log>().0.len() == 200).then_some(()))
        .await;
    assert!(page.world().resource::<Log>().0.is_sorted());
}

pub async fn what_is_not_there_is_an_error(mut page: Page) {
    let code = |cx: JobContext| async move { cx.with(|_: Res<Score>| ()).await };
    let job = page.world().spawn_job(Lane::Background, code).id();
    let error = page.outcome::<Result<(), WorldError>>(job).await;
    let error = error.unwrap().unwrap_err();
    assert!(error.to_string().contains("Score"), "{error}");
}

/// Two jobs want a lock that a system tries in each frame; each asks for the world while it has it.
pub async fn a_job_may_hold_a_lock_meanwhile(mut page: Page) {
    let lock = Arc::new(Mutex::new(0));
    let tried = lock.clone();
    page.app.add_systems(Update, move || drop(tried.try_lock()));
    let jobs = [Lane::Io, Lane::Background].map(|lane| {
        let held = lock.clone();
        let code = |cx: JobContext| async move {
            let mut held = held.lock().await;
            cx.next_frame().await.unwrap();
            *held += cx.world(|_| 5).await.unwrap();
        };
        page.world().spawn_job(lane, code).id()
    });
    for job in jobs {
        page.outcome::<()>(job).await.unwrap();
    }
    assert_eq!(lock.try_lock().map(|sum| *sum), Some(10));
}

pub async fn a_request_may_start_a_job(mut page: Page) {
    let count = Count::default();
    page.world().insert_resource(count.clone());
    let code = |cx: JobContext| async move {
        let start = |world: &mut World| {
            let inner =
                |cx: JobContext| async move { cx.with(|count: Res<Count>| count.add(1)).await };
            world.spawn_job(Lane::Io, inner).id()
        };
        cx.world(start).await.unwrap()
    };
    let job = page.world().spawn_job(Lane::Background, code).id();
    let inner = page.outcome::<Entity>(job).await.unwrap();
    assert_eq!(page.outcome(inner).await, Ok(Ok::<_, WorldError>(())));
    assert_eq!(count.get(), 1);
}
