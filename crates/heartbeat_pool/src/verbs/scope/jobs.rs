//! What a scope has queued and begun: the oldest is next, whoever has queued it. Where a thread
//! runs the newest of its own first, or work goes by its age, `stacks` has the jobs in place of the
//! queue.

use super::core::ScopedJob;
use super::stacks::Stacks;
use crate::age::Age;
use crate::queue::deque::Order;
use crate::thread_bound::ThreadBound;
use concurrent_queue::ConcurrentQueue;
use crossbeam_utils::CachePadded;
use std::cell::Cell;

pub(super) struct Jobs {
    /// How many the owner has begun, less those that it has finished, since it told the latch last.
    /// Padded, for it writes there at each job.
    begun: ThreadBound<CachePadded<Cell<usize>>>,
    queue: ConcurrentQueue<ScopedJob>,
    /// In its place, where each thread's jobs have an order of their own.
    stacks: Option<Stacks<ScopedJob>>,
}

impl Jobs {
    /// An empty queue, owned by the calling thread, from which each takes its own in `order`, and
    /// others' by their age, if `by_age`. Of stacks, others' are first now and then if they
    /// `have_turns`.
    pub(super) fn new(order: Order, by_age: bool, have_turns: bool) -> Self {
        Self {
            begun: ThreadBound::new(CachePadded::new(Cell::new(0))),
            queue: ConcurrentQueue::unbounded(),
            stacks: (by_age || order == Order::NewestFirst)
                .then(|| Stacks::new(order, by_age, have_turns)),
        }
    }

    #[inline]
    pub(super) fn begun(&self) -> Option<&Cell<usize>> {
        self.begun.get().map(|begun| &**begun)
    }

    #[inline]
    pub(super) fn push(&self, job: ScopedJob, age: impl FnOnce() -> Option<Age>) {
        match &self.stacks {
            Some(stacks) => stacks.push(job, age()),
            // Unbounded and never closed.
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
