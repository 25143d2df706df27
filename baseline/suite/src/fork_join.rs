//! The recursions by join, written once for all pools.
//!
//! They are macros, not generic functions: so they lie in the pool's own crate with the pool's own
//! types, and are compiled as if they had been written there.

/// Writes a pool's recursions by join, as methods of its [`Contender`](crate::Contender).
///
/// It is told what a job of the pool is given to fork by, how a closure is run in the pool, and how a
/// job runs two.
///
/// ```
/// use suite::{Contender, Tree};
///
/// struct Alone;
///
/// /// All that a job of this pool has.
/// #[derive(Clone, Copy)]
/// struct Seat;
///
/// impl Contender for Alone {
///     fn name(&self) -> &'static str {
///         "alone"
///     }
///
///     suite::fork_join!(Seat, |_pool, f| f(Seat), |seat, a, b| (a(seat), b(seat)));
/// }
///
/// let pool: &dyn Contender = &Alone;
/// assert_eq!(pool.tree(&Tree::perfect(5), 3), Ok(()));
/// assert_eq!(pool.fib(10, 55, 1), Ok(()));
/// assert!(pool.fib(10, 54, 1).is_err());
/// ```
#[macro_export]
macro_rules! fork_join {
    ($($pool:tt)*) => {
        $crate::fork_tree!($($pool)*);
        $crate::fork_fib!($($pool)*);
        $crate::fork_irregular!($($pool)*);
        $crate::fork_flood!($($pool)*);
        $crate::fork_uneven!($($pool)*);
    };
}

/// The pool's join as a function.
#[doc(hidden)]
#[macro_export]
macro_rules! join_function {
    ($seat:ty, |$job:ident, $a:ident, $b:ident| $join:expr) => {
        #[inline(always)]
        fn join<A: Send, B: Send>(
            $job: $seat,
            $a: impl FnOnce($seat) -> A + Send,
            $b: impl FnOnce($seat) -> B + Send,
        ) -> (A, B) {
            $join
        }
    };
}

/// The part of [`fork_join!`] that sums a tree.
#[doc(hidden)]
#[macro_export]
macro_rules! fork_tree {
    ($seat:ty, |$pool:ident, $f:ident| $enter:expr, |$job:ident, $a:ident, $b:ident| $join:expr) => {
        fn tree(&self, tree: &$crate::Tree, iterations: u64) -> $crate::Answer {
            $crate::join_function!($seat, |$job, $a, $b| $join);

            #[inline(never)]
            fn sum(node: &$crate::Node, seat: $seat) -> u64 {
                let (left, right) = join(
                    seat,
                    |seat| node.left.as_deref().map_or(0, |node| sum(node, seat)),
                    |seat| node.right.as_deref().map_or(0, |node| sum(node, seat)),
                );
                node.value + left + right
            }
            let $f = |seat: $seat| {
                $crate::repeat(iterations, tree.sum, || {
                    sum(::std::hint::black_box(&tree.root), seat)
                })
            };
            let $pool = self;
            $enter
        }
    };
}

/// The part of [`fork_join!`] that computes Fibonacci numbers.
#[doc(hidden)]
#[macro_export]
macro_rules! fork_fib {
    ($seat:ty, |$pool:ident, $f:ident| $enter:expr, |$job:ident, $a:ident, $b:ident| $join:expr) => {
        fn fib(&self, n: u64, expected: u64, iterations: u64) -> $crate::Answer {
            $crate::join_function!($seat, |$job, $a, $b| $join);

            #[inline(never)]
            fn fork(n: u64, seat: $seat) -> u64 {
                if n < 2 {
                    return n;
                }
                let (a, b) = join(seat, |seat| fork(n - 1, seat), |seat| fork(n - 2, seat));
                a + b
            }
            let $f = |seat: $seat| {
                $crate::repeat(iterations, expected, || {
                    fork(::std::hint::black_box(n), seat)
                })
            };
            let $pool = self;
            $enter
        }
    };
}

/// The part of [`fork_join!`] that counts an irregular tree.
#[doc(hidden)]
#[macro_export]
macro_rules! fork_irregular {
    ($seat:ty, |$pool:ident, $f:ident| $enter:expr, |$job:ident, $a:ident, $b:ident| $join:expr) => {
        fn irregular(&self, tree: &$crate::Irregular, iterations: u64) -> $crate::Answer {
            $crate::join_function!($seat, |$job, $a, $b| $join);

            #[inline(never)]
            fn count(children: $crate::Children, seat: $seat) -> u64 {
                if children.is_empty() {
                    return 0;
                }
                if let Some(grandchildren) = children.only() {
                    return 1 + count(grandchildren, seat);
                }
                let (left, right) = children.halves();
                let (left, right) = join(seat, |seat| count(left, seat), |seat| count(right, seat));
                left + right
            }
            let $f = |seat: $seat| {
                $crate::repeat(iterations, tree.nodes, || {
                    count(::std::hint::black_box(tree.roots), seat)
                })
            };
            let $pool = self;
            $enter
        }
    };
}

/// The part of [`fork_join!`] that floods a maze.
#[doc(hidden)]
#[macro_export]
macro_rules! fork_flood {
    ($seat:ty, |$pool:ident, $f:ident| $enter:expr, |$job:ident, $a:ident, $b:ident| $join:expr) => {
        fn flood(&self, maze: &$crate::Maze, iterations: u64) -> $crate::Answer {
            $crate::join_function!($seat, |$job, $a, $b| $join);

            #[inline(never)]
            fn fill(
                maze: &$crate::Maze,
                frontier: $crate::Frontier,
                flood: u8,
                seat: $seat,
            ) -> $crate::Frontier {
                match frontier.halves() {
                    Ok((left, right)) => {
                        let (left, right) = join(
                            seat,
                            |seat| fill(maze, left, flood, seat),
                            |seat| fill(maze, right, flood, seat),
                        );
                        left.merge(right)
                    }
                    Err(small) => maze.leaf(small, flood),
                }
            }
            let $f = |seat: $seat| {
                $crate::repeat(iterations, maze.reachable, || {
                    maze.flood_with(|maze, frontier, flood| fill(maze, frontier, flood, seat))
                })
            };
            let $pool = self;
            $enter
        }
    };
}

/// The part of [`fork_join!`] that joins a long leaf with tiny joins.
#[doc(hidden)]
#[macro_export]
macro_rules! fork_uneven {
    ($seat:ty, |$pool:ident, $f:ident| $enter:expr, |$job:ident, $a:ident, $b:ident| $join:expr) => {
        fn uneven(&self, work: &$crate::Uneven, iterations: u64) -> $crate::Answer {
            $crate::join_function!($seat, |$job, $a, $b| $join);

            fn tiny(work: &$crate::Uneven, seat: $seat) -> u64 {
                (0..work.tiny_joins).fold(0_u64, |total, i| {
                    let (a, b) = join(
                        seat,
                        |_| $crate::Uneven::tiny(i),
                        |_| $crate::Uneven::tiny(!i),
                    );
                    total.wrapping_add(a).wrapping_add(b)
                })
            }
            let $f = |seat: $seat| {
                $crate::repeat(iterations, work.expected, || {
                    let (long, tiny) = if work.long_first {
                        join(seat, |_| work.long(), |seat| tiny(work, seat))
                    } else {
                        let (tiny, long) = join(seat, |seat| tiny(work, seat), |_| work.long());
                        (long, tiny)
                    };
                    work.combine(long, tiny)
                })
            };
            let $pool = self;
            $enter
        }
    };
}

/// Writes `for_each` for a pool that has no such function, as a method of its
/// [`Contender`](crate::Contender): the slice is halved by joins down to 64 items. It is told what
/// [`fork_join!`] is told.
#[macro_export]
macro_rules! for_each_by_joins {
    ($seat:ty, |$pool:ident, $f:ident| $enter:expr, |$job:ident, $a:ident, $b:ident| $join:expr) => {
        fn for_each(
            &self,
            items: &mut $crate::Items,
            cost: $crate::Cost,
            iterations: u64,
        ) -> $crate::Answer {
            $crate::join_function!($seat, |$job, $a, $b| $join);

            /// As in forte's own benchmark of this.
            const LEAF: usize = 64;

            #[inline(never)]
            fn each(values: &mut [u64], f: &(impl Fn(&mut u64) + Sync), seat: $seat) {
                if values.len() <= LEAF {
                    values.iter_mut().for_each(f);
                    return;
                }
                let (left, right) = values.split_at_mut(values.len() / 2);
                join(
                    seat,
                    |seat| each(left, f, seat),
                    |seat| each(right, f, seat),
                );
            }
            // A pool may call it by reference.
            #[allow(unused_mut, reason = "or by value")]
            let mut $f = |seat: $seat| {
                items.repeat(cost, iterations, |values| {
                    $crate::by_cost!(cost, |f| each(values, &f, seat))
                })
            };
            let $pool = self;
            $enter
        }
    };
}

/// An expression with the function of a [`Cost`](crate::Cost) in it, compiled for each of them.
///
/// ```
/// use suite::{Cost, by_cost};
///
/// let mut items = [1, 2, 3];
/// by_cost!(Cost::OneNs, |f| items.iter_mut().for_each(f));
/// assert_ne!(items, [1, 2, 3]);
/// ```
#[macro_export]
macro_rules! by_cost {
    ($cost:expr, |$f:ident| $each:expr) => {
        match $cost {
            $crate::Cost::OneNs => {
                let $f = $crate::one_ns;
                $each
            }
            $crate::Cost::TenNs => {
                let $f = $crate::ten_ns;
                $each
            }
            $crate::Cost::Steps(steps) => {
                let $f = |item: &mut u64| *item = $crate::spin_from(*item, steps);
                $each
            }
        }
    };
}

pub(crate) use by_cost;
