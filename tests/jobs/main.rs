//! Jobs: what ends them, what they are told, what they get of the world.

#[path = "../common/mod.rs"]
mod common;

mod ends;
mod list;
mod states;
mod storm;
mod waits;
mod wakes;
mod world;

use bevy_app::App;
use bevy_ecs::prelude::*;
use bevy_heartbeat::prelude::*;
use common::within;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

/// Runs `f` with an app on two threads; what hangs fails.
fn with_app(f: impl FnOnce(&mut App) + Send + 'static) {
    within(60, || f(&mut common::app(2)));
}

/// Frames until `is_so`.
fn frames_until(app: &mut App, mut is_so: impl FnMut(&mut World) -> bool) {
    while !is_so(app.world_mut()) {
        app.update();
        thread::yield_now();
    }
}

/// Frames until the entity's job has an outcome.
fn outcome<T: Send + 'static>(app: &mut App, entity: Entity) -> JobOutcome<T> {
    let mut outcome = None;
    frames_until(app, |world| {
        outcome = world.get_mut::<Job<T>>(entity).unwrap().poll();
        outcome.is_some()
    });
    outcome.unwrap()
}

/// Counts how often clones of it were dropped.
#[derive(Clone, Default)]
struct Drops(Arc<AtomicUsize>);

struct CountsDrop(Arc<AtomicUsize>);

impl Drops {
    fn guard(&self) -> CountsDrop {
        CountsDrop(self.0.clone())
    }

    fn count(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }
}

impl Drop for CountsDrop {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

/// What happened, in order.
#[derive(Resource, Clone, Default)]
struct Log(Arc<Mutex<Vec<String>>>);

impl Log {
    fn write(&self, line: impl Into<String>) {
        self.0.lock().unwrap().push(line.into());
    }

    fn lines(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }

    fn has(&self, line: &str) -> bool {
        self.lines().iter().any(|written| written == line)
    }
}
