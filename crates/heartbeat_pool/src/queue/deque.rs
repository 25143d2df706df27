//! A worker's deque of work that others may steal, cheap to look at while it holds nothing.
//!
//! A look into crossbeam's deque costs a fence, and a pool's threads look into all deques before
//! they take work of a lower lane or go to sleep. So a deque that was empty when its owner last
//! rested says so in a flag.
//!
//! In a pool whose threads run their newest first, others take each thread's oldest piece of work
//! (`worker/ages.rs`), so each deque tells how old its oldest may be before it is taken.

use crate::age::{Age, HasAge};
use crate::sync::{Arc, AtomicBool, AtomicU64, Ordering};
use crossbeam_deque::Steal;
use crossbeam_utils::CachePadded;
use std::cell::Cell;

/// In which order a thread takes what it has queued itself. Others take the oldest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// The oldest is next: nothing waits for what was queued after it.
    #[default]
    OldestFirst,
    /// The newest is next: depth before breadth, so that few jobs are queued where each spawns
    /// more. A task that was woken while it ran comes after all that the pool's threads have
    /// queued. Jobs that spawn each other without end, and tasks that wake each other so, let the
    /// thread's older ones and other work have turns. Not so in a pool without
    /// [spare threads](crate::ThreadPoolBuilder::spare_threads), where any of that may block on a
    /// newer job of the thread's: there they come before all else. The idea is rayon's.
    NewestFirst,
}

#[derive(Default)]
struct Told {
    /// Whether it may hold something. Only the owner writes it.
    filled: AtomicBool,
    /// An age that is no younger than its oldest, by [`Age::to_bits`]: a thief that takes one knows
    /// only that the next is younger. Relaxed: a thread that sees an item sees the age that was
    /// stored before it, and a stale age only makes the item look older.
    oldest: AtomicU64,
}

impl Told {
    fn set_oldest(&self, age: Option<Age>) {
        self.oldest.store(Age::to_bits(age), Ordering::Relaxed);
    }
}

/// The owner's side.
pub(crate) struct Deque<T> {
    items: crossbeam_deque::Worker<T>,
    told: Arc<CachePadded<Told>>,
    /// Whether it may hold something, at hand.
    is_filled: Cell<bool>,
    by_age: bool,
}

impl<T: HasAge> Deque<T> {
    pub(crate) fn new(order: Order, by_age: bool) -> Self {
        Self {
            items: match order {
                Order::OldestFirst => crossbeam_deque::Worker::new_fifo(),
                Order::NewestFirst => crossbeam_deque::Worker::new_lifo(),
            },
            told: Arc::default(),
            is_filled: Cell::new(false),
            by_age,
        }
    }

    #[inline]
    fn set_filled(&self, filled: bool) {
        if self.is_filled.replace(filled) != filled {
            // Relaxed, here and where it is read: under the fences of the sleep protocol, as every
            // look at a queue. It comes before what is pushed, so whoever must see that sees it.
            self.told.filled.store(filled, Ordering::Relaxed);
        }
    }

    pub(crate) fn stealer(&self) -> Stealer<T> {
        Stealer {
            items: self.items.stealer(),
            told: self.told.clone(),
            by_age: self.by_age,
        }
    }

    #[inline]
    pub(crate) fn push(&self, item: T) {
        if self.by_age && self.is_empty() {
            self.told.set_oldest(item.age());
        }
        self.set_filled(true);
        self.items.push(item);
    }

    #[inline]
    pub(crate) fn pop(&self) -> Option<T> {
        self.items.pop()
    }

    /// Moves about half of `victim`'s here, but for one, which the caller gets. Not where others
    /// take by age.
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
    pub(crate) fn tell_if_empty(&self) {
        // Nobody else adds to it, so it stays empty.
        self.set_filled(!self.is_empty());
    }
}

/// The others' side.
pub(crate) struct Stealer<T> {
    items: crossbeam_deque::Stealer<T>,
    told: Arc<CachePadded<Told>>,
    by_age: bool,
}

impl<T: HasAge> Stealer<T> {
    // Where it is called, here and below, a simulated thread can be made to stand still.
    #[cfg_attr(heartbeat_sim, track_caller)]
    fn may_hold(&self) -> bool {
        self.told.filled.load(Ordering::Relaxed)
    }

    pub(crate) fn is_empty(&self) -> bool {
        !self.may_hold() || self.items.is_empty()
    }

    pub(crate) fn len(&self) -> usize {
        self.items.len()
    }

    /// How old the oldest may be, where others take by age.
    pub(crate) fn oldest(&self) -> Option<Age> {
        let has_any = self.by_age && !self.is_empty();
        let oldest = || Age::from_bits(self.told.oldest.load(Ordering::Relaxed));
        has_any.then(oldest)?
    }

    #[cfg_attr(heartbeat_sim, track_caller)]
    pub(crate) fn steal(&self) -> Option<T> {
        let item = self.steal_by(crossbeam_deque::Stealer::steal)?;
        if self.by_age {
            self.told.set_oldest(item.age().map(Age::next));
        }
        Some(item)
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
    use crate::age::Aged;

    fn age(nth: u32) -> Age {
        Age::new(1, nth.into())
    }

    fn aged(nth: u32) -> Aged<u32> {
        Aged::new(nth, Some(age(nth)))
    }

    fn item(item: Option<Aged<u32>>) -> Option<u32> {
        item.map(|item| item.item)
    }

    #[test]
    fn what_is_pushed_after_the_owner_has_told_that_it_is_empty_is_seen() {
        let deque = Deque::new(Order::OldestFirst, false);
        let stealer = deque.stealer();
        for nth in 0..3 {
            assert!(stealer.is_empty());
            deque.push(aged(nth));
            deque.tell_if_empty();
            assert!(!stealer.is_empty() && stealer.oldest().is_none());
            assert_eq!(item(stealer.steal()), Some(nth));
            assert_eq!(item(stealer.steal()), None);
            deque.tell_if_empty();
        }
    }

    #[test]
    fn what_a_batch_brings_can_be_stolen_again() {
        let (deque, thief) = (
            Deque::new(Order::OldestFirst, false),
            Deque::new(Order::OldestFirst, false),
        );
        (0..8).for_each(|nth| deque.push(aged(nth)));
        assert_eq!(item(thief.steal_batch_and_pop(&deque.stealer())), Some(0));
        assert_eq!(item(thief.stealer().steal()), Some(1));
    }

    #[test]
    fn the_oldest_is_no_older_than_is_told() {
        let deque = Deque::new(Order::NewestFirst, true);
        let stealer = deque.stealer();
        let oldest = || stealer.oldest();
        assert_eq!(oldest(), None);
        (3..6).for_each(|nth| deque.push(aged(nth)));
        assert_eq!((oldest(), item(stealer.steal())), (Some(age(3)), Some(3)));
        assert_eq!((oldest(), item(deque.pop())), (Some(age(4)), Some(5)));
        assert_eq!((item(deque.pop()), oldest()), (Some(4), None));
        deque.push(aged(9));
        assert_eq!(oldest(), Some(age(9)));
    }
}
