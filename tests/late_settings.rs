//! Settings that come too late for the pool are told. In a process of its own, for it has the log.

mod common;

use bevy_app::{App, TaskPoolOptions, TaskPoolPlugin};
use bevy_heartbeat::HeartbeatPlugin;
use common::{logged, within};
use std::sync::Arc;
use std::time::Duration;

#[test]
fn settings_behind_the_engines_plugin_are_told() {
    within(60, || {
        logged::keep();
        let app_with = |plugin: HeartbeatPlugin| {
            let mut app = App::new();
            app.add_plugins((TaskPoolPlugin::default(), plugin));
            app.finish();
            logged::take()
        };
        let late = app_with(HeartbeatPlugin {
            threads: Some(2),
            panic_handler: Some(|_| ()),
            stack_size: Some(1 << 20),
            thread_name: Some(|index| format!("late {index}")),
            beat: Duration::from_micros(200),
            ..Default::default()
        });
        assert_eq!(late.len(), 1, "{late:?}");
        let names = "beat, stack_size, thread_name, panic_handler";
        assert!(late[0].contains(names), "{late:?}");
        // What may be set at any time is as it should be.
        let usual = app_with(HeartbeatPlugin {
            threads: Some(1),
            ..Default::default()
        });
        assert_eq!(usual, [""; 0]);
        // A later app's plugin finds another's pool, as it must.
        let later = app_with(HeartbeatPlugin {
            panic_handler: Some(|_| ()),
            ..Default::default()
        });
        assert_eq!(later, [""; 0]);
        options_without_effect_are_told_once();
    });
}

fn options_without_effect_are_told_once() {
    let mut options = TaskPoolOptions::default();
    options.compute.max_threads = 3;
    options.io.on_thread_spawn = Some(Arc::new(|| ()));
    let bevys = || TaskPoolPlugin {
        task_pool_options: options.clone(),
    };
    let of_compute = "TaskPoolOptions::compute has no effect";
    let of_callbacks = "on_thread_spawn and on_thread_destroy of TaskPoolOptions have no effect";
    for (is_first, expected) in [
        (false, &[of_compute][..]),
        (true, &[of_compute, of_callbacks]),
    ] {
        let mut app = App::new();
        if is_first {
            app.add_plugins((HeartbeatPlugin::default(), bevys()));
        } else {
            app.add_plugins((bevys(), HeartbeatPlugin::default()));
        }
        app.finish();
        // The engine's own plugin has something to tell of what comes late as well.
        let own = |line: &String| line.starts_with("bevy_heartbeat: ");
        let told: Vec<_> = logged::take().into_iter().filter(own).collect();
        assert_eq!(told.len(), expected.len(), "{told:?}");
        for (told, expected) in told.iter().zip(expected) {
            assert!(told.contains(expected), "{told}");
        }
    }
}
