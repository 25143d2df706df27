//! `par_iter_mut` as it comes against the best that tuning its batches by hand can do.

use crate::apps;
use crate::sampling::{Subject, sample};
use bevy_ecs::batching::BatchingStrategy;
use bevy_ecs::prelude::*;
use std::cell::RefCell;
use std::time::Duration;
use suite::program::Options;
use suite::program::{Figures, Problem, check};
use suite::{Spinner, spin};

const ENTITIES: usize = 100_000;

/// How the work lies on the entities.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// 30 ns each.
    Uniform,
    /// 30 ns on average, in proportion to the square of the place.
    Skewed,
    /// 10 ns each, but 50 in a row take a thousand times as long.
    Spiky,
    /// About a nanosecond each.
    Tiny,
}

impl Shape {
    /// Every shape.
    pub const ALL: [Self; 4] = [Self::Uniform, Self::Skewed, Self::Spiky, Self::Tiny];

    /// For a workload's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Uniform => "uniform",
            Self::Skewed => "skewed",
            Self::Spiky => "spiky",
            Self::Tiny => "tiny",
        }
    }

    /// The steps of the entity at this place.
    fn steps(self, place: usize, spinner: Spinner) -> u64 {
        let nanos = |nanos: f64| spinner.steps(Duration::from_secs_f64(nanos * 1e-9));
        match self {
            Self::Uniform => nanos(30.0),
            Self::Skewed => nanos(90.0 * (place as f64 / ENTITIES as f64).powi(2)),
            Self::Spiky if (30_000..30_050).contains(&place) => nanos(10_000.0),
            Self::Spiky => nanos(10.0),
            Self::Tiny => 1,
        }
    }
}

#[derive(Component)]
struct Work {
    steps: u64,
    value: u64,
    passes: u64,
}

struct Crowd {
    world: World,
    query: QueryState<&'static mut Work>,
    passes: u64,
}

impl Crowd {
    fn new(shape: Shape) -> Self {
        let spinner = Spinner::calibrate();
        let mut world = World::new();
        world.spawn_batch((0..ENTITIES).map(|place| Work {
            steps: shape.steps(place, spinner),
            value: 0,
            passes: 0,
        }));
        Self {
            query: world.query(),
            world,
            passes: 0,
        }
    }

    /// With batches of a size, or with the default ones if that is zero. Each is a loop of its own,
    /// so that what is learnt of one is nothing to the others.
    fn pass<const SIZE: usize>(&mut self) {
        let batches = match SIZE {
            0 => BatchingStrategy::new(),
            size => BatchingStrategy::fixed(size),
        };
        let mut works = self.query.query_mut(&mut self.world);
        let works = works.par_iter_mut().batching_strategy(batches);
        works.for_each(|mut work| {
            work.value = spin(work.steps);
            work.passes += 1;
        });
        self.passes += 1;
    }

    fn check(&mut self) -> Result<(), Problem> {
        for work in self.query.iter(&self.world) {
            check("an entity's passes", self.passes, work.passes)?;
            check("an entity's value", spin(work.steps), work.value)?;
        }
        Ok(())
    }
}

/// The name of a figure, and a pass with its way to batch.
type Way = (&'static str, fn(&mut Crowd));

/// The ways to batch, the learnt one first.
const WAYS: [Way; 7] = [
    ("default", Crowd::pass::<0>),
    ("fixed-64", Crowd::pass::<64>),
    ("fixed-256", Crowd::pass::<256>),
    ("fixed-1024", Crowd::pass::<1024>),
    ("fixed-4096", Crowd::pass::<4096>),
    ("fixed-16384", Crowd::pass::<16_384>),
    ("fixed-65536", Crowd::pass::<65_536>),
];

/// A pass with each way to batch.
pub fn run(options: &Options, shape: Shape) -> Figures {
    let _pools = apps::app();
    let crowd = &RefCell::new(Crowd::new(shape));
    let subject = |(name, pass): Way| Subject::sure(name, move || pass(&mut crowd.borrow_mut()));
    let subjects = WAYS.map(subject).into();
    let figures = sample(options, subjects)?;
    crowd.borrow_mut().check()?;
    Ok(figures)
}
