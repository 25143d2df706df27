//! Looks at a world's schedules whenever there are others than at the last look.

use bevy_ecs::prelude::*;
use bevy_ecs::schedule::InternedScheduleLabel;
use std::marker::PhantomData;

/// The labels of the schedules at the last look for an `S`, in the order in which the world had
/// them.
#[derive(Resource)]
struct Looked<S> {
    labels: Vec<InternedScheduleLabel>,
    by: PhantomData<fn() -> S>,
}

fn labels(schedules: &Schedules) -> impl Iterator<Item = InternedScheduleLabel> {
    schedules
        .iter()
        .map(|(_, schedule)| Schedule::label(schedule))
}

/// Calls `see` with what the world's `S` knows and each schedule, unless the world has the same as
/// the last time: neither more, nor fewer, nor one of another label in one's place. Then it costs
/// next to nothing.
pub(crate) fn look<S: Resource + Default>(
    world: &mut World,
    mut see: impl FnMut(&mut S, &mut Schedule),
) {
    let Some(schedules) = world.get_resource::<Schedules>() else {
        return;
    };
    let is_current = |last: &Looked<S>| last.labels.iter().copied().eq(labels(schedules));
    if world.get_resource().is_some_and(is_current) {
        return;
    }
    let labels = labels(schedules).collect();
    let by = PhantomData;
    world.insert_resource(Looked::<S> { labels, by });
    world.init_resource::<S>();
    world.resource_scope(|world, mut known: Mut<S>| {
        for (_, schedule) in world.resource_mut::<Schedules>().iter_mut() {
            see(&mut known, schedule);
        }
    });
}
