//! Systems that compute for a while, each on a resource of its own.

use bevy_ecs::prelude::*;
use bevy_ecs::schedule::ScheduleConfigs;
use bevy_ecs::system::ScheduleSystem;
use suite::program::{Problem, check};
use suite::spin;

/// Something that can be added to a schedule.
pub type System = ScheduleConfigs<ScheduleSystem>;

#[derive(Resource, Default)]
struct Slot<const N: usize> {
    value: u64,
    runs: u64,
}

fn insert<const N: usize>(world: &mut World) {
    world.init_resource::<Slot<N>>();
}

fn system<const N: usize>(steps: u64) -> System {
    let system = move |mut slot: ResMut<Slot<N>>| {
        slot.value = spin(steps);
        slot.runs += 1;
    };
    system.into_configs()
}

fn read<const N: usize>(world: &World) -> (u64, u64) {
    let slot = world.resource::<Slot<N>>();
    (slot.value, slot.runs)
}

/// What belongs to one type of slot.
struct Kind {
    insert: fn(&mut World),
    system: fn(u64) -> System,
    read: fn(&World) -> (u64, u64),
}

macro_rules! kind {
    ($n:expr) => {
        Kind {
            insert: insert::<{ $n }>,
            system: system::<{ $n }>,
            read: read::<{ $n }>,
        }
    };
}

macro_rules! rows {
    ($($row:literal)*) => {
        [$([
            kind!($row * 8), kind!($row * 8 + 1), kind!($row * 8 + 2), kind!($row * 8 + 3),
            kind!($row * 8 + 4), kind!($row * 8 + 5), kind!($row * 8 + 6), kind!($row * 8 + 7),
        ]),*]
    };
}

const KINDS: [[Kind; 8]; 32] = rows!(
    0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31
);

fn kind(slot: usize) -> &'static Kind {
    &KINDS[slot / 8][slot % 8]
}

/// Puts the first so many slots into a world; there are 256.
pub fn insert_all(world: &mut World, slots: usize) {
    (0..slots).for_each(|slot| (kind(slot).insert)(world));
}

/// A system that takes so many of [`spin`]'s steps on a slot.
pub fn system_on(slot: usize, steps: u64) -> System {
    (kind(slot).system)(steps)
}

/// Whether a slot's systems have run so often in all, each for so many steps.
pub fn check_slot(world: &World, slot: usize, steps: u64, runs: u64) -> Result<(), Problem> {
    let (value, ran) = (kind(slot).read)(world);
    check(format!("the runs on slot {slot}"), runs, ran)?;
    if runs == 0 {
        return Ok(());
    }
    check(format!("the value of slot {slot}"), spin(steps), value)
}
