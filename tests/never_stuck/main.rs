//! Deadlocks and hangs that the engine and other schedulers had, each under a deadline. All apps
//! here have as many threads as `BEVY_HEARTBEAT_THREADS` says.

#[path = "../common/mod.rs"]
mod common;

mod apps;
mod locks;
mod panics;
mod pipelined;
mod waits;
