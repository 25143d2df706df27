//! Background work that entities hold: with this project its jobs, with the published engine tasks
//! that a system polls by hand.

#[cfg(feature = "heartbeat")]
mod ours;
#[cfg(not(feature = "heartbeat"))]
mod stock;

#[cfg(feature = "heartbeat")]
pub use ours::{access, run, waiting};
#[cfg(not(feature = "heartbeat"))]
pub use stock::{access, run, waiting};

use crate::apps;
use crate::sampling::Subject;
use bevy_app::{App, Update};
use bevy_ecs::prelude::*;
use bevy_tasks::futures::check_ready;
use bevy_tasks::{AsyncComputeTaskPool, Task};
use std::mem;
use std::thread;
use std::time::{Duration, Instant};
use suite::program::{Figures, Options, check, named};
use suite::{median, one};

/// Before each frame that is timed alone: whoever has something to do has done it.
const PAUSE: Duration = Duration::from_micros(500);

/// Results that take longer are not waited for: they are wrong.
const DEADLINE: Duration = Duration::from_secs(10);

/// How many the next frame starts.
#[derive(Resource, Default)]
struct ToStart(u64);

/// The sum of all results.
#[derive(Resource, Default)]
struct Sum(u64);

fn app() -> App {
    let mut app = apps::app();
    app.init_resource::<ToStart>().init_resource::<Sum>();
    app
}

/// A task as the engine's examples hold it.
#[derive(Component)]
struct Held(Task<u64>);

fn start_by_hand(mut commands: Commands, mut to_start: ResMut<ToStart>) {
    for _ in 0..mem::take(&mut to_start.0) {
        commands.spawn(Held(AsyncComputeTaskPool::get().spawn(one())));
    }
}

fn poll_by_hand(
    mut commands: Commands,
    mut tasks: Query<(Entity, &mut Held)>,
    mut sum: ResMut<Sum>,
) {
    for (entity, mut task) in &mut tasks {
        if let Some(result) = check_ready(&mut task.0) {
            sum.0 += result;
            commands.entity(entity).despawn();
        }
    }
}

fn app_by_hand() -> App {
    let mut app = app();
    app.add_systems(Update, (start_by_hand, poll_by_hand).chain());
    apps::begin(&mut app);
    app
}

/// Starts that many in one frame, and has frames until all were polled.
fn spawn_and_poll<'a>(metric: &str, count: u64, mut app: App) -> Subject<'a> {
    Subject::new(metric, move || {
        let world = app.world_mut();
        world.resource_mut::<ToStart>().0 = count;
        world.resource_mut::<Sum>().0 = 0;
        let start = Instant::now();
        while app.world().resource::<Sum>().0 < count && start.elapsed() < DEADLINE {
            app.update();
        }
        check("the sum of results", count, app.world().resource::<Sum>().0)
    })
}

/// The median seconds of a frame, from some while of them, each after a pause.
fn frames(app: &mut App, length: Duration) -> f64 {
    let start = Instant::now();
    let mut times = Vec::new();
    while start.elapsed() < length {
        thread::sleep(PAUSE);
        let frame = Instant::now();
        app.update();
        times.push(frame.elapsed().as_secs_f64());
    }
    median(&times)
}

/// Frames without, and then with so many that wait for something that never comes.
fn waiting_with(options: &Options, mut app: App, start: impl FnOnce(&mut App)) -> Figures {
    let length = options.length(2.0);
    let without = frames(&mut app, length);
    start(&mut app);
    app.update();
    let with = frames(&mut app, length);
    Ok(named([("without", without), ("with", with)]))
}
