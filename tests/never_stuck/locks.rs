//! Locks that are held across waits, and locks that workers block on.

use crate::common::{app_by_environment, pools, within};
use bevy_app::Update;
use bevy_ecs::prelude::*;
use bevy_tasks::{ComputeTaskPool, IoTaskPool, block_on};
use std::sync::{Arc, Mutex, RwLock};
use std::thread;
use std::time::Duration;

#[derive(Component)]
struct Count(u64);

/// rayon#592, #1174: a thread that holds a lock waits for its parallel work, steals a job that
/// wants the lock, and waits for itself.
#[test]
fn a_lock_is_held_across_parallel_work_while_strangers_want_it() {
    within(60, || {
        let mut app = app_by_environment();
        let lock = Arc::new(Mutex::new(0));
        app.world_mut().spawn_batch((0..1_000).map(Count));
        for turn in 0..4 {
            let lock = lock.clone();
            app.add_systems(Update, move |all: Query<&Count>| {
                let mut held = lock.lock().unwrap();
                for pool in pools() {
                    let lock = lock.clone();
                    let wants = async move { *lock.lock().unwrap() += 1 };
                    pool.spawn(wants).detach();
                }
                if turn % 2 == 0 {
                    all.par_iter().for_each(|count| assert!(count.0 < 1_000));
                } else {
                    let work = || async { thread::sleep(Duration::from_micros(50)) };
                    ComputeTaskPool::get().scope(|scope| (0..4).for_each(|_| scope.spawn(work())));
                }
                *held += 1;
            });
        }
        for _ in 0..50 {
            app.update();
        }
        // Each system once a frame, and three tasks of each.
        while *lock.lock().unwrap() < 50 * 4 * 4 {
            thread::yield_now();
        }
    });
}

/// Asset loads take the asset server's lock on io threads, while the main thread spawns them under
/// it: with every io thread blocked, the main thread still has a frame to run before it lets go.
#[test]
fn loads_that_block_on_the_asset_lock_on_every_worker_leave_the_frame_going() {
    within(60, || {
        let mut app = app_by_environment();
        app.world_mut().spawn_batch((0..1_000).map(Count));
        for _ in 0..4 {
            app.add_systems(Update, |all: Query<&Count>| {
                all.par_iter().for_each(|count| assert!(count.0 < 1_000));
            });
        }
        let infos = Arc::new(RwLock::new(0));
        let loads = 2 * ComputeTaskPool::get().thread_num() + 8;
        for round in 0..20 {
            let mut held = infos.write().unwrap();
            let tasks: Vec<_> = (0..loads)
                .map(|index| {
                    let infos = infos.clone();
                    IoTaskPool::get().spawn(async move {
                        if index % 2 == 0 {
                            assert!(*infos.read().unwrap() > 0);
                        } else {
                            *infos.write().unwrap() += 1;
                        }
                    })
                })
                .collect();
            if round % 2 == 0 {
                // Long enough that they block.
                thread::sleep(Duration::from_millis(2));
            }
            app.update();
            // What a frame waits for may well be background work.
            let [_, _, background] = pools();
            assert_eq!(block_on(background.spawn(async { 1 })), 1);
            *held += 1;
            drop(held);
            tasks.into_iter().for_each(block_on);
        }
        assert_eq!(*infos.read().unwrap(), 20 * (1 + loads / 2));
    });
}
