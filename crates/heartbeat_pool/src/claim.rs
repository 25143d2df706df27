//! Who runs a promoted job: its owner or a thief, decided once.

use crate::sync::{AtomicU8, Ordering};

const PENDING: u8 = 0;
const RECOVERED: u8 = 1;
const TAKEN: u8 = 2;
const DONE: u8 = 3;

/// The state of a promoted job.
///
/// | state     | means                         | leaves by                    |
/// | --------- | ----------------------------- | ---------------------------- |
/// | PENDING   | anyone may claim it           | `try_recover`, `try_take`    |
/// | RECOVERED | its owner runs it             | never                        |
/// | TAKEN     | a thief runs it               | `finish`                     |
/// | DONE      | the thief's result is written | never                        |
#[derive(Debug)]
pub(crate) struct Claim(AtomicU8);

impl Claim {
    pub(crate) fn new() -> Self {
        Self(AtomicU8::new(PENDING))
    }

    /// The owner's claim.
    #[must_use]
    pub(crate) fn try_recover(&self) -> bool {
        // Relaxed: the owner wrote the job itself; losing is followed by the Acquire of `is_done`.
        self.0
            .compare_exchange(PENDING, RECOVERED, Ordering::Relaxed, Ordering::Relaxed)
            .is_ok()
    }

    /// A thief's claim.
    #[must_use]
    pub(crate) fn try_take(&self) -> bool {
        // Relaxed: the lock of the promoted list, taken by owner and thief, orders the job's data.
        self.0
            .compare_exchange(PENDING, TAKEN, Ordering::Relaxed, Ordering::Relaxed)
            .is_ok()
    }

    /// The thief's last step: its result is written.
    pub(crate) fn finish(&self) {
        // Release pairs with the Acquire in `is_done`.
        self.0.store(DONE, Ordering::Release);
    }

    /// Whether the owner may read the thief's result.
    pub(crate) fn is_done(&self) -> bool {
        // Acquire pairs with the Release in `finish`.
        self.0.load(Ordering::Acquire) == DONE
    }
}
