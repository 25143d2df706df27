//! Pairs that become a map, or numbers that become a list: what has no places to write to at once.

use crate::sampling::Case;
use rayon::iter::{IntoParallelIterator, ParallelIterator};
use std::collections::{HashMap, LinkedList};
use std::mem;
use std::sync::{Mutex, PoisonError};
use suite::mix;
use suite::program::{Problem, check};

const COUNT: u64 = 100_000;

type Map = HashMap<u64, u64>;

/// How the pairs come into the map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// By `collect`.
    Collect,
    /// One by one, by way of a lock.
    Mutex,
    /// By maps that are put into each other.
    Fold,
    /// By a list of vectors, which this thread puts into the map.
    Lists,
}

/// The last map.
pub struct Maps {
    way: Way,
    /// So many keys are different.
    keys: u64,
    expected: Map,
    map: Map,
}

/// A key's value is the same each time, so that it does not matter which pair comes last.
#[inline]
fn pair(number: u64, keys: u64) -> (u64, u64) {
    let key = number % keys;
    (key, mix(key))
}

/// One more pair.
fn with(mut map: Map, (key, value): (u64, u64)) -> Map {
    map.insert(key, value);
    map
}

fn both(mut map: Map, mut other: Map) -> Map {
    if map.len() < other.len() {
        mem::swap(&mut map, &mut other);
    }
    map.extend(other);
    map
}

/// One more item.
fn longer<T>(mut items: Vec<T>, item: T) -> Vec<T> {
    items.push(item);
    items
}

impl Maps {
    /// Each key once.
    pub fn distinct(way: Way) -> Self {
        Self::new(way, COUNT)
    }

    /// Ten keys, each ten thousand times.
    pub fn few(way: Way) -> Self {
        Self::new(way, 10)
    }

    fn new(way: Way, keys: u64) -> Self {
        Self {
            way,
            keys,
            expected: (0..keys).map(|key| pair(key, keys)).collect(),
            map: Map::new(),
        }
    }
}

impl Case for Maps {
    fn prepare(&mut self) {
        self.map = Map::new();
    }

    fn parallel(&mut self) {
        let keys = self.keys;
        let pairs = (0..COUNT).into_par_iter().map(|number| pair(number, keys));
        self.map = match self.way {
            Way::Collect => pairs.collect(),
            Way::Mutex => {
                let map = Mutex::new(Map::new());
                pairs.for_each(|(key, value)| {
                    let mut map = map.lock().unwrap_or_else(PoisonError::into_inner);
                    map.insert(key, value);
                });
                map.into_inner().unwrap_or_else(PoisonError::into_inner)
            }
            Way::Fold => pairs.fold(Map::new, with).reduce(Map::new, both),
            Way::Lists => {
                let lists: LinkedList<Vec<_>> = pairs.fold(Vec::new, longer).collect();
                lists.into_iter().flatten().collect()
            }
        };
    }

    fn serial(&mut self) {
        self.map = (0..COUNT).map(|number| pair(number, self.keys)).collect();
    }

    fn check(&self) -> Result<(), Problem> {
        check("the count of keys", self.expected.len(), self.map.len())?;
        self.expected.iter().try_for_each(|(key, value)| {
            let got = self
                .map
                .get(key)
                .map_or("missing".to_owned(), u64::to_string);
            check(format!("the value of {key}"), value.to_string(), got)
        })
    }
}

/// The last list.
pub struct List(LinkedList<u64>);

impl List {
    /// Not yet made.
    pub fn new() -> Self {
        Self(LinkedList::new())
    }
}

impl Case for List {
    fn prepare(&mut self) {
        self.0 = LinkedList::new();
    }

    fn parallel(&mut self) {
        self.0 = (0..COUNT).into_par_iter().map(mix).collect();
    }

    fn serial(&mut self) {
        self.0 = (0..COUNT).map(mix).collect();
    }

    fn check(&self) -> Result<(), Problem> {
        check("the length", COUNT, self.0.len() as u64)?;
        let mut numbers = (0..COUNT).map(mix).zip(&self.0);
        numbers.try_for_each(|(expected, got)| check("a number", expected, *got))
    }
}
