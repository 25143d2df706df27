//! What the system says of the calling thread: Linux does, Android included; others are not asked,
//! and neither is anybody under Miri.

#[cfg(all(any(target_os = "linux", target_os = "android"), not(miri)))]
mod told {
    use rustix::time::{ClockId, clock_gettime};
    use std::cell::OnceCell;
    use std::fs::File;
    use std::os::unix::fs::FileExt;
    use std::time::Duration;

    thread_local! {
        /// The scheduler's account of a thread, which it keeps open.
        static SCHEDSTAT: OnceCell<Option<File>> = const { OnceCell::new() };
    }

    /// For how long the calling thread has had a core, to the microsecond.
    #[must_use]
    pub fn ran() -> Option<Duration> {
        clock_gettime(ClockId::ThreadCPUTime).try_into().ok()
    }

    /// For how long the calling thread could have run but had no core, in nanoseconds.
    #[must_use]
    pub fn delayed() -> Option<u64> {
        // Zero where there is no such file, for not all kernels keep that account.
        Some(read_delayed().unwrap_or(0))
    }

    fn read_delayed() -> Option<u64> {
        SCHEDSTAT
            .try_with(|file| {
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

    #[cfg(test)]
    mod tests {
        use super::*;

        /// As the system has it, second after the time that it ran.
        #[test]
        fn a_thread_was_delayed_for_as_long_as_it_had_to_wait() {
            let told = || -> Option<u64> {
                let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
                text.split_ascii_whitespace().nth(1)?.parse().ok()
            };
            let before = told().unwrap_or(0);
            let delayed = delayed().unwrap();
            assert!((before..=told().unwrap_or(0)).contains(&delayed));
        }

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
}

#[cfg(not(all(any(target_os = "linux", target_os = "android"), not(miri))))]
mod told {
    use std::time::Duration;

    /// For how long the calling thread has had a core, to the microsecond.
    #[must_use]
    pub fn ran() -> Option<Duration> {
        None
    }

    /// For how long the calling thread could have run but had no core, in nanoseconds.
    #[must_use]
    pub fn delayed() -> Option<u64> {
        None
    }
}

pub use told::{delayed, ran};
