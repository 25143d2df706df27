//! How fast a pool's jobs go, from one look to the next.

use crate::cost;
use std::mem;
use std::time::Duration;

/// Beats in a row for which brisk ones are let be; then somebody looks whatever their pace.
pub(super) const BRISK_BEATS: u32 = 4;

/// The jobs that a pool had run by the last look.
pub(super) struct Pace(u64);

impl Pace {
    pub(super) fn new(progress: u64) -> Self {
        Self(progress)
    }

    /// The jobs since the last look.
    pub(super) fn advance(&mut self, progress: u64) -> u64 {
        // A seat that left takes its count along.
        progress.saturating_sub(mem::replace(&mut self.0, progress))
    }
}

/// Whether so many jobs in this time mean that one more thread would be in the way of those who run
/// them.
pub(super) fn is_brisk(jobs: u64, time: Duration) -> bool {
    !cost::is_worth_taking(u32::try_from(jobs).unwrap_or(u32::MAX), time)
}
