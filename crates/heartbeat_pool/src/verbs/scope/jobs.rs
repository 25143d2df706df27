//! What a scope has queued and begun: its owner's jobs in a queue that only the owner fills and a
//! plain count, which cost it next to nothing, the others' in a queue and a count that everybody
//! may use. Where a thread runs the newest of its own first, `stacks` has the jobs of all.

use super::core::ScopedJob;
use super::stacks::Stacks;
use crate::queue::deque::{Deque, Order, Stealer};
use crate::thread_bound::ThreadBound;
use concurrent_queue::ConcurrentQueue;
use crossbeam_utils::CachePadded;
use std::cell::Cell;

/// The owner's part, which no other thread touches.
pub(super) struct Mine {
    queue: Deque<ScopedJob>,
    /// How many the owner has begun, less those that it has finished, since it told the latch last.
    pub(super) begun: Cell<usize>,
    /// Whether the owner calls nobody for what it spawns, as long as it is likely to be through
    /// with it sooner.
    pub(super) is_held: Cell<bool>,
}

pub(super) struct Jobs {
    /// Padded, for the owner writes there at each job.
    mine: ThreadBound<CachePadded<Mine>>,
    stealer: Stealer<ScopedJob>,
    others: ConcurrentQueue<ScopedJob>,
    /// In place of both, where a thread runs its newest first.
    stacks: Option<Stacks<ScopedJob>>,
}

impl Jobs {
    /// An empty queue, owned by the calling thread.
    pub(super) fn new(order: Order) -> Self {
        let queue = Deque::new_fifo();
        Self {
            stealer: queue.stealer(),
            mine: ThreadBound::new(CachePadded::new(Mine {
                queue,
                begun: Cell::new(0),
                is_held: Cell::new(false),
            })),
            others: ConcurrentQueue::unbounded(),
            stacks: (order == Order::NewestFirst).then(Stacks::new),
        }
    }

    pub(super) fn order(&self) -> Order {
        match self.stacks {
            Some(_) => Order::NewestFirst,
            None => Order::OldestFirst,
        }
    }

    /// The owner's part, for the owner.
    #[inline]
    pub(super) fn mine(&self) -> Option<&Mine> {
        self.mine.get().map(|mine| &**mine)
    }

    #[inline]
    pub(super) fn push(&self, job: ScopedJob) {
        if let Some(stacks) = &self.stacks {
            return stacks.push(job);
        }
        match self.mine() {
            Some(mine) => mine.queue.push(job),
            // Unbounded and never closed.
            None => _ = self.others.push(job),
        }
    }

    /// The oldest of the owner's or else of the others' jobs, or the other way round. In stacks,
    /// the calling thread's own are in the owner's place.
    #[inline]
    pub(super) fn pop(&self, others_first: bool) -> Option<ScopedJob> {
        if let Some(stacks) = &self.stacks {
            return stacks.pop(others_first);
        }
        let others = || self.others.pop().ok();
        if others_first && let Some(job) = others() {
            return Some(job);
        }
        let owners = match self.mine() {
            Some(mine) => mine.queue.pop(),
            None => self.stealer.steal(),
        };
        owners.or_else(others)
    }

    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        if let Some(stacks) = &self.stacks {
            return stacks.len() == 0;
        }
        let owners = match self.mine() {
            Some(mine) => mine.queue.is_empty(),
            None => self.stealer.is_empty(),
        };
        owners && self.others.is_empty()
    }

    /// How many there are, as far as the calling thread can tell: only the owner knows of its own.
    pub(super) fn len(&self) -> usize {
        if let Some(stacks) = &self.stacks {
            return stacks.len();
        }
        self.mine().map_or(0, |mine| mine.queue.len()) + self.others.len()
    }

    /// Keeps no more memory for long than scopes take.
    pub(super) fn shrink(&self) {
        self.stacks.iter().for_each(Stacks::shrink);
    }
}
