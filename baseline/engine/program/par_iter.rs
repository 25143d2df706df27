//! `par_iter_mut` against a serial loop over the same entities.

use crate::apps;
use crate::sampling::{Subject, sample};
use bevy_ecs::prelude::*;
use std::cell::RefCell;
use std::time::Duration;
use suite::program::Options;
use suite::program::{Figures, Problem, check};
use suite::{Spinner, one_ns, spin_from};

#[derive(Component)]
struct Value(u64);

/// Entities that have all been through the same, so that one number tells what each must be.
struct Crowd {
    world: World,
    query: QueryState<&'static mut Value>,
    expected: u64,
}

impl Crowd {
    fn new(entities: usize) -> Self {
        const SEED: u64 = 0x9e37_79b9_7f4a_7c15;
        let mut world = World::new();
        world.spawn_batch((0..entities).map(|_| Value(SEED)));
        Self {
            query: world.query(),
            world,
            expected: SEED,
        }
    }

    fn serial(&mut self, work: impl Fn(&mut u64)) {
        let values = self.query.iter_mut(&mut self.world);
        values.for_each(|mut value| work(&mut value.0));
        work(&mut self.expected);
    }

    fn parallel(&mut self, work: impl Fn(&mut u64) + Send + Sync + Clone) {
        let mut values = self.query.query_mut(&mut self.world);
        let values = values.par_iter_mut();
        values.for_each(|mut value| work(&mut value.0));
        work(&mut self.expected);
    }

    fn check(&mut self) -> Result<(), Problem> {
        let mut values = self.query.iter(&self.world);
        values.try_for_each(|value| check("an entity's value", self.expected, value.0))
    }
}

fn compare(
    options: &Options,
    entities: usize,
    work: impl Fn(&mut u64) + Send + Sync + Copy,
) -> Figures {
    let _pools = apps::app();
    let crowd = RefCell::new(Crowd::new(entities));
    let figures = sample(
        options,
        vec![
            Subject::sure("par-iter", || crowd.borrow_mut().parallel(work)),
            Subject::sure("serial", || crowd.borrow_mut().serial(work)),
        ],
    )?;
    crowd.borrow_mut().check()?;
    Ok(figures)
}

/// About a nanosecond an entity.
pub fn cheap(options: &Options, entities: usize) -> Figures {
    compare(options, entities, one_ns)
}

/// So long an entity.
pub fn dear(options: &Options, entities: usize, length: Duration) -> Figures {
    let steps = Spinner::calibrate().steps(length);
    compare(options, entities, move |value| {
        *value = spin_from(*value, steps);
    })
}
