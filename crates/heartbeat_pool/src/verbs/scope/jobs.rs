//! What a scope has queued and begun: the oldest is next, whoever has queued it. Where a thread
//! runs the newest of its own first, or work goes by its age, `stacks` has the jobs in place of the
//! queue.

use super::core::ScopedJob;
use super::stacks::Stacks;
use crate::age::Age;
use crate::queue::deque::Order;
use crate::sync::real::{AtomicUsize, Ordering};
use concurrent_queue::ConcurrentQueue;
use crossbeam_utils::CachePadded;
use std::ptr;

thread_local! {
    /// Whose address no other living thread's has.
    static TOKEN: u8 = const { 0 };
}

pub(super) struct Jobs {
    /// The owner's token.
    owner: usize,
    /// How many the owner has begun, less those that it has finished, since it told the latch last.
    /// The owner's alone; padded, for it writes there at each job.
    begun: CachePadded<AtomicUsize>,
    queue: ConcurrentQueue<ScopedJob>,
    /// In its place, where each thread's jobs have an order of their own.
    stacks: Option<Stacks<ScopedJob>>,
}

impl Jobs {
    /// An empty queue, owned by the calling thread, from which each takes its own in `order`, and
    /// others' by their age, if `by_age`. Of stacks, each kind is first now and then if they
    /// `have_turns`.
    pub(super) fn new(order: Order, by_age: bool, have_turns: bool) -> Self {
        Self {
            owner: token(),
            begun: CachePadded::new(AtomicUsize::new(0)),
            queue: ConcurrentQueue::unbounded(),
            stacks: (by_age || order == Order::NewestFirst)
                .then(|| Stacks::new(order, by_age, have_turns)),
        }
    }

    /// Whether the calling thread is the owner.
    #[inline]
    pub(super) fn are_own(&self) -> bool {
        self.owner == token()
    }

    /// What the owner has begun and not told; of any other thread nothing.
    #[inline]
    pub(super) fn untold(&self) -> usize {
        // Relaxed, here and below: no other thread writes it.
        if self.are_own() {
            self.begun.load(Ordering::Relaxed)
        } else {
            0
        }
    }

    /// Sets that, if the calling thread is the owner, to what `count` makes of it.
    #[inline]
    pub(super) fn count(&self, count: impl FnOnce(usize) -> usize) -> bool {
        let is_own = self.are_own();
        if is_own {
            let begun = self.begun.load(Ordering::Relaxed);
            self.begun.store(count(begun), Ordering::Relaxed);
        }
        is_own
    }

    #[inline]
    pub(super) fn push(&self, job: ScopedJob, age: impl FnOnce() -> Option<Age>) {
        match &self.stacks {
            Some(stacks) => stacks.push(job, age()),
            // Unbounded and never closed.
            None => _ = self.queue.push(job),
        }
    }

    /// Queues a job that comes after all that are there.
    pub(super) fn push_last(&self, job: ScopedJob) {
        match &self.stacks {
            Some(stacks) => stacks.push_last(job),
            None => _ = self.queue.push(job),
        }
    }

    /// The oldest job; of stacks, what [`Stacks::pop`] gives.
    #[inline]
    pub(super) fn pop(&self) -> Option<ScopedJob> {
        match &self.stacks {
            Some(stacks) => stacks.pop().map(|(job, _)| job.item),
            None => self.queue.pop().ok(),
        }
    }

    #[inline]
    pub(super) fn stacks(&self) -> Option<&Stacks<ScopedJob>> {
        self.stacks.as_ref()
    }

    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        match &self.stacks {
            Some(stacks) => stacks.is_empty(),
            None => self.queue.is_empty(),
        }
    }

    pub(super) fn len(&self) -> usize {
        match &self.stacks {
            Some(stacks) => stacks.len(),
            None => self.queue.len(),
        }
    }
}

/// A number of the calling thread's that no other living thread has.
#[inline]
fn token() -> usize {
    TOKEN.with(|token| ptr::from_ref(token).addr())
}

#[cfg(all(test, not(heartbeat_loom)))]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn only_the_owner_counts() {
        let jobs = Jobs::new(Order::OldestFirst, false, true);
        thread::scope(|scope| {
            scope.spawn(|| assert!(!jobs.count(|begun| begun + 1)));
        });
        assert!(jobs.count(|begun| begun + 2));
        let elsewhere = thread::scope(|scope| scope.spawn(|| jobs.untold()).join().unwrap());
        assert_eq!((jobs.untold(), elsewhere), (2, 0));
    }
}
