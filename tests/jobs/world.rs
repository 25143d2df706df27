//! The world from jobs.

use super::*;
use bevy_app::Update;
use bevy_heartbeat::{JobPanic, WorldRequest, run_jobs};
use bevy_tasks::block_on;
use std::mem;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::task::{Context, Wake, Waker};
use std::time::Duration;

#[derive(Resource, Default, Debug, PartialEq)]
struct Score(u32);

#[derive(Component)]
struct Player(u32);

#[test]
fn with_takes_system_parameters_and_gives_back_what_it_returns() {
    with_app(|app| {
        app.init_resource::<Score>();
        app.world_mut().spawn(Player(3));
        app.world_mut().spawn(Player(4));
        let code = |cx: JobContext| async move {
            let moved = String::from("given away");
            let read = cx
                .with(
                    move |players: Query<&Player>,
                          mut score: ResMut<Score>,
                          mut commands: Commands| {
                        score.0 = players.iter().map(|player| player.0).sum();
                        commands.spawn(Player(5));
                        moved
                    },
                )
                .await?;
            assert_eq!(read, "given away");
            let players = cx.world(|world| world.query::<&Player>().iter(world).count());
            let players = players.await?;
            cx.commands(|mut commands: Commands| _ = commands.spawn(Player(6)))
                .await?;
            let score = cx.with(|score: Res<Score>| score.0).await?;
            cx.with(|| ()).await?;
            Ok::<_, WorldError>((players, score))
        };
        let entity = app.world_mut().spawn_job(Lane::Background, code).id();
        let answer = outcome::<Result<(usize, u32), WorldError>>(app, entity);
        assert_eq!(answer, Ok(Ok((3, 7))));
        let world = app.world_mut();
        assert_eq!(world.query::<&Player>().iter(world).count(), 4);
    });
}

#[test]
fn locals_are_kept_for_the_same_closure() {
    with_app(|app| {
        let code = |cx: JobContext| async move {
            let mut last = 0;
            for _ in 0..3 {
                let count = |mut count: Local<u32>| {
                    *count += 1;
                    *count
                };
                last = cx.with(count).await.unwrap();
            }
            last
        };
        let entity = app.world_mut().spawn_job(Lane::Background, code).id();
        assert_eq!(outcome::<u32>(app, entity), Ok(3));
    });
}

/// What a closure's parameters keep is its job's, though other jobs have the same code.
#[test]
fn each_job_has_locals_and_sees_changes_of_its_own() {
    with_app(|app| {
        app.world_mut().spawn(Player(3));
        let code = |cx: JobContext| async move {
            let mut seen = Vec::new();
            for _ in 0..2 {
                let look = |mut count: Local<u32>, new: Query<&Player, Added<Player>>| {
                    *count += 1;
                    (*count, new.iter().count())
                };
                seen.push(cx.with(look).await.unwrap());
            }
            seen
        };
        let world = app.world_mut();
        let jobs = [(); 3].map(|()| world.spawn_job(Lane::Background, code).id());
        for job in jobs {
            let seen = outcome::<Vec<(u32, usize)>>(app, job);
            assert_eq!(seen, Ok(vec![(1, 1), (2, 0)]));
        }
    });
}

/// Though its context is held, by which the job's core lives on.
#[test]
fn what_locals_keep_goes_with_a_cancelled_job() {
    with_app(|app| {
        let (context, held) = (Arc::new(Mutex::new(None)), Arc::new(()));
        let (out, kept) = (context.clone(), held.clone());
        let code = move |cx: JobContext| async move {
            let keep = move |mut local: Local<Option<Arc<()>>>| *local = Some(kept);
            cx.with(keep).await.unwrap();
            *out.lock().unwrap() = Some(cx);
            std::future::pending::<()>().await;
        };
        let entity = app.world_mut().spawn_job(Lane::Background, code).id();
        frames_until(app, |_| context.lock().unwrap().is_some());
        assert_eq!(Arc::strong_count(&held), 2);
        app.world_mut().despawn(entity);
        frames_until(app, |_| Arc::strong_count(&held) == 1);
        assert!(context.lock().unwrap().is_some());
    });
}

/// It is part of the job's code: a job has ended when nothing of that is left.
#[test]
fn a_panic_of_what_locals_keep_is_the_jobs() {
    /// What it panics with may panic as well.
    #[derive(Default)]
    struct Bomb;
    struct Payload;
    impl Drop for Bomb {
        fn drop(&mut self) {
            std::panic::panic_any(Payload);
        }
    }
    impl Drop for Payload {
        fn drop(&mut self) {
            panic!("a payload");
        }
    }
    with_app(|app| {
        for breaks in [false, true] {
            let code = move |cx: JobContext| async move {
                cx.with(|_: Local<Bomb>| ()).await.unwrap();
                assert!(!breaks, "by itself");
                5_u32
            };
            let entity = app.world_mut().spawn_job(Lane::Background, code).id();
            let error = outcome::<u32>(app, entity).unwrap_err();
            let JobError::Panicked(panic) = error else {
                panic!("{error:?}");
            };
            assert_eq!(
                panic.message,
                if breaks { "by itself" } else { "no message" }
            );
        }
    });
}

#[test]
fn a_parameter_that_is_not_there_is_an_error() {
    with_app(|app| {
        let code = |cx: JobContext| async move { cx.with(|_: Res<Score>| ()).await };
        let entity = app.world_mut().spawn_job(Lane::Background, code).id();
        let error = outcome::<Result<(), WorldError>>(app, entity).unwrap();
        let error = error.unwrap_err();
        assert!(matches!(error, WorldError::Params { .. }), "{error:?}");
        assert!(error.to_string().contains("Score"), "{error}");
        // The closure's parameters are prepared anew and found.
        app.init_resource::<Score>();
        let entity = app.world_mut().spawn_job(Lane::Background, code).id();
        assert_eq!(outcome::<Result<(), WorldError>>(app, entity), Ok(Ok(())));
    });
}

#[test]
fn a_panic_in_a_request_is_the_jobs() {
    with_app(|app| {
        let code = |cx: JobContext| async move {
            let breaks = |_: &mut World| -> () { panic!("the world ends") };
            cx.world(breaks).await.unwrap();
        };
        let entity = app
            .world_mut()
            .spawn_job(Lane::Background, code)
            .named("prophet")
            .id();
        let panic = JobPanic {
            name: "prophet".to_owned(),
            message: "the world ends".to_owned(),
        };
        assert_eq!(outcome::<()>(app, entity), Err(JobError::Panicked(panic)));
        let after = |cx: JobContext| async move { cx.world(|_| 1).await.unwrap() };
        let entity = app.world_mut().spawn_job(Lane::Background, after).id();
        assert_eq!(outcome::<i32>(app, entity), Ok(1));
    });
}

/// Panics when it is dropped, once it was told.
#[derive(Clone, Default)]
struct Bomb(Arc<AtomicBool>);

impl Drop for Bomb {
    fn drop(&mut self) {
        if self.0.swap(false, Ordering::SeqCst) {
            panic!("a destructor");
        }
    }
}

#[test]
fn a_request_that_is_dropped_unrun_may_panic() {
    with_app(|app| {
        let (asked, is_asked) = mpsc::channel();
        let bomb = Bomb::default();
        let is_armed = bomb.0.clone();
        let code = move |cx: JobContext| async move {
            let ask = cx.world(move |_| drop(bomb));
            let mut ask = Box::pin(ask);
            assert_eq!(bevy_tasks::futures::check_ready(&mut ask), None);
            asked.send(()).unwrap();
            ask.await.unwrap();
        };
        let entity = app.world_mut().spawn_job(Lane::Background, code).id();
        is_asked.recv().unwrap();
        is_armed.store(true, Ordering::SeqCst);
        app.world_mut().despawn(entity);
        frames_until(app, |_| !is_armed.load(Ordering::SeqCst));
        app.update();
    });
}

/// Queues a thousand requests of one job, without a frame, and returns what they log in order.
fn queue_thousand(app: &mut App, log: &Log) -> Entity {
    let (sender, receiver) = mpsc::channel();
    let log = log.clone();
    let code = |cx: JobContext| async move {
        let asks = (0..1_000).map(|index| {
            let log = log.clone();
            let ask = cx.world(move |_| log.write(index.to_string()));
            Box::pin(ask)
        });
        let mut asks: Vec<_> = asks.collect();
        for ask in &mut asks {
            // The first poll is what asks.
            assert_eq!(bevy_tasks::futures::check_ready(ask), None);
        }
        sender.send(()).unwrap();
        for ask in asks {
            ask.await.unwrap();
        }
    };
    let entity = app.world_mut().spawn_job(Lane::Background, code).id();
    receiver.recv().unwrap();
    entity
}

#[test]
fn requests_run_in_the_order_asked_for() {
    with_app(|app| {
        let log = Log::default();
        app.insert_resource(WorldAccessBudget(Duration::MAX));
        let entity = queue_thousand(app, &log);
        outcome::<()>(app, entity).unwrap();
        let order: Vec<_> = (0..1_000).map(|index| index.to_string()).collect();
        assert_eq!(log.lines(), order);
    });
}

#[test]
fn a_frame_gives_no_more_than_its_budget_and_at_least_one() {
    with_app(|app| {
        let log = Log::default();
        app.insert_resource(WorldAccessBudget(Duration::ZERO));
        let entity = queue_thousand(app, &log);
        for frame in 1..=5 {
            app.update();
            assert_eq!(log.lines().len(), frame);
        }
        app.insert_resource(WorldAccessBudget(Duration::MAX));
        app.update();
        assert_eq!(log.lines().len(), 1_000);
        outcome::<()>(app, entity).unwrap();
    });
}

#[test]
fn requests_that_nobody_waits_for_take_nobodys_turn() {
    with_app(|app| {
        let log = Log::default();
        app.insert_resource(WorldAccessBudget(Duration::ZERO));
        let (sender, receiver) = mpsc::channel();
        let (given_up, runs) = (log.clone(), log.clone());
        let code = |cx: JobContext| async move {
            for _ in 0..20_000 {
                let given_up = given_up.clone();
                let mut first = Box::pin(cx.world(move |_| given_up.write("given up")));
                assert_eq!(bevy_tasks::futures::check_ready(&mut first), None);
            }
            let mut second = Box::pin(cx.world(move |_| runs.write("runs")));
            assert_eq!(bevy_tasks::futures::check_ready(&mut second), None);
            sender.send(()).unwrap();
            second.await.unwrap();
        };
        app.world_mut().spawn_job(Lane::Background, code).detach();
        receiver.recv().unwrap();
        app.update();
        assert_eq!(log.lines(), ["runs"]);
    });
}

/// Of which there are ever more, for whoever asked goes on with something else.
#[test]
fn requests_without_end_that_nobody_waits_for_end_the_frame_and_keep_nobody_from_the_world() {
    with_app(|app| {
        app.init_resource::<Score>();
        app.insert_resource(WorldAccessBudget(Duration::ZERO));
        let stop = Arc::new(AtomicBool::new(false));
        for _ in 0..2 {
            let stop = stop.clone();
            let code = |cx: JobContext| async move {
                while !stop.load(Ordering::Relaxed) {
                    let mut request = Box::pin(cx.with(|_: Commands| ()));
                    assert!(bevy_tasks::futures::check_ready(&mut request).is_none());
                }
            };
            app.world_mut().spawn_job(Lane::Background, code).detach();
        }
        let waits = |cx: JobContext| async move {
            while cx
                .with(|mut score: ResMut<Score>| score.0 += 1)
                .await
                .is_ok()
            {}
        };
        app.world_mut().spawn_job(Lane::Io, waits).detach();
        frames_until(app, |world| world.resource::<Score>().0 == 20);
        stop.store(true, Ordering::Relaxed);
    });
}

/// The context of a job that is over.
fn of_a_job_that_is_over(app: &mut App) -> JobContext {
    let (gives, given) = mpsc::channel();
    let code = |cx: JobContext| async move { gives.send(cx).unwrap() };
    let entity = app.world_mut().spawn_job(Lane::Background, code).id();
    outcome::<()>(app, entity).unwrap();
    given.recv().unwrap()
}

#[test]
fn requests_of_jobs_that_are_over_take_nobodys_turn() {
    with_app(|app| {
        let cx = of_a_job_that_is_over(app);
        let mut unwanted = [0; 3].map(|_| Box::pin(cx.world(|_| ())));
        for request in &mut unwanted {
            assert_eq!(bevy_tasks::futures::check_ready(request), None);
        }
        app.insert_resource(WorldAccessBudget(Duration::ZERO));
        let (asks, is_asked) = mpsc::channel();
        let log = Log::default();
        let runs = log.clone();
        let code = |cx: JobContext| async move {
            let mut wanted = Box::pin(cx.world(move |_| runs.write("runs")));
            assert_eq!(bevy_tasks::futures::check_ready(&mut wanted), None);
            asks.send(()).unwrap();
            wanted.await.unwrap();
        };
        app.world_mut().spawn_job(Lane::Background, code).detach();
        is_asked.recv().unwrap();
        app.update();
        assert_eq!(log.lines(), ["runs"]);
    });
}

/// Asks for the world as soon as it is told that nothing will come of what it asked for.
struct AsksAgain {
    cx: JobContext,
    asked: Mutex<Vec<WorldRequest<()>>>,
}

impl AsksAgain {
    fn ask(self: &Arc<Self>) {
        let mut request = self.cx.world(|_| ());
        let waker = Waker::from(self.clone());
        if Pin::new(&mut request)
            .poll(&mut Context::from_waker(&waker))
            .is_pending()
        {
            self.asked.lock().unwrap().push(request);
        }
    }
}

impl Wake for AsksAgain {
    fn wake(self: Arc<Self>) {
        self.ask();
    }
}

#[test]
fn a_frame_ends_though_each_request_of_a_job_that_is_over_is_followed_by_another() {
    with_app(|app| {
        let cx = of_a_job_that_is_over(app);
        let asked = Mutex::default();
        let asks = Arc::new(AsksAgain { cx, asked });
        asks.ask();
        app.insert_resource(WorldAccessBudget(Duration::ZERO));
        app.update();
        let asked = mem::take(&mut *asks.asked.lock().unwrap());
        assert!(asked.len() > 1, "it was looked at");
        // They hold who asked, who holds them.
        drop(asked);
    });
}

#[test]
fn what_a_request_commands_is_done_before_the_next_one_runs() {
    with_app(|app| {
        app.insert_resource(WorldAccessBudget(Duration::MAX));
        let (asks, is_asked) = mpsc::channel();
        let code = |cx: JobContext| async move {
            let mut first =
                Box::pin(cx.commands(|mut commands| commands.insert_resource(Score(1))));
            let mut next = Box::pin(cx.world(|world| world.contains_resource::<Score>()));
            assert_eq!(bevy_tasks::futures::check_ready(&mut first), None);
            assert_eq!(bevy_tasks::futures::check_ready(&mut next), None);
            asks.send(()).unwrap();
            next.await
        };
        let entity = app.world_mut().spawn_job(Lane::Background, code).id();
        is_asked.recv().unwrap();
        assert_eq!(outcome(app, entity), Ok(Ok::<_, WorldError>(true)));
    });
}

/// For it may be much, and the app has frames to do.
#[test]
fn what_a_request_would_have_done_is_dropped_by_whoever_waited_for_it() {
    struct Tells(mpsc::Sender<thread::ThreadId>);
    impl Drop for Tells {
        fn drop(&mut self) {
            self.0.send(thread::current().id()).unwrap();
        }
    }
    with_app(|app| {
        let (sender, dropped) = mpsc::channel();
        let (asks, is_asked) = mpsc::channel();
        let code = |cx: JobContext| async move {
            let ask = || {
                let tells = Tells(sender.clone());
                Box::pin(cx.world(move |_| drop(tells)))
            };
            let mut given_up = ask();
            assert!(bevy_tasks::futures::check_ready(&mut given_up).is_none());
            drop(given_up);
            let mut cancelled = ask();
            assert!(bevy_tasks::futures::check_ready(&mut cancelled).is_none());
            asks.send(thread::current().id()).unwrap();
            cancelled.await
        };
        let entity = app.world_mut().spawn_job(Lane::Background, code).id();
        let asked_by = is_asked.recv().unwrap();
        assert_eq!(dropped.try_recv(), Ok(asked_by));
        app.world_mut().despawn(entity);
        app.update();
        assert_ne!(dropped.recv().unwrap(), thread::current().id());
    });
}

/// The job is gone when its request returns, so nobody takes what it returns.
#[test]
fn a_result_that_nobody_takes_may_panic_when_it_is_dropped() {
    struct Bomb;
    impl Drop for Bomb {
        fn drop(&mut self) {
            panic!("a destructor's");
        }
    }
    struct Tells(mpsc::Sender<()>);
    impl Drop for Tells {
        fn drop(&mut self) {
            self.0.send(()).unwrap();
        }
    }
    with_app(|app| {
        let (tells, told) = mpsc::channel();
        let code = |cx: JobContext| async move {
            // Dropped after the request's own future.
            let _tells = Tells(tells);
            let entity = cx.entity().unwrap();
            let ask = cx.world(move |world| {
                world.despawn(entity);
                told.recv().unwrap();
                Bomb
            });
            ask.await.map(drop)
        };
        let entity = app.world_mut().spawn_job(Lane::Background, code).id();
        frames_until(app, |world| world.get_entity(entity).is_err());
        app.update();
    });
}

async fn count_in_a_local(cx: JobContext) -> Result<u32, WorldError> {
    fn count(mut count: Local<u32>) -> u32 {
        *count += 1;
        *count
    }
    cx.with(count).await
}

#[test]
fn a_request_may_put_another_world_in_the_place_of_its_own() {
    fn counts(world: &mut World) -> u32 {
        let job = world.spawn_job(Lane::Background, count_in_a_local).id();
        loop {
            run_jobs(world);
            let mut job = world.get_mut::<Job<Result<u32, WorldError>>>(job).unwrap();
            match job.poll() {
                Some(count) => return count.unwrap().unwrap(),
                None => thread::yield_now(),
            }
        }
    }
    within(60, || {
        let mut world = World::new();
        assert_eq!([counts(&mut world), counts(&mut world)], [1, 1]);
        let replace = |cx: JobContext| async move { cx.world(|world| *world = World::new()).await };
        let before = world.id();
        world.spawn_job(Lane::Background, replace).detach();
        while world.id() == before {
            run_jobs(&mut world);
            thread::yield_now();
        }
        assert_eq!(counts(&mut world), 1);
    });
}

/// What its parameters have prepared is of the world before.
#[test]
fn a_closure_that_has_run_runs_in_another_world_too() {
    within(60, || {
        let mut world = World::new();
        world.insert_resource(WorldAccessBudget(Duration::MAX));
        let (gives, given) = mpsc::channel();
        let (counts, counted) = mpsc::channel();
        let (goes_on, may_go_on) = mpsc::channel();
        let code = |cx: JobContext| async move {
            let first = count_in_a_local(cx.clone()).await?;
            counts.send(()).unwrap();
            may_go_on.recv().unwrap();
            let replace = move |world: &mut World| {
                gives.send(mem::replace(world, World::new())).unwrap();
            };
            let mut replaced = Box::pin(cx.world(replace));
            let mut again = Box::pin(count_in_a_local(cx.clone()));
            assert_eq!(bevy_tasks::futures::check_ready(&mut replaced), None);
            assert_eq!(bevy_tasks::futures::check_ready(&mut again), None);
            counts.send(()).unwrap();
            Ok::<_, WorldError>([first, again.await?])
        };
        let entity = world.spawn_job(Lane::Background, code).id();
        while counted.try_recv().is_err() {
            run_jobs(&mut world);
            thread::yield_now();
        }
        goes_on.send(()).unwrap();
        counted.recv().unwrap();
        run_jobs(&mut world);
        let mut before = given.recv().unwrap();
        let mut job = before
            .get_mut::<Job<Result<[u32; 2], WorldError>>>(entity)
            .unwrap();
        while !job.is_finished() {
            thread::yield_now();
        }
        assert_eq!(job.poll(), Some(Ok(Ok([1, 1]))));
    });
}

#[test]
fn a_job_of_the_world_before_takes_no_entity_of_the_new_one() {
    within(60, || {
        let mut world = World::new();
        let (opens, opened) = async_channel::bounded::<()>(1);
        let waits = |_: JobContext| async move { _ = opened.recv().await };
        let entity = world.spawn_job(Lane::Background, waits).detach().id();
        let (gives, given) = mpsc::channel();
        let replace = move |world: &mut World| {
            let mut before = mem::replace(world, World::new());
            world.spawn_batch((0..200).map(Player));
            opens.try_send(()).unwrap();
            while !before.get_mut::<Job<()>>(entity).unwrap().is_finished() {
                thread::yield_now();
            }
            gives.send(before).unwrap();
        };
        let code = |cx: JobContext| async move { cx.world(replace).await };
        world.spawn_job(Lane::Background, code);
        // Its hub has the ends, so it is not dropped before they are told.
        let before = loop {
            run_jobs(&mut world);
            if let Ok(before) = given.try_recv() {
                break before;
            }
            thread::yield_now();
        };
        assert!(world.get_entity(entity).is_ok());
        assert_eq!(world.query::<&Player>().iter(&world).count(), 200);
        drop(before);
    });
}

#[test]
fn despawned_while_it_waits_for_the_world_it_is_dropped_and_its_request_never_runs() {
    with_app(|app| {
        let (drops, log) = (Drops::default(), Log::default());
        let (guard, writes) = (drops.guard(), log.clone());
        let (asks, asked) = mpsc::channel();
        let code = |cx: JobContext| async move {
            let _guard = guard;
            let mut ask = Box::pin(cx.world(move |_| writes.write("ran")));
            assert_eq!(bevy_tasks::futures::check_ready(&mut ask), None);
            asks.send(()).unwrap();
            let _ = ask.await;
        };
        let entity = app.world_mut().spawn_job(Lane::Background, code).id();
        asked.recv().unwrap();
        app.world_mut().despawn(entity);
        frames_until(app, |_| drops.count() == 1);
        assert_eq!(log.lines(), [""; 0]);
    });
}

/// A thread that isn't cancelled with the job waits for the world in its name.
#[test]
fn whoever_waits_for_a_cancelled_job_gets_an_error() {
    with_app(|app| {
        let (gives, given) = mpsc::channel();
        let code = |cx: JobContext| async move {
            gives.send(cx).unwrap();
            std::future::pending::<()>().await;
        };
        let entity = app.world_mut().spawn_job(Lane::Background, code).id();
        let cx = given.recv().unwrap();
        let other = cx.clone();
        let waits = thread::spawn(move || block_on(other.world(|_| ())));
        app.world_mut().despawn(entity);
        frames_until(app, |_| waits.is_finished());
        // It may have been asked for before the despawn, but no frame came in between.
        assert_eq!(waits.join().unwrap(), Err(WorldError::Cancelled));
        assert!(cx.is_cancelled());
    });
}

#[test]
fn a_context_that_outlives_its_job_is_told_that_it_has_ended() {
    with_app(|app| {
        let (gives, given) = mpsc::channel();
        let code = |cx: JobContext| async move { gives.send(cx).unwrap() };
        let entity = app.world_mut().spawn_job(Lane::Background, code).id();
        assert_eq!(outcome::<()>(app, entity), Ok(()));
        let cx = given.recv().unwrap();
        let waits = thread::spawn(move || {
            block_on(cx.next_frame()).unwrap();
            block_on(cx.sleep(Duration::from_millis(1))).unwrap();
            block_on(cx.world(|_| ())).unwrap_err()
        });
        frames_until(app, |_| waits.is_finished());
        let error = waits.join().unwrap();
        assert_eq!(error, WorldError::Cancelled);
        assert_eq!(error.to_string(), "the job has ended or was cancelled");
    });
}

#[test]
fn when_the_app_goes_whatever_waits_for_it_gets_an_error() {
    within(60, || {
        let mut app = common::app(2);
        let (tells, told) = mpsc::channel();
        for wait in 0..3 {
            let tells = tells.clone();
            app.world_mut()
                .spawn_job(Lane::Background, move |cx| async move {
                    let second = Duration::from_secs(1_000_000);
                    let error = match wait {
                        0 => cx.world(|_| ()).await,
                        1 => cx.next_frame().await,
                        _ => cx.sleep(second).await,
                    };
                    // Once more, of an app that is gone already.
                    let again = cx.with(|| ()).await;
                    tells.send((error, again)).unwrap();
                })
                .detach();
        }
        drop(app);
        for _ in 0..3 {
            let gone = Err(WorldError::AppGone);
            assert_eq!(told.recv().unwrap(), (gone.clone(), gone));
        }
    });
}

/// A job that holds a lock asks for the world; a system wants the lock meanwhile.
#[test]
fn requests_run_while_the_job_holds_a_lock_that_a_system_tries() {
    with_app(|app| {
        let lock = Arc::new(Mutex::new(0));
        let (held, tried) = (lock.clone(), lock.clone());
        app.add_systems(Update, move || drop(tried.try_lock()));
        let code = |cx: JobContext| async move {
            let world = cx.clone();
            cx.blocking(move || {
                let mut guard = held.lock().unwrap();
                *guard = block_on(world.world(|_| 5)).unwrap();
            })
            .await;
        };
        let entity = app.world_mut().spawn_job(Lane::Background, code).id();
        outcome::<()>(app, entity).unwrap();
        assert_eq!(*lock.lock().unwrap(), 5);
    });
}
