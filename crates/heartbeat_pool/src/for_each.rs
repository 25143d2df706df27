//! `for_each`: a loop whose rest is shared whenever a beat comes, with no batch size to choose.
//!
//! The loop runs in pieces and polls the beat between them. A raised beat halves what is left and
//! offers one half, so the work splits only as often as there is somebody to take it: lazy
//! splitting (Tzannes et al., PPOPP 2010) on the heartbeat.

use crate::worker::Worker;
use std::ops::Range;
use std::time::{Duration, Instant};

/// Work that can be cut in two: a slice, a range, columns of a table.
pub trait Split: Send + Sized {
    /// How many items are left.
    fn len(&self) -> usize;

    /// Cuts off the first `at` items, `at` being at most [`len`](Self::len).
    #[must_use]
    fn split_at(self, at: usize) -> (Self, Self);

    /// Whether no item is left.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Split for Range<usize> {
    fn len(&self) -> usize {
        self.end.saturating_sub(self.start)
    }

    #[inline]
    fn split_at(self, at: usize) -> (Self, Self) {
        let middle = self.start + at;
        (self.start..middle, middle..self.end)
    }
}

impl<T: Sync> Split for &[T] {
    #[inline]
    fn len(&self) -> usize {
        <[T]>::len(self)
    }

    #[inline]
    fn split_at(self, at: usize) -> (Self, Self) {
        <[T]>::split_at(self, at)
    }
}

impl<T: Send> Split for &mut [T] {
    #[inline]
    fn len(&self) -> usize {
        <[T]>::len(self)
    }

    #[inline]
    fn split_at(self, at: usize) -> (Self, Self) {
        <[T]>::split_at_mut(self, at)
    }
}

/// How many items the loop runs between two polls. The first may be long, so it comes alone; then
/// pieces grow, for items may be short. They are timed where a clock costs next to nothing beside
/// what is left: in long loops, and once a beat has come.
struct PieceSize {
    items: usize,
    timed: bool,
}

impl PieceSize {
    const UNTIMED_GROWTH: usize = 4;
    const UNTIMED: usize = 64;
    const WORTH_TIMING: usize = 64 * Self::UNTIMED;
    /// Untimed, the rest is cut no finer than this.
    const UNTIMED_REST: usize = 24;
    /// How long a timed piece should take: how late a beat is seen.
    const DURATION: Duration = Duration::from_micros(10);
    /// Items may differ, so the last ones' time is trusted this far.
    const GROWTH: usize = 8;

    fn new(timed: bool) -> Self {
        Self { items: 1, timed }
    }

    /// Whether `left` items make a last piece.
    fn is_rest(&self, left: usize) -> bool {
        let coarse = !self.timed && self.items > Self::UNTIMED_GROWTH;
        left <= if coarse {
            Self::UNTIMED_REST
        } else {
            self.items
        }
    }

    /// Runs a piece of at most that size, with `left` items at its start, and sizes the next one.
    fn run(&mut self, left: usize, piece: impl FnOnce()) {
        self.timed |= self.items == Self::UNTIMED && left >= Self::WORTH_TIMING;
        if !self.timed {
            piece();
            self.items = (self.items * Self::UNTIMED_GROWTH).min(Self::UNTIMED);
            return;
        }
        let start = Instant::now();
        piece();
        let nanos = start.elapsed().as_nanos().max(1);
        let items = Self::DURATION.as_nanos() * self.items as u128 / nanos;
        self.items = (items as usize).clamp(1, self.items * Self::GROWTH);
    }
}

impl Worker {
    /// Calls `f` with pieces of `work` until there is nothing left of it, splitting it between
    /// threads as they come free. Which pieces there are is not specified. See
    /// [`for_each_piece`](crate::for_each_piece()).
    ///
    /// # Panics
    ///
    /// With `f`'s payload; pieces that others have not begun yet are dropped.
    #[inline]
    pub fn for_each_piece<W: Split>(&self, work: W, f: impl Fn(W) + Sync) {
        self.pieces(work, false, &f);
    }

    /// Calls `f` on every item, splitting the slice between threads as they come free. See
    /// [`for_each`](crate::for_each()).
    ///
    /// # Panics
    ///
    /// With `f`'s payload; not every item may have been visited then.
    #[inline]
    pub fn for_each<T: Send>(&self, items: &mut [T], f: impl Fn(&mut T) + Sync) {
        let f = |piece: &mut [T]| piece.iter_mut().for_each(&f);
        self.pieces(items, false, &f);
    }

    fn pieces<W: Split>(&self, mut rest: W, shared: bool, f: &(impl Fn(W) + Sync)) {
        let mut size = PieceSize::new(shared);
        loop {
            let left = rest.len();
            if left > 1 && self.poll_beat() {
                return self.halves(rest, f);
            }
            if size.is_rest(left) {
                if left > 0 {
                    f(rest);
                }
                return;
            }
            // Not more than half, so that whoever comes free is not kept waiting for long.
            let (piece, others) = rest.split_at(size.items.min(left / 2));
            rest = others;
            size.run(left, || f(piece));
        }
    }

    #[cold]
    fn halves<W: Split>(&self, work: W, f: &(impl Fn(W) + Sync)) {
        let middle = work.len() / 2;
        let (left, right) = work.split_at(middle);
        self.join(
            |worker| worker.pieces(left, true, f),
            |worker| worker.pieces(right, true, f),
        );
    }
}

/// Calls `f` on every item, splitting the slice between threads as they come free. There is no
/// batch size to choose: a short slice costs what a plain loop costs, a long one is shared.
///
/// In no pool at all, it is a plain loop.
///
/// # Panics
///
/// As [`Worker::for_each`].
///
/// ```
/// let pool = heartbeat_pool::ThreadPool::builder().num_threads(2).build().unwrap();
/// let mut numbers: Vec<u64> = (0..1000).collect();
/// pool.with_worker(|_| heartbeat_pool::for_each(&mut numbers, |n| *n *= 2));
/// assert_eq!(numbers[999], 1998);
/// ```
pub fn for_each<T: Send>(items: &mut [T], f: impl Fn(&mut T) + Sync) {
    Worker::with_current(|worker| match worker {
        Some(worker) => worker.for_each(items, f),
        None => items.iter_mut().for_each(f),
    });
}

/// Calls `f` with pieces of `work` until there is nothing left of it, splitting it between threads
/// as they come free. Which pieces there are is not specified, but that none is empty.
///
/// In no pool at all, there is one piece.
///
/// # Panics
///
/// As [`Worker::for_each_piece`].
///
/// ```
/// use std::sync::atomic::{AtomicUsize, Ordering};
///
/// let pool = heartbeat_pool::ThreadPool::builder().num_threads(2).build().unwrap();
/// let sum = AtomicUsize::new(0);
/// pool.with_worker(|_| {
///     heartbeat_pool::for_each_piece(0..1000, |piece| {
///         sum.fetch_add(piece.sum(), Ordering::Relaxed);
///     });
/// });
/// assert_eq!(sum.into_inner(), 499_500);
/// ```
pub fn for_each_piece<W: Split>(work: W, f: impl Fn(W) + Sync) {
    Worker::with_current(|worker| match worker {
        Some(worker) => worker.for_each_piece(work, f),
        None if work.is_empty() => (),
        None => f(work),
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sizes of the pieces of `items` items that take no time to speak of.
    fn pieces(items: usize) -> Vec<usize> {
        let mut size = PieceSize::new(false);
        let (mut left, mut sizes) = (items, Vec::new());
        while !size.is_rest(left) {
            let piece = size.items.min(left / 2);
            sizes.push(piece);
            size.run(left, || ());
            left -= piece;
        }
        sizes.push(left);
        sizes
    }

    #[test]
    fn short_work_is_cut_a_few_times_and_long_work_seldom() {
        assert_eq!(pieces(1), [1]);
        assert_eq!(pieces(100), [1, 4, 16, 39, 20, 20]);
        let many = pieces(10_000_000);
        assert!(many.len() < 500, "{}", many.len());
        assert_eq!(many.iter().sum::<usize>(), 10_000_000);
    }

    #[test]
    fn long_items_go_one_by_one_once_somebody_shares_them() {
        let mut size = PieceSize::new(true);
        for _ in 0..3 {
            size.run(10, || std::thread::sleep(Duration::from_millis(1)));
            assert_eq!(size.items, 1);
        }
    }
}
