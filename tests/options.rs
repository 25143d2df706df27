//! Bevy's own options for its pools, in a process of its own: they set up the one pool.

mod common;

use bevy_app::{App, TaskPoolOptions, TaskPoolPlugin};
use bevy_heartbeat::{HeartbeatPlugin, Lane};
use bevy_tasks::{AsyncComputeTaskPool, ComputeTaskPool, IoTaskPool};
use common::within;

/// How many threads compute, io and async compute have with `options`, whichever plugin comes first.
fn threads_with(options: &TaskPoolOptions) -> [usize; 3] {
    let bevys = || TaskPoolPlugin {
        task_pool_options: options.clone(),
    };
    let [first, last] = [true, false].map(|ours_first| {
        let mut app = App::new();
        if ours_first {
            app.add_plugins((HeartbeatPlugin::default(), bevys()));
        } else {
            app.add_plugins((bevys(), HeartbeatPlugin::default()));
        }
        app.finish();
        [
            ComputeTaskPool::get().thread_num(),
            IoTaskPool::get().thread_num(),
            AsyncComputeTaskPool::get().thread_num(),
        ]
    });
    assert_eq!(first, last);
    first
}

/// One after the other, for they set up the same pool.
#[test]
fn options_of_bevys_plugin_keep_a_meaning_in_any_order() {
    within(60, || {
        let mut options = TaskPoolOptions::with_num_threads(4);
        options.io.max_threads = 1;
        // Background jobs may use half of the threads.
        assert_eq!(threads_with(&options), [4, 1, 2]);
        // Bevy gives each of its pools a thread then.
        assert_eq!(threads_with(&TaskPoolOptions::with_num_threads(0)), [1; 3]);
        fields_of_the_plugin_come_before_them();
    });
}

fn fields_of_the_plugin_come_before_them() {
    let mut task_pool_options = TaskPoolOptions::with_num_threads(4);
    task_pool_options.io.max_threads = 1;
    task_pool_options.async_compute.max_threads = 1;
    let mut app = App::new();
    app.add_plugins((
        TaskPoolPlugin { task_pool_options },
        HeartbeatPlugin {
            threads: Some(3),
            io_budget: Some(2),
            background_budget: Some(3),
            ..Default::default()
        },
    ));
    app.finish();
    let pool = heartbeat_pool::global();
    let budgets = [Lane::Io, Lane::Background].map(|lane| pool.budget(lane));
    assert_eq!((pool.num_threads(), budgets), (3, [2, 3]));
}
