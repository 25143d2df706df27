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
    use bevy_ecs::error::ErrorHandler;
    use bevy_ecs::schedule::{
        FixedBitSet, ScheduleLabel, SingleThreadedExecutor, SystemExecutor, SystemSchedule,
    };
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[derive(ScheduleLabel, Clone, PartialEq, Eq, Hash, Debug)]
    struct First;

    #[derive(ScheduleLabel, Clone, PartialEq, Eq, Hash, Debug)]
    struct Second;

    fn schedule(label: impl ScheduleLabel) -> Schedule {
        let mut schedule = Schedule::new(label);
        schedule.add_systems((|| (), || ()));
        schedule
    }

    /// They are seen at work as their schedules come, and no more.
    #[test]
    fn an_executor_that_a_known_schedule_gets_later_is_not_tried() {
        struct Counts(Arc<AtomicUsize>, SingleThreadedExecutor);
        impl SystemExecutor for Counts {
            fn init(&mut self, schedule: &SystemSchedule) {
                self.1.init(schedule);
            }
            fn run(
                &mut self,
                schedule: &mut SystemSchedule,
                world: &mut World,
                skip: Option<&FixedBitSet>,
                error_handler: ErrorHandler,
            ) {
                self.0.fetch_add(1, Ordering::Relaxed);
                self.1.run(schedule, world, skip, error_handler);
            }
            fn set_apply_final_deferred(&mut self, value: bool) {
                self.1.set_apply_final_deferred(value);
            }
        }
        let runs = Arc::new(AtomicUsize::new(0));
        let counts = || Counts(runs.clone(), SingleThreadedExecutor::new());
        let mut world = World::new();
        world.init_resource::<Schedules>();
        world.resource_mut::<Schedules>().insert(schedule(First));
        install(&mut world);
        let mut schedules = world.resource_mut::<Schedules>();
        schedules.get_mut(First).unwrap().set_executor(counts());
        // Whoever is new has all of them looked at.
        let mut second = schedule(Second);
        second.set_executor(counts());
        schedules.insert(second);
        install(&mut world);
        assert_eq!(runs.load(Ordering::Relaxed), 1);
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
