//! Frames, times, blocking calls, parallel parts; and what waiting costs.

use super::*;
use bevy_app::{First, FixedUpdate, PreUpdate};
use bevy_heartbeat::run_jobs;
use bevy_time::{Time, TimeUpdateStrategy, Virtual};
use std::sync::mpsc;
use std::time::Duration;

/// How many frames have begun.
#[derive(Resource, Default)]
struct Frame(u32);

fn counted(app: &mut App) {
    app.init_resource::<Frame>();
    app.add_systems(First, |mut frame: ResMut<Frame>| frame.0 += 1);
}

#[test]
fn next_frame_waits_for_a_frame() {
    with_app(|app| {
        counted(app);
        let code = |cx: JobContext| async move {
            let frame = cx.with(|frame: Res<Frame>| frame.0).await?;
            for _ in 0..3 {
                cx.next_frame().await?;
            }
            let later = cx.with(|frame: Res<Frame>| frame.0).await?;
            Ok::<_, WorldError>(later - frame)
        };
        let entity = app.world_mut().spawn_job(Lane::Background, code).id();
        let passed = outcome::<Result<u32, WorldError>>(app, entity);
        assert!(passed.unwrap().unwrap() >= 3);
    });
}

#[test]
fn sleep_goes_by_the_apps_clock() {
    with_app(|app| {
        counted(app);
        let frame = Duration::from_millis(100);
        app.insert_resource(TimeUpdateStrategy::ManualDuration(frame));
        let code = |cx: JobContext| async move {
            let frame = cx.with(|frame: Res<Frame>| frame.0).await?;
            cx.sleep(Duration::from_secs(1)).await?;
            let later = cx.with(|frame: Res<Frame>| frame.0).await?;
            Ok::<_, WorldError>(later - frame)
        };
        let entity = app.world_mut().spawn_job(Lane::Background, code).id();
        let passed = outcome::<Result<u32, WorldError>>(app, entity);
        assert!(passed.unwrap().unwrap() >= 10);
    });
}

/// And not in the one after, which may be a second later.
#[test]
fn a_sleep_ends_in_the_frame_of_its_time() {
    with_app(|app| {
        let length = Duration::from_millis(100);
        app.insert_resource(TimeUpdateStrategy::ManualDuration(Duration::ZERO));
        app.update();
        let (asks, asked) = mpsc::channel();
        let code = move |cx: JobContext| async move {
            let mut sleep = Box::pin(cx.sleep(length));
            assert_eq!(bevy_tasks::futures::check_ready(&mut sleep), None);
            asks.send(()).unwrap();
            sleep.await
        };
        let entity = app.world_mut().spawn_job(Lane::Background, code).id();
        asked.recv().unwrap();
        app.insert_resource(TimeUpdateStrategy::ManualDuration(length));
        app.update();
        // No more time passes.
        app.insert_resource(TimeUpdateStrategy::ManualDuration(Duration::ZERO));
        assert_eq!(outcome::<Result<(), WorldError>>(app, entity), Ok(Ok(())));
    });
}

/// A fixed step lags behind, and has a clock of its own.
#[test]
fn sleep_goes_by_the_same_clock_in_fixed_steps() {
    with_app(|app| {
        counted(app);
        let frame = Duration::from_millis(250);
        app.insert_resource(TimeUpdateStrategy::ManualDuration(frame));
        app.add_systems(FixedUpdate, run_jobs);
        let code = |cx: JobContext| async move {
            for _ in 0..8 {
                let time = |time: Res<Time<Virtual>>| time.elapsed();
                let before = cx.with(time).await?;
                cx.sleep(Duration::from_millis(200)).await?;
                let passed = cx.with(time).await? - before;
                assert!(passed >= Duration::from_millis(200), "{passed:?}");
            }
            Ok::<_, WorldError>(())
        };
        let entity = app.world_mut().spawn_job(Lane::Background, code).id();
        assert_eq!(outcome::<Result<(), WorldError>>(app, entity), Ok(Ok(())));
    });
}

#[test]
fn a_pause_stops_sleeps_and_no_timeouts() {
    with_app(|app| {
        let frame = Duration::from_millis(100);
        app.insert_resource(TimeUpdateStrategy::ManualDuration(frame));
        app.world_mut().resource_mut::<Time<Virtual>>().pause();
        let code = |cx: JobContext| async move { cx.sleep(Duration::from_millis(1)).await };
        let entity = app
            .world_mut()
            .spawn_job(Lane::Background, code)
            .timeout(Duration::from_secs(10))
            .id();
        let ended = outcome::<Result<(), WorldError>>(app, entity);
        assert_eq!(ended, Err(JobError::TimedOut));
    });
}

#[test]
fn sleep_needs_no_time_plugin() {
    within(60, || {
        let mut app = App::new();
        app.add_plugins(common::plugin(2));
        let code = |cx: JobContext| async move { cx.sleep(Duration::from_millis(5)).await };
        let entity = app.world_mut().spawn_job(Lane::Background, code).id();
        assert_eq!(
            outcome::<Result<(), WorldError>>(&mut app, entity),
            Ok(Ok(()))
        );
    });
}

#[test]
fn a_sleep_asked_for_before_the_first_frame_counts_from_the_worlds_time() {
    with_app(|_| {
        let (start, length) = (Duration::from_secs(100), Duration::from_secs(10));
        let mut world = World::new();
        let mut time = Time::<()>::default();
        time.advance_by(start);
        world.insert_resource(time);
        let (asks, asked) = mpsc::channel();
        let code = move |cx: JobContext| async move {
            let mut sleep = Box::pin(cx.sleep(length));
            assert_eq!(bevy_tasks::futures::check_ready(&mut sleep), None);
            asks.send(()).unwrap();
            sleep.await?;
            cx.with(|time: Res<Time>| time.elapsed()).await
        };
        let entity = world.spawn_job(Lane::Background, code).id();
        asked.recv().unwrap();
        let woke = loop {
            run_jobs(&mut world);
            let mut job = world
                .get_mut::<Job<Result<Duration, WorldError>>>(entity)
                .unwrap();
            if let Some(outcome) = job.poll() {
                break outcome.unwrap().unwrap();
            }
            let mut time = world.resource_mut::<Time>();
            time.advance_by(Duration::from_millis(1));
            thread::yield_now();
        };
        assert!(woke >= start + length, "{woke:?}");
    });
}

#[test]
fn a_job_blocks_joins_scopes_and_changes_its_lane() {
    with_app(|app| {
        let code = |cx: JobContext| async move {
            let blocked = cx.blocking(|| 1).await;
            let joined = cx.join(|| 2, || 3);
            let numbers = [4, 5];
            let scoped: Vec<i32> = cx.scope(|scope| {
                for number in &numbers {
                    scope.spawn(async move { *number });
                }
            });
            let frame = cx.lane(Lane::Frame, async { 6 }).await;
            (blocked, joined, scoped, frame)
        };
        let entity = app.world_mut().spawn_job(Lane::Io, code).id();
        let all = outcome::<(i32, (i32, i32), Vec<i32>, i32)>(app, entity);
        assert_eq!(all, Ok((1, (2, 3), vec![4, 5], 6)));
    });
}

#[test]
fn panics_in_parts_of_a_job_are_the_jobs() {
    with_app(|app| {
        for part in 0..4 {
            let code = move |cx: JobContext| async move {
                let breaks = move || panic!("part {part}");
                match part {
                    0 => cx.blocking(breaks).await,
                    1 => cx.join(|| (), breaks).1,
                    2 => drop(cx.scope(|scope| scope.spawn(async move { breaks() }))),
                    _ => cx.lane(Lane::Io, async move { breaks() }).await,
                }
            };
            let entity = app.world_mut().spawn_job(Lane::Background, code).id();
            let error = outcome::<()>(app, entity).unwrap_err().to_string();
            assert!(error.ends_with(&format!("part {part}")), "{error}");
        }
    });
}

/// The system of the jobs is passed over in frames that have nothing for it, and jobs that wait
/// for something else are not polled.
#[test]
fn ten_thousand_waiting_jobs_are_not_polled() {
    with_app(|app| {
        let polls = Arc::new(AtomicUsize::new(0));
        let (open, opened) = async_channel::unbounded::<u32>();
        for _ in 0..10_000 {
            let (polls, opened) = (polls.clone(), opened.clone());
            let mut wait = Box::pin(async move { opened.recv().await.unwrap() });
            app.world_mut()
                .spawn_job(Lane::Background, move |_| async move {
                    std::future::poll_fn(move |context| {
                        polls.fetch_add(1, Ordering::SeqCst);
                        wait.as_mut().poll(context)
                    })
                    .await
                });
        }
        frames_until(app, |_| polls.load(Ordering::SeqCst) == 10_000);
        for _ in 0..100 {
            app.update();
        }
        assert_eq!(polls.load(Ordering::SeqCst), 10_000);
        for number in 0..10_000 {
            open.try_send(number).unwrap();
        }
        let mut sum = 0;
        let mut jobs = app.world_mut().query::<&mut Job<u32>>();
        frames_until(app, |world| {
            let outcomes = jobs.iter_mut(world).filter_map(|mut job| job.poll());
            sum += outcomes.map(Result::unwrap).sum::<u32>();
            sum == 9_999 * 10_000 / 2
        });
    });
}

/// `run_jobs` in a world of its own, without a plugin.
#[test]
fn a_bare_world_runs_jobs_too() {
    with_app(|_| {
        let mut world = World::new();
        let mut schedule = Schedule::new(PreUpdate);
        schedule.add_systems(run_jobs);
        let code = |cx: JobContext| async move { cx.world(|_| 8).await };
        let entity = world.spawn_job(Lane::Background, code).id();
        loop {
            schedule.run(&mut world);
            let mut job = world
                .get_mut::<Job<Result<i32, WorldError>>>(entity)
                .unwrap();
            if let Some(outcome) = job.poll() {
                assert_eq!(outcome, Ok(Ok(8)));
                break;
            }
            thread::yield_now();
        }
    });
}

#[test]
fn a_bare_world_ends_jobs_that_are_late() {
    within(60, || {
        let mut world = World::new();
        let job = world.spawn_job(Lane::Background, |_| std::future::pending::<()>());
        let late = job.timeout(Duration::from_millis(1)).id();
        while !world.get::<Job<()>>(late).unwrap().is_finished() {
            run_jobs(&mut world);
            thread::yield_now();
        }
        let mut job = world.get_mut::<Job<()>>(late).unwrap();
        assert_eq!(job.poll(), Some(Err(JobError::TimedOut)));
    });
}
