//! How old what a thread has queued is, beside what else it has queued: a thread numbers what it
//! queues.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Age {
    /// The number of the thread, not 0.
    pub(crate) thread: u32,
    /// The number of what it has queued, which begins anew after the last.
    pub(crate) nth: u32,
}

impl Age {
    /// Whether it was queued before `other`, by the same thread.
    pub(crate) fn is_before(self, other: Self) -> bool {
        self.thread == other.thread && self.nth.wrapping_sub(other.nth) > u32::MAX / 2
    }

    /// No younger than whatever the thread has queued after this.
    pub(crate) fn next(self) -> Self {
        let nth = self.nth.wrapping_add(1);
        Self { nth, ..self }
    }

    /// The same in one word, which is not 0.
    pub(crate) fn to_bits(self) -> u64 {
        (u64::from(self.thread) << 32) | u64::from(self.nth)
    }

    /// What [`to_bits`](Self::to_bits) was called on; none of 0.
    pub(crate) fn from_bits(bits: u64) -> Option<Self> {
        (bits != 0).then_some(Self {
            thread: (bits >> 32) as u32,
            nth: bits as u32,
        })
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
    /// See [`Age::to_bits`].
    age: u64,
}

impl<T> Aged<T> {
    pub(crate) fn new(item: T, age: Option<Age>) -> Self {
        let age = age.map_or(0, Age::to_bits);
        Self { item, age }
    }
}

impl<T> HasAge for Aged<T> {
    fn age(&self) -> Option<Age> {
        Age::from_bits(self.age)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_came_before_is_told_of_one_thread_however_many_came() {
        for nth in [0, 7, u32::MAX] {
            let [first, next] = [nth, nth.wrapping_add(1)].map(|nth| Age { thread: 1, nth });
            assert!(first.is_before(next) && !next.is_before(first) && !first.is_before(first));
            assert!(!first.is_before(Age { thread: 2, ..next }));
            assert_eq!(Age::from_bits(next.to_bits()), Some(next));
        }
        assert_eq!(Age::from_bits(0), None);
    }
}
