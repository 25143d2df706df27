//! A slice to run over, with work of known cost per item.

use crate::answer::{Answer, check};
use crate::work::spin::spin_from;
use std::hint::black_box;
use std::mem;
use std::time::Instant;

/// What is done to each item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cost {
    /// [`one_ns`].
    OneNs,
    /// [`ten_ns`].
    TenNs,
    /// [`spin_from`] with that many steps.
    Steps(u64),
}

impl Cost {
    /// Does it to one item.
    pub fn apply(self, item: &mut u64) {
        match self {
            Self::OneNs => one_ns(item),
            Self::TenNs => ten_ns(item),
            Self::Steps(steps) => *item = spin_from(*item, steps),
        }
    }
}

/// About a nanosecond an item.
#[inline(always)]
pub fn one_ns(item: &mut u64) {
    *item = rounds::<2>(*item);
}

/// About ten nanoseconds an item.
#[inline(always)]
pub fn ten_ns(item: &mut u64) {
    *item = rounds::<16>(*item);
}

#[inline(always)]
fn rounds<const N: u32>(mut x: u64) -> u64 {
    for _ in 0..N {
        // A variable rotation: neighbouring items can't share vector registers.
        x = x
            .wrapping_mul(0xbf58_476d_1ce4_e5b9)
            .rotate_right((x >> 59) as u32);
    }
    x
}

/// Items that have all been through the same, so one of them tells what each must be.
pub struct Items {
    values: Vec<u64>,
    expected: u64,
    /// The seconds of each call, if they are kept.
    times: Option<Vec<f64>>,
}

impl Items {
    /// That many items, at least one.
    #[must_use]
    pub fn new(len: usize) -> Self {
        const SEED: u64 = 0x9e37_79b9_7f4a_7c15;
        Self {
            values: vec![SEED; len.max(1)],
            expected: SEED,
            times: None,
        }
    }

    /// Keeps from now on what each call takes, without what leads into the pool.
    #[must_use]
    pub fn timed(mut self) -> Self {
        self.times = Some(Vec::new());
        self
    }

    /// The seconds of each call since this was asked last.
    pub fn take_times(&mut self) -> Vec<f64> {
        self.times.as_mut().map(mem::take).unwrap_or_default()
    }

    /// Calls `for_each` on the slice so often, and looks at three items after each. The rest is
    /// left to [`verify`](Self::verify), which is not timed.
    ///
    /// # Errors
    ///
    /// [`Refusal::Wrong`](crate::Refusal::Wrong).
    #[inline]
    pub fn repeat(
        &mut self,
        cost: Cost,
        iterations: u64,
        mut for_each: impl FnMut(&mut [u64]),
    ) -> Answer {
        let last = self.values.len() - 1;
        for _ in 0..iterations {
            let begin = self.times.is_some().then(Instant::now);
            for_each(black_box(&mut self.values));
            if let (Some(begin), Some(times)) = (begin, &mut self.times) {
                times.push(begin.elapsed().as_secs_f64());
            }
            cost.apply(&mut self.expected);
            for place in [0, last / 2, last] {
                check(self.expected, self.values[place])?;
            }
        }
        Ok(())
    }

    /// Looks at every item.
    ///
    /// # Errors
    ///
    /// [`Refusal::Wrong`](crate::Refusal::Wrong).
    pub fn verify(&self) -> Answer {
        self.values
            .iter()
            .try_for_each(|&value| check(self.expected, value))
    }
}
