//! Systems say in the recording when they begin and end.
//!
//! Each is put into an adapter of the engine's before it is initialized; one that the engine knows
//! already is left as it is.

use super::row::SYSTEM;
use crate::schedules;
use bevy_app::Main;
use bevy_ecs::prelude::*;
use bevy_ecs::schedule::{
    ApplyDeferred, InternedScheduleLabel, ScheduleGraph, ScheduleLabel, SystemKey, SystemWithAccess,
};
use bevy_ecs::system::{Adapt, AdapterSystem, RunSystemError, SystemIn};
use heartbeat_pool::record::{Name, Recorder};
use std::any::TypeId;
use std::collections::{HashMap, HashSet};
use std::mem;
use std::sync::atomic::{AtomicU64, Ordering};

/// The systems of a world that have names in the recording.
#[derive(Resource, Default)]
pub(crate) struct NamedSystems {
    pub(crate) schedules: HashMap<InternedScheduleLabel, NamedSchedule>,
}

/// The systems of one schedule.
pub(crate) struct NamedSchedule {
    /// Which no other schedule of the process has, of whatever world.
    number: u64,
    /// The number of each, by which its events tell it from systems of the same name.
    pub(crate) systems: HashMap<SystemKey, u64>,
}

impl NamedSchedule {
    fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        Self {
            // Relaxed: nothing but the number matters.
            number: NEXT.fetch_add(1, Ordering::Relaxed),
            systems: HashMap::new(),
        }
    }
}

impl NamedSystems {
    /// The numbers of the schedules.
    pub(crate) fn numbers(&self) -> HashSet<u64> {
        self.schedules.values().map(|named| named.number).collect()
    }
}

/// Notes a system's begin and end.
struct Noted {
    name: Name,
    number: u64,
}

/// A system that runs.
struct Running(Name);

impl Drop for Running {
    fn drop(&mut self) {
        Recorder::end(self.0);
    }
}

impl<S: System> Adapt<S> for Noted {
    type In = S::In;
    type Out = S::Out;

    fn adapt(
        &mut self,
        input: <Self::In as SystemInput>::Inner<'_>,
        run_system: impl FnOnce(SystemIn<'_, S>) -> Result<S::Out, RunSystemError>,
    ) -> Result<Self::Out, RunSystemError> {
        Recorder::begin(self.name, self.number);
        let _running = Running(self.name);
        run_system(input)
    }
}

/// Has the systems of the world's new schedules noted.
pub(crate) fn name_systems(world: &mut World) {
    schedules::look(world, |named: &mut NamedSystems, schedule| {
        let label = schedule.label();
        // A frame's span begins and ends in systems of this one.
        if label != Main.intern() {
            let known = named.schedules.entry(label);
            let known = known.or_insert_with(NamedSchedule::new);
            name_those_of(schedule.graph_mut(), known);
        }
    });
}

fn name_those_of(graph: &mut ScheduleGraph, known: &mut NamedSchedule) {
    let systems = graph.systems.iter();
    let is_new = |key: &SystemKey| !known.systems.contains_key(key);
    let keys: Vec<_> = systems.map(|(key, ..)| key).filter(is_new).collect();
    for key in keys {
        let Some(system) = graph.systems.get_mut(key) else {
            continue;
        };
        // The executor must still recognise these; and what has access is initialized, so that the
        // engine would take its adapter for one that has none.
        if system.system_type() == TypeId::of::<ApplyDeferred>() || !system.access().is_none() {
            continue;
        }
        let number = known.number << 32 | known.systems.len() as u64;
        known.systems.insert(key, number);
        let name = system.name();
        let noted = Noted {
            name: Recorder::name(&format!("{SYSTEM}{name}")),
            number,
        };
        let nothing = SystemWithAccess::new(Box::new(IntoSystem::into_system(|| ())));
        let system = mem::replace(system, nothing);
        let adapter = AdapterSystem::new(noted, system, name);
        graph.systems[key] = SystemWithAccess::new(Box::new(adapter));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Resource, Default)]
    struct Order(Vec<u32>);

    fn push(number: u32) -> impl FnMut(ResMut<Order>) {
        move |mut order| order.0.push(number)
    }

    #[derive(bevy_ecs::schedule::ScheduleLabel, Clone, PartialEq, Eq, Hash, Debug)]
    struct Own;

    #[test]
    fn a_schedule_runs_as_before_and_later_systems_too() {
        let mut world = World::new();
        world.init_resource::<Order>();
        let mut schedule = Schedule::new(Own);
        schedule.add_systems((push(0), push(1).run_if(|| false), push(2)).chain());
        world.init_resource::<Schedules>();
        world.resource_mut::<Schedules>().insert(schedule);
        name_systems(&mut world);
        let named = world.resource::<NamedSystems>();
        assert_eq!(named.schedules[&Own.intern()].systems.len(), 3);
        world.run_schedule(Own);
        let mut schedules = world.resource_mut::<Schedules>();
        schedules.add_systems(Own, push(3));
        world.run_schedule(Own);
        let mut order = world.resource::<Order>().0.clone();
        order.sort_unstable();
        assert_eq!(order, [0, 0, 2, 2, 3]);
    }

    #[test]
    fn access_is_still_the_systems_own() {
        let mut world = World::new();
        let mut schedule = Schedule::new(Own);
        schedule.add_systems((push(0), |_: &mut World| (), || ()));
        world.init_resource::<Schedules>();
        world.resource_mut::<Schedules>().insert(schedule);
        name_systems(&mut world);
        world.schedule_scope(Own, |world, schedule| {
            schedule.initialize(world).unwrap();
            let systems = schedule.systems_with_access().unwrap();
            let kinds = systems.map(|(_, system)| {
                let access = system.access();
                (access.is_shared(), access.is_exclusive(), access.is_none())
            });
            let kinds: Vec<_> = kinds.collect();
            for kind in [(true, false, false), (false, true, false)] {
                assert_eq!(kinds.iter().filter(|other| **other == kind).count(), 1);
            }
        });
    }
}
