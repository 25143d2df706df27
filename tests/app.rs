//! An app on the pool, seen from outside.

mod common;

use bevy_app::{App, AppExit, PluginGroup, SubApp, TaskPoolPlugin, Update};
use bevy_ecs::prelude::*;
use bevy_ecs::schedule::SingleThreadedExecutor;
use bevy_ecs::system::NonSendMarker;
use bevy_heartbeat::{HeartbeatPlugin, HeartbeatSettings};
use bevy_tasks::{AsyncComputeTaskPool, ComputeTaskPool, IoTaskPool, TaskPool, block_on};
use common::{MinimalPlugins, app, plugin, within};
use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Barrier, Mutex, mpsc};
use std::thread::{self, ThreadId};
use std::time::Duration;

/// The tests take turns that rest on the pool's size, or give it another one.
static TURN: Mutex<()> = Mutex::new(());

#[derive(Component)]
struct Visits(u32);

#[derive(Resource, Default)]
struct SeenOn(Mutex<HashSet<ThreadId>>);

#[test]
fn par_iter_visits_each_entity_once_and_on_more_than_one_thread() {
    within(60, || {
        let mut app = app(2);
        app.init_resource::<SeenOn>();
        app.world_mut().spawn_batch((0..10_000).map(|_| Visits(0)));
        app.add_systems(Update, |mut all: Query<&mut Visits>, seen: Res<SeenOn>| {
            all.par_iter_mut().for_each(|mut visits| {
                visits.0 += 1;
                // Long enough that a second thread comes in.
                std::hint::black_box((0..200).sum::<u32>());
                seen.0.lock().unwrap().insert(thread::current().id());
            });
        });
        let threads = |app: &App| app.world().resource::<SeenOn>().0.lock().unwrap().len();
        // On a busy machine the second thread may miss any given frame, but not all of them.
        for frame in 1.. {
            app.update();
            let mut all = app.world_mut().query::<&Visits>();
            assert!(all.iter(app.world()).all(|visits| visits.0 == frame));
            if frame >= 50 && threads(&app) > 1 {
                break;
            }
        }
    });
}

#[test]
fn systems_that_do_not_conflict_overlap() {
    within(60, || {
        let mut app = app(2);
        let inside = Arc::new(AtomicUsize::new(0));
        let met = Arc::new(AtomicUsize::new(0));
        for _ in 0..2 {
            let (inside, met) = (inside.clone(), met.clone());
            app.add_systems(Update, move || {
                // Worth two threads, so the schedule will get them.
                if inside.fetch_add(1, Ordering::Relaxed) == 1 {
                    met.fetch_add(1, Ordering::Relaxed);
                }
                thread::sleep(Duration::from_millis(5));
                inside.fetch_sub(1, Ordering::Relaxed);
            });
        }
        while met.load(Ordering::Relaxed) < 20 {
            app.update();
        }
    });
}

#[test]
fn schedules_stay_as_they_were_where_the_app_says_so() {
    within(60, || {
        let mut app = App::new();
        app.add_plugins(HeartbeatPlugin {
            adaptive_schedules: false,
            ..plugin(2)
        });
        // Neither ends before both have begun: the engine's own executor always has them overlap.
        let meet = Arc::new(Barrier::new(2));
        for _ in 0..2 {
            let meet = meet.clone();
            app.add_systems(Update, move || _ = meet.wait());
        }
        for _ in 0..20 {
            app.update();
        }
    });
}

#[test]
fn non_send_systems_run_on_the_main_thread() {
    within(60, || {
        let mut app = app(2);
        let main = thread::current().id();
        let ran = Arc::new(AtomicUsize::new(0));
        for _ in 0..4 {
            let ran = ran.clone();
            app.add_systems(Update, move |_: NonSendMarker| {
                assert_eq!(thread::current().id(), main);
                ran.fetch_add(1, Ordering::Relaxed);
            });
            app.add_systems(Update, || thread::sleep(Duration::from_micros(50)));
        }
        for _ in 0..20 {
            app.update();
        }
        assert_eq!(ran.load(Ordering::Relaxed), 80);
    });
}

#[test]
fn a_panic_in_a_system_reaches_the_caller_and_the_pool_goes_on() {
    within(60, || {
        for _ in 0..10 {
            let mut broken = app(2);
            let ran = Arc::new(AtomicUsize::new(0));
            for _ in 0..4 {
                let ran = ran.clone();
                broken.add_systems(Update, move || _ = ran.fetch_add(1, Ordering::Relaxed));
            }
            broken.add_systems(Update, || panic!("a planned panic"));
            let payload = catch_unwind(AssertUnwindSafe(|| broken.update())).unwrap_err();
            assert_eq!(payload.downcast_ref::<&str>(), Some(&"a planned panic"));
            // The engine loses the schedule that a panic leaves; the world and the pool are whole.
            broken.world_mut().spawn(Visits(0));
            let mut other = app(2);
            let counted = ran.clone();
            other.add_systems(Update, move || counted.store(100, Ordering::Relaxed));
            other.update();
            assert_eq!(ran.load(Ordering::Relaxed), 100);
        }
    });
}

#[test]
fn a_panic_in_a_task_reaches_its_awaiter_on_every_pool() {
    within(60, || {
        let _app = app(2);
        let pools: [&TaskPool; 3] = [
            ComputeTaskPool::get(),
            IoTaskPool::get(),
            AsyncComputeTaskPool::get(),
        ];
        for pool in pools {
            let task = pool.spawn(async { panic!("a planned panic") });
            let payload = catch_unwind(AssertUnwindSafe(|| block_on(task))).unwrap_err();
            assert_eq!(payload.downcast_ref::<&str>(), Some(&"a planned panic"));
            assert_eq!(block_on(pool.spawn(async { 3 })), 3);
        }
    });
}

#[test]
fn a_panic_in_a_scope_reaches_its_caller_whoever_panics() {
    within(60, || {
        let _app = app(2);
        let pool = ComputeTaskPool::get();
        for who in 0..4 {
            let result = catch_unwind(AssertUnwindSafe(|| {
                pool.scope(|scope| {
                    // Never ready: only cancelling ends it.
                    scope.spawn(std::future::pending::<()>());
                    scope.spawn_on_scope(async {});
                    match who {
                        0 => scope.spawn(async { panic!("a planned panic") }),
                        1 => scope.spawn_on_scope(async { panic!("a planned panic") }),
                        2 => scope.spawn_on_external(async { panic!("a planned panic") }),
                        _ => panic!("a planned panic"),
                    }
                })
            }));
            let payload = result.unwrap_err();
            assert_eq!(payload.downcast_ref::<&str>(), Some(&"a planned panic"));
        }
    });
}

#[test]
fn dropping_a_task_cancels_it() {
    within(60, || {
        let _app = app(2);
        let (started, start) = mpsc::channel();
        let token = Arc::new(());
        let held = token.clone();
        let task = IoTaskPool::get().spawn(async move {
            let _held = held;
            started.send(()).unwrap();
            std::future::pending::<()>().await;
        });
        start.recv().unwrap();
        drop(task);
        while Arc::strong_count(&token) > 1 {
            thread::yield_now();
        }
    });
}

#[test]
fn scope_results_come_in_the_order_of_spawning_across_all_kinds() {
    within(60, || {
        let _app = app(2);
        let results = ComputeTaskPool::get().scope(|scope| {
            for i in (0..300).step_by(3) {
                scope.spawn(async move { i });
                scope.spawn_on_scope(async move { i + 1 });
                scope.spawn_on_external(async move { i + 2 });
            }
        });
        assert_eq!(results, (0..300).collect::<Vec<_>>());
    });
}

#[test]
fn nested_scopes_end() {
    fn nest(depth: u32) -> usize {
        if depth == 0 {
            return 1;
        }
        let parts = ComputeTaskPool::get().scope(|scope| {
            for _ in 0..3 {
                scope.spawn(async move { nest(depth - 1) });
            }
        });
        parts.into_iter().sum()
    }
    within(60, || {
        let _app = app(2);
        assert_eq!(nest(6), 729);
    });
}

#[test]
fn any_order_of_plugins_gives_the_one_pool_and_ticks_local_tasks() {
    let _turn = TURN.lock();
    within(60, || {
        let without = || MinimalPlugins.build().disable::<TaskPoolPlugin>();
        type Add = Box<dyn Fn(&mut App)>;
        let orders: [Add; 4] = [
            Box::new(|app| _ = app.add_plugins((MinimalPlugins, plugin(2)))),
            Box::new(|app| _ = app.add_plugins((plugin(2), MinimalPlugins))),
            Box::new(move |app| _ = app.add_plugins((without(), plugin(2)))),
            Box::new(move |app| _ = app.add_plugins((plugin(2), without()))),
        ];
        for add in orders {
            let mut app = App::new();
            add(&mut app);
            assert_eq!(ComputeTaskPool::get().thread_num(), 2);
            let ran = Arc::new(AtomicBool::new(false));
            let flag = ran.clone();
            AsyncComputeTaskPool::get()
                .spawn_local(async move { flag.store(true, Ordering::Relaxed) })
                .detach();
            app.add_systems(Update, |mut exit: MessageWriter<AppExit>| {
                exit.write(AppExit::Success);
            });
            assert_eq!(app.run(), AppExit::Success);
            assert!(ran.load(Ordering::Relaxed));
        }
    });
}

#[test]
fn every_number_of_threads_runs_the_same_app() {
    let _turn = TURN.lock();
    within(120, || {
        for threads in [1, 2, 64, 2] {
            let mut app = app(threads);
            app.world_mut().spawn_batch((0..5_000).map(|_| Visits(0)));
            for _ in 0..8 {
                app.add_systems(Update, |mut all: Query<&mut Visits>| {
                    all.par_iter_mut().for_each(|mut visits| visits.0 += 1);
                });
            }
            for _ in 0..10 {
                app.update();
            }
            let mut all = app.world_mut().query::<&Visits>();
            assert!(all.iter(app.world()).all(|visits| visits.0 == 80));
        }
    });
}

#[test]
fn a_system_may_block_on_a_task_with_one_thread() {
    let _turn = TURN.lock();
    within(60, || {
        let mut app = app(1);
        app.add_systems(Update, || {
            let pools: [&TaskPool; 3] = [
                ComputeTaskPool::get(),
                IoTaskPool::get(),
                AsyncComputeTaskPool::get(),
            ];
            for pool in pools {
                assert_eq!(block_on(pool.spawn(async { 1 })), 1);
            }
        });
        for _ in 0..50 {
            app.update();
        }
    });
}

/// The main thread isn't inside of any pool where a schedule runs on it alone.
#[test]
fn a_system_forks_and_blocks_on_whatever_thread_it_runs() {
    within(60, || {
        let mut app = app(2);
        let (sender, receiver) = mpsc::channel();
        app.add_systems(Update, move || {
            let (left, right) = bevy_heartbeat::join(|| 1, || 2);
            let sender = sender.clone();
            let ask = move || {
                sender.send(left + right).unwrap();
                thread::current().id()
            };
            bevy_heartbeat::spawn_blocking(ask).detach();
        });
        app.edit_schedule(Update, |schedule| {
            schedule.set_executor(SingleThreadedExecutor::new());
        });
        app.update();
        assert_eq!(receiver.recv(), Ok(3));
        let task = bevy_heartbeat::spawn_blocking(thread::current);
        assert_ne!(block_on(task).id(), thread::current().id());
    });
}

#[test]
fn a_bare_sub_app_may_have_it() {
    within(60, || {
        let _turn = TURN.lock();
        let mut sub = SubApp::new();
        sub.add_plugins(plugin(2));
        assert!(sub.world().contains_resource::<HeartbeatSettings>());
    });
}
