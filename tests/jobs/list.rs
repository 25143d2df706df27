//! `Jobs`, without entities.

use super::*;
use bevy_app::Update;
use bevy_heartbeat::JobId;
use std::future::pending;
use std::time::Duration;

#[derive(Resource, Default)]
struct Seen(Vec<(JobId, JobOutcome<u32>)>);

#[test]
fn outcomes_are_polled_by_id_or_as_they_come() {
    with_app(|app| {
        let log = Log::default();
        let says = log.clone();
        let mut first = None;
        app.init_resource::<Seen>();
        app.add_systems(
            Update,
            move |mut jobs: Jobs<u32>, mut seen: ResMut<Seen>, mut is_begun: Local<bool>| {
                if !*is_begun {
                    *is_begun = true;
                    first = Some(jobs.start(Lane::Background, |_| async { 1 }));
                    for number in 2..=10 {
                        jobs.start(Lane::Io, move |_| async move { number });
                    }
                    assert_eq!(jobs.len(), 10);
                }
                if let Some(outcome) = first.and_then(|id| jobs.poll(id)) {
                    assert_eq!(outcome, Ok(1));
                    says.write("first");
                }
                // One a frame: the rest is there later.
                let next = jobs.iter_poll().find(|(id, _)| Some(*id) != first);
                seen.0.extend(next);
                if jobs.is_empty() {
                    says.write("empty");
                }
            },
        );
        frames_until(app, |_| log.has("empty"));
        let seen = &app.world().resource::<Seen>().0;
        let mut numbers: Vec<_> = seen.iter().map(|(_, outcome)| outcome.clone()).collect();
        numbers.sort_by_key(|outcome| *outcome.as_ref().unwrap());
        let all: Vec<_> = (2..=10).map(Ok).collect();
        // The first one may have come by `iter_poll`, whose `find` passes over it.
        assert_eq!(numbers, all);
    });
}

#[test]
fn a_system_has_jobs_before_anything_of_the_plugin_has_run() {
    with_app(|_| {
        let mut world = World::new();
        let start = |mut jobs: Jobs<u32>| _ = jobs.start(Lane::Background, |_| async { 1 });
        let mut schedule = Schedule::default();
        schedule.add_systems((start, bevy_heartbeat::run_jobs).chain());
        schedule.run(&mut world);
        // Where the hub is another one since.
        world.clear_resources();
        schedule.run(&mut world);
    });
}

#[test]
fn who_polls_by_id_may_start_any_number() {
    with_app(|app| {
        let log = Log::default();
        let says = log.clone();
        let mut started: u32 = 0;
        let mut last = None;
        app.add_systems(Update, move |mut jobs: Jobs<u32>| {
            if last.is_some_and(|id| jobs.poll(id).is_none()) {
                return;
            }
            started += 1;
            last = Some(jobs.start(Lane::Background, |_| async { 1 }));
            let ends = format!("{jobs:?}");
            let many = ends.split("ends: ").nth(1).unwrap();
            let many: usize = many.split(',').next().unwrap().parse().unwrap();
            assert!(many < 20, "{ends}");
            if started == 200 {
                says.write("enough");
            }
        });
        frames_until(app, |_| log.has("enough"));
    });
}

#[test]
fn jobs_time_out_panic_and_are_cancelled_with_their_system() {
    within(60, || {
        let drops = Drops::default();
        let mut app = common::app(2);
        let guards = drops.clone();
        app.init_resource::<Seen>();
        app.add_systems(
            Update,
            move |mut jobs: Jobs<u32>, mut seen: ResMut<Seen>, mut is_begun: Local<bool>| {
                if !*is_begun {
                    *is_begun = true;
                    let wait = |guard| async move {
                        let _guard: CountsDrop = guard;
                        pending::<u32>().await
                    };
                    let (a, b, c) = (guards.guard(), guards.guard(), guards.guard());
                    let soon = JobOptions::default().timeout(Duration::from_millis(5));
                    jobs.start_with(soon, Lane::Background, move |_| wait(a));
                    let cancelled = jobs.start(Lane::Background, move |_| wait(b));
                    jobs.cancel(cancelled);
                    assert_eq!(jobs.poll(cancelled), None);
                    jobs.start(Lane::Background, move |_| wait(c));
                    let named = JobOptions::default().named("broken");
                    jobs.start_with(named, Lane::Background, |_| async { panic!("it broke") });
                }
                seen.0.extend(jobs.iter_poll());
            },
        );
        frames_until(&mut app, |world| {
            world.resource::<Seen>().0.len() == 2 && drops.count() == 2
        });
        let seen = &app.world().resource::<Seen>().0;
        let errors: Vec<_> = seen
            .iter()
            .map(|(_, outcome)| outcome.as_ref().unwrap_err().to_string())
            .collect();
        for error in ["timeout", "job `broken` panicked: it broke"] {
            assert!(errors.iter().any(|all| all.contains(error)), "{errors:?}");
        }
        drop(app);
        while drops.count() < 3 {
            thread::yield_now();
        }
    });
}

#[test]
fn an_end_is_told_of_however_many_others_are_polled_before() {
    within(60, || {
        let mut world = World::new();
        let ask = |mut jobs: Jobs<u32>| {
            let mut ended = |number| {
                let id = jobs.start(Lane::Background, move |_| async move { number });
                while jobs.progress(id).is_some_and(|it| it.done < it.total) {
                    thread::yield_now();
                }
                id
            };
            let first = ended(1);
            let others: Vec<_> = (0..100).map(|_| ended(2)).collect();
            for id in others {
                assert_eq!(jobs.poll(id), Some(Ok(2)));
            }
            // Where those that were polled are forgotten.
            let last = jobs.start(Lane::Background, |_| pending());
            assert_eq!(jobs.iter_poll().collect::<Vec<_>>(), [(first, Ok(1))]);
            jobs.cancel(last);
        };
        world.run_system_cached(ask).unwrap();
    });
}
