//! What the tests share: a small app, and a deadline for what could hang.
#![allow(dead_code, reason = "each test crate uses a part")]

pub mod logged;
#[cfg(target_os = "linux")]
pub mod threads;

use bevy_app::{App, PluginGroup, PluginGroupBuilder, ScheduleRunnerPlugin, TaskPoolPlugin};
use bevy_diagnostic::FrameCountPlugin;
use bevy_heartbeat::HeartbeatPlugin;
use bevy_tasks::{AsyncComputeTaskPool, ComputeTaskPool, IoTaskPool, TaskPool};
use bevy_time::TimePlugin;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// What `bevy::MinimalPlugins` holds.
pub struct MinimalPlugins;

impl PluginGroup for MinimalPlugins {
    fn build(self) -> PluginGroupBuilder {
        PluginGroupBuilder::start::<Self>()
            .add(TaskPoolPlugin::default())
            .add(FrameCountPlugin)
            .add(TimePlugin)
            .add(ScheduleRunnerPlugin::default())
    }
}

pub fn plugin(threads: usize) -> HeartbeatPlugin {
    HeartbeatPlugin {
        threads: Some(threads),
        ..Default::default()
    }
}

pub fn app(threads: usize) -> App {
    let mut app = App::new();
    app.add_plugins((MinimalPlugins, plugin(threads)));
    app
}

/// As [`app`], with as many threads as `BEVY_HEARTBEAT_THREADS` or the machine has.
pub fn app_by_environment() -> App {
    let mut app = App::new();
    app.add_plugins((MinimalPlugins, HeartbeatPlugin::default()));
    app
}

/// The engine's three pools.
pub fn pools() -> [&'static TaskPool; 3] {
    [
        ComputeTaskPool::get(),
        IoTaskPool::get(),
        AsyncComputeTaskPool::get(),
    ]
}

/// Runs `f` on a thread of its own, and fails the test if it takes longer than `seconds`.
pub fn within(seconds: u64, f: impl FnOnce() + Send + 'static) {
    let (done, over) = mpsc::channel();
    let thread = thread::spawn(move || {
        f();
        let _ = done.send(());
    });
    match over.recv_timeout(Duration::from_secs(seconds)) {
        Err(mpsc::RecvTimeoutError::Timeout) => panic!("still running after {seconds} s: it hangs"),
        // Done, or it panicked and dropped its sender.
        _ => {
            if let Err(payload) = thread.join() {
                std::panic::resume_unwind(payload);
            }
        }
    }
}
