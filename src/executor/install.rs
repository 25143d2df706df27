//! Gives schedules their executor before they first run.

use super::AdaptiveExecutor;
use super::probe::Probe;
use crate::schedules;
use bevy_ecs::prelude::*;
use bevy_ecs::schedule::InternedScheduleLabel;
use std::collections::HashSet;

/// The schedules of a world that were looked at.
#[derive(Resource, Default)]
struct Known(HashSet<InternedScheduleLabel>);

/// Gives the [`AdaptiveExecutor`] to each of the world's new schedules that has the engine's
/// default.
pub(crate) fn install(world: &mut World) {
    let mut probe = None;
    schedules::look(world, |known: &mut Known, schedule| {
        let is_new = known.0.insert(schedule.label());
        if is_new && probe.get_or_insert_with(Probe::new).is_default(schedule) {
            let label = format!("{:?}", schedule.label());
            schedule.set_executor(AdaptiveExecutor::of(&label));
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use bevy_ecs::schedule::ScheduleLabel;

    #[derive(ScheduleLabel, Clone, PartialEq, Eq, Hash, Debug)]
    struct First;

    #[derive(ScheduleLabel, Clone, PartialEq, Eq, Hash, Debug)]
    struct Second;

    fn schedule(label: impl ScheduleLabel) -> Schedule {
        let mut schedule = Schedule::new(label);
        schedule.add_systems((|| (), || ()));
        schedule
    }

    #[test]
    fn one_that_takes_anothers_place_gets_the_executor() {
        assert!(Probe::new().is_default(&mut schedule(Second)));
        let mut world = World::new();
        world.init_resource::<Schedules>();
        world.resource_mut::<Schedules>().insert(schedule(First));
        install(&mut world);
        let mut schedules = world.resource_mut::<Schedules>();
        schedules.remove(First);
        schedules.insert(schedule(Second));
        install(&mut world);
        let mut schedules = world.resource_mut::<Schedules>();
        let second = schedules.get_mut(Second).unwrap();
        assert!(!Probe::new().is_default(second));
    }
}
