//! Time that one thread adds up and others read, while a stretch lasts too.

use crate::sync::{AtomicU64, Instant, OnceLock, Ordering};
use std::time::Duration;

/// Nanoseconds since the first call, never zero.
pub(crate) fn now() -> u64 {
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_nanos() as u64 + 1
}

type Word = u64;
/// The bit that says that one does.
const RUNS: Word = 1;

/// A sum of stretches of time. One thread starts and stops it, any thread reads it.
///
/// All of it is one word, so that no reader counts a stretch twice or leaves it out: the sum lies
/// above the bit [`RUNS`]; while a stretch lasts, the time at which it began is taken off already,
/// so that what is read with the present time added is right.
#[derive(Debug, Default)]
pub(crate) struct Stopwatch(AtomicU64);

impl Stopwatch {
    pub(crate) fn is_running(&self) -> bool {
        // Relaxed, here and below: the word says all by itself.
        self.0.load(Ordering::Relaxed) & RUNS != 0
    }

    /// A stretch begins, unless one lasts. Owner only.
    pub(crate) fn start(&self, now: u64) {
        if !self.is_running() {
            let sum = self.0.load(Ordering::Relaxed);
            self.0
                .store(sum.wrapping_sub(now << 1) | RUNS, Ordering::Relaxed);
        }
    }

    /// The stretch ends, if one lasts. Owner only.
    pub(crate) fn stop(&self, now: u64) {
        if self.is_running() {
            let less = self.0.load(Ordering::Relaxed) & !RUNS;
            self.0.store(less.wrapping_add(now << 1), Ordering::Relaxed);
        }
    }

    /// The sum, by a clock that is looked at after it was read.
    pub(crate) fn read(&self, now: impl FnOnce() -> u64) -> Duration {
        let word = self.0.load(Ordering::Relaxed);
        let sum = if word & RUNS == 0 {
            word
        } else {
            (word & !RUNS).wrapping_add(now() << 1)
        };
        // Below zero only if the processor has looked at the clock first, and then just so.
        Duration::from_nanos((sum as i64 >> 1).max(0) as u64)
    }
}

#[cfg(all(test, not(heartbeat_loom)))]
mod tests {
    use super::*;

    const NS: Duration = Duration::from_nanos(1);

    #[test]
    fn stretches_are_added_up_and_the_present_one_counts() {
        let watch = Stopwatch::default();
        let at = |now| watch.read(|| now);
        assert_eq!(at(1_000), Duration::ZERO);
        watch.start(100);
        assert_eq!((at(100), at(130)), (Duration::ZERO, 30 * NS));
        watch.start(120);
        watch.stop(150);
        assert_eq!((at(150), at(u64::MAX >> 1)), (50 * NS, 50 * NS));
        watch.stop(190);
        watch.start(1_000);
        assert!(watch.is_running());
        assert_eq!(at(1_007), 57 * NS);
        // A clock that was looked at too soon.
        assert_eq!(at(900), Duration::ZERO);
        watch.stop(1_010);
        assert_eq!((at(0), watch.is_running()), (60 * NS, false));
    }

    #[test]
    fn a_reader_never_sees_more_than_has_passed() {
        const STRETCHES: u64 = if cfg!(miri) { 50 } else { 20_000 };
        let watch = Stopwatch::default();
        let is_over = std::sync::atomic::AtomicBool::new(false);
        let began = now();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for _ in 0..STRETCHES {
                    watch.start(now());
                    watch.stop(now());
                }
                is_over.store(true, Ordering::Release);
            });
            while !is_over.load(Ordering::Acquire) {
                let sum = watch.read(now);
                assert!(sum <= Duration::from_nanos(now() - began), "{sum:?}");
            }
        });
    }
}
