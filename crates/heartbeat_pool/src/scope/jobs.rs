//! What a scope has queued and begun: its owner's jobs in a deque and a plain count, which cost the owner next to
//! nothing, the others' in a queue and a count that everybody may use.

use super::core::ScopedJob;
use crate::thread_bound::ThreadBound;
use concurrent_queue::ConcurrentQueue;
use crossbeam_deque::{Steal, Stealer, Worker as Deque};
use std::cell::Cell;

/// Every this many jobs the owner looks at the others' before its own, so that these don't starve where its own
/// jobs spawn more without end.
const OTHERS_TURN: u32 = 61;

/// The owner's part, which no other thread touches.
pub(super) struct Mine {
    deque: Deque<ScopedJob>,
    turn: Cell<u32>,
    /// How many the owner has begun, less those that it has finished, since it told the latch last.
    pub(super) begun: Cell<usize>,
    /// Whether the owner calls nobody for what it spawns, as long as it is likely to be through with it sooner.
    pub(super) is_held: Cell<bool>,
}

pub(super) struct Jobs {
    mine: ThreadBound<Mine>,
    stealer: Stealer<ScopedJob>,
    others: ConcurrentQueue<ScopedJob>,
}

impl Jobs {
    /// An empty queue, owned by the calling thread.
    pub(super) fn new() -> Self {
        let deque = Deque::new_fifo();
        Self {
            stealer: deque.stealer(),
            mine: ThreadBound::new(Mine {
                deque,
                turn: Cell::new(0),
                begun: Cell::new(0),
                is_held: Cell::new(false),
            }),
            others: ConcurrentQueue::unbounded(),
        }
    }

    /// The owner's part, for the owner.
    #[inline]
    pub(super) fn mine(&self) -> Option<&Mine> {
        self.mine.get()
    }

    #[inline]
    pub(super) fn push(&self, job: ScopedJob) {
        match self.mine() {
            Some(mine) => mine.deque.push(job),
            // Unbounded and never closed.
            None => _ = self.others.push(job),
        }
    }

    /// The oldest of the owner's or of the others' jobs.
    #[inline]
    pub(super) fn pop(&self) -> Option<ScopedJob> {
        let Some(mine) = self.mine() else {
            return self.steal().or_else(|| self.others.pop().ok());
        };
        let turn = mine.turn.get().wrapping_add(1);
        mine.turn.set(turn);
        if turn.is_multiple_of(OTHERS_TURN)
            && let Ok(job) = self.others.pop()
        {
            return Some(job);
        }
        mine.deque.pop().or_else(|| self.others.pop().ok())
    }

    fn steal(&self) -> Option<ScopedJob> {
        loop {
            match self.stealer.steal() {
                Steal::Success(job) => return Some(job),
                Steal::Empty => return None,
                // Another one was first.
                Steal::Retry => {}
            }
        }
    }

    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        let owners = match self.mine() {
            Some(mine) => mine.deque.is_empty(),
            // Which costs a fence.
            None => self.stealer.is_empty(),
        };
        owners && self.others.is_empty()
    }

    pub(super) fn len(&self) -> usize {
        self.stealer.len() + self.others.len()
    }
}
