//! How old what a thread has queued is, beside what else it has queued: a thread numbers what it
//! queues.

use heartbeat_record::note;
use std::num::NonZeroU64;

/// The number of a thread, then that of what it has queued, then a one. What a thread has queued
/// begins anew after the last number: at one each ten nanoseconds, after an hour and a half.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub(crate) struct Age(NonZeroU64);

/// Of the thread's number.
const THREAD_BITS: u32 = 24;

/// The number of the calling thread in ages, which is not 0. Of more than sixteen million threads
/// some have the same: what one of these has queued may count as older than it is.
pub(crate) fn this_thread() -> u32 {
    1 + note::this_thread() % ((1 << THREAD_BITS) - 1)
}

impl Age {
    /// That of what `thread` has queued as its `nth`.
    pub(crate) fn new(thread: u32, nth: u64) -> Self {
        let thread = u64::from(thread) << (u64::BITS - THREAD_BITS);
        Self(NonZeroU64::MIN | thread | (nth << 1 << THREAD_BITS >> THREAD_BITS))
    }

    /// Whose it is, by [`this_thread`].
    pub(crate) fn thread(self) -> u32 {
        (self.0.get() >> (u64::BITS - THREAD_BITS)) as u32
    }

    /// Which of those that the thread has queued it is.
    fn nth(self) -> u64 {
        self.0.get() << THREAD_BITS >> THREAD_BITS >> 1
    }

    /// Whether it was queued before `other`, by the same thread.
    pub(crate) fn is_before(self, other: Self) -> bool {
        let since = self.0.get().wrapping_sub(other.0.get()) << THREAD_BITS;
        self.thread() == other.thread() && since.cast_signed().is_negative()
    }

    /// No younger than whatever the thread has queued after this.
    pub(crate) fn next(self) -> Self {
        Self::new(self.thread(), self.nth().wrapping_add(1))
    }

    /// In one word, which is 0 for none.
    pub(crate) fn to_bits(age: Option<Self>) -> u64 {
        age.map_or(0, |age| age.0.get())
    }

    /// What [`to_bits`](Self::to_bits) was called on.
    pub(crate) fn from_bits(bits: u64) -> Option<Self> {
        NonZeroU64::new(bits).map(Self)
    }
}

/// What lies in a queue where others may take it by its age.
pub(crate) trait HasAge {
    /// None if it isn't known.
    fn age(&self) -> Option<Age>;
}

/// A job that knows its age.
pub(crate) struct Aged<T> {
    pub(crate) item: T,
    age: Option<Age>,
}

impl<T> Aged<T> {
    pub(crate) fn new(item: T, age: Option<Age>) -> Self {
        Self { item, age }
    }
}

impl<T> HasAge for Aged<T> {
    fn age(&self) -> Option<Age> {
        self.age
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_came_before_is_told_of_one_thread_however_many_came() {
        const LAST: u64 = u64::MAX >> THREAD_BITS >> 1;
        for (nth, many) in [(0, 1), (7, LAST / 2), (LAST, 1), (LAST - 9, LAST / 2)] {
            for thread in [1, (1 << THREAD_BITS) - 1] {
                let (first, then) = (Age::new(thread, nth), Age::new(thread, nth + many));
                assert!(first.is_before(then) && !then.is_before(first));
                assert!(first.is_before(first.next()) && !first.is_before(first));
                assert!(!first.is_before(Age::new(2, nth + many)));
                assert_eq!((first.thread(), then.thread()), (thread, thread));
                assert_eq!(Age::from_bits(Age::to_bits(Some(then))), Some(then));
            }
        }
        assert_eq!(Age::from_bits(Age::to_bits(None)), None);
    }
}
