//! Pools that were given no threads. In a process of its own, whose pool gets its settings from
//! the engine's own plugin.

mod common;

use bevy_app::{App, PluginGroup, TaskPoolOptions, TaskPoolPlugin, Update};
use bevy_heartbeat::HeartbeatPlugin;
use bevy_tasks::{TaskPoolBuilder, block_on};
use common::{MinimalPlugins, pools, within};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// An app whose options leave io and background tasks without threads.
fn app() -> App {
    let mut task_pool_options = TaskPoolOptions::default();
    for policy in [
        &mut task_pool_options.io,
        &mut task_pool_options.async_compute,
    ] {
        policy.min_threads = 0;
        policy.max_threads = 0;
    }
    let mut app = App::new();
    app.add_plugins(MinimalPlugins.set(TaskPoolPlugin { task_pool_options }));
    app
}

fn tasks_of_every_pool_end(app: &mut App) {
    let ran = Arc::new(AtomicUsize::new(0));
    let frames = ran.clone();
    app.add_systems(Update, move || _ = frames.fetch_add(1, Ordering::Relaxed));
    for _ in 0..20 {
        app.update();
        for pool in pools() {
            assert_eq!(block_on(pool.spawn(async { 3 })), 3);
            let squares = pool.scope(|scope| {
                for i in 0..3 {
                    scope.spawn(async move { i * i });
                    scope.spawn_on_scope(async { 7 });
                }
            });
            assert_eq!(squares, [0, 7, 1, 7, 4, 7]);
            // A task that waits for another of its pool.
            let nested = pool.spawn(async move { pool.spawn(async { 5 }).await });
            assert_eq!(block_on(nested), 5);
        }
    }
    assert_eq!(ran.load(Ordering::Relaxed), 20);
}

/// With no io thread, the stock pool's io tasks run only where somebody ticks them.
#[test]
fn pools_of_no_threads_get_their_tasks_done() {
    within(60, || {
        let mut app = app();
        tasks_of_every_pool_end(&mut app);
        // The plugin comes later, with budgets of none.
        app.add_plugins(HeartbeatPlugin {
            io_budget: Some(0),
            background_budget: Some(0),
            ..Default::default()
        });
        tasks_of_every_pool_end(&mut app);
    });
}

/// A pool of its own without threads: scopes are run by their caller, and what they wait for too.
#[test]
fn an_independent_pool_without_threads_progresses_in_scopes() {
    within(60, || {
        let pool = TaskPoolBuilder::new().num_threads(0).build();
        assert_eq!(pool.thread_num(), 0);
        let pool = &pool;
        for _ in 0..100 {
            let task = pool.spawn(async { 3 });
            let results = pool.scope(|scope| {
                scope.spawn(task);
                scope.spawn(async { pool.spawn(async { 4 }).await });
                scope.spawn(async { pool.scope(|inner| inner.spawn(async { 5 }))[0] });
            });
            assert_eq!(results, [3, 4, 5]);
        }
        // Never ran, and is gone with its pool.
        pool.spawn(async { unreachable!() }).detach();
    });
}
