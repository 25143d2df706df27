//! What a frame of systems that do nothing costs.

use crate::apps;
use crate::sampling::{Subject, sample};
use bevy_app::{App, Update};
use bevy_ecs::prelude::*;
use suite::program::Options;
use suite::program::{Figures, check};

#[derive(Resource, Default)]
struct Frames(u64);

/// One of the systems counts, so that there is something to check.
fn app(systems: usize) -> App {
    let mut app = apps::app();
    app.init_resource::<Frames>();
    app.add_systems(Update, |mut frames: ResMut<Frames>| frames.0 += 1);
    for _ in 1..systems {
        app.add_systems(Update, || {});
    }
    apps::begin(&mut app);
    app
}

fn frames(app: &App) -> u64 {
    app.world().resource::<Frames>().0
}

/// An app's `update` with that many systems.
pub fn run(options: &Options, systems: usize) -> Figures {
    let (mut on_pool, mut single) = (app(systems), app(systems));
    apps::make_single_threaded(&mut single);
    // Each has had a frame.
    let mut updates = [1, 1];
    let [of_pool, of_single] = &mut updates;
    let figures = sample(
        options,
        vec![
            Subject::sure("update", || {
                on_pool.update();
                *of_pool += 1;
            }),
            Subject::sure("single-threaded", || {
                single.update();
                *of_single += 1;
            }),
        ],
    )?;
    for (app, updates) in [on_pool, single].iter().zip(updates) {
        check("the count of frames", updates, frames(app))?;
    }
    Ok(figures)
}
