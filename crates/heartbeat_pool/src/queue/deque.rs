//! A worker's deque of work that others may steal, cheap to look at while it holds nothing.
//!
//! A look into crossbeam's deque costs a fence, and a pool's threads look into all deques before
//! they take work of a lower lane or go to sleep. So a deque that was empty when its owner last
//! rested says so in a flag.

use crate::sync::{Arc, AtomicBool, Ordering};
use crossbeam_deque::Steal;
use crossbeam_utils::CachePadded;
use std::cell::Cell;

/// In which order a thread takes what it has queued itself. Others take its oldest, whatever that
/// is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// The oldest is next: nothing waits for what was queued after it.
    #[default]
    OldestFirst,
    /// The newest is next: depth before breadth, so that few jobs are queued where each spawns
    /// more. A task that wakes itself while it runs is the newest, so
    /// [`yield_task`](crate::yield_task()) lets no older job of the same thread have a turn. The
    /// idea is rayon's.
    NewestFirst,
}

/// Whether the deque may hold something. Only the owner writes it.
type Filled = Arc<CachePadded<AtomicBool>>;

/// The owner's side.
pub(crate) struct Deque<T> {
    items: crossbeam_deque::Worker<T>,
    filled: Filled,
    /// The same, at hand.
    is_filled: Cell<bool>,
}

impl<T> Deque<T> {
    /// One whose owner pops in `order`.
    pub(crate) fn new(order: Order) -> Self {
        Self {
            items: match order {
                Order::OldestFirst => crossbeam_deque::Worker::new_fifo(),
                Order::NewestFirst => crossbeam_deque::Worker::new_lifo(),
            },
            filled: Arc::new(CachePadded::new(AtomicBool::new(false))),
            is_filled: Cell::new(false),
        }
    }

    #[inline]
    fn set_filled(&self, filled: bool) {
        if self.is_filled.replace(filled) != filled {
            // Relaxed, here and where it is read: under the fences of the sleep protocol, as every
            // look at a queue. It comes before what is pushed, so whoever must see that sees it.
            self.filled.store(filled, Ordering::Relaxed);
        }
    }

    pub(crate) fn stealer(&self) -> Stealer<T> {
        Stealer {
            items: self.items.stealer(),
            filled: self.filled.clone(),
        }
    }

    #[inline]
    pub(crate) fn push(&self, item: T) {
        self.set_filled(true);
        self.items.push(item);
    }

    #[inline]
    pub(crate) fn pop(&self) -> Option<T> {
        self.items.pop()
    }

    /// Moves about half of `victim`'s here, but for one, which the caller gets.
    pub(crate) fn steal_batch_and_pop(&self, victim: &Stealer<T>) -> Option<T> {
        victim.steal_by(|items| {
            self.set_filled(true);
            items.steal_batch_and_pop(&self.items)
        })
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.items.len()
    }

    /// Tells the others, before the owner sleeps, that there is nothing here, where that is so.
    pub(crate) fn rest(&self) {
        // Nobody else adds to it, so it stays empty.
        self.set_filled(!self.is_empty());
    }
}

/// The others' side.
pub(crate) struct Stealer<T> {
    items: crossbeam_deque::Stealer<T>,
    filled: Filled,
}

impl<T> Stealer<T> {
    // Where it is called, here and below, a simulated thread can be made to stand still.
    #[cfg_attr(heartbeat_sim, track_caller)]
    fn may_hold(&self) -> bool {
        self.filled.load(Ordering::Relaxed)
    }

    pub(crate) fn is_empty(&self) -> bool {
        !self.may_hold() || self.items.is_empty()
    }

    pub(crate) fn len(&self) -> usize {
        self.items.len()
    }

    /// The oldest item.
    #[cfg_attr(heartbeat_sim, track_caller)]
    pub(crate) fn steal(&self) -> Option<T> {
        self.steal_by(crossbeam_deque::Stealer::steal)
    }

    #[cfg_attr(heartbeat_sim, track_caller)]
    fn steal_by(&self, steal: impl Fn(&crossbeam_deque::Stealer<T>) -> Steal<T>) -> Option<T> {
        while self.may_hold() {
            match steal(&self.items) {
                Steal::Success(item) => return Some(item),
                Steal::Empty => return None,
                // Another one was first.
                Steal::Retry => {}
            }
        }
        None
    }
}

#[cfg(all(test, not(heartbeat_loom)))]
mod tests {
    use super::*;

    #[test]
    fn what_is_pushed_after_a_rest_is_seen_and_stolen() {
        let deque = Deque::new(Order::OldestFirst);
        let stealer = deque.stealer();
        for item in 0..3 {
            assert!(stealer.is_empty());
            deque.push(item);
            deque.rest();
            assert!(!stealer.is_empty());
            assert_eq!(stealer.steal(), Some(item));
            assert_eq!(stealer.steal(), None);
            deque.rest();
        }
    }

    #[test]
    fn what_a_batch_brings_can_be_stolen_again() {
        let (deque, thief) = (
            Deque::new(Order::OldestFirst),
            Deque::new(Order::OldestFirst),
        );
        (0..8).for_each(|item| deque.push(item));
        assert_eq!(thief.steal_batch_and_pop(&deque.stealer()), Some(0));
        assert_eq!(thief.stealer().steal(), Some(1));
    }
}
