//! What a scope has queued and begun: the oldest is next, whoever has queued it. Where a thread
//! runs the newest of its own first, or work goes by its age, `stacks` has the jobs in place of the
//! queue.

use super::core::ScopedJob;
use super::stacks::Stacks;
use crate::age::{Age, Aged};
use crate::queue::deque::Order;
use crate::thread_bound::ThreadBound;
use concurrent_queue::ConcurrentQueue;
use crossbeam_utils::CachePadded;
use std::cell::Cell;

/// The owner's part, which no other thread touches.
pub(super) struct Mine {
    /// How many the owner has begun, less those that it has finished, since it told the latch last.
    pub(super) begun: Cell<usize>,
}

pub(super) struct Jobs {
    /// Padded, for the owner writes there at each job.
    mine: ThreadBound<CachePadded<Mine>>,
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
            mine: ThreadBound::new(CachePadded::new(Mine {
                begun: Cell::new(0),
            })),
            queue: ConcurrentQueue::unbounded(),
            stacks: (by_age || order == Order::NewestFirst)
                .then(|| Stacks::new(order, by_age, have_turns)),
        }
    }

    #[inline]
    pub(super) fn mine(&self) -> Option<&Mine> {
        self.mine.get().map(|mine| &**mine)
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
            Some(stacks) => stacks.pop().map(|popped| popped.item.item),
            None => self.queue.pop().ok(),
        }
    }

    #[inline]
    pub(super) fn stacks(&self) -> Option<&Stacks<ScopedJob>> {
        self.stacks.as_ref()
    }

    /// Puts back what was popped of a stack, to where it was.
    pub(super) fn push_back(&self, job: Aged<ScopedJob>) {
        match &self.stacks {
            Some(stacks) => stacks.push_back(job),
            None => self.push(job.item, || None),
        }
    }

    /// How old the job that others take next is, if that is known; of stacks none if there is none.
    pub(super) fn next(&self) -> Option<Option<Age>> {
        self.stacks.as_ref().map_or(Some(None), Stacks::next)
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

    /// Whether it is to be looked through for jobs of more than so many threads.
    pub(super) fn has_more_than(&self, threads: usize) -> bool {
        self.stacks
            .as_ref()
            .is_some_and(|stacks| stacks.has_more_than(threads))
    }

    /// Keeps no more memory for long than scopes take.
    pub(super) fn shrink(&self) {
        self.stacks.iter().for_each(Stacks::shrink);
    }
}
