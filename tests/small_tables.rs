//! The engine's `par_iter` over many small tables, of each of which it makes a batch at least.
#![allow(missing_docs, reason = "a test")]

mod common;

use bevy_app::Update;
use bevy_ecs::prelude::*;
use common::{app, within};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

const TABLES: u32 = 256;
const EACH: u32 = 3;

#[derive(Component)]
struct Seen(u32);

/// Which of these an entity has tells its table.
#[derive(Component)]
struct Bit<const N: u32>;

/// Entities in as many tables, that no frame has seen.
fn spawn(world: &mut World) {
    for table in 0..TABLES {
        for _ in 0..EACH {
            let mut entity = world.spawn(Seen(0));
            macro_rules! bits {
                ($($bit:literal)*) => {$(
                    if table >> $bit & 1 > 0 {
                        entity.insert(Bit::<$bit>);
                    }
                )*};
            }
            bits!(0 1 2 3 4 5 6 7);
        }
    }
}

/// Frames of an app of so many threads, in which each entity takes so long.
fn frames(threads: usize, length: Duration) {
    const FRAMES: u32 = 40;
    let mut app = app(threads);
    spawn(app.world_mut());
    app.add_systems(Update, move |mut query: Query<&mut Seen>| {
        query.par_iter_mut().for_each(|mut seen| {
            let start = Instant::now();
            while start.elapsed() < length {}
            seen.0 += 1;
        });
    });
    (0..FRAMES).for_each(|_| app.update());
    let world = app.world_mut();
    let mut entities = world.query::<&Seen>();
    let seen: Vec<_> = entities.iter(world).map(|seen| seen.0).collect();
    assert_eq!(seen.len(), (TABLES * EACH) as usize);
    assert!(seen.iter().all(|seen| *seen == FRAMES), "{seen:?}");
}

#[test]
fn each_entity_is_seen_once_a_frame() {
    within(120, || {
        for threads in [1, 2, 8] {
            // Where they are made; several to a task; a task each.
            for length in [0, 1, 20].map(Duration::from_micros) {
                frames(threads, length);
            }
        }
    });
}

#[test]
fn a_panic_in_any_of_them_comes_out_and_the_next_frame_is_whole() {
    within(120, || {
        for length in [0, 5].map(Duration::from_micros) {
            let mut world = World::new();
            spawn(&mut world);
            let _app = app(2);
            let mut query = world.query::<&mut Seen>();
            for failing in [0, 100, TABLES * EACH - 1] {
                query
                    .iter_mut(&mut world)
                    .zip(0..)
                    .for_each(|(mut seen, nth)| seen.0 = nth);
                let mut fail = |failing: Option<u32>| {
                    let mut entities = query.query_mut(&mut world);
                    catch_unwind(AssertUnwindSafe(|| {
                        entities.par_iter_mut().for_each(|seen| {
                            let start = Instant::now();
                            while start.elapsed() < length {}
                            assert!(Some(seen.0) != failing, "it fails");
                        });
                    }))
                };
                for _ in 0..20 {
                    assert!(fail(Some(failing)).is_err());
                    assert!(fail(None).is_ok());
                }
            }
        }
    });
}
