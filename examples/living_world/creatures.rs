//! The creatures: grazers that follow the scent of good ground, hunters that follow grazers.
//!
//! Each creature's next state follows from its own and from fields of the frame before, and what
//! many add to is counted in whole numbers, so the world does not depend on who ran when.

use super::navigation::Navigation;
use super::terrain::Terrain;
use bevy_app::{App, Update};
use bevy_ecs::prelude::*;
use bevy_utils::Parallel;
use std::sync::atomic::{AtomicU32, Ordering};

/// Cells along the side of a square in which grazers are counted.
const CROWD_CELL: usize = 4;
/// Only the last frames leave tracks in the picture.
const TRACKED_FRAMES: u32 = 60;

#[derive(Component, Clone, Copy)]
pub struct Position(pub [f32; 2]);

#[derive(Component, Clone, Copy)]
pub struct Heading(pub [f32; 2]);

#[derive(Component, Clone, Copy)]
pub struct Energy(pub f32);

/// A creature's own random numbers.
#[derive(Component, Clone, Copy)]
pub struct Whim(u32);

#[derive(Component)]
pub struct Grazer;

#[derive(Component)]
pub struct Hunter;

/// Filters that tell the engine that the two kinds' systems don't conflict.
type OnlyGrazers = (With<Grazer>, Without<Hunter>);
type OnlyHunters = (With<Hunter>, Without<Grazer>);

/// How many grazers are where, this frame and the last.
#[derive(Resource)]
pub struct Crowd {
    width: usize,
    height: usize,
    /// Each thread counts for itself: a count that all share would be fought over.
    now: Parallel<Vec<u32>>,
    before: Vec<u32>,
}

/// Where creatures have been of late: grazers and hunters, by cell.
#[derive(Resource)]
pub struct Tracks {
    pub grazers: Vec<AtomicU32>,
    pub hunters: Vec<AtomicU32>,
}

/// The frame of the creatures' life, and how many there are to be.
#[derive(Resource, Clone, Copy)]
pub struct Life {
    pub frame: u32,
    pub frames: u32,
}

impl Life {
    fn is_tracked(&self) -> bool {
        self.frame + TRACKED_FRAMES >= self.frames
    }
}

fn counters(len: usize) -> Vec<AtomicU32> {
    std::iter::repeat_with(AtomicU32::default)
        .take(len)
        .collect()
}

impl Crowd {
    fn new(terrain: &Terrain) -> Self {
        let width = terrain.width.div_ceil(CROWD_CELL);
        let height = terrain.height.div_ceil(CROWD_CELL);
        Self {
            width,
            height,
            now: Parallel::default(),
            before: vec![0; width * height],
        }
    }

    fn cell(&self, [x, y]: [f32; 2], dx: isize, dy: isize) -> usize {
        let at = |value: f32, shift: isize, end: usize| {
            (value as isize / CROWD_CELL as isize + shift).clamp(0, end as isize - 1) as usize
        };
        at(y, dy, self.height) * self.width + at(x, dx, self.width)
    }
}

impl Whim {
    fn next(&mut self) -> f32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 17;
        self.0 ^= self.0 << 5;
        self.0 as f32 / u32::MAX as f32
    }
}

/// The state that creature `index` of a world begins in.
fn birth(index: u32, terrain: &Terrain) -> (Position, Heading, Energy, Whim) {
    let mut whim =
        Whim((index ^ terrain.seed.wrapping_mul(0x9e37_79b9)).wrapping_mul(0x85eb_ca6b) | 1);
    for _ in 0..4 {
        whim.next();
    }
    let (width, height) = (terrain.width as f32, terrain.height as f32);
    let mut place = [whim.next() * width, whim.next() * height];
    // On land, if some is found soon.
    for _ in 0..12 {
        if terrain.cells[terrain.cell(place[0], place[1])][0] >= terrain.sea {
            break;
        }
        place = [whim.next() * width, whim.next() * height];
    }
    let heading = [whim.next() - 0.5, whim.next() - 0.5];
    (Position(place), Heading(heading), Energy(0.5), whim)
}

/// Puts `creatures` of them into the world, one hunter to fifteen grazers.
pub fn populate(world: &mut World, creatures: u32) {
    let terrain = world.resource::<Terrain>().clone();
    let is_hunter = |index: &u32| index % 16 == 15;
    let grazers = (0..creatures).filter(|index| !is_hunter(index));
    let hunters = (0..creatures).filter(is_hunter);
    world.spawn_batch(
        grazers
            .map(|index| (Grazer, birth(index, &terrain)))
            .collect::<Vec<_>>(),
    );
    world.spawn_batch(
        hunters
            .map(|index| (Hunter, birth(index, &terrain)))
            .collect::<Vec<_>>(),
    );
    world.insert_resource(Crowd::new(&terrain));
    world.insert_resource(Tracks {
        grazers: counters(terrain.cells.len()),
        hunters: counters(terrain.cells.len()),
    });
}

/// Removes every creature.
pub fn clear(world: &mut World) {
    let mut creatures = world.query_filtered::<Entity, With<Whim>>();
    let all: Vec<_> = creatures.iter(world).collect();
    for entity in all {
        world.despawn(entity);
    }
}

fn turn(heading: &mut [f32; 2], wanted: [f32; 2], weight: f32, whim: &mut Whim) {
    let length = (wanted[0] * wanted[0] + wanted[1] * wanted[1]).sqrt();
    let scale = if length > 1e-9 { weight / length } else { 0.0 };
    for axis in 0..2 {
        heading[axis] = heading[axis] * 0.86 + wanted[axis] * scale + (whim.next() - 0.5) * 0.28;
    }
}

fn steer_grazers(
    mut grazers: Query<(&Position, &mut Heading, &mut Whim), OnlyGrazers>,
    navigation: Res<Navigation>,
    terrain: Res<Terrain>,
    crowd: Res<Crowd>,
) {
    let width = terrain.width;
    let scent = &navigation.scent;
    grazers
        .par_iter_mut()
        .for_each(|(place, mut heading, mut whim)| {
            let cell = terrain.cell(place.0[0], place.0[1]);
            let (up, down) = (
                cell.saturating_sub(2 * width),
                (cell + 2 * width).min(scent.len() - 1),
            );
            let (left, right) = (cell.saturating_sub(2), (cell + 2).min(scent.len() - 1));
            let mut wanted = [scent[right] - scent[left], scent[down] - scent[up]];
            // Not all in one place: away from crowds.
            let press = |dx, dy| crowd.before[crowd.cell(place.0, dx, dy)] as f32;
            wanted[0] -= 0.004 * (press(1, 0) - press(-1, 0));
            wanted[1] -= 0.004 * (press(0, 1) - press(0, -1));
            turn(&mut heading.0, wanted, 0.12, &mut whim);
        });
}

fn steer_hunters(
    mut hunters: Query<(&Position, &mut Heading, &mut Whim), OnlyHunters>,
    crowd: Res<Crowd>,
) {
    hunters
        .par_iter_mut()
        .for_each(|(place, mut heading, mut whim)| {
            let near = |dx, dy| crowd.before[crowd.cell(place.0, dx, dy)] as f32;
            let wanted = [near(2, 0) - near(-2, 0), near(0, 2) - near(0, -2)];
            turn(&mut heading.0, wanted, 0.16, &mut whim);
        });
}

/// Moves one creature; water and the map's rim turn it back.
fn step(place: &mut [f32; 2], heading: &mut [f32; 2], speed: f32, terrain: &Terrain) {
    let next = [place[0] + heading[0] * speed, place[1] + heading[1] * speed];
    let inside = next[0] >= 1.0
        && next[1] >= 1.0
        && next[0] < terrain.width as f32 - 1.0
        && next[1] < terrain.height as f32 - 1.0;
    let ground = |at: [f32; 2]| terrain.cells[terrain.cell(at[0], at[1])][0];
    // A creature that is in the water already may swim.
    if inside && (ground(next) >= terrain.sea || ground(*place) < terrain.sea) {
        *place = next;
    } else {
        *heading = [-heading[1], heading[0]];
    }
}

fn move_grazers(
    mut grazers: Query<(&mut Position, &mut Heading), OnlyGrazers>,
    terrain: Res<Terrain>,
    crowd: Res<Crowd>,
) {
    let local = || {
        let mut counts = crowd.now.borrow_local_mut();
        counts.resize(crowd.before.len(), 0);
        counts
    };
    grazers
        .par_iter_mut()
        .for_each_init(local, |counts, (mut place, mut heading)| {
            step(&mut place.0, &mut heading.0, 0.9, &terrain);
            counts[crowd.cell(place.0, 0, 0)] += 1;
        });
}

fn move_hunters(
    mut hunters: Query<(&mut Position, &mut Heading), OnlyHunters>,
    terrain: Res<Terrain>,
) {
    hunters.par_iter_mut().for_each(|(mut place, mut heading)| {
        step(&mut place.0, &mut heading.0, 1.2, &terrain);
    });
}

fn graze(mut grazers: Query<(&Position, &mut Energy), With<Grazer>>, terrain: Res<Terrain>) {
    grazers.par_iter_mut().for_each(|(place, mut energy)| {
        let [_, fertility] = terrain.cells[terrain.cell(place.0[0], place.0[1])];
        energy.0 = (energy.0 * 0.98 + fertility * 0.02).clamp(0.0, 1.0);
    });
}

fn leave_tracks(
    grazers: Query<&Position, With<Grazer>>,
    hunters: Query<&Position, With<Hunter>>,
    terrain: Res<Terrain>,
    tracks: Res<Tracks>,
    life: Res<Life>,
) {
    if !life.is_tracked() {
        return;
    }
    let mark = |place: &Position, counts: &[AtomicU32]| {
        counts[terrain.cell(place.0[0], place.0[1])].fetch_add(1, Ordering::Relaxed);
    };
    grazers
        .par_iter()
        .for_each(|place| mark(place, &tracks.grazers));
    hunters
        .par_iter()
        .for_each(|place| mark(place, &tracks.hunters));
}

/// Ends the frame: what was counted becomes what the next frame sees.
fn settle_crowd(mut crowd: ResMut<Crowd>, mut life: ResMut<Life>) {
    let Crowd { now, before, .. } = &mut *crowd;
    before.fill(0);
    for counts in now.iter_mut() {
        for (sum, count) in before.iter_mut().zip(counts) {
            *sum += std::mem::take(count);
        }
    }
    life.frame += 1;
}

/// Adds the creatures' systems. Grazers' and hunters' run beside each other.
pub fn add_systems(app: &mut App) {
    app.add_systems(
        Update,
        (
            (steer_grazers, steer_hunters),
            (move_grazers, move_hunters),
            (graze, leave_tracks),
            settle_crowd,
        )
            .chain()
            .run_if(resource_exists::<Crowd>),
    );
}

/// A number that stands for the state of all creatures, in whatever order the engine has them.
pub fn hash(world: &mut World) -> u64 {
    let of_one = |(place, heading, energy): (&Position, &Heading, &Energy)| {
        let values = [place.0[0], place.0[1], heading.0[0], heading.0[1], energy.0];
        values
            .iter()
            .fold(0xcbf2_9ce4_8422_2325_u64, |hash, value| {
                (hash ^ u64::from(value.to_bits())).wrapping_mul(0x0100_0000_01b3)
            })
    };
    let mut creatures = world.query::<(&Position, &Heading, &Energy)>();
    creatures.iter(world).map(of_one).fold(0, u64::wrapping_add)
}
