//! Jobs of a state.

use super::*;
use bevy_app::Update;
use bevy_state::app::{AppExtStates, StatesPlugin};
use bevy_state::prelude::*;
use std::future::pending;

#[derive(States, Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
enum Screen {
    #[default]
    Loading,
    Playing,
}

fn with_states(f: impl FnOnce(&mut App) + Send + 'static) {
    with_app(|app| {
        app.add_plugins(StatesPlugin).init_state::<Screen>();
        f(app);
    });
}

#[test]
fn leaving_the_state_cancels_its_jobs() {
    with_states(|app| {
        let drops = Drops::default();
        let guard = drops.guard();
        let code = |_: JobContext| async move {
            let _guard = guard;
            pending::<()>().await;
        };
        app.world_mut()
            .spawn_job(Lane::Background, code)
            .insert(DespawnOnExit(Screen::Loading));
        app.update();
        assert_eq!(drops.count(), 0);
        let mut next = app.world_mut().resource_mut::<NextState<Screen>>();
        next.set(Screen::Playing);
        frames_until(app, |_| drops.count() == 1);
    });
}

/// However late in the frame the first one ends.
#[test]
fn a_state_waits_for_what_a_job_starts_as_it_ends() {
    for round in 0..20 {
        with_states(move |app| {
            let log = Log::default();
            let says = log.clone();
            app.world_mut()
                .spawn_job(Lane::Background, |_| async { 1 })
                .insert(DespawnOnExit(Screen::Loading))
                .then(move |_: In<JobOutcome<i32>>, mut commands: Commands| {
                    let says = says.clone();
                    commands
                        .spawn_job(Lane::Background, |_| async { 2 })
                        .insert(DespawnOnExit(Screen::Loading))
                        .then(move |_: In<JobOutcome<i32>>| says.write("second"));
                });
            let is_done = in_state(Screen::Loading).and_then(jobs_done(Screen::Loading));
            let go = |mut next: ResMut<NextState<Screen>>| next.set(Screen::Playing);
            // In which a job that was begun before ends.
            let works = move || thread::sleep(std::time::Duration::from_micros(100 * round));
            app.add_systems(Update, (works, go.run_if(is_done)).chain());
            frames_until(app, |world| {
                *world.resource::<State<Screen>>().get() == Screen::Playing
            });
            assert!(log.has("second"));
        });
    }
}

/// As where a world's resources are all taken out: nobody would ever tell of their ends.
#[test]
fn jobs_that_have_ended_are_done_where_nobody_tells_of_ends() {
    within(60, || {
        let mut world = World::new();
        let job = world.spawn_job(Lane::Background, |_| async {});
        let entity = job.insert(DespawnOnExit(Screen::Loading)).id();
        let job = world.get::<Job<()>>(entity).unwrap();
        while !job.is_finished() {
            thread::yield_now();
        }
        let are_done = |jobs: StateJobs<Screen>| jobs.are_done(&Screen::Loading);
        assert!(!world.run_system_cached(are_done).unwrap());
        world.clear_resources();
        assert!(world.run_system_cached(are_done).unwrap());
    });
}

#[test]
fn a_state_waits_for_all_of_its_jobs_and_knows_their_failures() {
    with_states(|app| {
        let log = Log::default();
        let (says, tells) = (log.clone(), log.clone());
        let (open, opened) = async_channel::bounded::<()>(1);
        app.add_systems(Update, move |jobs: StateJobs<Screen>| {
            let progress = jobs.progress(&Screen::Loading);
            tells.write(format!("{}/{}", progress.done, progress.total));
        });
        let go = move |jobs: StateJobs<Screen>, mut next: ResMut<NextState<Screen>>| {
            let failed: Vec<_> = jobs.failures(&Screen::Loading).collect();
            assert_eq!(failed.len(), 1);
            says.write(format!("{} failed", failed[0].name()));
            next.set(Screen::Playing);
        };
        let is_done = in_state(Screen::Loading).and_then(jobs_done(Screen::Loading));
        app.add_systems(Update, go.run_if(is_done));
        let world = app.world_mut();
        let steps = |cx: JobContext| async move {
            cx.progress().set(3, 9);
            let _ = opened.recv().await;
        };
        world
            .spawn_job(Lane::Background, steps)
            .insert(DespawnOnExit(Screen::Loading));
        world
            .spawn_job(Lane::Io, |_| async { panic!("no such file") })
            .named("map")
            .insert(DespawnOnExit(Screen::Loading));
        // Of another state.
        world
            .spawn_job(Lane::Io, |_| pending::<()>())
            .insert(DespawnOnExit(Screen::Playing));
        frames_until(app, |_| log.has("4/10"));
        assert!(!log.has("map failed"));
        open.try_send(()).unwrap();
        frames_until(app, |_| log.has("map failed"));
        frames_until(app, |world| {
            *world.resource::<State<Screen>>().get() == Screen::Playing
        });
    });
}
