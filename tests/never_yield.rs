//! Tasks that never yield, more than there are threads. In a process of its own, for they would
//! keep other tests' tasks waiting. `BEVY_HEARTBEAT_THREADS` says how many threads there are.

mod common;

use bevy_app::{App, Update};
use bevy_ecs::prelude::*;
use bevy_tasks::{ComputeTaskPool, Task, TaskPool, block_on};
use common::{app_by_environment, pools, within};
use std::hint;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

/// The two tests take turns.
static TURN: Mutex<()> = Mutex::new(());

#[derive(Component)]
struct Count(u64);

/// Tasks that spin until they are let go: one more than there are threads.
struct Spinners {
    stop: Arc<AtomicBool>,
    begun: Arc<AtomicUsize>,
    tasks: Vec<Task<()>>,
}

impl Spinners {
    fn start(pools: &[&TaskPool]) -> Self {
        let mut spinners = Self {
            stop: Arc::default(),
            begun: Arc::default(),
            tasks: Vec::new(),
        };
        for pool in pools {
            for _ in 0..=ComputeTaskPool::get().thread_num() {
                let (stop, begun) = (spinners.stop.clone(), spinners.begun.clone());
                spinners.tasks.push(pool.spawn(async move {
                    begun.fetch_add(1, Ordering::Relaxed);
                    while !stop.load(Ordering::Relaxed) {
                        hint::spin_loop();
                    }
                }));
            }
        }
        // Each lane always has one that runs.
        while spinners.begun.load(Ordering::Relaxed) < pools.len() {
            thread::yield_now();
        }
        spinners
    }

    fn end(self) {
        self.stop.store(true, Ordering::Relaxed);
        self.tasks.into_iter().for_each(block_on);
    }
}

fn app() -> App {
    let mut app = app_by_environment();
    app.world_mut().spawn_batch((0..1_000).map(Count));
    for _ in 0..4 {
        app.add_systems(Update, |all: Query<&Count>| {
            all.par_iter().for_each(|count| assert!(count.0 < 1_000));
        });
    }
    app
}

/// bevy#18163, Forte#8: background work took every thread, and what was to come through beside it
/// came to a halt.
#[test]
fn tasks_that_never_yield_leave_frames_and_the_other_lanes_going() {
    let _turn = TURN.lock();
    within(60, || {
        let mut app = app();
        for (index, pool) in pools().into_iter().enumerate() {
            let spinners = Spinners::start(&[pool]);
            for _ in 0..5 {
                app.update();
                for (other, pool) in pools().into_iter().enumerate() {
                    if other != index {
                        assert_eq!(block_on(pool.spawn(async { 3 })), 3);
                    }
                }
            }
            spinners.end();
        }
    });
}

/// All lanes full at once: the main thread still does its frames.
#[test]
fn tasks_that_never_yield_in_every_lane_leave_frames_going() {
    let _turn = TURN.lock();
    within(60, || {
        let mut app = app();
        let spinners = Spinners::start(&pools());
        for _ in 0..5 {
            app.update();
        }
        spinners.end();
        for pool in pools() {
            assert_eq!(block_on(pool.spawn(async { 3 })), 3);
        }
    });
}
