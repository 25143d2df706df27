//! Numbers that become a vector: each at its place where the iterator knows how many come before,
//! and by parts where it does not.

use crate::sampling::Case;
use rayon::iter::{IndexedParallelIterator, IntoParallelIterator, ParallelIterator};
use std::collections::LinkedList;
use std::hint::black_box;
use suite::mix;
use suite::program::{Problem, check_all};

/// How many numbers are walked in a run, over and over if they are few.
const WALKED: usize = 1_000_000;
/// An entry into the pool costs so much that there are no more of them.
const MOST_TIMES: usize = 100;

/// How the vector is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Of an iterator that knows its length, a new one.
    Indexed,
    /// Of the same, in the space of the one before.
    Reused,
    /// Of what is left by a filter.
    Filtered,
    /// The same by a list of vectors, which this thread appends.
    Lists,
}

/// The last vector.
pub struct Vectors {
    way: Way,
    count: usize,
    times: usize,
    expected: Vec<u64>,
    numbers: Vec<u64>,
}

#[inline]
fn number(place: usize) -> u64 {
    mix(place as u64)
}

/// Half of them, and none can tell which.
#[inline]
fn is_left(number: &u64) -> bool {
    number.is_multiple_of(2)
}

fn longer(mut numbers: Vec<u64>, number: u64) -> Vec<u64> {
    numbers.push(number);
    numbers
}

impl Vectors {
    /// Of so many numbers.
    pub fn new(way: Way, count: usize) -> Self {
        let mut vectors = Self {
            way,
            count,
            times: (WALKED / count).clamp(1, MOST_TIMES),
            expected: Vec::new(),
            numbers: Vec::new(),
        };
        vectors.walk_serially();
        vectors.expected = vectors.numbers.clone();
        vectors
    }

    fn walk(&mut self) {
        let all = (0..black_box(self.count)).into_par_iter().map(number);
        match self.way {
            Way::Indexed => self.numbers = all.collect(),
            Way::Reused => all.collect_into_vec(&mut self.numbers),
            Way::Filtered => self.numbers = all.filter(is_left).collect(),
            Way::Lists => {
                let parts = all.filter(is_left).fold(Vec::new, longer);
                let parts: LinkedList<Vec<u64>> = parts.collect();
                let mut numbers = Vec::with_capacity(parts.iter().map(Vec::len).sum());
                parts
                    .into_iter()
                    .for_each(|mut part| numbers.append(&mut part));
                self.numbers = numbers;
            }
        }
    }

    fn walk_serially(&mut self) {
        let all = (0..black_box(self.count)).map(number);
        match self.way {
            Way::Indexed => self.numbers = all.collect(),
            Way::Reused => {
                self.numbers.clear();
                self.numbers.extend(all);
            }
            Way::Filtered | Way::Lists => self.numbers = all.filter(is_left).collect(),
        }
    }
}

impl Case for Vectors {
    fn prepare(&mut self) {
        match self.way {
            Way::Reused => self.numbers.fill(0),
            Way::Indexed | Way::Filtered | Way::Lists => self.numbers = Vec::new(),
        }
    }

    fn parallel(&mut self) {
        (0..self.times).for_each(|_| self.walk());
    }

    fn serial(&mut self) {
        (0..self.times).for_each(|_| self.walk_serially());
    }

    fn check(&self) -> Result<(), Problem> {
        check_all("a number", &self.expected, &self.numbers)
    }
}
