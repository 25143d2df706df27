//! Background work that entities hold: with this project its jobs, with the published engine tasks
//! that a system polls by hand.

use crate::apps;
use crate::sampling::{Subject, sample};
use bevy_app::{App, Update};
use bevy_ecs::prelude::*;
use bevy_tasks::futures::check_ready;
use bevy_tasks::{AsyncComputeTaskPool, Task};
use std::future::pending;
use std::thread;
use std::time::{Duration, Instant};
use suite::program::{Figures, Options, check, named};
use suite::{median, one};

/// Before each frame that is timed alone: whoever has something to do has done it.
const PAUSE: Duration = Duration::from_micros(500);

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
    for _ in 0..std::mem::take(&mut to_start.0) {
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
        while app.world().resource::<Sum>().0 < count && start.elapsed().as_secs() < 10 {
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

#[cfg(feature = "heartbeat")]
mod ways {
    use super::*;
    use bevy_heartbeat::prelude::*;

    fn start(mut commands: Commands, mut to_start: ResMut<ToStart>) {
        for _ in 0..std::mem::take(&mut to_start.0) {
            commands.spawn_job(Lane::Background, |_| one());
        }
    }

    fn poll(
        mut commands: Commands,
        mut jobs: Query<(Entity, &mut Job<u64>)>,
        mut sum: ResMut<Sum>,
    ) {
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

    pub fn run(options: &Options, count: u64) -> Figures {
        let jobs = spawn_and_poll("jobs", count, app_of_jobs());
        let by_hand = spawn_and_poll("by-hand", count, app_by_hand());
        sample(options, vec![jobs, by_hand])
    }

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
        Ok(named([("access", median(&times))]))
    }
}

#[cfg(not(feature = "heartbeat"))]
mod ways {
    use super::*;

    pub fn run(options: &Options, count: u64) -> Figures {
        sample(options, vec![spawn_and_poll("jobs", count, app_by_hand())])
    }

    pub fn waiting(options: &Options, count: u64) -> Figures {
        waiting_with(options, app_by_hand(), |app| {
            for _ in 0..count {
                let task = AsyncComputeTaskPool::get().spawn(pending());
                app.world_mut().spawn(Held(task));
            }
        })
    }

    /// The engine has nothing like it.
    pub fn access(_: &Options, _: u64) -> Figures {
        Ok(Vec::new())
    }
}

pub use ways::{access, run, waiting};
