//! The engine's tasks, which a system polls.

use super::{Held, app_by_hand, spawn_and_poll, waiting_with};
use crate::sampling::sample;
use bevy_tasks::AsyncComputeTaskPool;
use std::future::pending;
use suite::program::{Figures, Options};

/// Starts that many in one frame, and has frames until all were polled.
pub fn run(options: &Options, count: u64) -> Figures {
    sample(options, vec![spawn_and_poll("jobs", count, app_by_hand())])
}

/// Frames without, and then with so many that wait for something that never comes.
pub fn waiting(options: &Options, count: u64) -> Figures {
    waiting_with(options, app_by_hand(), |app| {
        for _ in 0..count {
            let task = AsyncComputeTaskPool::get().spawn(pending());
            app.world_mut().spawn(Held(task));
        }
    })
}

/// The engine has nothing like it.
pub fn access(_: &Options, _: u64) -> Figures {
    Ok(Vec::new())
}
