//! Bodies that attract each other.

use crate::random::Random;
use crate::sampling::Case;
use rayon::iter::{
    IndexedParallelIterator, IntoParallelIterator, IntoParallelRefIterator, ParallelIterator,
};
use suite::program::{Problem, check};

const COUNT: usize = 1000;
const STEPS: usize = 10;
const STEP: f64 = 1e-3;
/// Keeps bodies that meet from an infinite force.
const SOFTENING: f64 = 1e-2;
/// A sum of forces in another order differs in its last digits.
const TOLERANCE: f64 = 1e-9;

type Vector = [f64; 3];

/// A thing of mass one.
#[derive(Clone, Copy, PartialEq)]
struct Body {
    place: Vector,
    speed: Vector,
}

impl Body {
    fn moved(&self, acceleration: Vector) -> Self {
        let mut moved = *self;
        add(&mut moved.speed, acceleration.map(|part| part * STEP));
        add(&mut moved.place, moved.speed.map(|part| part * STEP));
        moved
    }
}

/// What the second does to the first.
#[inline]
fn pull(body: &Body, other: &Body) -> Vector {
    let way = [0, 1, 2].map(|axis| other.place[axis] - body.place[axis]);
    let square = SOFTENING + way.iter().map(|part| part * part).sum::<f64>();
    let strength = 1.0 / (square * square.sqrt());
    way.map(|part| part * strength)
}

#[inline]
fn add(sum: &mut Vector, part: Vector) {
    sum.iter_mut()
        .zip(part)
        .for_each(|(sum, part)| *sum += part);
}

fn bodies() -> Vec<Body> {
    let mut random = Random::new(4);
    let mut vector = || [0; 3].map(|_| random.share() * 2.0 - 1.0);
    let body = |_| Body {
        place: vector(),
        speed: vector(),
    };
    (0..COUNT).map(body).collect()
}

/// Steps, of which each computes all bodies from those before.
struct Steps {
    first: Vec<Body>,
    expected: Vec<Body>,
    now: Vec<Body>,
    next: Vec<Body>,
}

impl Steps {
    fn new(step: impl Fn(&[Body], &mut Vec<Body>)) -> Self {
        let first = bodies();
        let mut steps = Self {
            now: first.clone(),
            next: first.clone(),
            first,
            expected: Vec::new(),
        };
        steps.run(step);
        steps.expected = steps.now.clone();
        steps
    }

    fn restart(&mut self) {
        self.now.clone_from(&self.first);
    }

    fn run(&mut self, step: impl Fn(&[Body], &mut Vec<Body>)) {
        for _ in 0..STEPS {
            step(&self.now, &mut self.next);
            std::mem::swap(&mut self.now, &mut self.next);
        }
    }

    fn check(&self, tolerance: f64) -> Result<(), Problem> {
        check("the count of bodies", self.expected.len(), self.now.len())?;
        for (expected, got) in self.expected.iter().zip(&self.now) {
            for (expected, got) in expected.place.into_iter().zip(got.place) {
                if (expected - got).abs() > tolerance {
                    return check("a place", expected, got);
                }
            }
        }
        Ok(())
    }
}

/// Each body looks at all others.
pub struct Each(Steps);

impl Each {
    /// At the first step.
    pub fn new() -> Self {
        Self(Steps::new(Self::serial_step))
    }

    fn body(body: &Body, all: &[Body]) -> Body {
        let mut sum = [0.0; 3];
        // To itself it is no way, so it pulls nothing.
        all.iter()
            .for_each(|other| add(&mut sum, pull(body, other)));
        body.moved(sum)
    }

    fn serial_step(now: &[Body], next: &mut Vec<Body>) {
        next.clear();
        next.extend(now.iter().map(|body| Self::body(body, now)));
    }
}

impl Case for Each {
    fn prepare(&mut self) {
        self.0.restart();
    }

    fn parallel(&mut self) {
        self.0.run(|now, next| {
            let moved = now.par_iter().map(|body| Self::body(body, now));
            moved.collect_into_vec(next);
        });
    }

    fn serial(&mut self) {
        self.0.run(Self::serial_step);
    }

    fn check(&self) -> Result<(), Problem> {
        self.0.check(0.0)
    }
}

/// Each pair is looked at once, and what it does to both is added to all that is done.
pub struct Pairs(Steps);

type Sums = Vec<Vector>;

impl Pairs {
    /// At the first step.
    pub fn new() -> Self {
        Self(Steps::new(Self::serial_step))
    }

    fn none() -> Sums {
        vec![[0.0; 3]; COUNT]
    }

    /// A body and those behind it.
    fn body(mut sums: Sums, place: usize, all: &[Body]) -> Sums {
        let body = &all[place];
        let (before, behind) = sums.split_at_mut(place + 1);
        for (other, sum) in all[place + 1..].iter().zip(behind) {
            let pull = pull(body, other);
            add(&mut before[place], pull);
            add(sum, pull.map(|part| -part));
        }
        sums
    }

    fn both(mut sums: Sums, others: Sums) -> Sums {
        sums.iter_mut()
            .zip(others)
            .for_each(|(sum, other)| add(sum, other));
        sums
    }

    fn apply(now: &[Body], sums: Sums, next: &mut Vec<Body>) {
        next.clear();
        next.extend(now.iter().zip(sums).map(|(body, sum)| body.moved(sum)));
    }

    fn serial_step(now: &[Body], next: &mut Vec<Body>) {
        let sums = (0..COUNT).fold(Self::none(), |sums, place| Self::body(sums, place, now));
        Self::apply(now, sums, next);
    }
}

impl Case for Pairs {
    fn prepare(&mut self) {
        self.0.restart();
    }

    fn parallel(&mut self) {
        self.0.run(|now, next| {
            let places = (0..COUNT).into_par_iter();
            let sums = places
                .fold(Self::none, |sums, place| Self::body(sums, place, now))
                .reduce(Self::none, Self::both);
            Self::apply(now, sums, next);
        });
    }

    fn serial(&mut self) {
        self.0.run(Self::serial_step);
    }

    fn check(&self) -> Result<(), Problem> {
        self.0.check(TOLERANCE)
    }
}
