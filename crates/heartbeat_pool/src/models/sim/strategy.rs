//! Who gets the baton next.

use super::random::Random;
use std::mem;
use std::panic::Location;

/// Steps after which any strategy turns into a walk, which is fair, so that what never ends then
/// never would.
const UNFAIR_STEPS: u64 = 60_000;
/// How often a fair walk changes threads.
const FAIR: u64 = 8;

/// A file of the pool, and a line of it, if not any.
pub type Place = (String, Option<u32>);

/// A way to choose.
#[derive(Clone, Debug)]
enum Way {
    /// Another thread, any, once in so many steps.
    Walk(u64),
    /// Another thread, any, once in so many steps; and once in so many the thread that runs stands
    /// still while the others go on for long: for what needs one thread to miss a lot.
    Freezes { walk: u64, freeze: u64 },
    /// The same, always at one of some lines of the code: to see what comes of a thread that misses
    /// a lot just there.
    FreezesAt {
        walk: u64,
        places: Vec<Place>,
        often: u64,
    },
    /// The one of the highest priority, which now and then gets the lowest (probabilistic
    /// concurrency testing, Burckhardt et al., ASPLOS 2010): finds what needs few changes of
    /// threads at the right places.
    Ranks { change: u64, lowest: i64 },
}

/// How long a thread stands still at most, in nanoseconds: a second.
const LONGEST_PAUSE: u64 = 1_000_000_000;

/// How long a thread stands still.
#[derive(Clone, Copy, Debug)]
enum Pause {
    /// Until so many steps were done, or this time: others may only sleep meanwhile.
    Steps(u64, u64),
    /// Until this time.
    Time(u64),
}

impl Pause {
    fn is_over(self, steps: u64, now: u64) -> bool {
        match self {
            Self::Steps(until, latest) => until <= steps || latest <= now,
            Self::Time(until) => until <= now,
        }
    }
}

/// Chooses threads.
#[derive(Clone, Debug)]
pub(super) struct Strategy {
    way: Way,
    ranks: Vec<i64>,
    /// Who stands still, and until when.
    frozen: Option<(usize, Pause)>,
    /// Whether the one that runs is to.
    freezes: bool,
    random: Random,
}

impl Strategy {
    /// By chance, with threads that are frozen at `places` if there are any.
    pub(super) fn new(seed: u64, places: Vec<Place>) -> Self {
        let mut random = Random::new(seed);
        let frozen_at = |places, random: &mut Random| Way::FreezesAt {
            walk: random.of(&[4, 15, 40]),
            places,
            often: random.of(&[1, 2, 4]),
        };
        let by_chance = |random: &mut Random| match random.below(11) {
            0 => Way::Walk(2),
            1 => Way::Walk(6),
            2 => Way::Walk(25),
            3 => Way::Walk(120),
            4 => Way::Walk(600),
            other @ 5..8 => Way::Freezes {
                walk: [4, 15, 40][other as usize - 5],
                freeze: random.of(&[40, 150, 500]),
            },
            other => Way::Ranks {
                change: [60, 400, 3_000][other as usize - 8],
                lowest: 0,
            },
        };
        let way = if places.is_empty() {
            by_chance(&mut random)
        } else {
            frozen_at(places, &mut random)
        };
        Self {
            way,
            ranks: Vec::new(),
            frozen: None,
            freezes: false,
            random,
        }
    }

    pub(super) fn random(&mut self) -> &mut Random {
        &mut self.random
    }

    pub(super) fn add_thread(&mut self) {
        let rank = self.random.below(1 << 40) as i64;
        self.ranks.push(rank);
    }

    /// Whether the thread that runs, and is at `place`, goes on without a look at the others.
    pub(super) fn stays(&mut self, steps: u64, place: &Location<'_>) -> bool {
        let walk = match self.way {
            Way::Walk(turns) => turns,
            Way::Freezes { walk, freeze } if self.frozen.is_none() => {
                self.freezes = steps <= UNFAIR_STEPS && self.random.once_in(freeze);
                return !self.freezes && !self.random.once_in(walk);
            }
            Way::FreezesAt {
                walk,
                ref places,
                often,
            } if self.frozen.is_none() => {
                let is_at = |(file, line): &Place| {
                    line.is_none_or(|line| place.line() == line) && place.file().ends_with(file)
                };
                let is_there = places.iter().any(is_at);
                self.freezes = is_there && steps <= UNFAIR_STEPS && self.random.once_in(often);
                return !self.freezes && !self.random.once_in(walk);
            }
            Way::Freezes { walk, .. } | Way::FreezesAt { walk, .. } => walk,
            Way::Ranks { .. } if steps > UNFAIR_STEPS => FAIR,
            Way::Ranks { .. } => return false,
        };
        !self.random.once_in(walk)
    }

    /// Nobody stands still any more.
    pub(super) fn thaw(&mut self) {
        self.freezes = false;
        self.frozen = None;
    }

    /// Who stands still, where `own` has come to this point, at `now` in nanoseconds.
    pub(super) fn frozen(&mut self, own: usize, steps: u64, now: u64) -> Option<usize> {
        if mem::take(&mut self.freezes) {
            let pause = if self.random.once_in(2) {
                Pause::Steps(steps + 50 + self.random.below(1_500), now + LONGEST_PAUSE)
            } else {
                let long = self.random.of(&[2_000, 20_000, 200_000]);
                Pause::Time(now + self.random.below(long))
            };
            self.frozen = Some((own, pause));
        } else if self
            .frozen
            .is_some_and(|(_, pause)| pause.is_over(steps, now))
        {
            self.frozen = None;
        }
        self.frozen.map(|(thread, _)| thread)
    }

    /// The next of `ready`, which are not none; `own` is the one that runs, and whether it only
    /// waits.
    pub(super) fn next(&mut self, ready: &[usize], own: usize, waits: bool, steps: u64) -> usize {
        if let Way::Ranks { change, lowest } = &mut self.way
            && steps <= UNFAIR_STEPS
        {
            if waits || self.random.once_in(*change) {
                *lowest -= 1;
                self.ranks[own] = *lowest;
            }
            let rank = |thread: &&usize| self.ranks[**thread];
            return ready.iter().max_by_key(rank).copied().unwrap_or(own);
        }
        let frozen = self.frozen.map(|(thread, _)| thread);
        let may_run = |thread: &&usize| Some(**thread) != frozen && (!waits || **thread != own);
        let others = ready.iter().filter(may_run).count() as u64;
        if others == 0 {
            return if waits && ready.len() > 1 {
                *ready.iter().find(|thread| **thread != own).unwrap_or(&own)
            } else {
                ready[self.random.below(ready.len() as u64) as usize]
            };
        }
        let at = self.random.below(others) as usize;
        ready.iter().filter(may_run).nth(at).copied().unwrap_or(own)
    }
}
