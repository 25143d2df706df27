//! Which executor does a schedule have? The engine doesn't tell, but it can be seen at work.

use bevy_ecs::prelude::*;
use bevy_ecs::schedule::{MainThreadExecutor, ScheduleCleanupPolicy};
use bevy_ecs::system::{SystemBuffer, SystemMeta};
use bevy_ecs::world::DeferredWorld;
use bevy_tasks::ThreadExecutor;
use std::cell::Cell;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// A world to try executors in.
pub(super) struct Probe(World);

thread_local! {
    static IS_PROBING: Cell<bool> = const { Cell::new(false) };
}

/// Whether the calling thread tries an executor, whose panic is none of the app's.
pub(crate) fn is_probing() -> bool {
    IS_PROBING.get()
}

/// Calls `f`, which an app's executor may panic in.
fn try_out<R>(f: impl FnOnce() -> R) -> Option<R> {
    IS_PROBING.set(true);
    let result = catch_unwind(AssertUnwindSafe(f));
    IS_PROBING.set(false);
    result.ok()
}

#[derive(SystemSet, Clone, PartialEq, Eq, Hash, Debug)]
struct ProbeSet;

/// What the probe's system saw, and how often what it deferred was applied.
#[derive(Resource, Default)]
struct Seen {
    main_thread_executors: usize,
    applied: usize,
}

/// What the probe's system defers. It holds nothing, for some schedules leave it un-applied, and
/// the engine warns of commands that are dropped like that.
#[derive(Default)]
struct Mark;

impl SystemBuffer for Mark {
    fn queue(&mut self, _: &SystemMeta, mut world: DeferredWorld) {
        world.resource_mut::<Seen>().applied += 1;
    }
}

impl Probe {
    pub(super) fn new() -> Self {
        let mut world = World::new();
        // One of its own, which nobody else holds.
        world.insert_resource(MainThreadExecutor(Arc::new(ThreadExecutor::new())));
        Self(world)
    }

    /// Whether `schedule` has the engine's multi-threaded executor, and would apply what is
    /// deferred at its end: what it has if nobody chose otherwise. Of one that was run already,
    /// nothing is known.
    ///
    /// The schedule's systems are put aside, and its executor runs one system of ours in a world of
    /// ours. While the multi-threaded executor runs, it holds the world's [`MainThreadExecutor`]
    /// once more.
    pub(super) fn is_default(&mut self, schedule: &mut Schedule) -> bool {
        // One that has run keeps its systems where they can't be put aside.
        let systems = &schedule.graph().systems;
        if schedule.systems().is_ok() || systems.iter().count() != systems.len() {
            return false;
        }
        let world = &mut self.0;
        world.insert_resource(Seen::default());
        let executor = world.resource::<MainThreadExecutor>().0.clone();
        let usual = Arc::strong_count(&executor);
        let look = move |_: Deferred<Mark>, mut seen: ResMut<Seen>| {
            seen.main_thread_executors = Arc::strong_count(&executor);
        };
        let systems = mem::take(schedule.graph_mut());
        // An app's executor may need what is in the app's world alone, and panic without it.
        let has_run = try_out(|| {
            schedule.add_systems(look.in_set(ProbeSet));
            schedule.run(world);
        });
        // In any case, or the schedule would take our system for its own first one.
        let is_empty = try_out(|| {
            let policy = ScheduleCleanupPolicy::RemoveSetAndSystems;
            let is_removed = schedule.remove_systems_in_set(ProbeSet, world, policy);
            is_removed.is_ok() && schedule.initialize(world).is_ok()
        });
        *schedule.graph_mut() = systems;
        if has_run.is_none() || is_empty.is_none() {
            log::info!(
                "bevy_heartbeat: the executor of schedule {:?} panicked, as told above, in a run \
                 of one test system in an empty world, by which the plugin sees what executor it \
                 is. The schedule keeps it",
                schedule.label()
            );
        }
        let seen = world.resource::<Seen>();
        has_run.is_some()
            && is_empty == Some(true)
            && seen.main_thread_executors == usual + 1
            && seen.applied == 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::AdaptiveExecutor;
    use bevy_ecs::schedule::{MultiThreadedExecutor, SingleThreadedExecutor};

    #[derive(Resource, Default)]
    struct Order(Vec<u32>);

    fn push(number: u32) -> impl FnMut(ResMut<Order>) {
        move |mut order| order.0.push(number)
    }

    fn full() -> Schedule {
        #[derive(SystemSet, Clone, PartialEq, Eq, Hash, Debug)]
        struct Never;
        let mut schedule = Schedule::default();
        schedule.configure_sets(Never.run_if(|| false));
        schedule.add_systems((
            (push(0), push(1).run_if(|| true), push(2).run_if(|| false)).chain(),
            push(3).in_set(Never),
        ));
        schedule
    }

    #[test]
    fn the_engines_own_choice_is_told_from_the_apps() {
        let mut probe = Probe::new();
        assert!(probe.is_default(&mut full()));
        assert!(probe.is_default(&mut Schedule::default()));
        assert!(probe.is_default(full().set_executor(MultiThreadedExecutor::new())));
        assert!(!probe.is_default(full().set_executor(SingleThreadedExecutor::new())));
        assert!(!probe.is_default(full().set_apply_final_deferred(false)));
    }

    #[test]
    fn a_schedule_is_as_before() {
        let mut schedule = full();
        let mut probe = Probe::new();
        assert!(probe.is_default(&mut schedule));
        let mut world = World::new();
        world.init_resource::<Order>();
        for _ in 0..2 {
            schedule.run(&mut world);
        }
        assert_eq!(world.resource::<Order>().0, [0, 1, 0, 1]);
        // Now it has run, and is left alone.
        assert!(!probe.is_default(&mut schedule));
        schedule.set_executor(AdaptiveExecutor::new());
        assert!(!probe.is_default(&mut schedule));
        schedule.run(&mut world);
        assert_eq!(world.resource::<Order>().0.len(), 6);
    }
}
