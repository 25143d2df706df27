//! A search among ten million numbers, or one million for the first, which takes longer. It ends as
//! soon as nothing better can be found.

use crate::random::Random;
use crate::sampling::Case;
use rayon::iter::{IndexedParallelIterator, IntoParallelRefIterator, ParallelIterator};
use std::hint::black_box;
use suite::program::{Problem, check};

const COUNT: usize = 10_000_000;
const COUNT_FOR_FIRST: usize = 1_000_000;
/// No other number is so great.
const NEEDLE: u32 = u32::MAX;
/// A search that ends at once is run so often.
const TIMES: usize = 1000;

/// What is searched for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// The needle, at the first place.
    Front,
    /// The needle, two thirds in: no half begins there.
    Middle,
    /// The needle, at the last place.
    End,
    /// The needle, which is nowhere.
    Nothing,
    /// One number in a thousand.
    Common,
}

impl Wanted {
    fn place(self, count: usize) -> Option<usize> {
        match self {
            Self::Front => Some(0),
            Self::Middle => Some(count / 3 * 2),
            Self::End => Some(count - 1),
            Self::Nothing | Self::Common => None,
        }
    }

    fn times(self) -> usize {
        match self {
            Self::Front | Self::Common => TIMES,
            Self::Middle | Self::End | Self::Nothing => 1,
        }
    }

    #[inline]
    fn fits(self, number: u32) -> bool {
        match self {
            Self::Common => number % 1000 == 999,
            _ => number == NEEDLE,
        }
    }
}

/// How it is searched for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Any that fits.
    Any,
    /// Any one's place.
    Position,
    /// The first that fits, wherever another was found before.
    First,
}

impl Way {
    fn count(self) -> usize {
        match self {
            Self::Any | Self::Position => COUNT,
            Self::First => COUNT_FOR_FIRST,
        }
    }
}

/// The numbers, and what was found: the number or its place.
pub struct Find {
    way: Way,
    wanted: Wanted,
    numbers: Vec<u32>,
    found: Option<usize>,
}

impl Find {
    /// Among random numbers.
    pub fn new(way: Way, wanted: Wanted) -> Self {
        let mut random = Random::new(7);
        let mut numbers: Vec<u32> = (0..way.count()).map(|_| random.next() as u32 / 2).collect();
        if let Some(place) = wanted.place(numbers.len()) {
            numbers[place] = NEEDLE;
        }
        Self {
            way,
            wanted,
            numbers,
            found: None,
        }
    }

    fn search(&self) -> Option<usize> {
        let wanted = self.wanted;
        let numbers = black_box(&self.numbers).par_iter();
        match self.way {
            Way::Any => numbers
                .find_any(|number| wanted.fits(**number))
                .map(|number| *number as usize),
            Way::Position => numbers.position_any(|number| wanted.fits(*number)),
            Way::First => numbers
                .find_first(|number| wanted.fits(**number))
                .map(|number| *number as usize),
        }
    }

    fn search_serially(&self) -> Option<usize> {
        let wanted = self.wanted;
        let mut numbers = black_box(&self.numbers).iter();
        match self.way {
            Way::Any | Way::First => numbers
                .find(|number| wanted.fits(**number))
                .map(|number| *number as usize),
            Way::Position => numbers.position(|number| wanted.fits(*number)),
        }
    }
}

impl Case for Find {
    fn prepare(&mut self) {
        self.found = None;
    }

    fn parallel(&mut self) {
        (0..self.wanted.times()).for_each(|_| self.found = self.search());
    }

    fn serial(&mut self) {
        (0..self.wanted.times()).for_each(|_| self.found = self.search_serially());
    }

    fn check(&self) -> Result<(), Problem> {
        if (self.way, self.wanted) == (Way::Any, Wanted::Common) {
            let found = self.found.and_then(|number| u32::try_from(number).ok());
            let fits = found.is_some_and(|number| self.wanted.fits(number));
            return check("whether what was found fits", true, fits);
        }
        let place = self.wanted.place(self.numbers.len());
        let expected = match (self.way, self.wanted) {
            (Way::Position, _) => place,
            (_, Wanted::Common) => self.search_serially(),
            _ => place.map(|_| NEEDLE as usize),
        };
        let shown = |found: Option<usize>| found.map_or("none".to_owned(), |it| it.to_string());
        check("what was found", shown(expected), shown(self.found))
    }
}
