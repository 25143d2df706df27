//! Gives schedules their executor before they first run.

use super::AdaptiveExecutor;
use super::probe::Probe;
use bevy_ecs::prelude::*;
use bevy_ecs::schedule::InternedScheduleLabel;
use std::collections::HashSet;

/// The schedules of a world that were looked at.
#[derive(Resource, Default)]
pub(crate) struct Known {
    labels: HashSet<InternedScheduleLabel>,
    /// How many there were at the last look.
    count: usize,
}

/// Gives the [`AdaptiveExecutor`] to each of the world's new schedules whose executor nobody chose.
/// Costs next to nothing where there are none.
pub(crate) fn install(world: &mut World) {
    let Some(schedules) = world.get_resource::<Schedules>() else {
        return;
    };
    let count = schedules.iter().count();
    if world.get_resource_or_init::<Known>().count == count {
        return;
    }
    world.resource_scope(|world, mut known: Mut<Known>| {
        known.count = count;
        let mut probe = Probe::new();
        for (_, schedule) in world.resource_mut::<Schedules>().iter_mut() {
            if known.labels.insert(schedule.label()) && probe.is_default(schedule) {
                let label = format!("{:?}", schedule.label());
                schedule.set_executor(AdaptiveExecutor::of(&label));
            }
        }
    });
}
