//! rayon as a contender.
//!
//! `install` moves a loop onto one of the pool's threads; the thread from outside sleeps meanwhile.

use rayon::iter::{IntoParallelRefMutIterator, ParallelIterator};
use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder, join};
use std::hint::black_box;
use std::sync::Arc;
use suite::{
    Answer, Burst, Children, Coarse, Contender, Cost, Entry, Frontier, Irregular, Items, Maze,
    Node, Tree, Uneven, one_ns, repeat, repeat_slots, spin, spin_from, ten_ns,
};

/// rayon's pool.
#[derive(Debug)]
pub struct Rayon {
    pool: ThreadPool,
}

impl Rayon {
    /// Its name.
    pub const NAME: &'static str = "rayon";

    /// With that many threads.
    ///
    /// # Errors
    ///
    /// When the system refuses a thread.
    pub fn new(threads: usize) -> Result<Self, ThreadPoolBuildError> {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build()?;
        Ok(Self { pool })
    }
}

#[inline(never)]
fn sum(node: &Node) -> u64 {
    let (left, right) = join(
        || node.left.as_deref().map_or(0, sum),
        || node.right.as_deref().map_or(0, sum),
    );
    node.value + left + right
}

#[inline(never)]
fn fork(n: u64) -> u64 {
    if n < 2 {
        return n;
    }
    let (a, b) = join(|| fork(n - 1), || fork(n - 2));
    a + b
}

#[inline(never)]
fn count(children: Children) -> u64 {
    if children.is_empty() {
        return 0;
    }
    if let Some(grandchildren) = children.only() {
        return 1 + count(grandchildren);
    }
    let (left, right) = children.halves();
    let (left, right) = join(|| count(left), || count(right));
    left + right
}

#[inline(never)]
fn fill(maze: &Maze, frontier: Frontier, flood: u8) -> Frontier {
    match frontier.halves() {
        Ok((left, right)) => {
            let (left, right) = join(|| fill(maze, left, flood), || fill(maze, right, flood));
            left.merge(right)
        }
        Err(small) => maze.leaf(small, flood),
    }
}

impl Contender for Rayon {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn tree(&self, tree: &Tree, iterations: u64) -> Answer {
        self.pool
            .install(|| repeat(iterations, tree.sum, || sum(black_box(&tree.root))))
    }

    fn fib(&self, n: u64, expected: u64, iterations: u64) -> Answer {
        self.pool
            .install(|| repeat(iterations, expected, || fork(black_box(n))))
    }

    fn irregular(&self, tree: &Irregular, iterations: u64) -> Answer {
        self.pool
            .install(|| repeat(iterations, tree.nodes, || count(black_box(tree.roots))))
    }

    fn flood(&self, maze: &Maze, iterations: u64) -> Answer {
        self.pool
            .install(|| repeat(iterations, maze.reachable, || maze.flood_with(fill)))
    }

    fn uneven(&self, work: &Uneven, iterations: u64) -> Answer {
        let tiny = || {
            (0..work.tiny_joins).fold(0_u64, |total, i| {
                let (a, b) = join(|| Uneven::tiny(i), || Uneven::tiny(!i));
                total.wrapping_add(a).wrapping_add(b)
            })
        };
        let once = || {
            let (long, tiny) = if work.long_first {
                join(|| work.long(), tiny)
            } else {
                let (tiny, long) = join(tiny, || work.long());
                (long, tiny)
            };
            work.combine(long, tiny)
        };
        self.pool
            .install(|| repeat(iterations, work.expected, once))
    }

    fn for_each(&self, items: &mut Items, cost: Cost, iterations: u64) -> Answer {
        self.pool.install(|| {
            items.repeat(cost, iterations, |values| match cost {
                Cost::OneNs => values.par_iter_mut().for_each(one_ns),
                Cost::TenNs => values.par_iter_mut().for_each(ten_ns),
                Cost::Steps(steps) => values
                    .par_iter_mut()
                    .for_each(|item| *item = spin_from(*item, steps)),
            })
        })
    }

    fn scope(&self, entry: Entry, tasks: usize, iterations: u64) -> Answer {
        let workload = || {
            repeat_slots(tasks, iterations, |slots| {
                self.pool.scope(|scope| {
                    for slot in slots {
                        scope.spawn(move |_| *slot += 1);
                    }
                });
            })
        };
        match entry {
            Entry::Worker => self.pool.install(workload),
            Entry::Outside => workload(),
        }
    }

    fn coarse(&self, work: &Coarse, iterations: u64) -> Answer {
        let steps = work.steps;
        work.repeat(iterations, |results| {
            self.pool.scope(|scope| {
                for result in results {
                    scope.spawn(move |_| *result = spin(steps));
                }
            });
        })
    }

    fn spawn_burst(&self, burst: &Arc<Burst>) -> Answer {
        for _ in 0..burst.jobs() {
            let burst = burst.clone();
            self.pool.spawn(move || burst.run());
        }
        Ok(())
    }
}
