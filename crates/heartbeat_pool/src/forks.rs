//! The second halves of a worker's offered joins, from its own side.
//!
//! A pop from a deque that others steal from costs a fence. So only the oldest forks lie in one, which are the
//! biggest, mostly; what came later is kept where no other thread sees it, and moves to the deque as others
//! empty that. Lace's split deque is the model (van Dijk and van de Pol, 2014).

use crate::deque::{Deque, Stealer};
use crate::fork::ForkPtr;
use std::cell::Cell;

/// As many forks are offered at a time, if there are.
const OFFERED: usize = 8;
/// As many are kept; beyond, the oldest are offered.
const KEPT: usize = 64;

/// Forks, newest last; all that are kept are newer than all that are offered.
pub(crate) struct Forks {
    offered: Deque<ForkPtr>,
    /// Those between `head` and `tail` are waited for; what lies elsewhere is over.
    kept: [Cell<Option<ForkPtr>>; KEPT],
    /// Index of the oldest kept one; indices only wrap in `kept`.
    head: Cell<usize>,
    /// Index of the next push.
    tail: Cell<usize>,
}

impl Forks {
    pub(crate) fn new() -> Self {
        Self {
            offered: Deque::new_lifo(),
            kept: [const { Cell::new(None) }; KEPT],
            head: Cell::new(0),
            tail: Cell::new(0),
        }
    }

    pub(crate) fn stealer(&self) -> Stealer<ForkPtr> {
        self.offered.stealer()
    }

    #[inline]
    fn keeps_none(&self) -> bool {
        self.head.get() == self.tail.get()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.keeps_none() && self.offered.is_empty()
    }

    /// Adds a fork. True if others may have had none to take, and have one now.
    #[inline]
    pub(crate) fn push(&self, fork: ForkPtr) -> bool {
        let may_offer = self.offered.len() < OFFERED;
        if may_offer && self.keeps_none() {
            self.offered.push(fork);
            return self.were_without(1);
        }
        let is_full = self.tail.get() - self.head.get() == KEPT;
        let is_news = (may_offer || is_full) && self.offer_more();
        let tail = self.tail.get();
        self.kept[tail % KEPT].set(Some(fork));
        self.tail.set(tail + 1);
        is_news
    }

    /// Takes the newest fork back. False if it was stolen.
    #[inline]
    pub(crate) fn pop(&self) -> bool {
        if self.keeps_none() {
            // The oldest are stolen first, so there is none if the newest was stolen.
            return self.offered.pop().is_some();
        }
        self.tail.set(self.tail.get() - 1);
        true
    }

    /// Whether others have taken some of what was offered, and there is more.
    #[inline]
    pub(crate) fn wants_more(&self) -> bool {
        !self.keeps_none() && self.offered.len() < OFFERED
    }

    /// Offers as many as should be, and one at least. True as for [`push`](Self::push).
    #[cold]
    pub(crate) fn offer_more(&self) -> bool {
        let count = OFFERED.saturating_sub(self.offered.len()).max(1);
        self.offer(count)
    }

    /// Offers all, for their owner is about to wait. True as for [`push`](Self::push).
    pub(crate) fn offer_all(&self) -> bool {
        self.offer(KEPT)
    }

    fn offer(&self, most: usize) -> bool {
        let (head, tail) = (self.head.get(), self.tail.get());
        let end = tail.min(head + most);
        let forks = (head..end).filter_map(|index| self.kept[index % KEPT].take());
        forks.for_each(|fork| self.offered.push(fork));
        self.head.set(end);
        end > head && self.were_without(end - head)
    }

    /// Whether others may have had no fork to take before so many were offered: asked after that, so that
    /// whoever took the last one before it, and looked for more, is not relied on.
    #[inline]
    fn were_without(&self, offered: usize) -> bool {
        self.offered.len() <= offered
    }

    /// Tells the others, before the owner sleeps, that there is nothing here, where that is so.
    pub(crate) fn rest(&self) {
        self.offered.rest();
    }
}

#[cfg(all(test, not(heartbeat_loom)))]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_are_offered_and_followed_by_the_next() {
        let forks = Forks::new();
        let stealer = forks.stealer();
        let offers: Vec<bool> = (0..100).map(|_| forks.push(ForkPtr::nothing())).collect();
        assert!(offers[0]);
        assert!(!offers[1..].contains(&true));
        // Those that could not be kept as well.
        assert_eq!(stealer.len(), 100 - KEPT);
        while stealer.steal().is_some() {}
        assert!(forks.wants_more());
        assert!(forks.offer_more());
        assert_eq!(stealer.len(), OFFERED);
        assert!(!forks.wants_more());
        // Into a full ring, and others have none.
        (0..OFFERED).for_each(|_| assert!(!forks.push(ForkPtr::nothing())));
        while stealer.steal().is_some() {}
        assert!(forks.push(ForkPtr::nothing()));
        let left = (0..200).filter(|_| forks.pop()).count();
        assert_eq!(left, KEPT + 1);
        assert!(forks.is_empty());
    }

    #[test]
    fn all_are_offered_before_a_wait() {
        let forks = Forks::new();
        for _ in 0..20 {
            forks.push(ForkPtr::nothing());
        }
        assert!(!forks.offer_all());
        assert_eq!(forks.stealer().len(), 20);
        assert!((0..20).all(|_| forks.pop()));
        assert!(!forks.pop());
    }
}
