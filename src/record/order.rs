//! What the schedules say of their systems: who comes after whom, and who can't run beside whom.

use super::systems::{NamedSchedule, NamedSystems};
use bevy_ecs::component::Components;
use bevy_ecs::prelude::*;
use bevy_ecs::query::AccessConflicts;
use bevy_ecs::schedule::graph::Direction;
use bevy_ecs::schedule::{NodeId, ScheduleGraph, SystemKey, SystemWithAccess};
use std::collections::HashMap;

/// A system, by the number that its events have.
#[derive(Clone, Debug, Default)]
pub(crate) struct SystemInfo {
    pub(crate) name: String,
    /// Those that must be over before it begins.
    pub(crate) after: Vec<u64>,
    /// Those that can't run while it does, and what both want.
    pub(crate) conflicts: HashMap<u64, String>,
}

/// All systems that are known, of all schedules.
#[derive(Clone, Debug, Default)]
pub(crate) struct Order {
    pub(crate) systems: HashMap<u64, SystemInfo>,
}

impl Order {
    /// That of the world's schedules, as far as they have run.
    pub(crate) fn of(world: &World) -> Self {
        let mut order = Self::default();
        let both = world.get_resource::<NamedSystems>();
        let Some((named, schedules)) = both.zip(world.get_resource::<Schedules>()) else {
            return order;
        };
        for (_, schedule) in schedules.iter() {
            let Some(known) = named.schedules.get(&schedule.label()) else {
                continue;
            };
            order.add(schedule, known, world.components());
        }
        order
    }

    fn add(&mut self, schedule: &Schedule, known: &NamedSchedule, components: &Components) {
        let Ok(systems) = schedule.systems_with_access() else {
            return;
        };
        let number = |(key, system): (SystemKey, _)| Some((*known.systems.get(&key)?, system));
        let systems: Vec<(u64, &SystemWithAccess)> = systems.filter_map(number).collect();
        for (number, system) in &systems {
            let info = self.systems.entry(*number).or_default();
            info.name = system.name().to_string();
            for (other, beside) in &systems {
                if number != other && !system.access().is_compatible(beside.access()) {
                    let both = want_both(system, beside, components);
                    info.conflicts.insert(*other, both);
                }
            }
        }
        for (before, after) in dependencies(schedule.graph()) {
            if let Some(after) = known.systems.get(&after)
                && let Some(before) = known.systems.get(&before)
                && let Some(info) = self.systems.get_mut(after)
            {
                info.after.push(*before);
            }
        }
    }

    /// The name of the system of `number`.
    pub(crate) fn name(&self, number: u64) -> Option<&str> {
        self.systems.get(&number).map(|info| info.name.as_str())
    }
}

/// What both systems want, as it is named.
fn want_both(a: &SystemWithAccess, b: &SystemWithAccess, components: &Components) -> String {
    if a.access().is_exclusive() || b.access().is_exclusive() {
        return "the whole world".to_owned();
    }
    match a.access().get_conflicts(b.access()) {
        AccessConflicts::All => "all components".to_owned(),
        AccessConflicts::Individual(ids) => {
            let name = |id| {
                components
                    .get_name(id)
                    .map(|name| name.shortname().to_string())
            };
            let names: Vec<_> = ids.iter().filter_map(name).collect();
            names.join(", ")
        }
    }
}

/// The pairs of systems of which the first must be over before the second begins.
fn dependencies(graph: &ScheduleGraph) -> Vec<(SystemKey, SystemKey)> {
    let members = |node| {
        let (mut systems, mut next) = (Vec::new(), vec![node]);
        while let Some(node) = next.pop() {
            match node {
                NodeId::System(key) => systems.push(key),
                NodeId::Set(_) => {
                    let below = graph.hierarchy().graph();
                    next.extend(below.neighbors_directed(node, Direction::Outgoing));
                }
            }
        }
        systems
    };
    let edges = graph.dependency().graph().all_edges();
    let pairs = edges.flat_map(|(before, after)| {
        let afters = members(after);
        let pair = move |before| afters.clone().into_iter().map(move |after| (before, after));
        members(before).into_iter().flat_map(pair)
    });
    pairs.collect()
}

#[cfg(test)]
mod tests {
    use super::super::systems::name_systems;
    use super::*;
    use bevy_ecs::schedule::ScheduleLabel;

    #[derive(ScheduleLabel, Clone, PartialEq, Eq, Hash, Debug)]
    struct Own;
    #[derive(SystemSet, Clone, PartialEq, Eq, Hash, Debug)]
    struct First;
    #[derive(Resource, Default)]
    struct Shared;

    fn writes(_: ResMut<Shared>) {}
    fn reads(_: Res<Shared>) {}
    fn neither() {}

    #[test]
    fn order_and_conflicts_are_those_of_the_schedule() {
        let mut world = World::new();
        world.init_resource::<Shared>();
        let mut schedule = Schedule::new(Own);
        schedule.add_systems((writes.in_set(First), reads, neither.after(First)));
        world.init_resource::<Schedules>();
        world.resource_mut::<Schedules>().insert(schedule);
        name_systems(&mut world);
        assert!(Order::of(&world).systems.is_empty(), "it has not run");
        world.run_schedule(Own);
        let order = Order::of(&world);
        let find = |end: &str| {
            let mut systems = order.systems.iter();
            let found = systems.find(|(_, info)| info.name.ends_with(end));
            found.map(|(number, info)| (*number, info)).unwrap()
        };
        let ((writes, writer), (reads, reader)) = (find("::writes"), find("::reads"));
        let (_, neither) = find("::neither");
        assert_eq!(writer.conflicts[&reads], "Shared");
        assert_eq!(reader.conflicts[&writes], "Shared");
        assert_eq!(
            (neither.conflicts.len(), &neither.after[..]),
            (0, &[writes][..])
        );
    }
}
