//! A world of chunks that is generated around a moving player, nearest first: a few jobs at a time,
//! so that the next one is chosen by where the player is then; chunks that fall behind are dropped,
//! and their jobs with them. `cargo run --example chunked_world`

use bevy_app::{App, Update};
use bevy_ecs::prelude::*;
use bevy_heartbeat::prelude::*;
use std::collections::HashMap;

type Place = (i32, i32);

/// How far the player sees, in chunks.
const RADIUS: i32 = 4;
/// How many chunks are made at once.
const AT_ONCE: usize = 8;

#[derive(Resource, Default)]
struct Player {
    at: Place,
}

/// The chunks that are there or being made.
#[derive(Resource, Default)]
struct Chunks(HashMap<Place, Entity>);

#[derive(Component)]
struct Chunk {
    heights: Vec<f32>,
}

fn distance(a: Place, b: Place) -> i32 {
    (a.0 - b.0).abs().max((a.1 - b.1).abs())
}

/// Some hills.
fn generate((x, y): Place) -> Chunk {
    let height = |index: usize| {
        let (u, v) = ((x * 16) as f32, (y * 16) as f32);
        let (u, v) = (u + (index % 16) as f32, v + (index / 16) as f32);
        (u * 0.1).sin() + (v * 0.13).cos()
    };
    Chunk {
        heights: (0..256).map(height).collect(),
    }
}

/// To despawn a chunk cancels its job, if that still runs.
fn forget(mut commands: Commands, mut chunks: ResMut<Chunks>, player: Res<Player>) {
    chunks.0.retain(|place, entity| {
        let stays = distance(*place, player.at) <= RADIUS;
        if !stays {
            commands.entity(*entity).despawn();
        }
        stays
    });
}

/// Starts jobs for the nearest places that have no chunk.
fn begin(
    mut commands: Commands,
    mut chunks: ResMut<Chunks>,
    player: Res<Player>,
    running: Query<(), With<Job<Chunk>>>,
) {
    let (x, y) = player.at;
    let around = -RADIUS..=RADIUS;
    let places = around
        .clone()
        .flat_map(|dx| around.clone().map(move |dy| (x + dx, y + dy)));
    let mut missing: Vec<_> = places
        .filter(|place| !chunks.0.contains_key(place))
        .collect();
    missing.sort_by_key(|place| distance(*place, player.at));
    for place in missing
        .into_iter()
        .take(AT_ONCE - running.iter().count().min(AT_ONCE))
    {
        let job = commands.spawn_job(Lane::Background, move |_| async move { generate(place) });
        chunks.0.insert(place, job.id());
    }
}

/// The chunk takes its job's place. A job that failed goes, too, or it would count as running.
fn keep(done: On<JobDone<Chunk>>, mut commands: Commands) {
    let mut entity = commands.entity(done.entity);
    entity.remove::<Job<Chunk>>();
    match done.take() {
        Some(Ok(chunk)) => _ = entity.insert(chunk),
        Some(Err(error)) => eprintln!("a chunk is missing: {error}"),
        None => {}
    }
}

/// A chunk a frame to the east, for a while.
fn walk(mut player: ResMut<Player>) {
    if player.at.0 < 20 {
        player.at.0 += 1;
    }
}

/// Runs the app until the player stands and sees all chunks around.
pub fn main() {
    let mut app = App::new();
    app.add_plugins(HeartbeatPlugin::default())
        .init_resource::<Player>()
        .init_resource::<Chunks>()
        .add_observer(keep)
        .add_systems(Update, (walk, forget, begin).chain());
    let all = (2 * RADIUS + 1).pow(2) as usize;
    let mut made = app.world_mut().query::<&Chunk>();
    let mut frames = 0;
    while app.world().resource::<Player>().at.0 < 20 || made.iter(app.world()).count() < all {
        app.update();
        frames += 1;
        std::thread::yield_now();
    }
    assert_eq!(app.world().resource::<Chunks>().0.len(), all);
    let heights = made.iter(app.world()).flat_map(|chunk| &chunk.heights);
    let highest = heights.fold(0.0_f32, |highest, height| highest.max(*height));
    println!("{all} chunks, the highest hill {highest:.2}, after {frames} frames");
}
