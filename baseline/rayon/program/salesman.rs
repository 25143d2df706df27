//! The shortest tour of some cities, by branch and bound.

use crate::random::Random;
use crate::sampling::Case;
use rayon::{Scope, scope};
use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};
use suite::program::{Problem, check};

const CITIES: usize = 20;
/// So few cities before the end, a start is not worth a job.
const FEW: usize = 7;

type Distances = [[u32; CITIES]; CITIES];
type Tour = [usize; CITIES];

/// The start of a tour.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Start {
    /// No tour that begins so is shorter.
    bound: u32,
    length: u32,
    /// A bit a city.
    visited: u32,
    count: usize,
    tour: Tour,
}

/// The most promising one is the greatest.
impl Ord for Start {
    fn cmp(&self, other: &Self) -> Ordering {
        let promise = |start: &Self| (start.bound, CITIES - start.count, start.tour);
        promise(other).cmp(&promise(self))
    }
}

impl PartialOrd for Start {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The cities whose bits are set.
fn cities(set: u32) -> impl Iterator<Item = usize> {
    (0..CITIES).filter(move |city| set & (1 << city) != 0)
}

/// The length of a tree that spans these cities: no way through all is shorter.
fn spanning_tree(distances: &Distances, mut set: u32) -> u32 {
    let mut nearest = [u32::MAX; CITIES];
    let mut at = set.trailing_zeros() as usize;
    let mut length = 0;
    loop {
        set &= !(1 << at);
        for city in cities(set) {
            nearest[city] = nearest[city].min(distances[at][city]);
        }
        let Some(next) = cities(set).min_by_key(|city| nearest[*city]) else {
            return length;
        };
        length += nearest[next];
        at = next;
    }
}

impl Start {
    /// At the first city.
    fn first() -> Self {
        Self {
            bound: 0,
            length: 0,
            visited: 1,
            count: 1,
            tour: [0; CITIES],
        }
    }

    /// By one city longer, to each that is left.
    fn longer(&self, distances: &Distances) -> impl Iterator<Item = Self> {
        let left = !self.visited & ((1 << CITIES) - 1);
        let last = self.tour[self.count - 1];
        cities(left).map(move |city| {
            let mut longer = *self;
            longer.tour[self.count] = city;
            longer.count += 1;
            longer.visited |= 1 << city;
            longer.length += distances[last][city];
            // From here through what is left, and home.
            longer.bound = longer.length + spanning_tree(distances, left | 1);
            longer
        })
    }
}

/// What the jobs of a search share.
struct Search<'a> {
    distances: &'a Distances,
    open: Mutex<BinaryHeap<Start>>,
    /// The length of `shortest`, to look at without its lock.
    best: AtomicU32,
    shortest: Mutex<(u32, Tour)>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<'a> Search<'a> {
    fn new(distances: &'a Distances) -> Self {
        Self {
            distances,
            open: Mutex::new(BinaryHeap::from([Start::first()])),
            best: AtomicU32::new(u32::MAX),
            shortest: Mutex::new((u32::MAX, [0; CITIES])),
        }
    }

    /// Whether it can lead to something better. A length from before only lets more through.
    fn promises(&self, start: &Start) -> bool {
        start.bound < self.best.load(Relaxed)
    }

    /// Goes on from the most promising start. What `open` is called with has been put into the
    /// open ones, of which each call takes one.
    fn step(&self, mut open: impl FnMut()) {
        let start = lock(&self.open).pop();
        let Some(start) = start.filter(|start| self.promises(start)) else {
            return;
        };
        if CITIES - start.count <= FEW {
            return self.finish(&start);
        }
        for longer in start.longer(self.distances) {
            if self.promises(&longer) {
                lock(&self.open).push(longer);
                open();
            }
        }
    }

    /// Tries all tours that begin so.
    fn finish(&self, start: &Start) {
        if start.count < CITIES {
            let longer = start.longer(self.distances);
            return longer
                .filter(|longer| self.promises(longer))
                .for_each(|longer| self.finish(&longer));
        }
        let length = start.length + self.distances[start.tour[CITIES - 1]][0];
        let mut shortest = lock(&self.shortest);
        if length < shortest.0 {
            *shortest = (length, start.tour);
            self.best.store(length, Relaxed);
        }
    }

    fn spawn<'s>(&'s self, scope: &Scope<'s>) {
        scope.spawn(|scope| self.step(|| self.spawn(scope)));
    }
}

/// The shortest tour's length, by the shortest ways through all sets of cities.
fn optimum(distances: &Distances) -> u32 {
    // The first city is the home of all.
    let others = CITIES - 1;
    let mut lengths = vec![[u32::MAX; CITIES - 1]; 1 << others];
    for city in 0..others {
        lengths[1 << city][city] = distances[0][city + 1];
    }
    for set in 1..1_usize << others {
        let inside = |city: &usize| set & (1 << city) != 0;
        for last in (0..others).filter(inside) {
            let length = lengths[set][last];
            for next in (0..others).filter(|city| !inside(city)) {
                let longer = length.saturating_add(distances[last + 1][next + 1]);
                let shortest = &mut lengths[set | 1 << next][next];
                *shortest = longer.min(*shortest);
            }
        }
    }
    let last = lengths.last().into_iter().flatten();
    let tours = last
        .zip(1..)
        .map(|(length, city)| length + distances[city][0]);
    tours.min().unwrap_or(u32::MAX)
}

/// The cities and the last answer.
pub struct Salesman {
    distances: Distances,
    expected: u32,
    answer: (u32, Tour),
}

impl Salesman {
    /// Cities on a plane.
    pub fn new() -> Self {
        let mut random = Random::new(6);
        let places = [(); CITIES].map(|()| [random.share(), random.share()]);
        let distance = |a: [f64; 2], b: [f64; 2]| (a[0] - b[0]).hypot(a[1] - b[1]) * 10_000.0;
        let distances = places.map(|a| places.map(|b| distance(a, b) as u32));
        Self {
            expected: optimum(&distances),
            distances,
            answer: (0, [0; CITIES]),
        }
    }
}

impl Case for Salesman {
    fn prepare(&mut self) {
        self.answer = (0, [0; CITIES]);
    }

    fn parallel(&mut self) {
        let search = Search::new(&self.distances);
        scope(|scope| search.spawn(scope));
        self.answer = *lock(&search.shortest);
    }

    fn serial(&mut self) {
        let search = Search::new(&self.distances);
        while !lock(&search.open).is_empty() {
            search.step(|| ());
        }
        self.answer = *lock(&search.shortest);
    }

    fn check(&self) -> Result<(), Problem> {
        let (length, tour) = self.answer;
        let homewards = tour.iter().cycle().skip(1);
        let walked = tour
            .iter()
            .zip(homewards)
            .map(|(a, b)| self.distances[*a][*b]);
        check("the tour's length", walked.sum(), length)?;
        let visited = tour.iter().fold(0_u32, |visited, city| visited | 1 << city);
        check("the count of cities", CITIES as u32, visited.count_ones())?;
        check("the shortest length", self.expected, length)
    }
}
