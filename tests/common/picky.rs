//! An executor of an app's own that panics in a world without what is in the app's.

use bevy_ecs::error::ErrorHandler;
use bevy_ecs::prelude::*;
use bevy_ecs::schedule::{FixedBitSet, SingleThreadedExecutor, SystemExecutor, SystemSchedule};
use std::marker::PhantomData;

/// It needs an `R`.
pub struct Picky<R>(SingleThreadedExecutor, PhantomData<fn() -> R>);

impl<R> Picky<R> {
    pub fn new() -> Self {
        Self(SingleThreadedExecutor::new(), PhantomData)
    }
}

impl<R: Resource> SystemExecutor for Picky<R> {
    fn init(&mut self, schedule: &SystemSchedule) {
        self.0.init(schedule);
    }

    fn run(
        &mut self,
        schedule: &mut SystemSchedule,
        world: &mut World,
        skip_systems: Option<&FixedBitSet>,
        error_handler: ErrorHandler,
    ) {
        assert!(world.contains_resource::<R>(), "as a test");
        self.0.run(schedule, world, skip_systems, error_handler);
    }

    fn set_apply_final_deferred(&mut self, value: bool) {
        self.0.set_apply_final_deferred(value);
    }
}
