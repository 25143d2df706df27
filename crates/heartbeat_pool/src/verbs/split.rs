//! Work that loops over parts can cut.

use std::ops::Range;

/// Work that can be cut in two: a slice, a range, columns of a table.
pub trait Split: Send + Sized {
    /// How many items are left.
    fn size(&self) -> usize;

    /// Cuts off the first `at` items, `at` being at most [`size`](Self::size).
    #[must_use]
    fn split_at(self, at: usize) -> (Self, Self);
}

impl Split for Range<usize> {
    fn size(&self) -> usize {
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
    fn size(&self) -> usize {
        <[T]>::len(self)
    }

    #[inline]
    fn split_at(self, at: usize) -> (Self, Self) {
        <[T]>::split_at(self, at)
    }
}

impl<T: Send> Split for &mut [T] {
    #[inline]
    fn size(&self) -> usize {
        <[T]>::len(self)
    }

    #[inline]
    fn split_at(self, at: usize) -> (Self, Self) {
        <[T]>::split_at_mut(self, at)
    }
}
