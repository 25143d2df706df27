//! The adaptive executor keeps the engine's rules, whichever way a schedule runs.

mod common;
#[path = "common/picky.rs"]
mod picky;

use bevy_ecs::error::{BevyError, ErrorContext, FallbackErrorHandler};
use bevy_ecs::prelude::*;
use bevy_ecs::schedule::{ApplyDeferred, MainThreadExecutor, ScheduleLabel};
use bevy_ecs::system::NonSendMarker;
use bevy_heartbeat::AdaptiveExecutor;
use common::{app, within};
use picky::Picky;
use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

/// What systems take: too little for two threads, or worth them.
const COSTS: [Duration; 2] = [Duration::ZERO, Duration::from_micros(300)];

#[derive(ScheduleLabel, Clone, Debug, PartialEq, Eq, Hash)]
struct Tested;

#[derive(Resource, Default)]
struct Log {
    order: Mutex<Vec<usize>>,
    threads: Mutex<HashSet<ThreadId>>,
}

impl Log {
    fn add(&self, system: usize, cost: Duration) {
        let start = Instant::now();
        while start.elapsed() < cost {}
        self.order.lock().unwrap().push(system);
        self.threads.lock().unwrap().insert(thread::current().id());
    }

    fn take(&mut self) -> Vec<usize> {
        self.order.get_mut().unwrap().drain(..).collect()
    }
}

fn schedule() -> (Schedule, World) {
    let mut schedule = Schedule::new(Tested);
    schedule.set_executor(AdaptiveExecutor::new());
    let mut world = World::new();
    world.init_resource::<Log>();
    (schedule, world)
}

fn system(number: usize, cost: Duration) -> impl FnMut(Res<Log>) + Clone {
    move |log| log.add(number, cost)
}

/// Runs `test` in a process whose pool has two threads.
fn on_two_threads(test: fn()) {
    within(60, move || {
        drop(app(2));
        test();
    });
}

#[test]
fn both_ways_keep_the_order_and_wide_schedules_get_threads() {
    on_two_threads(|| {
        for cost in COSTS {
            let (mut schedule, mut world) = schedule();
            for chain in 0..4 {
                let [a, b, c] = [0, 1, 2].map(|place| system(10 * chain + place, cost));
                schedule.add_systems((a, b, c).chain());
            }
            for _ in 0..60 {
                schedule.run(&mut world);
                let mut log = world.resource_mut::<Log>();
                let order = log.take();
                assert_eq!(order.len(), 12);
                for chain in 0..4 {
                    let own = order.iter().filter(|&system| system / 10 == chain);
                    let own: Vec<_> = own.map(|system| system % 10).collect();
                    assert_eq!(own, [0, 1, 2]);
                }
            }
            let threads = world.resource::<Log>().threads.lock().unwrap().len();
            assert!(cost.is_zero() || threads > 1, "{threads} threads");
        }
    });
}

#[test]
fn conditions_are_asked_once_a_run_and_hold_for_whole_sets() {
    #[derive(SystemSet, Clone, Debug, PartialEq, Eq, Hash)]
    struct EveryOther;
    #[derive(Resource, Default)]
    struct Asked(AtomicUsize);

    on_two_threads(|| {
        for cost in COSTS {
            let (mut schedule, mut world) = schedule();
            world.init_resource::<Asked>();
            let every_other = |asked: Res<Asked>| asked.0.fetch_add(1, Ordering::Relaxed) % 2 == 1;
            schedule.configure_sets(EveryOther.run_if(every_other));
            schedule.add_systems((
                (system(0, cost), system(1, cost)).in_set(EveryOther),
                system(2, cost).run_if(|| false),
                system(3, cost),
            ));
            for run in 0..40 {
                schedule.run(&mut world);
                assert_eq!(world.resource::<Asked>().0.load(Ordering::Relaxed), run + 1);
                let mut order = world.resource_mut::<Log>().take();
                order.sort_unstable();
                assert_eq!(order, if run % 2 == 1 { vec![0, 1, 3] } else { vec![3] });
            }
        }
    });
}

#[test]
fn commands_are_applied_where_the_schedule_says_and_at_its_end() {
    #[derive(Component)]
    struct Spawned;

    on_two_threads(|| {
        for cost in COSTS {
            let (mut schedule, mut world) = schedule();
            let spawn = |mut commands: Commands| _ = commands.spawn(Spawned);
            let count = |all: Query<&Spawned>, log: Res<Log>| {
                log.order.lock().unwrap().push(all.iter().count());
            };
            schedule.add_systems((spawn, ApplyDeferred, count, spawn).chain());
            schedule.add_systems((system(1000, cost), system(1001, cost)));
            for run in 0..40 {
                schedule.run(&mut world);
                let order = world.resource_mut::<Log>().take();
                assert!(order.contains(&(2 * run + 1)), "{order:?}");
                let spawned = world.query::<&Spawned>().iter(&world).count();
                assert_eq!(spawned, 2 * run + 2);
            }
        }
    });
}

#[test]
fn what_is_not_send_stays_on_the_thread_that_runs_the_schedule() {
    on_two_threads(|| {
        for cost in COSTS {
            let (mut schedule, mut world) = schedule();
            let own = thread::current().id();
            for _ in 0..4 {
                schedule.add_systems((
                    move |_: NonSendMarker| assert_eq!(thread::current().id(), own),
                    move |_: &mut World| assert_eq!(thread::current().id(), own),
                    system(0, cost),
                ));
            }
            for _ in 0..40 {
                schedule.run(&mut world);
            }
        }
    });
}

/// As the renderer's schedules are run while the app's main thread goes on.
#[test]
fn what_is_not_send_stays_on_the_main_thread_wherever_the_schedule_runs() {
    on_two_threads(|| {
        for cost in COSTS {
            let (mut schedule, mut world) = schedule();
            let main = thread::current().id();
            let executor = MainThreadExecutor::new();
            world.insert_resource(executor.clone());
            schedule.add_systems((
                move |_: NonSendMarker| assert_eq!(thread::current().id(), main),
                system(0, cost),
                system(1, cost),
            ));
            let elsewhere = thread::spawn(move || {
                for _ in 0..40 {
                    schedule.run(&mut world);
                }
            });
            let ticker = executor.0.ticker().unwrap();
            while !elsewhere.is_finished() {
                ticker.try_tick();
                thread::yield_now();
            }
            elsewhere.join().unwrap();
        }
    });
}

#[test]
fn errors_reach_the_worlds_handler_and_the_rest_runs() {
    static ERRORS: AtomicUsize = AtomicUsize::new(0);
    fn count(_: BevyError, _: ErrorContext) {
        ERRORS.fetch_add(1, Ordering::Relaxed);
    }

    on_two_threads(|| {
        for cost in COSTS {
            let (mut schedule, mut world) = schedule();
            world.insert_resource(FallbackErrorHandler(count));
            let fail = || -> Result<(), BevyError> { Err("a failure".into()) };
            schedule.add_systems((fail, system(0, cost), system(1, cost)));
            let before = ERRORS.load(Ordering::Relaxed);
            for _ in 0..40 {
                schedule.run(&mut world);
                assert_eq!(world.resource_mut::<Log>().take().len(), 2);
            }
            assert_eq!(ERRORS.load(Ordering::Relaxed), before + 40);
        }
    });
}

#[test]
fn after_a_panic_every_system_runs_again() {
    #[derive(Resource)]
    struct Panics(bool);

    on_two_threads(|| {
        for cost in COSTS {
            let (mut schedule, mut world) = schedule();
            world.insert_resource(Panics(false));
            let panic = |panics: Res<Panics>| assert!(!panics.0, "as it was told");
            schedule.add_systems((panic, system(0, cost), system(1, cost)).chain());
            for run in 0..40 {
                world.insert_resource(Panics(run % 8 == 7));
                let ran = catch_unwind(AssertUnwindSafe(|| schedule.run(&mut world)));
                assert_eq!(ran.is_err(), run % 8 == 7);
                let order = world.resource_mut::<Log>().take();
                assert!(ran.is_err() || order == [0, 1], "run {run}: {order:?}");
            }
        }
    });
}

#[test]
fn after_a_conditions_panic_every_system_runs_again() {
    #[derive(Resource)]
    struct Panics(bool);

    on_two_threads(|| {
        for cost in COSTS {
            let (mut schedule, mut world) = schedule();
            world.insert_resource(Panics(false));
            let condition = |panics: Res<Panics>| {
                assert!(!panics.0, "as it was told");
                true
            };
            schedule.add_systems((system(0, cost).run_if(condition), system(1, cost)));
            // Where others apply what is left, it runs on all threads each time.
            schedule.set_apply_final_deferred(cost.is_zero());
            for run in 0..300 {
                world.insert_resource(Panics(run % 20 == 19));
                let ran = catch_unwind(AssertUnwindSafe(|| schedule.run(&mut world)));
                assert_eq!(ran.is_err(), run % 20 == 19, "run {run}");
                let mut ran_systems = world.resource_mut::<Log>().take();
                ran_systems.sort_unstable();
                assert!(ran.is_err() || ran_systems == [0, 1], "run {run}");
            }
        }
    });
}

#[test]
fn what_a_run_has_left_is_applied_by_the_first_that_may() {
    #[derive(Component)]
    struct Spawned;

    on_two_threads(|| {
        for systems in [1, 8] {
            let (mut schedule, mut world) = schedule();
            let mut is_first = true;
            let first_time = move || std::mem::take(&mut is_first);
            let spawn = |mut commands: Commands| _ = commands.spawn(Spawned);
            schedule.add_systems(spawn.run_if(first_time));
            for number in 1..systems {
                schedule.add_systems(system(number, Duration::ZERO));
            }
            schedule.set_apply_final_deferred(false);
            schedule.run(&mut world);
            assert_eq!(world.query::<&Spawned>().iter(&world).count(), 0);
            schedule.set_apply_final_deferred(true);
            schedule.run(&mut world);
            assert_eq!(world.query::<&Spawned>().iter(&world).count(), 1);
        }
    });
}

#[test]
fn what_was_commanded_before_a_panic_is_there_after_the_next_run() {
    #[derive(Resource)]
    struct Panics(bool);
    #[derive(Component)]
    struct Spawned;

    on_two_threads(|| {
        for cost in COSTS {
            let (mut schedule, mut world) = schedule();
            let spawn = |mut commands: Commands| _ = commands.spawn(Spawned);
            let spawn = spawn.run_if(|panics: Res<Panics>| panics.0);
            let panic = |panics: Res<Panics>| assert!(!panics.0, "as it was told");
            let systems = (spawn, system(0, cost), system(1, cost), panic);
            schedule.add_systems(systems.chain_ignore_deferred());
            // Long enough between panics for either way to be taken.
            for run in 0..100 {
                world.insert_resource(Panics(run % 20 == 19));
                let ran = catch_unwind(AssertUnwindSafe(|| schedule.run(&mut world)));
                assert_eq!(ran.is_err(), run % 20 == 19);
                let spawned = world.query::<&Spawned>().iter(&world).count();
                assert!(ran.is_err() || spawned == run / 20, "run {run}: {spawned}");
            }
        }
    });
}

/// They may apply it to another world, as the renderer does with what it takes from the app's.
#[test]
fn what_others_apply_waits_for_them_after_a_panic_too() {
    #[derive(Resource)]
    struct Panics(bool);
    #[derive(Component)]
    struct Spawned;

    on_two_threads(|| {
        for cost in COSTS {
            let (mut schedule, mut world) = schedule();
            let spawn = |mut commands: Commands| _ = commands.spawn(Spawned);
            let panic = |panics: Res<Panics>| assert!(!panics.0, "as it was told");
            let systems = (spawn, system(0, cost), panic);
            schedule.add_systems(systems.chain_ignore_deferred());
            schedule.set_apply_final_deferred(false);
            for panics in [true, false] {
                world.insert_resource(Panics(panics));
                let ran = catch_unwind(AssertUnwindSafe(|| schedule.run(&mut world)));
                assert_eq!(ran.is_err(), panics);
                assert_eq!(world.query::<&Spawned>().iter(&world).count(), 0);
            }
            schedule.apply_deferred(&mut world);
            assert_eq!(world.query::<&Spawned>().iter(&world).count(), 2);
        }
    });
}

#[test]
fn a_schedule_that_changes_is_run_as_it_is() {
    on_two_threads(|| {
        let (mut schedule, mut world) = schedule();
        for systems in 1..30 {
            schedule.add_systems(system(systems, COSTS[systems % 2]));
            for _ in 0..5 {
                schedule.run(&mut world);
                assert_eq!(world.resource_mut::<Log>().take().len(), systems);
            }
        }
    });
}

/// The plugin tries an executor out in a world of its own.
#[test]
fn a_schedule_whose_executor_panics_there_keeps_it_and_its_systems() {
    within(60, || {
        let mut app = app(2);
        app.init_resource::<Log>();
        let mut schedule = Schedule::new(Tested);
        schedule.set_executor(Picky::<Log>::new());
        let systems = [0, 1].map(|number| system(number, Duration::ZERO));
        let [first, second] = systems;
        schedule.add_systems((first, second.run_if(|| true)).chain());
        app.add_schedule(schedule);
        app.finish();
        app.cleanup();
        for _ in 0..2 {
            app.world_mut().run_schedule(Tested);
            assert_eq!(app.world_mut().resource_mut::<Log>().take(), [0, 1]);
        }
    });
}
