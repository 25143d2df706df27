//! For how long a thread has had a core.

use crate::none::{CLOCKS_TICK, Clock};
use std::time::Duration;

/// The clock of the thread that has made it, which other threads may read too.
///
/// ```
/// use heartbeat_system::ThreadClock;
///
/// if let Some(clock) = ThreadClock::of_this_thread() {
///     assert!(clock.ran().is_some());
/// }
/// ```
#[derive(Debug)]
pub struct ThreadClock {
    clock: Clock,
    /// When this was made.
    start: Duration,
}

impl ThreadClock {
    /// The calling thread's; none where the system has no such clocks.
    #[must_use]
    pub fn of_this_thread() -> Option<Self> {
        let clock = Clock::of_this_thread()?;
        let start = clock.read()?;
        Some(Self { clock, start })
    }

    /// For how long the thread has had a core since this was made: for as long as it runs, as of
    /// [`CLOCK_AGE`] ago at most. None if the system says nothing of it any more.
    #[must_use]
    pub fn ran(&self) -> Option<Duration> {
        Some(self.clock.read()?.saturating_sub(self.start))
    }
}

/// How old what a clock says of a running thread may be: Windows and Apple's systems count by ticks
/// and time slices, of 10 to 16 ms.
pub const CLOCK_AGE: Duration = Duration::from_millis(if CLOCKS_TICK { 16 } else { 0 });

#[cfg(all(
    test,
    any(target_os = "linux", windows, target_vendor = "apple"),
    not(any(miri, heartbeat_loom, heartbeat_sim))
))]
mod tests {
    use super::*;
    use std::sync::mpsc;
    use std::thread;

    #[cfg(target_os = "linux")]
    #[test]
    fn what_ran_before_it_is_not_counted() {
        let all = || crate::ran().unwrap();
        while all() < Duration::from_millis(5) {}
        let before = all();
        let clock = ThreadClock::of_this_thread().unwrap();
        let ran = clock.ran().unwrap();
        assert!(ran <= all() - before, "{ran:?}");
    }

    #[test]
    fn others_read_it_while_the_thread_runs() {
        let (to_us, from_thread) = mpsc::channel();
        let (to_thread, from_us) = mpsc::channel::<()>();
        let thread = thread::spawn(move || {
            to_us.send(ThreadClock::of_this_thread().unwrap()).unwrap();
            while from_us.try_recv() == Err(mpsc::TryRecvError::Empty) {}
        });
        let clock = from_thread.recv().unwrap();
        while clock.ran().unwrap() < Duration::from_millis(40) {
            thread::yield_now();
        }
        drop(to_thread);
        thread.join().unwrap();
    }
}
