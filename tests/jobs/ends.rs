//! How jobs end, and who hears of it.

use super::*;
use bevy_app::Update;
use bevy_heartbeat::{EntityJobs, JobPanic, JobStatus, run_jobs};
use std::future::pending;
use std::hint;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::atomic::AtomicBool;
use std::sync::{OnceLock, mpsc};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

#[test]
fn a_result_can_be_polled_once() {
    with_app(|app| {
        let entity = app
            .world_mut()
            .spawn_job(Lane::Background, |_| async { 7 })
            .id();
        assert_eq!(outcome::<i32>(app, entity), Ok(7));
        let mut job = app.world_mut().get_mut::<Job<i32>>(entity).unwrap();
        assert!(job.is_finished());
        assert_eq!(job.poll(), None);
    });
}

#[test]
fn commands_and_entities_start_jobs_on_every_lane() {
    with_app(|app| {
        for lane in Lane::ALL {
            let mut commands = app.world_mut().commands();
            let made = commands.spawn_job(lane, |_| async { 1_u8 }).id();
            let mut entity = commands.spawn_empty();
            let given = entity.id();
            entity.spawn_job(lane, |_| async { 2_u8 });
            // Another type beside it.
            entity.spawn_job(lane, |cx| async move { cx.entity() });
            app.update();
            assert_eq!(outcome::<u8>(app, made), Ok(1));
            assert_eq!(outcome::<u8>(app, given), Ok(2));
            assert_eq!(outcome::<Option<Entity>>(app, given), Ok(Some(given)));
            let jobs = app.world().get::<EntityJobs>(given).unwrap();
            assert_eq!(jobs.iter().count(), 2);
            let mut entity = app.world_mut().entity_mut(given);
            entity.spawn_job(lane, |_| async { 3_u8 });
            assert_eq!(outcome::<u8>(app, given), Ok(3));
        }
    });
}

#[test]
fn an_entity_keeps_the_last_job_of_each_type() {
    with_app(|app| {
        let entity = app.world_mut().spawn_empty().id();
        for _ in 0..1000 {
            let mut entity = app.world_mut().entity_mut(entity);
            entity.spawn_job(Lane::Background, |_| pending::<u8>());
            entity.spawn_job(Lane::Background, |_| async { 1_u16 });
        }
        assert_eq!(outcome::<u16>(app, entity), Ok(1));
        let jobs = app.world().get::<EntityJobs>(entity).unwrap();
        let ends: Vec<_> = jobs.iter().map(JobStatus::is_finished).collect();
        assert_eq!(ends, [false, true]);
        assert!(jobs.iter().all(|job| job.error().is_none()));
    });
}

#[test]
fn an_entitys_jobs_are_in_the_order_of_their_start() {
    with_app(|app| {
        let mut entity = app.world_mut().spawn_empty();
        entity.spawn_job(Lane::Io, |_| pending::<u8>()).named("a");
        for _ in 0..3 {
            entity.spawn_job(Lane::Io, |_| pending::<u16>()).named("b");
            entity.spawn_job(Lane::Io, |_| pending::<u32>()).named("c");
        }
        let names = |entity: &EntityWorldMut| -> Vec<_> {
            let jobs = entity.get::<EntityJobs>().unwrap().iter();
            jobs.map(|job| job.name().to_owned()).collect()
        };
        assert_eq!(names(&entity), ["a", "b", "c"]);
        entity.spawn_job(Lane::Io, |_| pending::<u8>()).named("d");
        assert_eq!(names(&entity), ["b", "c", "d"]);
    });
}

#[test]
fn who_inspects_an_outcome_finds_none_to_take_meanwhile() {
    with_app(|app| {
        let log = Log::default();
        let says = log.clone();
        app.world_mut()
            .spawn_job(Lane::Background, |_| async { 7_u32 })
            .observe(move |done: On<JobDone<u32>>| {
                let seen = done.inspect(|outcome| (outcome.clone(), done.take().is_none()));
                assert_eq!(seen, Some((Ok(7), true)));
                assert_eq!(done.take(), Some(Ok(7)));
                says.write("seen");
            });
        frames_until(app, |_| log.has("seen"));
    });
}

#[test]
fn a_job_for_an_entity_that_is_gone_never_starts() {
    with_app(|app| {
        let drops = Drops::default();
        let guard = drops.guard();
        let entity = app.world_mut().spawn_empty().id();
        let mut commands = app.world_mut().commands();
        let mut held = commands.entity(entity);
        held.despawn();
        held.spawn_job(Lane::Frame, |_| async move {
            drop(guard);
            unreachable!()
        });
        app.update();
        assert_eq!(drops.count(), 1);
    });
}

#[test]
fn a_panic_names_the_job_and_the_game_goes_on() {
    with_app(|app| {
        let world = app.world_mut();
        let job = |cx: JobContext| async move {
            assert_eq!(cx.name(), "baker");
            panic!("no {}", "flour")
        };
        let entity = world
            .spawn_job::<_>(Lane::Background, move |cx| async move {
                job(cx).await;
            })
            .named("baker")
            .id();
        let error = outcome::<()>(app, entity).unwrap_err();
        let panic = JobPanic {
            name: "baker".to_owned(),
            message: "no flour".to_owned(),
        };
        assert_eq!(error, JobError::Panicked(panic));
        assert_eq!(error.to_string(), "job `baker` panicked: no flour");
        app.update();
    });
}

#[test]
fn a_job_without_a_name_is_called_by_its_code() {
    with_app(|app| {
        let world = app.world_mut();
        let entity = world.spawn_job(Lane::Io, |_| async {}).id();
        let name = world.get::<Job<()>>(entity).unwrap().name().to_owned();
        assert!(name.contains("a_job_without_a_name"), "{name}");
    });
}

#[test]
fn an_observer_is_told_and_may_take_the_result() {
    with_app(|app| {
        let log = Log::default();
        let (first, second, anywhere) = (log.clone(), log.clone(), log.clone());
        app.add_observer(move |done: On<JobDone<String>>| {
            done.inspect(|outcome| anywhere.write(format!("anywhere {outcome:?}")));
        });
        let entity = app
            .world_mut()
            .spawn_job(Lane::Background, |_| async { "bread".to_owned() })
            .observe(move |done: On<JobDone<String>>| {
                done.inspect(|outcome| first.write(format!("first {outcome:?}")));
            })
            .id();
        frames_until(app, |_| log.has("first Ok(\"bread\")"));
        assert!(log.has("anywhere Ok(\"bread\")"));
        // Nobody took it.
        assert_eq!(outcome::<String>(app, entity), Ok("bread".to_owned()));

        let taken = app
            .world_mut()
            .spawn_job(Lane::Background, |_| async { "cake".to_owned() })
            .observe(move |done: On<JobDone<String>>| {
                second.write(format!("took {:?}", done.take()));
                assert_eq!(done.take(), None);
            })
            .id();
        frames_until(app, |_| log.has("took Some(Ok(\"cake\"))"));
        let mut job = app.world_mut().get_mut::<Job<String>>(taken).unwrap();
        assert_eq!(job.poll(), None);
    });
}

/// What it panicked with panics in turn as it is dropped.
#[test]
fn a_panic_whose_payload_panics_is_the_jobs() {
    struct Payload;
    impl Drop for Payload {
        fn drop(&mut self) {
            panic!("a payload");
        }
    }
    with_app(|app| {
        let breaks = || std::panic::panic_any(Payload);
        let job = move |_: JobContext| async move {
            if true {
                breaks();
            }
        };
        let entity = app.world_mut().spawn_job(Lane::Io, job).id();
        let error = outcome::<()>(app, entity).unwrap_err();
        assert!(matches!(error, JobError::Panicked(_)), "{error:?}");
    });
}

#[test]
fn a_then_that_panics_leaves_no_entity_behind() {
    with_app(|app| {
        let job = |_: JobContext| async { 7_u32 };
        let breaks = |_: In<JobOutcome<u32>>| panic!("a then");
        let entity = app.world_mut().spawn_job(Lane::Io, job).then(breaks).id();
        let update = || {
            loop {
                run_jobs(app.world_mut());
                thread::yield_now();
            }
        };
        catch_unwind(AssertUnwindSafe(update)).unwrap_err();
        assert!(app.world().get_entity(entity).is_err());
    });
}

/// Here no other system brings a sync point.
#[test]
fn what_a_panicking_observer_leaves_can_be_polled() {
    with_app(|app| {
        let job = |_| async { 7_u32 };
        let breaks = |_: On<JobDone<u32>>| panic!("an observer");
        let entity = app.world_mut().spawn_job(Lane::Io, job);
        let entity = entity.observe(breaks).id();
        let update = || {
            loop {
                run_jobs(app.world_mut());
                thread::yield_now();
            }
        };
        catch_unwind(AssertUnwindSafe(update)).unwrap_err();
        let mut job = app.world_mut().get_mut::<Job<u32>>(entity).unwrap();
        assert_eq!(job.poll(), Some(Ok(7)));
    });
}

#[test]
fn after_a_panicking_observer_a_then_runs_and_its_entity_goes() {
    with_app(|app| {
        app.world_mut()
            .add_observer(|_: On<JobDone<u32>>| panic!("an observer"));
        let seen = Arc::new(AtomicUsize::new(0));
        let then = seen.clone();
        let then = move |_: In<JobOutcome<u32>>| _ = then.fetch_add(1, Ordering::Relaxed);
        let job = |_: JobContext| async { 7_u32 };
        let entity = app.world_mut().spawn_job(Lane::Io, job).then(then).id();
        let update = || {
            loop {
                run_jobs(app.world_mut());
                thread::yield_now();
            }
        };
        catch_unwind(AssertUnwindSafe(update)).unwrap_err();
        assert_eq!(seen.load(Ordering::Relaxed), 1);
        assert!(app.world().get_entity(entity).is_err());
    });
}

#[test]
fn what_an_observer_commands_is_done_when_jobs_are_run() {
    with_app(|app| {
        #[derive(Resource)]
        struct Told;
        let job = |_: JobContext| async {};
        let told = |_: On<JobDone<()>>, mut commands: Commands| commands.insert_resource(Told);
        app.world_mut().spawn_job(Lane::Io, job).observe(told);
        frames_until(app, |world| world.contains_resource::<Told>());
    });
}

#[test]
fn then_runs_a_system_and_the_jobs_own_entity_goes() {
    with_app(|app| {
        let log = Log::default();
        app.insert_resource(log.clone());
        let then = |In(outcome): In<JobOutcome<u32>>, log: Res<Log>, mut commands: Commands| {
            log.write(format!("then {outcome:?}"));
            commands.spawn_empty();
        };
        let mut commands = app.world_mut().commands();
        let made = commands
            .spawn_job(Lane::Background, |_| async { 4_u32 })
            .then(then)
            .id();
        let mut entity = commands.spawn_empty();
        let given = entity.id();
        entity
            .spawn_job(Lane::Background, |_| async { 5_u32 })
            .then(then);
        frames_until(app, |_| log.has("then Ok(4)") && log.has("then Ok(5)"));
        assert!(app.world().get_entity(made).is_err());
        assert!(app.world().get_entity(given).is_ok());
    });
}

#[test]
fn then_never_runs_where_an_observer_has_despawned_the_entity() {
    for is_own in [true, false] {
        with_app(move |app| {
            let log = Log::default();
            let (told, never) = (log.clone(), log.clone());
            let told = move |done: On<JobDone<()>>, mut commands: Commands| {
                told.write("told");
                commands.entity(done.entity).despawn();
            };
            let never = move |_: In<JobOutcome<()>>| never.write("then");
            let job = |_: JobContext| async {};
            if is_own {
                let job = app.world_mut().spawn_job(Lane::Io, job);
                job.observe(told).then(never);
            } else {
                let mut entity = app.world_mut().spawn_empty();
                entity.spawn_job(Lane::Io, job).observe(told).then(never);
            }
            frames_until(app, |_| log.has("told"));
            app.update();
            assert!(!log.has("then"));
        });
    }
}

#[test]
fn then_is_told_of_failures_too() {
    with_app(|app| {
        let log = Log::default();
        let told = log.clone();
        let entity = app
            .world_mut()
            .spawn_job(Lane::Background, |_| pending::<()>())
            .then(move |In(outcome): In<JobOutcome<()>>| told.write(format!("{outcome:?}")))
            .id();
        app.world().get::<Job<()>>(entity).unwrap().cancel();
        frames_until(app, |_| log.has("Err(Cancelled)"));
    });
}

/// Starts a job that waits for ever, and returns its entity once it runs.
fn start_waiting(app: &mut App, drops: &Drops) -> Entity {
    let runs = Arc::new(AtomicBool::new(false));
    let (says, guard) = (runs.clone(), drops.guard());
    let code = |_: JobContext| async move {
        let _guard = guard;
        says.store(true, Ordering::SeqCst);
        pending::<u64>().await
    };
    let entity = app.world_mut().spawn_job(Lane::Background, code).id();
    frames_until(app, |_| runs.load(Ordering::SeqCst));
    entity
}

#[test]
fn despawn_remove_drop_and_replacement_cancel() {
    with_app(|app| {
        let drops = Drops::default();
        let ways: [fn(&mut World, Entity); 4] = [
            |world, entity| _ = world.despawn(entity),
            |world, entity| _ = world.entity_mut(entity).remove::<Job<u64>>(),
            |world, entity| drop(world.entity_mut(entity).take::<Job<u64>>()),
            |world, entity| {
                let mut entity = world.entity_mut(entity);
                entity.spawn_job(Lane::Background, |_| async { 3_u64 });
            },
        ];
        for (index, way) in ways.into_iter().enumerate() {
            let entity = start_waiting(app, &drops);
            assert_eq!(drops.count(), index);
            way(app.world_mut(), entity);
            frames_until(app, |_| drops.count() == index + 1);
        }
    });
}

/// A future that panics as it is dropped, and so does its result.
struct Breaks;

impl Future for Breaks {
    type Output = Bomb;

    fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Bomb> {
        Poll::Ready(Bomb)
    }
}

impl Drop for Breaks {
    fn drop(&mut self) {
        panic!("a future");
    }
}

/// It panics as it is dropped.
struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        panic!("as a test");
    }
}

#[test]
fn a_result_whose_drop_panics_leaves_no_entity_behind() {
    with_app(|app| {
        let job = app
            .world_mut()
            .spawn_job(Lane::Background, |_| async { Bomb });
        let remove = |done: On<JobDone<Bomb>>, mut commands: Commands| {
            // Nobody can ask for the result then.
            commands.entity(done.entity).remove::<Job<Bomb>>();
        };
        let entity = job.detach().observe(remove).id();
        frames_until(app, |world| world.get_entity(entity).is_err());
    });
}

#[test]
fn the_unwanted_result_of_a_job_that_is_over_may_panic() {
    with_app(|app| {
        let job = |_: JobContext| Breaks;
        let entity = app.world_mut().spawn_job(Lane::Background, job).id();
        let is_over = |world: &mut World| world.get::<Job<Bomb>>(entity).unwrap().is_finished();
        frames_until(app, is_over);
        let mut job = app.world_mut().get_mut::<Job<Bomb>>(entity).unwrap();
        let error = job.poll().unwrap().err();
        assert!(matches!(error, Some(JobError::Panicked(_))), "{error:?}");
    });
}

/// Each panic is caught for itself: of two together the second would end the process.
#[test]
fn an_unwanted_result_and_what_was_to_be_done_with_it_may_both_panic() {
    with_app(|app| {
        let bomb = Bomb;
        let then = move |_: In<JobOutcome<Bomb>>| _ = &bomb;
        let job = app
            .world_mut()
            .spawn_job(Lane::Background, |_| async { Bomb });
        let entity = job.then(then).id();
        let job = app.world().get::<Job<Bomb>>(entity).unwrap();
        // No frame has told of its end yet.
        while !job.is_finished() {
            thread::yield_now();
        }
        assert!(app.world_mut().despawn(entity));
        app.update();
    });
}

/// The engine would leave the despawn half done.
#[test]
fn a_result_whose_drop_panics_ends_no_despawn() {
    with_app(|app| {
        let world = app.world_mut();
        let entity = world.spawn_job(Lane::Background, |_| async { Bomb }).id();
        let is_over = |world: &mut World| world.get::<Job<Bomb>>(entity).unwrap().is_finished();
        frames_until(app, is_over);
        assert!(app.world_mut().despawn(entity));
        app.update();
    });
}

#[test]
fn a_cancelled_job_says_so_and_drops_its_future() {
    with_app(|app| {
        let drops = Drops::default();
        let entity = start_waiting(app, &drops);
        let job = app.world().get::<Job<u64>>(entity).unwrap();
        job.cancel();
        assert_eq!(outcome::<u64>(app, entity), Err(JobError::Cancelled));
        frames_until(app, |_| drops.count() == 1);
    });
}

/// Though its component stays, and nobody asks how it ended.
#[test]
fn the_future_of_a_job_that_is_cancelled_or_late_goes_at_once() {
    with_app(|app| {
        let drops = Drops::default();
        let entity = start_waiting(app, &drops);
        app.world().get::<Job<u64>>(entity).unwrap().cancel();
        frames_until(app, |_| drops.count() == 1);
        let guard = drops.guard();
        let code = |_: JobContext| async move {
            let _guard = guard;
            pending::<()>().await;
        };
        let job = app.world_mut().spawn_job(Lane::Background, code);
        let late = job.timeout(Duration::from_millis(1)).id();
        frames_until(app, |_| drops.count() == 2);
        let job = app.world().get::<Job<()>>(late).unwrap();
        assert!(job.is_finished());
    });
}

#[test]
fn a_loop_that_never_awaits_can_be_asked_to_stop() {
    with_app(|app| {
        let drops = Drops::default();
        let (runs, guard) = (Arc::new(AtomicBool::new(false)), drops.guard());
        let says = runs.clone();
        let code = |cx: JobContext| async move {
            let _guard = guard;
            says.store(true, Ordering::SeqCst);
            while !cx.is_cancelled() {
                hint::spin_loop();
            }
        };
        let entity = app.world_mut().spawn_job(Lane::Background, code).id();
        frames_until(app, |_| runs.load(Ordering::SeqCst));
        app.world_mut().despawn(entity);
        frames_until(app, |_| drops.count() == 1);
    });
}

#[test]
fn the_end_of_an_app_waits_for_no_loop() {
    within(60, || {
        let mut app = common::app(2);
        let (runs, is_over) = (
            Arc::new(AtomicBool::new(false)),
            Arc::new(AtomicBool::new(false)),
        );
        let drops = Drops::default();
        let was_told = Arc::new(AtomicBool::new(false));
        let (says, ends, guard) = (runs.clone(), is_over.clone(), drops.guard());
        let told = was_told.clone();
        let code = |cx: JobContext| async move {
            let _guard = guard;
            says.store(true, Ordering::SeqCst);
            while !ends.load(Ordering::SeqCst) {
                hint::spin_loop();
            }
            told.store(cx.is_cancelled(), Ordering::SeqCst);
        };
        app.world_mut().spawn_job(Lane::Background, code);
        frames_until(&mut app, |_| runs.load(Ordering::SeqCst));
        // Would not come back if it waited, for only then may the loop end.
        drop(app);
        is_over.store(true, Ordering::SeqCst);
        while drops.count() == 0 {
            thread::yield_now();
        }
        assert!(was_told.load(Ordering::SeqCst), "it was asked to stop");
    });
}

/// It is asked to stop, for nobody is told of its end.
#[test]
fn a_detached_loop_ends_with_the_app() {
    within(60, || {
        let mut app = common::app(2);
        let drops = Drops::default();
        let (runs, guard) = (Arc::new(AtomicBool::new(false)), drops.guard());
        let says = runs.clone();
        let code = |cx: JobContext| async move {
            let _guard = guard;
            says.store(true, Ordering::SeqCst);
            while !cx.is_cancelled() {
                thread::yield_now();
            }
        };
        let job = app.world_mut().spawn_job(Lane::Background, code).detach();
        drop(job);
        frames_until(&mut app, |_| runs.load(Ordering::SeqCst));
        drop(app);
        while drops.count() == 0 {
            thread::yield_now();
        }
    });
}

#[test]
fn a_timeout_ends_the_job() {
    with_app(|app| {
        let drops = Drops::default();
        let guard = drops.guard();
        let entity = app
            .world_mut()
            .spawn_job(Lane::Background, |_| async move {
                let _guard = guard;
                pending::<()>().await;
            })
            .timeout(Duration::from_millis(20))
            .id();
        assert_eq!(outcome::<()>(app, entity), Err(JobError::TimedOut));
        frames_until(app, |_| drops.count() == 1);
        // One that is done in time is not ended by it.
        let quick = app
            .world_mut()
            .spawn_job(Lane::Background, |_| async { 1_u8 })
            .timeout(Duration::from_secs(3600))
            .id();
        assert_eq!(outcome::<u8>(app, quick), Ok(1));
    });
}

/// Not that of the frame in which it was started, which may be a long one.
#[test]
fn a_timeout_is_the_jobs_own_time() {
    with_app(|app| {
        let timeout = Duration::from_millis(100);
        let started = Arc::new(OnceLock::new());
        let noted = started.clone();
        app.add_systems(Update, move |mut commands: Commands| {
            if noted.get().is_none() {
                thread::sleep(2 * timeout);
                let job = commands.spawn_job(Lane::Background, |_| pending::<()>());
                let id = job.timeout(timeout).id();
                noted.set((id, Instant::now())).unwrap();
            }
        });
        app.update();
        let (entity, start) = *started.get().unwrap();
        assert_eq!(outcome::<()>(app, entity), Err(JobError::TimedOut));
        assert!(start.elapsed() > timeout / 2);
    });
}

#[test]
fn a_detached_job_outlives_its_entity_and_then_still_runs() {
    with_app(|app| {
        let log = Log::default();
        let told = log.clone();
        let (open, opened) = async_channel::bounded::<()>(1);
        let entity = app
            .world_mut()
            .spawn_job(Lane::Background, |_| async move { opened.recv().await })
            .detach()
            .then(move |In(outcome): In<JobOutcome<_>>| told.write(format!("{outcome:?}")))
            .id();
        app.update();
        app.world_mut().despawn(entity);
        app.update();
        open.try_send(()).unwrap();
        frames_until(app, |_| log.has("Ok(Ok(()))"));
    });
}

#[test]
fn a_detached_jobs_own_entity_goes_with_it() {
    with_app(|app| {
        let entity = app.world_mut().spawn_job(Lane::Io, |_| async {}).id();
        app.world().get::<Job<()>>(entity).unwrap().detach();
        frames_until(app, |world| world.get_entity(entity).is_err());
    });
}

#[test]
fn a_job_reports_its_progress() {
    with_app(|app| {
        let (open, opened) = async_channel::bounded::<()>(1);
        let code = |cx: JobContext| async move {
            cx.progress().set(1, 4);
            cx.progress().add(1);
            let _ = opened.recv().await;
        };
        let entity = app.world_mut().spawn_job(Lane::Background, code).id();
        let half = Progress { done: 2, total: 4 };
        frames_until(app, |world| {
            world.get::<Job<()>>(entity).unwrap().progress() == half
        });
        open.try_send(()).unwrap();
        outcome::<()>(app, entity).unwrap();
        let jobs = app.world().get::<EntityJobs>(entity).unwrap();
        let all = Progress { done: 4, total: 4 };
        assert!(jobs.iter().all(|job| job.progress() == all));
    });
}

#[test]
fn a_job_has_done_no_more_than_all() {
    with_app(|app| {
        let (says, said) = mpsc::channel();
        let code = |cx: JobContext| async move {
            cx.progress().set(9, 3);
            says.send(()).unwrap();
            pending::<()>().await;
        };
        let entity = app.world_mut().spawn_job(Lane::Background, code).id();
        said.recv().unwrap();
        let progress = app.world().get::<Job<()>>(entity).unwrap().progress();
        assert_eq!(progress, Progress { done: 3, total: 3 });
    });
}

#[test]
fn nothing_is_left_of_a_detached_job_when_another_takes_its_place() {
    with_app(|app| {
        let entity = app.world_mut().spawn_empty().id();
        let mut results = Vec::new();
        for _ in 0..3 {
            let result = Arc::new(());
            results.push(Arc::downgrade(&result));
            let mut held = app.world_mut().entity_mut(entity);
            held.spawn_job(Lane::Background, |_| async move { result })
                .detach();
            frames_until(app, |world| {
                world.get::<Job<Arc<()>>>(entity).unwrap().is_finished()
            });
        }
        let last = results.pop().unwrap();
        assert!(results.iter().all(|result| result.strong_count() == 0));
        assert_eq!(last.strong_count(), 1);
    });
}

#[test]
fn an_observer_may_detach_the_job_whose_end_it_hears_of() {
    with_app(|app| {
        let heard = |done: On<JobDone<()>>, jobs: Query<&Job<()>>| {
            jobs.get(done.entity).unwrap().detach();
        };
        let job = app.world_mut().spawn_job(Lane::Io, |_| async {});
        let entity = job.observe(heard).id();
        frames_until(app, |world| world.get_entity(entity).is_err());
    });
}

#[test]
fn a_detached_jobs_own_entity_goes_without_the_component_too() {
    with_app(|app| {
        let (open, opened) = async_channel::bounded::<()>(1);
        let code = |_: JobContext| async move { _ = opened.recv().await };
        let entity = app.world_mut().spawn_job(Lane::Io, code).detach().id();
        app.world_mut().entity_mut(entity).remove::<Job<()>>();
        open.try_send(()).unwrap();
        frames_until(app, |world| world.get_entity(entity).is_err());
    });
}

#[test]
fn a_jobs_own_entity_stays_while_another_job_runs_on_it() {
    with_app(|app| {
        let log = Log::default();
        let (first, second) = (log.clone(), log.clone());
        let (open, opened) = async_channel::bounded::<()>(1);
        let entity = app
            .world_mut()
            .spawn_job(Lane::Io, |_| async { 1_u8 })
            .then(move |In(outcome): In<JobOutcome<u8>>| first.write(format!("{outcome:?}")))
            .id();
        let mut held = app.world_mut().entity_mut(entity);
        held.spawn_job(
            Lane::Io,
            |_| async move { opened.recv().await.map(|()| 2_u16) },
        )
        .then(move |In(outcome): In<JobOutcome<_>>| second.write(format!("{outcome:?}")));
        frames_until(app, |_| log.has("Ok(1)"));
        assert!(app.world().get_entity(entity).is_ok());
        open.try_send(()).unwrap();
        frames_until(app, |_| log.has("Ok(Ok(2))"));
    });
}

#[test]
fn a_replaced_jobs_own_entity_stays_for_the_outcome_of_the_new_one() {
    with_app(|app| {
        let drops = Drops::default();
        let guard = drops.guard();
        let (open, opened) = async_channel::bounded::<()>(1);
        let code = |_: JobContext| async move {
            let _guard = guard;
            _ = opened.recv().await;
            1
        };
        let job = app.world_mut().spawn_job(Lane::Io, code).detach();
        let entity = job.id();
        drop(job);
        let mut held = app.world_mut().entity_mut(entity);
        held.spawn_job(Lane::Io, |_| async { 2 });
        let is_over = |world: &mut World| world.get::<Job<i32>>(entity).unwrap().is_finished();
        frames_until(app, is_over);
        app.update();
        open.try_send(()).unwrap();
        frames_until(app, |_| drops.count() == 1);
        // The first one's end may come a frame later.
        (0..3).for_each(|_| app.update());
        assert_eq!(outcome::<i32>(app, entity), Ok(2));
    });
}

/// Nothing is lost of what a frame has not come to.
#[test]
fn ends_behind_one_whose_then_panics_are_told_of_the_next_time() {
    within(60, || {
        let mut world = World::new();
        let log = Log::default();
        let jobs = ["first", "second", "third"].map(|name| {
            let says = log.clone();
            let breaks = move |_: In<JobOutcome<()>>| {
                says.write(name);
                panic!("a then");
            };
            let job = world.spawn_job(Lane::Background, |_| async {});
            job.then(breaks).id()
        });
        for job in jobs {
            let job = world.get::<Job<()>>(job).unwrap();
            while !job.is_finished() {
                thread::yield_now();
            }
        }
        for told in 1..=3 {
            let ran = catch_unwind(AssertUnwindSafe(|| run_jobs(&mut world)));
            assert_eq!((ran.is_err(), log.lines().len()), (true, told));
        }
    });
}

#[test]
fn who_takes_a_job_out_of_its_entity_may_poll_it() {
    with_app(|app| {
        let then = |_: In<JobOutcome<i32>>| panic!("whose entity has it no more");
        let job = app
            .world_mut()
            .spawn_job(Lane::Background, |_| async { 7 })
            .then(then);
        let entity = job.id();
        drop(job);
        let mut job = app
            .world_mut()
            .entity_mut(entity)
            .take::<Job<i32>>()
            .unwrap();
        frames_until(app, |_| job.is_finished());
        app.update();
        assert_eq!(job.poll(), Some(Ok(7)));
    });
}

#[test]
fn an_observer_may_start_a_detached_job_anew_on_its_entity() {
    with_app(|app| {
        fn upload(tried: u32) -> impl bevy_heartbeat::JobFn<Out = u32> {
            move |_: JobContext| async move { tried + 1 }
        }
        let log = Log::default();
        let says = log.clone();
        let again = move |done: On<JobDone<u32>>, mut commands: Commands| {
            let tried = done.take().unwrap().unwrap();
            says.write(format!("tried {tried}"));
            if tried < 3 {
                let mut entity = commands.entity(done.entity);
                entity.spawn_job(Lane::Io, upload(tried)).detach();
            }
        };
        let job = app.world_mut().spawn_job(Lane::Io, upload(0));
        job.observe(again).detach();
        frames_until(app, |_| log.has("tried 3"));
        assert_eq!(log.lines(), ["tried 1", "tried 2", "tried 3"]);
    });
}
