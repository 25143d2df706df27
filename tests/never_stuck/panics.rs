//! Panics reach whoever waits, and nobody waits for ever because of one.

use crate::common::{app_by_environment, within};
use bevy_app::{App, Update};
use bevy_ecs::prelude::*;
use bevy_tasks::{ComputeTaskPool, TaskPool};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

const PLANNED: &str = "a planned panic";

fn planned() {
    panic!("{}", PLANNED);
}

/// The panic that `f` ends in.
fn panic_of<R>(f: impl FnOnce() -> R) -> String {
    let payload = catch_unwind(AssertUnwindSafe(f)).map(drop).unwrap_err();
    *payload.downcast().unwrap()
}

/// bevy#6453, #8215: a panic in a system, a condition or a command, on whichever thread, reaches
/// the caller of `update`. Meanwhile and afterwards other apps go on.
#[test]
fn panics_in_schedules_reach_the_caller_and_other_apps_go_on() {
    within(60, || {
        let stop = Arc::new(AtomicBool::new(false));
        let beside = {
            let stop = stop.clone();
            thread::spawn(move || {
                let mut app = app_by_environment();
                for _ in 0..4 {
                    app.add_systems(Update, thread::yield_now);
                }
                let mut frames = 0;
                while !stop.load(Ordering::Relaxed) || frames < 100 {
                    app.update();
                    frames += 1;
                }
            })
        };
        let breaks: [fn(&mut App); 4] = [
            |app| _ = app.add_systems(Update, planned),
            |app| {
                app.add_systems(
                    Update,
                    thread::yield_now.run_if(|| {
                        planned();
                        true
                    }),
                );
            },
            |app| {
                app.add_systems(Update, |mut commands: Commands| {
                    commands.queue(|_: &mut World| planned());
                });
            },
            |app| {
                app.add_systems(Update, |_: &mut World| planned());
            },
        ];
        for broken in breaks.iter().cycle().take(40) {
            let mut app = app_by_environment();
            for _ in 0..4 {
                app.add_systems(Update, thread::yield_now);
            }
            broken(&mut app);
            assert_eq!(panic_of(|| app.update()), PLANNED);
        }
        stop.store(true, Ordering::Relaxed);
        beside.join().unwrap();
    });
}

/// The stock pool hangs when a scope's closure panics after it spawned onto the scope's thread:
/// nobody ticks that thread's tasks any more, and the scope awaits them.
#[test]
fn a_scope_whose_closure_panics_ends_what_it_spawned_anywhere() {
    within(60, || {
        let _app = app_by_environment();
        let token = Arc::new(());
        let pool = ComputeTaskPool::get();
        for place in 0..3 {
            let end = || {
                pool.scope(|scope| {
                    for pending in [false, true] {
                        let held = token.clone();
                        let task = async move {
                            let _held = held;
                            if pending {
                                std::future::pending::<()>().await;
                            }
                        };
                        match place {
                            0 => scope.spawn(task),
                            1 => scope.spawn_on_scope(task),
                            _ => scope.spawn_on_external(task),
                        }
                    }
                    planned();
                })
            };
            assert_eq!(panic_of(end), PLANNED);
            assert_eq!(Arc::strong_count(&token), 1);
        }
    });
}

/// The same with tasks that were sent to another thread's executor, as render systems are to the
/// main thread's.
#[test]
fn a_scope_whose_closure_panics_ends_what_it_sent_to_another_thread() {
    within(60, || {
        let _app = app_by_environment();
        let stop = Arc::new(AtomicBool::new(false));
        let (send, executor) = mpsc::channel();
        let main = {
            let stop = stop.clone();
            thread::spawn(move || {
                let executor = TaskPool::get_thread_executor();
                send.send(executor.clone()).unwrap();
                let ticker = executor.ticker().unwrap();
                while !stop.load(Ordering::Relaxed) {
                    ticker.try_tick();
                    thread::yield_now();
                }
            })
        };
        let executor = executor.recv().unwrap();
        let dropped = AtomicUsize::new(0);
        struct CountsDrop<'a>(&'a AtomicUsize);
        impl Drop for CountsDrop<'_> {
            fn drop(&mut self) {
                self.0.fetch_add(1, Ordering::Relaxed);
            }
        }
        for round in 1..=50 {
            let end = || {
                ComputeTaskPool::get().scope_with_executor(false, Some(&executor), |scope| {
                    for _ in 0..3 {
                        let held = CountsDrop(&dropped);
                        scope.spawn_on_external(async move {
                            let _held = held;
                            std::future::pending::<()>().await;
                        });
                    }
                    planned();
                })
            };
            assert_eq!(panic_of(end), PLANNED);
            assert_eq!(dropped.load(Ordering::Relaxed), 3 * round);
        }
        stop.store(true, Ordering::Relaxed);
        main.join().unwrap();
    });
}
