//! Settings that come too late for the pool are told. In a process of its own, for it has the log.

mod common;

use bevy_app::{App, TaskPoolPlugin};
use bevy_heartbeat::HeartbeatPlugin;
use common::within;
use log::{LevelFilter, Log, Metadata, Record};
use std::sync::Mutex;

/// Keeps what is logged.
struct Kept(Mutex<Vec<String>>);

static KEPT: Kept = Kept(Mutex::new(Vec::new()));

impl Log for Kept {
    fn enabled(&self, _: &Metadata) -> bool {
        true
    }

    fn log(&self, record: &Record) {
        self.0.lock().unwrap().push(record.args().to_string());
    }

    fn flush(&self) {}
}

#[test]
fn settings_behind_the_engines_plugin_are_told() {
    within(60, || {
        log::set_logger(&KEPT).unwrap();
        log::set_max_level(LevelFilter::Warn);
        let app_with = |plugin: HeartbeatPlugin| {
            let mut app = App::new();
            app.add_plugins((TaskPoolPlugin::default(), plugin));
            app.finish();
            KEPT.0.lock().unwrap().drain(..).collect::<Vec<_>>()
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
