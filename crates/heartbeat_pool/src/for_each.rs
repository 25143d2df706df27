//! `for_each`: a loop whose rest is shared whenever a beat comes, with no batch size to choose.
//!
//! The loop runs in pieces and polls the beat between them. A raised beat halves what is left and
//! offers one half, so the work splits only as often as there is somebody to take it: lazy
//! splitting (Tzannes et al., PPOPP 2010) on the heartbeat.

use crate::worker::Worker;
use std::ops::Range;
use std::time::Instant;

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
    /// What an item takes, in nanoseconds, once a piece was timed.
    item: Option<f64>,
    worth: f64,
    pieces: u32,
}

impl PieceSize {
    const UNTIMED_GROWTH: usize = 16;
    const UNTIMED: usize = 64;
    const WORTH_TIMING: usize = 64 * Self::UNTIMED;
    /// Untimed, the rest is cut no finer than this.
    const UNTIMED_REST: usize = 48;
    /// How long a timed piece may take, in nanoseconds: how late a beat is seen.
    const LONGEST: f64 = 3_000.0;
    const SHORTEST: f64 = 1_500.0;
    /// Towards the end, the two who share should end together: pieces are this part of what is left.
    const PART: f64 = 24.0;
    /// One of so many pieces is timed.
    const TIMED: u32 = 4;
    /// Items may differ, so the last ones' time is trusted this far.
    const GROWTH: usize = 8;
    /// What must be left, in nanoseconds, for sharing it to pay.
    const WORTH_SHARING: f64 = 4_000.0;
    /// The same for one of two who share already: what they pass to and fro at the end lies in the
    /// wrong cache when they come by again.
    const WORTH_SHARING_AGAIN: f64 = 20_000.0;
    /// A loop of fewer items is shared before its first one, for that may take long.
    const FEW: usize = 64;

    fn new(shared: bool) -> Self {
        Self {
            items: 1,
            timed: shared,
            item: None,
            worth: if shared {
                Self::WORTH_SHARING_AGAIN
            } else {
                Self::WORTH_SHARING
            },
            pieces: 0,
        }
    }

    /// Whether `left` items make a last piece.
    fn is_rest(&self, left: usize) -> bool {
        let coarse = !self.timed && self.items > 1;
        left <= if coarse {
            Self::UNTIMED_REST
        } else {
            self.items
        }
    }

    /// Whether `left` items are worth sharing, if that is known. Else, the next piece is a sample.
    fn is_worth_sharing(&mut self, left: usize) -> Option<bool> {
        if let Some(item) = self.item {
            return Some(item * left as f64 >= self.worth);
        }
        if self.items == 1 && left < Self::FEW {
            return Some(true);
        }
        self.timed = true;
        self.items = (left / Self::FEW + 3).min(Self::UNTIMED);
        None
    }

    /// Runs a piece of at most that size, with `left` items at its start, and sizes the next one.
    fn run(&mut self, left: usize, piece: impl FnOnce()) {
        self.timed |= self.items == Self::UNTIMED && left >= Self::WORTH_TIMING;
        if !self.timed {
            piece();
            self.items = (self.items * Self::UNTIMED_GROWTH).min(Self::UNTIMED);
            return;
        }
        self.pieces = self.pieces.saturating_add(1);
        if self.pieces > Self::TIMED && !self.pieces.is_multiple_of(Self::TIMED) {
            return piece();
        }
        let start = Instant::now();
        piece();
        let nanos = start.elapsed().as_nanos() as f64;
        let items = self.items.min(left / 2).max(1);
        let item = (nanos / items as f64).max(0.1);
        let rest = item * (left - items) as f64;
        let time = (rest / Self::PART).clamp(Self::SHORTEST, Self::LONGEST);
        self.item = Some(item);
        self.items = ((time / item) as usize).clamp(1, self.items * Self::GROWTH);
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
                match size.is_worth_sharing(left) {
                    Some(true) => return self.halves(rest, f),
                    Some(false) => {
                        self.decline_beat();
                        return f(rest);
                    }
                    None => {}
                }
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
    use std::time::Duration;

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
    #[cfg_attr(miri, ignore = "in an interpreter all work is long")]
    fn short_work_is_cut_a_few_times_and_long_work_seldom() {
        assert_eq!(pieces(1), [1]);
        assert_eq!(pieces(100), [1, 16, 41, 42]);
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
