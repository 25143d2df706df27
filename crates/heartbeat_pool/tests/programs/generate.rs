//! Programs by chance.

use crate::joins;
use crate::program::{
    Body, By, Fate, Happens, Join, Kind, Part, Parts, Program, Scoped, Shape, Shortage, Sibling,
    Step, Way, order,
};
use crate::random::Random;
use heartbeat_pool::{Lane, Order};
use std::sync::Arc;
use std::time::Duration;

/// Kinds of steps; each program has a few of them only, so that these meet each other often.
const KINDS: u64 = 22;
/// Kinds that have to do with each other: joins, joins beside jobs, scopes, tasks and waits for
/// them, pinned jobs, blocking ones, calls, calls of two pools, work without end.
const THEMES: [&[u64]; 10] = [
    &[0, 1, 2],
    &[1, 1, 4],
    &[3, 5, 17],
    &[5, 7, 8],
    &[11, 12, 13],
    &[14, 15],
    &[4, 16],
    &[7, 16, 19],
    &[4, 7, 20, 21],
    &[1, 3, 20, 21],
];
/// How deep jobs lie inside of each other.
const DEPTH: u64 = 3;

struct Generator {
    random: Random,
    kinds: Vec<u64>,
    shape: Shape,
    /// Steps that the program may still have.
    left: u64,
    panics: bool,
    /// Whether futures wake themselves.
    spins: bool,
}

fn shape(random: &mut Random, seed: u64, threads: usize) -> Shape {
    let refused = match random.below(6) {
        0 => (0..=random.below(2))
            .map(|_| threads + random.below(4) as usize)
            .collect(),
        1 if random.once_in(8) => vec![random.below(4) as usize],
        _ => Vec::new(),
    };
    let shortage = random.once_in(8).then(|| Shortage {
        from: threads + random.below(3) as usize,
        until: Duration::from_micros(random.of(&[100, 2_000, 20_000, 500_000])),
    });
    Shape {
        threads,
        order: order(seed.is_multiple_of(3)),
        spares: !random.once_in(4),
        lower: random.once_in(2),
        brisk: random.once_in(2),
        refused,
        shortage,
        resizes: random.once_in(6),
        late: None,
        is_twofold: false,
    }
}

/// The program of `seed`, with as many threads as it likes, or `threads`.
pub fn program(seed: u64, threads: Option<usize>) -> Program {
    let mut random = Random::new(seed);
    let only_joins = std::env::var_os("HEARTBEAT_SIM_JOINS").is_some();
    if random.once_in(12) || only_joins {
        return joins::program(random, threads.unwrap_or(3));
    }
    let usual = random.of(&[0, 1, 1, 1, 2, 2, 2, 3, 4]);
    let threads = threads.unwrap_or(usual);
    let mut shape = shape(&mut random, seed, threads);
    let count = 1 + random.below(5);
    let mut kinds: Vec<u64> = (0..count).map(|_| random.below(KINDS)).collect();
    if random.once_in(2) {
        kinds.truncate(random.below(3) as usize);
        kinds.extend(random.of(&THEMES));
    }
    // Each start counts among those that are refused, whatever the pool.
    shape.is_twofold = kinds.contains(&19) && !shape.lacks_threads();
    // What is refused would be the handler's threads.
    if !shape.lacks_threads() && random.once_in(6) {
        shape.late = Some(random.of(&[0, 5, 60, 1_000]));
    }
    if shape.resizes {
        kinds.push(18);
    }
    let left = random.of(&[3, 6, 10, 16, 30]);
    let panics = random.once_in(4);
    let spins = random.once_in(3);
    let settles = random.once_in(2);
    let outside = random.of(&[1, 1, 1, 2, 2, 3]);
    let mut generator = Generator {
        random,
        kinds,
        shape,
        left,
        panics,
        spins,
    };
    let is_endless = generator.spins || generator.kinds.iter().any(|kind| [20, 21].contains(kind));
    let outside = (0..outside).map(|_| generator.outer()).collect();
    Program {
        outside,
        settles,
        is_endless,
        freezes_at: String::new(),
        pool: generator.shape,
    }
}

impl Generator {
    fn outer(&mut self) -> Body {
        let count = 1 + self.random.below(4);
        let steps: Vec<Step> = (0..count).map(|_| self.step(0, true)).collect();
        Body {
            steps: steps.into(),
            panics: false,
        }
    }

    fn lane(&mut self) -> Lane {
        self.random
            .of(&[Lane::Frame, Lane::Frame, Lane::Io, Lane::Background])
    }

    fn work(&mut self) -> Step {
        Step::Work(self.random.of(&[0, 0, 1, 10, 60, 400, 5_000]))
    }

    fn body(&mut self, depth: u64) -> Body {
        let panics = self.panics && self.random.once_in(6);
        let body = self.calm_body(depth);
        Body { panics, ..body }
    }

    /// One that ends well.
    fn calm_body(&mut self, depth: u64) -> Body {
        let most = if depth >= DEPTH || self.left == 0 {
            1
        } else {
            3
        };
        let count = self.random.below(most + 1);
        let step = |this: &mut Self| {
            if depth >= DEPTH || this.left == 0 {
                return this.work();
            }
            this.left -= 1;
            this.step(depth, false)
        };
        let steps: Vec<Step> = (0..count).map(|_| step(self)).collect();
        Body {
            steps: steps.into(),
            panics: false,
        }
    }

    fn happens(&mut self) -> Happens {
        let by = match self.random.below(8) {
            0 => By::Blocking,
            1 | 2 => By::Thread(self.random.of(&[0, 5, 60, 1_000])),
            _ => By::Lane(self.lane()),
        };
        let way = Way {
            under_lock: self.random.once_in(3),
            spins: self.spins && self.random.once_in(2),
        };
        // Of two threads that wait so, each would leave the call to the other for a second.
        let is_lone = !self.shape.spares || self.shape.lacks_threads();
        let by = match by {
            By::Blocking if way.spins && is_lone => By::Lane(Lane::Frame),
            by => by,
        };
        Happens { by, way }
    }

    fn again(&mut self) -> Step {
        let kind = match self.random.below(6) {
            0 => Kind::Blocking,
            1 if self.shape.is_steady() => Kind::Pinned,
            _ => Kind::Lane(self.lane()),
        };
        let is_own = matches!(kind, Kind::Lane(Lane::Frame) | Kind::Pinned);
        if is_own && self.is_as_rayons() {
            return self.work();
        }
        Step::Again(kind, self.happens())
    }

    fn parts(&mut self, depth: u64) -> Parts {
        let count = self.random.below(4);
        let part = |this: &mut Self| match this.random.below(5) {
            0 => Part::Yield,
            1 => Part::Event(this.happens()),
            2 if depth < DEPTH && this.left > 0 => {
                this.left -= 1;
                Part::Task(this.lane(), this.parts(depth + 1))
            }
            _ => Part::Do(this.body(depth + 1)),
        };
        (0..count).map(|_| part(self)).collect()
    }

    fn scoped(&mut self, depth: u64) -> Scoped {
        match self.random.below(6) {
            0 => Scoped::Future(self.parts(depth)),
            5 if self.spins => Scoped::Again(self.sibling()),
            1 if self.shape.is_steady() => {
                let index = self.random.below(self.shape.threads as u64) as usize;
                Scoped::On(index, self.body(depth))
            }
            other => {
                let body = self.body(depth);
                let more = if other == 4 { self.random.below(3) } else { 0 };
                let more = (0..more).map(|_| Scoped::Closure(self.body(depth + 1), Vec::new()));
                Scoped::Closure(body, more.collect())
            }
        }
    }

    fn sibling(&mut self) -> Sibling {
        Sibling {
            is_first: self.random.once_in(2),
            of_future: self.is_as_rayons() || self.random.once_in(2),
        }
    }

    /// Whether a thread that runs its newest first comes to nothing else, as those of rayon do.
    fn is_as_rayons(&self) -> bool {
        self.shape.order == Order::NewestFirst && !self.shape.spares
    }

    fn fate(&mut self, depth: u64) -> Fate {
        match self.random.below(8) {
            0..3 => Fate::Awaited,
            3 => Fate::Detached,
            4 => Fate::Later(self.calm_body(depth + 1)),
            5 => Fate::Dropped,
            6 => Fate::DroppedLater(self.calm_body(depth + 1)),
            _ => Fate::Cancelled,
        }
    }

    fn step(&mut self, depth: u64, is_outside: bool) -> Step {
        let next = depth + 1;
        let kinds: Arc<[u64]> = self.kinds.as_slice().into();
        match self.random.of(&kinds) {
            0 => Step::Join(Join::Plain, self.body(next), self.body(next)),
            1 => Step::Join(Join::Offered, self.body(next), self.body(next)),
            2 => Step::Join(Join::Measured, self.body(next), self.body(next)),
            3 => {
                let count = self.random.below(4);
                let jobs = (0..count).map(|_| self.scoped(next)).collect();
                Step::Scope(jobs, self.body(next))
            }
            // In a pool without threads nobody would run it, and it would hold the pool for ever.
            4 if is_outside && self.shape.keeps_threads() && self.random.once_in(6) => {
                Step::SpawnHolder(self.lane(), self.body(next))
            }
            4 => Step::Spawn(self.lane(), self.body(next)),
            5 | 6 => {
                let fate = self.fate(depth);
                Step::Future(self.lane(), self.parts(next), fate)
            }
            7 => Step::BlockOn(self.happens()),
            8 => Step::BlockOnTwo(self.happens(), self.calm_body(next)),
            9 => Step::Yield,
            10 => Step::YieldLocal,
            // One inside of another makes as many calls as the pool's threads, squared.
            11 | 12 if depth > 0 && self.shape.threads > 4 => self.work(),
            11 => Step::Broadcast(self.body(next)),
            12 => Step::SpawnOnEach(self.body(next)),
            13 if self.shape.is_steady() => {
                let index = self.random.below(self.shape.threads as u64) as usize;
                Step::SpawnOn(index, self.body(next))
            }
            14 => Step::Blocking(self.body(next)),
            15 => Step::BlockInPlace(self.calm_body(next)),
            16 => Step::Install(self.body(next)),
            20 => Step::YieldUntil(self.happens(), self.random.once_in(2)),
            // A pool that has lost its threads may have one left, which goes on with this alone.
            21 if !self.shape.resizes => self.again(),
            19 => Step::Elsewhere(self.body(next)),
            17 => Step::ForEach(self.random.below(6) as usize, self.calm_body(next)),
            18 if is_outside && self.shape.resizes => {
                Step::Resize(self.random.of(&[0, 0, 1, 2, 3]))
            }
            18 if is_outside => Step::Visit(self.body(next)),
            _ => self.work(),
        }
    }
}
