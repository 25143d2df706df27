//! The clocks: the time of an event, and what the system says of a thread.

use crate::sync::Instant;
use crate::system;
use std::sync::OnceLock;

/// Nanoseconds since the first call.
#[inline]
pub(super) fn now() -> u64 {
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_nanos() as u64
}

/// For how long the calling thread has run, in nanoseconds. None where the system doesn't tell.
pub(super) fn ran() -> Option<u64> {
    // What the file of `system::delayed` says of it is a tick old.
    u64::try_from(system::ran()?.as_nanos()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_goes_on() {
        let first = now();
        assert!((0..1000).all(|_| now() >= first));
    }

    #[cfg(all(target_os = "linux", not(any(miri, heartbeat_loom, heartbeat_sim))))]
    #[test]
    fn a_thread_that_works_runs() {
        let before = ran().unwrap();
        let mut steps = 0_u64;
        while ran().unwrap() == before {
            steps += 1;
            assert!(steps < 1 << 32);
        }
    }
}
