//! Whether a thread goes on though more run than should.

use crate::lanes::occupancy::Occupancy;
use heartbeat_record::Lane;
use std::cell::Cell;

/// Whether its thread relieves a pool whose running jobs block: it goes on beyond the target
/// until one of those stands down.
#[derive(Default)]
pub(crate) struct Relief(Cell<bool>);

impl Relief {
    /// The thread begins to relieve those that run `lane`, counted as one of them. Of the lower
    /// lanes it runs no more than what it was let in for.
    pub(crate) fn begin(&self, lane: Lane) {
        self.0.set(lane == Lane::Frame);
    }

    /// The thread has left the count.
    pub(crate) fn end(&self) {
        self.0.set(false);
    }

    /// Whether the thread, which is counted as running `lane`, should stop taking its jobs. Those
    /// that the thread relieves do so when their jobs end, so it may go on; then it is within
    /// the target.
    pub(crate) fn is_one_too_many(&self, occupancy: &Occupancy, lane: Lane) -> bool {
        let crowded = occupancy.crowded(lane);
        if !crowded {
            self.0.set(false);
        }
        crowded && !self.0.get()
    }
}
