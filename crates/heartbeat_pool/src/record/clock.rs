//! The clocks: the time of an event, and what the system says of a thread.

use crate::sync::Instant;
use crate::thread_clock;
use std::sync::OnceLock;

/// Nanoseconds since the first call.
#[inline]
pub(super) fn now() -> u64 {
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_nanos() as u64
}

/// For how long the calling thread has run, in nanoseconds. None where the system doesn't tell.
pub(super) fn ran() -> Option<u64> {
    // What the file of `delayed` says of it is a tick old.
    u64::try_from(thread_clock::this_thread()?.as_nanos()).ok()
}

/// For how long the calling thread could have run but had no core, in nanoseconds. None where the
/// system doesn't tell.
pub(super) fn delayed() -> Option<u64> {
    schedstat::delayed()
}

/// The scheduler's account of a thread, in a file that each thread keeps open.
#[cfg(all(
    any(target_os = "linux", target_os = "android"),
    not(any(miri, heartbeat_loom, heartbeat_sim))
))]
mod schedstat {
    use std::cell::OnceCell;
    use std::fs::File;
    use std::os::unix::fs::FileExt;

    thread_local! {
        static FILE: OnceCell<Option<File>> = const { OnceCell::new() };
    }

    /// Zero where there is no such file, for not all kernels keep that account.
    pub(super) fn delayed() -> Option<u64> {
        Some(read().unwrap_or(0))
    }

    fn read() -> Option<u64> {
        FILE.try_with(|file| {
            let open = || File::open("/proc/thread-self/schedstat").ok();
            let mut bytes = [0; 64];
            let length = file
                .get_or_init(open)
                .as_ref()?
                .read_at(&mut bytes, 0)
                .ok()?;
            let text = std::str::from_utf8(bytes.get(..length)?).ok()?;
            text.split_ascii_whitespace().nth(1)?.parse().ok()
        })
        .ok()?
    }
}

#[cfg(not(all(
    any(target_os = "linux", target_os = "android"),
    not(any(miri, heartbeat_loom, heartbeat_sim))
)))]
mod schedstat {
    pub(super) fn delayed() -> Option<u64> {
        None
    }
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
