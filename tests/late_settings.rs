//! Settings that come too late for the pool are told. In a process of its own, for it has the log.

mod common;

use bevy_app::{App, TaskPoolPlugin};
use bevy_heartbeat::HeartbeatPlugin;
use common::{logged, within};

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
            ..Default::default()
        });
        assert_eq!(late.len(), 1, "{late:?}");
        assert!(late[0].contains("stack_size, panic_handler"), "{late:?}");
        // What may be set at any time is as it should be.
        let usual = app_with(HeartbeatPlugin {
            threads: Some(1),
            ..Default::default()
        });
        assert_eq!(usual, [""; 0]);
    });
}
