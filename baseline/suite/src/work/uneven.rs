//! One long leaf beside a loop of tiny joins: what does the long one cost the tiny ones, and do
//! the two run side by side?

use crate::work::spin::spin;

/// The two sides of one join.
pub struct Uneven {
    /// Whether the long leaf is the join's first half.
    pub long_first: bool,
    /// The long leaf's [`spin`] steps.
    pub long_steps: u64,
    /// How many tiny joins the other half does.
    pub tiny_joins: u64,
    /// Both halves' results together.
    pub expected: u64,
}

impl Uneven {
    /// With that long a leaf and so many tiny joins.
    #[must_use]
    pub fn new(long_first: bool, long_steps: u64, tiny_joins: u64) -> Self {
        let mut work = Self {
            long_first,
            long_steps,
            tiny_joins,
            expected: 0,
        };
        work.expected = work.combine(work.long(), (0..tiny_joins).fold(0, tiny_serial));
        work
    }

    /// The long leaf.
    #[must_use]
    pub fn long(&self) -> u64 {
        spin(self.long_steps)
    }

    /// The result of the whole.
    #[must_use]
    pub fn combine(&self, long: u64, tiny: u64) -> u64 {
        long.wrapping_add(tiny)
    }

    /// One half of a tiny join: a few nanoseconds.
    #[inline]
    #[must_use]
    pub fn tiny(x: u64) -> u64 {
        let x = (x ^ (x >> 31)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x ^ (x >> 27)
    }
}

fn tiny_serial(sum: u64, i: u64) -> u64 {
    sum.wrapping_add(Uneven::tiny(i))
        .wrapping_add(Uneven::tiny(!i))
}

/// The serial reference.
pub fn serial(work: &Uneven) -> u64 {
    let tiny = (0..work.tiny_joins).fold(0, |sum, i| tiny_serial(sum, std::hint::black_box(i)));
    work.combine(work.long(), tiny)
}
