//! What the schedules say of their systems: who comes after whom, and who can't run beside whom.

use super::systems::{NamedSchedule, NamedSystems};
use bevy_ecs::component::{ComponentId, ComponentInfo};
use bevy_ecs::prelude::*;
use bevy_ecs::query::AccessConflicts;
use bevy_ecs::schedule::graph::Direction;
use bevy_ecs::schedule::{NodeId, ScheduleGraph, SystemKey, SystemWithAccess};
use bevy_ecs::system::{System as _, SystemAccess};
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, OnceLock};

/// A system, by the number that its events have.
#[derive(Clone, Debug, Default)]
pub(crate) struct SystemInfo {
    pub(crate) name: String,
    /// Those that must be over before it begins.
    pub(crate) after: Vec<u64>,
    /// Those that can't run while it does, and what both want.
    pub(crate) conflicts: HashMap<u64, Arc<str>>,
    /// Whether only the main thread may run it.
    pub(crate) on_main: bool,
}

pub(crate) type Systems = HashMap<u64, SystemInfo>;

/// All systems that are known, of all schedules.
#[derive(Debug, Default)]
pub(crate) struct Order {
    schedules: Vec<Described>,
    components: HashMap<ComponentId, String>,
    /// What follows from those, once somebody asks: who conflicts is found pair by pair.
    systems: OnceLock<Systems>,
}

/// What a schedule says.
#[derive(Debug)]
struct Described {
    systems: Vec<System>,
    /// The pairs of which the first must be over before the second begins.
    after: Vec<(u64, u64)>,
}

#[derive(Debug)]
struct System {
    number: u64,
    name: String,
    access: SystemAccess,
    on_main: bool,
}

/// The systems of a schedule that has run.
fn systems(schedule: &Schedule) -> impl Iterator<Item = (SystemKey, &SystemWithAccess)> {
    schedule.systems_with_access().into_iter().flatten()
}

impl Order {
    /// That of the world's schedules, as far as they have run.
    pub(crate) fn of(world: &World) -> Self {
        let both = world.get_resource::<NamedSystems>();
        let Some((named, schedules)) = both.zip(world.get_resource::<Schedules>()) else {
            return Self::default();
        };
        let described = schedules.iter().filter_map(|(_, schedule)| {
            let known = named.schedules.get(&schedule.label())?;
            Some(Described::new(schedule, known))
        });
        let components = world.components().iter_registered();
        let name = |info: &ComponentInfo| info.name().shortname().to_string();
        Self {
            schedules: described.collect(),
            components: components.map(|(id, info)| (id, name(info))).collect(),
            systems: OnceLock::new(),
        }
    }

    /// How many systems the world's schedules have, as far as they have run.
    pub(crate) fn count(world: &World) -> usize {
        let schedules = world.get_resource::<Schedules>().into_iter();
        let schedules = schedules.flat_map(Schedules::iter);
        schedules
            .map(|(_, schedule)| systems(schedule).count())
            .sum()
    }

    /// The systems by their numbers.
    pub(crate) fn systems(&self) -> &Systems {
        self.systems.get_or_init(|| {
            let mut all = Systems::new();
            for schedule in &self.schedules {
                self.add(schedule, &mut all);
            }
            all
        })
    }

    /// Of those that `did_run`, the ones that must be over before `system` begins. What was skipped
    /// was so once all before it were over.
    pub(crate) fn before(&self, system: u64, did_run: impl Fn(u64) -> bool) -> Vec<u64> {
        let (mut found, mut next, mut seen) = (Vec::new(), vec![system], HashSet::new());
        while let Some(system) = next.pop() {
            let info = self.systems().get(&system);
            for before in info.into_iter().flat_map(|info| &info.after) {
                if seen.insert(*before) {
                    let list = if did_run(*before) {
                        &mut found
                    } else {
                        &mut next
                    };
                    list.push(*before);
                }
            }
        }
        found
    }

    fn add(&self, schedule: &Described, all: &mut Systems) {
        for system in &schedule.systems {
            let info = SystemInfo {
                name: system.name.clone(),
                on_main: system.on_main,
                ..Default::default()
            };
            all.insert(system.number, info);
        }
        let mut texts = HashMap::new();
        for (place, system) in schedule.systems.iter().enumerate() {
            for beside in &schedule.systems[place + 1..] {
                if system.access.is_compatible(&beside.access) {
                    continue;
                }
                let both = self.want_both(&system.access, &beside.access, &mut texts);
                for (one, other) in [(system, beside), (beside, system)] {
                    if let Some(info) = all.get_mut(&one.number) {
                        info.conflicts.insert(other.number, both.clone());
                    }
                }
            }
        }
        for (before, after) in &schedule.after {
            if let Some(info) = all.get_mut(after) {
                info.after.push(*before);
            }
        }
    }

    /// What both want, as it is named; `texts` has what was named before.
    fn want_both(
        &self,
        a: &SystemAccess,
        b: &SystemAccess,
        texts: &mut HashMap<Vec<ComponentId>, Arc<str>>,
    ) -> Arc<str> {
        if a.is_exclusive() || b.is_exclusive() {
            return Arc::from("the whole world");
        }
        match a.get_conflicts(b) {
            AccessConflicts::All => Arc::from("all components"),
            AccessConflicts::Individual(ids) => {
                let ids: Vec<ComponentId> = ids.iter().collect();
                let names = |ids: &Vec<ComponentId>| {
                    let name = |id| self.components.get(id).cloned();
                    let names: Vec<_> = ids.iter().filter_map(name).collect();
                    Arc::from(names.join(", "))
                };
                texts.entry(ids).or_insert_with_key(names).clone()
            }
        }
    }
}

impl Described {
    fn new(schedule: &Schedule, known: &NamedSchedule) -> Self {
        let number = |key: SystemKey| known.systems.get(&key).copied();
        let system = |(key, system): (SystemKey, &SystemWithAccess)| {
            Some(System {
                number: number(key)?,
                name: system.name().to_string(),
                access: system.access().clone(),
                on_main: !system.is_send(),
            })
        };
        let after = dependencies(schedule.graph()).into_iter();
        Self {
            systems: systems(schedule).filter_map(system).collect(),
            after: after
                .filter_map(|(before, after)| number(before).zip(number(after)))
                .collect(),
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
    // An empty set still keeps what comes after it from what comes before.
    let through = |after: NodeId| {
        let (mut found, mut next, mut seen) = (Vec::new(), vec![after], HashSet::new());
        while let Some(node) = next.pop() {
            let of = members(node);
            if of.is_empty() && seen.insert(node) {
                let edges = graph.dependency().graph();
                next.extend(edges.neighbors_directed(node, Direction::Outgoing));
            }
            found.extend(of);
        }
        found
    };
    let edges = graph.dependency().graph().all_edges();
    let pairs = edges.flat_map(|(before, after)| {
        let afters = through(after);
        let pair = move |before| afters.clone().into_iter().map(move |after| (before, after));
        members(before).into_iter().flat_map(pair)
    });
    pairs.collect()
}

#[cfg(test)]
impl From<Systems> for Order {
    fn from(systems: Systems) -> Self {
        Self {
            systems: OnceLock::from(systems),
            ..Self::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::systems::name_systems;
    use super::*;
    use bevy_ecs::schedule::ScheduleLabel;
    use bevy_ecs::system::NonSendMarker;

    #[derive(ScheduleLabel, Clone, PartialEq, Eq, Hash, Debug)]
    struct Own;
    #[derive(SystemSet, Clone, PartialEq, Eq, Hash, Debug)]
    struct First;
    #[derive(Resource, Default)]
    struct Shared;

    fn writes(_: ResMut<Shared>) {}
    fn reads(_: Res<Shared>) {}
    fn neither(_: NonSendMarker) {}

    #[test]
    fn order_and_conflicts_are_those_of_the_schedule() {
        let mut world = World::new();
        world.init_resource::<Shared>();
        let mut schedule = Schedule::new(Own);
        schedule.add_systems((writes.in_set(First), reads, neither.after(First)));
        world.init_resource::<Schedules>();
        world.resource_mut::<Schedules>().insert(schedule);
        name_systems(&mut world);
        assert!(Order::of(&world).systems().is_empty(), "it has not run");
        world.run_schedule(Own);
        let order = Order::of(&world);
        let find = |end: &str| {
            let mut systems = order.systems().iter();
            let found = systems.find(|(_, info)| info.name.ends_with(end));
            found.map(|(number, info)| (*number, info)).unwrap()
        };
        let ((writes, writer), (reads, reader)) = (find("::writes"), find("::reads"));
        let (_, neither) = find("::neither");
        assert_eq!(&*writer.conflicts[&reads], "Shared");
        assert_eq!(&*reader.conflicts[&writes], "Shared");
        assert!(neither.on_main && !reader.on_main);
        assert_eq!(
            (neither.conflicts.len(), &neither.after[..]),
            (0, &[writes][..])
        );
    }

    #[derive(SystemSet, Clone, PartialEq, Eq, Hash, Debug)]
    struct Empty;

    #[test]
    fn what_comes_after_what_was_skipped_comes_after_what_was_before_that() {
        let mut world = World::new();
        world.init_resource::<Shared>();
        let mut schedule = Schedule::new(Own);
        schedule.add_systems((writes, reads.run_if(|| false), neither).chain());
        let (first, last) = (|| (), |_: Res<Shared>| ());
        schedule.add_systems((first.before(Empty), last.after(Empty)));
        world.init_resource::<Schedules>();
        world.resource_mut::<Schedules>().insert(schedule);
        name_systems(&mut world);
        world.run_schedule(Own);
        let order = Order::of(&world);
        let numbers = |info: fn(&SystemInfo) -> bool| -> Vec<u64> {
            let systems = order.systems().iter();
            let found = systems.filter(|(_, of)| info(of));
            found.map(|(number, _)| *number).collect()
        };
        let [writes, reads, neither] = [
            numbers(|info| info.name.ends_with("::writes"))[0],
            numbers(|info| info.name.ends_with("::reads"))[0],
            numbers(|info| info.name.ends_with("::neither"))[0],
        ];
        assert_eq!(order.before(neither, |_| true), [reads]);
        assert_eq!(order.before(neither, |system| system != reads), [writes]);
        // Through a set without systems, which may not be dropped from the graph.
        let closures = numbers(|info| info.name.contains("closure"));
        let after = |system: &&u64| !order.before(**system, |_| true).is_empty();
        assert_eq!(closures.iter().filter(after).count(), 1);
    }
}
