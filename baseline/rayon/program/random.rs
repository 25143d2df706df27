//! Numbers that look random and are the same in every run.

use suite::mix;

/// A counter whose steps are mixed (splitmix64).
pub struct Random(u64);

impl Random {
    /// The same seed gives the same numbers.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// All bits are used.
    pub fn next(&mut self) -> u64 {
        let next = mix(self.0);
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        next
    }

    /// Below `end`, nearly evenly.
    pub fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    /// From 0 to 1.
    pub fn share(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }
}
