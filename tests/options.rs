//! Bevy's own options for its pools, in a process of its own: they set up the one pool.

mod common;

use bevy_app::{App, TaskPoolOptions, TaskPoolPlugin};
use bevy_heartbeat::HeartbeatPlugin;
use bevy_tasks::{AsyncComputeTaskPool, ComputeTaskPool, IoTaskPool};
use common::within;

#[test]
fn options_of_bevys_plugin_keep_a_meaning_in_any_order() {
    within(60, || {
        let mut options = TaskPoolOptions::with_num_threads(3);
        options.io.max_threads = 1;
        let bevys = || TaskPoolPlugin {
            task_pool_options: options.clone(),
        };
        for ours_first in [true, false] {
            let mut app = App::new();
            if ours_first {
                app.add_plugins((HeartbeatPlugin::default(), bevys()));
            } else {
                app.add_plugins((bevys(), HeartbeatPlugin::default()));
            }
            app.finish();
            assert_eq!(ComputeTaskPool::get().thread_num(), 3);
            assert_eq!(IoTaskPool::get().thread_num(), 1);
            assert_eq!(AsyncComputeTaskPool::get().thread_num(), 3);
        }
    });
}
