//! Who gets the baton next.

use super::random::Random;
use std::mem;

/// Steps after which any strategy turns into a walk, which is fair, so that what never ends then never would.
const UNFAIR_STEPS: u64 = 60_000;
/// How often a fair walk changes threads.
const FAIR: u64 = 8;

/// A way to choose.
#[derive(Clone, Debug)]
enum Way {
    /// Another thread, any, once in so many steps.
    Walk(u64),
    /// Another thread, any, once in so many steps; and once in so many the thread that runs stands still while the
    /// others go on for long: for what needs one thread to miss a lot.
    Freezes { walk: u64, freeze: u64 },
    /// The one of the highest priority, which now and then gets the lowest (probabilistic concurrency testing,
    /// Burckhardt et al., ASPLOS 2010): finds what needs few changes of threads at the right places.
    Ranks { change: u64, lowest: i64 },
}

/// Chooses threads.
#[derive(Clone, Debug)]
pub(super) struct Strategy {
    way: Way,
    ranks: Vec<i64>,
    /// Who stands still, and until which step.
    frozen: Option<(usize, u64)>,
    /// Whether the one that runs is to.
    freezes: bool,
    random: Random,
}

impl Strategy {
    pub(super) fn new(seed: u64) -> Self {
        let mut random = Random::new(seed);
        let way = match random.below(11) {
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

    /// Whether the thread that runs goes on without a look at the others.
    pub(super) fn stays(&mut self, steps: u64) -> bool {
        let walk = match self.way {
            Way::Walk(turns) => turns,
            Way::Freezes { walk, freeze } if self.frozen.is_none() => {
                self.freezes = steps <= UNFAIR_STEPS && self.random.once_in(freeze);
                return !self.freezes && !self.random.once_in(walk);
            }
            Way::Freezes { walk, .. } => walk,
            Way::Ranks { .. } if steps > UNFAIR_STEPS => FAIR,
            Way::Ranks { .. } => return false,
        };
        !self.random.once_in(walk)
    }

    /// The next of `ready`, which are not none; `own` is the one that runs, and whether it only waits.
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
        if mem::take(&mut self.freezes) {
            self.frozen = Some((own, steps + 50 + self.random.below(1_500)));
        } else if self.frozen.is_some_and(|(_, until)| until <= steps) {
            self.frozen = None;
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
