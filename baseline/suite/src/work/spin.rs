//! Work of a given length that reads no clock: a chain of dependent arithmetic.

use std::hint::black_box;
use std::time::{Duration, Instant};

/// One chain of that many steps.
#[must_use]
pub fn spin(steps: u64) -> u64 {
    spin_from(black_box(1), steps)
}

/// As [`spin`], starting from `x`.
#[inline]
#[must_use]
pub fn spin_from(mut x: u64, steps: u64) -> u64 {
    for _ in 0..steps {
        x = (x ^ (x >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    }
    x
}

/// Turns lengths of time into [`spin`]'s steps.
#[derive(Clone, Copy, Debug)]
pub struct Spinner {
    steps_per_second: f64,
}

impl Spinner {
    /// Measures how long a step takes.
    #[must_use]
    pub fn calibrate() -> Self {
        const STEPS: u64 = 1 << 20;
        let time = || {
            let start = Instant::now();
            black_box(spin(STEPS));
            start.elapsed()
        };
        // The shortest is the one that was least disturbed.
        let shortest = (0..15).map(|_| time()).min().unwrap_or_default();
        let shortest = shortest.max(Duration::from_nanos(1));
        Self {
            steps_per_second: STEPS as f64 / shortest.as_secs_f64(),
        }
    }

    /// The steps that take this long.
    #[must_use]
    pub fn steps(self, time: Duration) -> u64 {
        (self.steps_per_second * time.as_secs_f64()).round() as u64
    }
}
