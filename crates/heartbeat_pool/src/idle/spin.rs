//! Short waits on a running thread, for what is likely to come before a sleep would pay.

use crate::sync::{Instant, hint};
use std::time::Duration;

/// How long a thread looks that waits for others to be done with what it has shared. It is late for
/// all that comes after if it sleeps, by what a core takes to wake that sleeps as well: 30 to 60
/// microseconds in a virtual machine.
pub(crate) const IN_WAIT: Duration = Duration::from_micros(50);

/// Looks at `probe` until it is true (and says so), for `limit` at most.
pub(crate) fn until(limit: Duration, mut probe: impl FnMut() -> bool) -> bool {
    let start = Instant::now();
    loop {
        // A clock costs about as much as two pauses.
        for _ in 0..4 {
            if probe() {
                return true;
            }
            hint::spin_loop();
        }
        if start.elapsed() >= limit {
            return false;
        }
    }
}
