//! How long a thread has had a core, for itself and for others that ask.

use std::time::Duration;

/// The clock of the thread that has made it, which other threads may read too.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ThreadClock {
    clock: clocks::Id,
    /// When this was made.
    start: Duration,
}

impl ThreadClock {
    /// The calling thread's; none where the system has no such clocks.
    pub(crate) fn of_this_thread() -> Option<Self> {
        let clock = clocks::of_this_thread()?;
        let start = clocks::read(clock)?;
        Some(Self { clock, start })
    }

    /// For how long the thread has had a core since this was made: for as long as it runs.
    pub(crate) fn ran(self) -> Option<Duration> {
        Some(clocks::read(self.clock)?.saturating_sub(self.start))
    }
}

/// For how long the calling thread has had a core; none where the system doesn't tell.
pub(crate) fn this_thread() -> Option<Duration> {
    clocks::this_thread()
}

#[cfg(all(
    any(target_os = "linux", target_os = "android"),
    not(any(miri, heartbeat_loom, heartbeat_sim))
))]
mod clocks {
    use rustix::time::{ClockId, clock_gettime};
    use std::mem::MaybeUninit;
    use std::time::Duration;

    pub(super) type Id = libc::clockid_t;

    pub(super) fn of_this_thread() -> Option<Id> {
        // SAFETY: it has no conditions.
        let thread = unsafe { libc::pthread_self() };
        let mut clock = MaybeUninit::uninit();
        // SAFETY: the thread is this one, which runs, and the pointer is to a place for the result.
        let refused = unsafe { libc::pthread_getcpuclockid(thread, clock.as_mut_ptr()) };
        if refused != 0 {
            return None;
        }
        // SAFETY: it was written, for the call has succeeded.
        Some(unsafe { clock.assume_init() })
    }

    pub(super) fn read(clock: Id) -> Option<Duration> {
        let mut time = MaybeUninit::<libc::timespec>::uninit();
        // SAFETY: the pointer is to a place for the result. The clock of a thread that has ended is
        // refused, or another thread's by now, which is a wrong time and no more.
        let refused = unsafe { libc::clock_gettime(clock, time.as_mut_ptr()) };
        if refused != 0 {
            return None;
        }
        // SAFETY: it was written, for the call has succeeded.
        let time = unsafe { time.assume_init() };
        let seconds = u64::try_from(time.tv_sec).ok()?;
        Some(Duration::new(seconds, u32::try_from(time.tv_nsec).ok()?))
    }

    pub(super) fn this_thread() -> Option<Duration> {
        clock_gettime(ClockId::ThreadCPUTime).try_into().ok()
    }
}

#[cfg(not(all(
    any(target_os = "linux", target_os = "android"),
    not(any(miri, heartbeat_loom, heartbeat_sim))
)))]
mod clocks {
    use std::time::Duration;

    pub(super) type Id = ();

    pub(super) fn of_this_thread() -> Option<Id> {
        None
    }

    pub(super) fn read(_: Id) -> Option<Duration> {
        None
    }

    pub(super) fn this_thread() -> Option<Duration> {
        None
    }
}

#[cfg(all(
    test,
    target_os = "linux",
    not(any(miri, heartbeat_loom, heartbeat_sim))
))]
mod tests {
    use super::*;
    use std::sync::mpsc;
    use std::thread;

    #[test]
    fn others_read_it_while_the_thread_runs() {
        let (to_us, from_thread) = mpsc::channel();
        let (to_thread, from_us) = mpsc::channel::<()>();
        let thread = thread::spawn(move || {
            to_us.send(ThreadClock::of_this_thread().unwrap()).unwrap();
            while from_us.try_recv() == Err(mpsc::TryRecvError::Empty) {}
        });
        let clock = from_thread.recv().unwrap();
        while clock.ran().unwrap() < Duration::from_millis(5) {
            thread::yield_now();
        }
        drop(to_thread);
        thread.join().unwrap();
    }
}
