//! This project's jobs.

use super::{PAUSE, Sum, ToStart, app, app_by_hand, frames, spawn_and_poll, waiting_with};
use crate::apps;
use crate::sampling::sample;
use bevy_app::{App, Update};
use bevy_ecs::prelude::*;
use bevy_heartbeat::prelude::*;
use std::future::pending;
use std::mem;
use std::thread;
use std::time::Instant;
use suite::program::{Figures, Options, Problem, named};
use suite::{median, one};

fn start(mut commands: Commands, mut to_start: ResMut<ToStart>) {
    for _ in 0..mem::take(&mut to_start.0) {
        commands.spawn_job(Lane::Background, |_| one());
    }
}

fn poll(mut commands: Commands, mut jobs: Query<(Entity, &mut Job<u64>)>, mut sum: ResMut<Sum>) {
    for (entity, mut job) in &mut jobs {
        if let Some(outcome) = job.poll() {
            sum.0 += outcome.unwrap_or_default();
            commands.entity(entity).despawn();
        }
    }
}

fn app_of_jobs() -> App {
    let mut app = app();
    app.add_systems(Update, (start, poll).chain());
    apps::begin(&mut app);
    app
}

/// Starts that many in one frame, and has frames until all were polled.
pub fn run(options: &Options, count: u64) -> Figures {
    let jobs = spawn_and_poll("jobs", count, app_of_jobs());
    let by_hand = spawn_and_poll("by-hand", count, app_by_hand());
    sample(options, vec![jobs, by_hand])
}

/// Frames without, and then with so many that wait for something that never comes.
pub fn waiting(options: &Options, count: u64) -> Figures {
    waiting_with(options, app_of_jobs(), |app| {
        for _ in 0..count {
            let world = app.world_mut();
            world.spawn_job(Lane::Background, |_| pending::<()>());
        }
    })
}

/// How often jobs have had the world.
#[derive(Resource, Default)]
struct Accesses(u64);

async fn ask_each_frame(cx: JobContext) -> Result<(), WorldError> {
    loop {
        cx.with(|mut accesses: ResMut<Accesses>| accesses.0 += 1)
            .await?;
        cx.next_frame().await?;
    }
}

/// What each of the accesses of so many jobs, one a frame, adds to the frame.
pub fn access(options: &Options, count: u64) -> Figures {
    let mut app = app_of_jobs();
    app.init_resource::<Accesses>();
    let length = options.length(2.0);
    let without = frames(&mut app, length);
    for _ in 0..count {
        app.world_mut().spawn_job(Lane::Background, ask_each_frame);
    }
    app.update();
    let mut times = Vec::new();
    let start = Instant::now();
    while start.elapsed() < length {
        thread::sleep(PAUSE);
        let before = app.world().resource::<Accesses>().0;
        let frame = Instant::now();
        app.update();
        let time = frame.elapsed().as_secs_f64() - without;
        let accesses = app.world().resource::<Accesses>().0 - before;
        if accesses > 0 {
            times.push(time / accesses as f64);
        }
    }
    if times.is_empty() {
        return Err(Problem::other("no frame had an access".to_owned()));
    }
    Ok(named([("access", median(&times))]))
}
