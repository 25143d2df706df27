//! A lane's queue of work that lies in no worker's deque: first in, first out, or about so once it
//! has overflowed.
//!
//! A queue that grows frees its blocks on the threads that empty it, while those that fill it
//! allocate, and both contend for the allocator's lock. So few jobs lie in a ring, which allocates
//! nothing. Whoever pops at a slot that another thread is about to fill spins until it has; what
//! that may cost is told in `idle/README.md`.

use concurrent_queue::{ConcurrentQueue, PushError};

/// More jobs than a frame is likely to have at a time: 24 kilobytes.
const FEW: usize = 1024;

/// The oldest jobs lie in the ring. Parts of jobs that run lie apart from those that are yet to
/// begin, for a job may wait for its own parts however many others run or wait.
pub(crate) struct Injector<T> {
    ring: ConcurrentQueue<T>,
    overflow: ConcurrentQueue<T>,
    parts: ConcurrentQueue<T>,
}

impl<T> Injector<T> {
    pub(crate) fn new() -> Self {
        Self::with_ring(FEW)
    }

    fn with_ring(capacity: usize) -> Self {
        Self {
            ring: ConcurrentQueue::bounded(capacity),
            overflow: ConcurrentQueue::unbounded(),
            parts: ConcurrentQueue::unbounded(),
        }
    }

    /// Queues `job`, or gives it back if the queue is closed.
    pub(crate) fn push(&self, job: T) -> Result<(), T> {
        // Behind those that lie in the overflow, which would stay there for as long as the ring is
        // never empty. A thread that sees an old state puts the job before or behind a few others.
        let job = if self.overflow.is_empty() {
            match self.ring.push(job) {
                Ok(()) => return Ok(()),
                Err(refused) => refused.into_inner(),
            }
        } else {
            job
        };
        self.overflow.push(job).map_err(PushError::into_inner)
    }

    pub(crate) fn push_part(&self, part: T) -> Result<(), T> {
        self.parts.push(part).map_err(PushError::into_inner)
    }

    pub(crate) fn pop_part(&self) -> Option<T> {
        // There are mostly none, and two loads tell, where an attempt costs a fence.
        if !self.has_parts() {
            return None;
        }
        self.parts.pop().ok()
    }

    pub(crate) fn has_parts(&self) -> bool {
        !self.parts.is_empty()
    }

    pub(crate) fn pop(&self) -> Option<T> {
        self.ring.pop().or_else(|_| self.overflow.pop()).ok()
    }

    /// Whether there are neither jobs nor parts.
    pub(crate) fn is_empty(&self) -> bool {
        self.ring.is_empty() && self.overflow.is_empty() && self.parts.is_empty()
    }

    pub(crate) fn len(&self) -> usize {
        self.ring.len() + self.overflow.len() + self.parts.len()
    }

    /// Refuses what comes from now on. What is queued is the caller's to take.
    pub(crate) fn close(&self) {
        // The ring first: what it refuses is refused by the overflow as well, or lies there for the
        // caller.
        self.ring.close();
        self.overflow.close();
        self.parts.close();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread;

    const RING: usize = 4;

    #[test]
    fn jobs_come_in_order_though_the_ring_is_full() {
        let injector = Injector::with_ring(RING);
        let mut next = 0;
        for round in 0..3 {
            (0..3 * RING).for_each(|job| injector.push(round * 100 + job).unwrap());
            // The ring has room now, but others wait in front.
            (0..RING).for_each(|job| assert_eq!(injector.pop(), Some(round * 100 + job)));
            injector.push(round * 100 + 3 * RING).unwrap();
            assert_eq!(injector.len(), 2 * RING + 1);
            for job in RING..=3 * RING {
                next = round * 100 + job;
                assert_eq!(injector.pop(), Some(next));
            }
            assert_eq!(injector.pop(), None);
            assert!(injector.is_empty());
            injector.push(0).unwrap();
            assert_eq!(injector.ring.len(), 1, "the ring is in use again");
            assert_eq!(injector.pop(), Some(0));
        }
        assert_eq!(next, 200 + 3 * RING);
    }

    #[test]
    fn a_closed_one_gives_back_what_comes_and_what_is_there() {
        for queued in [0, RING, 3 * RING] {
            let injector = Injector::with_ring(RING);
            (0..queued).for_each(|job| injector.push(job).unwrap());
            injector.close();
            assert_eq!(injector.push(7), Err(7));
            assert!((0..queued).all(|job| injector.pop() == Some(job)));
            assert!(injector.is_empty());
        }
    }

    #[test]
    fn parts_lie_apart_and_count_as_what_is_queued() {
        let injector = Injector::with_ring(RING);
        assert_eq!((injector.has_parts(), injector.pop_part()), (false, None));
        injector.push_part(1).unwrap();
        assert!(injector.has_parts() && !injector.is_empty());
        assert_eq!((injector.len(), injector.pop()), (1, None));
        injector.close();
        assert_eq!(injector.push_part(2), Err(2));
        assert_eq!(injector.pop_part(), Some(1));
        assert!(injector.is_empty());
    }

    #[test]
    fn each_job_is_popped_once_by_whomever() {
        const JOBS: usize = if cfg!(miri) { 50 } else { 20_000 };
        let injector = Injector::with_ring(RING);
        let (sum, popped) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let push = |first: usize| (first..first + JOBS).for_each(|job| injector.push(job).unwrap());
        let pop = || {
            while popped.load(Ordering::Relaxed) < 2 * JOBS {
                match injector.pop() {
                    Some(job) => {
                        sum.fetch_add(job, Ordering::Relaxed);
                        popped.fetch_add(1, Ordering::Relaxed);
                    }
                    None => thread::yield_now(),
                }
            }
        };
        thread::scope(|scope| {
            scope.spawn(|| push(0));
            scope.spawn(|| push(JOBS));
            scope.spawn(pop);
            scope.spawn(pop);
        });
        assert_eq!(sum.into_inner(), (0..2 * JOBS).sum());
        assert!(injector.is_empty());
    }
}
