//! Short waits on a running thread, for what is likely to come before a sleep would pay.

use crate::sync::{Instant, hint};
use std::time::Duration;

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
        // Without a clock there is no other thread either.
        let is_web = cfg!(all(target_arch = "wasm32", target_os = "unknown"));
        if is_web || start.elapsed() >= limit {
            return false;
        }
    }
}
