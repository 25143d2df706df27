//! `par_iter_mut` over entities of several components and of many kinds, as the engine's own
//! benchmarks have them.

use crate::apps;
use crate::sampling::{Subject, sample};
use bevy_ecs::prelude::*;
use bevy_ecs::query::{IterQueryData, QueryData};
use std::cell::RefCell;
use suite::program::{Figures, Options, Problem, check_all};

const ENTITIES: usize = 100_000;
const START: f32 = 1.0;
const STEP: f32 = 0.001;

#[derive(Component, Clone, Copy)]
struct Position<const N: usize>([f32; 3]);

#[derive(Component, Clone, Copy)]
struct Velocity<const N: usize>([f32; 3]);

/// What makes an entity one of another kind.
#[derive(Component)]
struct Mark<const N: u32>;

type Pair<const N: usize> = (&'static mut Position<N>, &'static Velocity<N>);
type Pairs2 = (Pair<0>, Pair<1>);
type Pairs5 = (Pair<0>, Pair<1>, Pair<2>, Pair<3>, Pair<4>);
type Item<'w, const N: usize> = (Mut<'w, Position<N>>, &'w Velocity<N>);

fn new_pair<const N: usize>() -> (Position<N>, Velocity<N>) {
    (Position([START; 3]), Velocity([STEP; 3]))
}

fn add(position: &mut [f32; 3], velocity: &[f32; 3]) {
    position
        .iter_mut()
        .zip(velocity)
        .for_each(|(position, velocity)| *position += velocity);
}

fn step<const N: usize>((mut position, velocity): Item<'_, N>) {
    add(&mut position.0, &velocity.0);
}

fn step2((a, b): (Item<'_, 0>, Item<'_, 1>)) {
    step(a);
    step(b);
}

type Items5<'w> = (
    Item<'w, 0>,
    Item<'w, 1>,
    Item<'w, 2>,
    Item<'w, 3>,
    Item<'w, 4>,
);

fn step5((a, b, c, d, e): Items5<'_>) {
    step(a);
    step(b);
    step(c);
    step(d);
    step(e);
}

/// A world, what is asked of it, and how often each entity has been through a step.
struct Crowd<D: QueryData + 'static> {
    world: World,
    query: QueryState<D>,
    steps: u64,
}

/// Whether each entity's place of that number is where it must be.
type Check = fn(&mut World, &[f32; 3]) -> Result<(), Problem>;

fn check_place<const N: usize>(world: &mut World, expected: &[f32; 3]) -> Result<(), Problem> {
    let mut positions = world.query::<&Position<N>>();
    let mut positions = positions.iter(world);
    positions.try_for_each(|position| check_all("an entity's place", expected, &position.0))
}

const CHECKS: [Check; 5] = [
    check_place::<0>,
    check_place::<1>,
    check_place::<2>,
    check_place::<3>,
    check_place::<4>,
];

/// Times the step on the pool and serially. So many places of each entity are written.
fn compare<D, F>(options: &Options, mut world: World, places: usize, step: F) -> Figures
where
    D: IterQueryData + 'static,
    F: for<'w, 's> Fn(D::Item<'w, 's>) + Send + Sync + Clone,
{
    let _pools = apps::app();
    let query = world.query::<D>();
    let crowd = RefCell::new(Crowd {
        world,
        query,
        steps: 0,
    });
    let parallel = Subject::sure("par-iter", || {
        let crowd = &mut *crowd.borrow_mut();
        let mut entities = crowd.query.query_mut(&mut crowd.world);
        entities.par_iter_mut().for_each(step.clone());
        crowd.steps += 1;
    });
    let serial = Subject::sure("serial", || {
        let crowd = &mut *crowd.borrow_mut();
        let entities = crowd.query.iter_mut(&mut crowd.world);
        entities.for_each(&step);
        crowd.steps += 1;
    });
    let figures = sample(options, vec![parallel, serial])?;
    let mut crowd = crowd.into_inner();
    let mut expected = [START; 3];
    (0..crowd.steps).for_each(|_| add(&mut expected, &[STEP; 3]));
    let mut checks = CHECKS[..places].iter();
    checks.try_for_each(|check| check(&mut crowd.world, &expected))?;
    Ok(figures)
}

/// Each entity has so many pairs of components of which one is added to the other: 1, 2 or 5.
pub fn pairs(options: &Options, pairs: usize) -> Figures {
    let mut world = World::new();
    let entities = 0..ENTITIES;
    match pairs {
        1 => {
            world.spawn_batch(entities.map(|_| new_pair::<0>()));
            compare::<Pair<0>, _>(options, world, 1, step::<0>)
        }
        2 => {
            world.spawn_batch(entities.map(|_| (new_pair::<0>(), new_pair::<1>())));
            compare::<Pairs2, _>(options, world, 2, step2)
        }
        _ => {
            let all = |_| {
                let (a, b, c) = (new_pair::<0>(), new_pair::<1>(), new_pair::<2>());
                (a, b, c, new_pair::<3>(), new_pair::<4>())
            };
            world.spawn_batch(entities.map(all));
            compare::<Pairs5, _>(options, world, 5, step5)
        }
    }
}

fn mark<const N: u32>(entity: &mut EntityWorldMut, kind: usize) {
    if kind & (1 << N) != 0 {
        entity.insert(Mark::<N>);
    }
}

/// So many of the entities are of a kind each, beside all others.
pub fn kinds(options: &Options, kinds: usize) -> Figures {
    let mut world = World::new();
    let spawned = world.spawn_batch((0..ENTITIES).map(|_| new_pair::<0>()));
    let entities: Vec<Entity> = spawned.collect();
    for (kind, &entity) in entities.iter().take(kinds).enumerate() {
        let mut entity = world.entity_mut(entity);
        mark::<0>(&mut entity, kind);
        mark::<1>(&mut entity, kind);
        mark::<2>(&mut entity, kind);
        mark::<3>(&mut entity, kind);
        mark::<4>(&mut entity, kind);
        mark::<5>(&mut entity, kind);
        mark::<6>(&mut entity, kind);
        mark::<7>(&mut entity, kind);
        mark::<8>(&mut entity, kind);
        mark::<9>(&mut entity, kind);
    }
    compare::<Pair<0>, _>(options, world, 1, step::<0>)
}
