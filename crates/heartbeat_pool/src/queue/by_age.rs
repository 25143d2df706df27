//! What lies with a thread by its age, the oldest first, whenever it is put there: forks that came
//! back to it, and its scopes' tickets.

use crate::age::{Age, Aged, HasAge};
use crate::parker::Parker;
use crate::sync::{Arc, AtomicUsize, Mutex, Ordering, lock};
use std::collections::VecDeque;
use std::mem;

pub(crate) struct ByAge<T> {
    items: Mutex<Items<T>>,
    /// The number of items, read without the lock.
    count: AtomicUsize,
    owner: Arc<Parker>,
}

struct Items<T> {
    /// The oldest first.
    sorted: VecDeque<T>,
    is_closed: bool,
}

/// Puts `item` behind all that are no younger than it, or whose ages are not known.
pub(crate) fn insert<T: HasAge>(sorted: &mut VecDeque<T>, item: T) {
    let is_before = |other: &T| {
        let ages = item.age().zip(other.age());
        ages.is_some_and(|(age, other)| age.is_before(other))
    };
    if sorted.front().is_some_and(is_before) {
        return sorted.push_front(item);
    }
    let last = sorted.iter().rposition(|other| !is_before(other));
    sorted.insert(last.map_or(0, |last| last + 1), item);
}

impl<T: HasAge> ByAge<T> {
    pub(crate) fn new(owner: Arc<Parker>) -> Self {
        Self {
            items: Mutex::new(Items {
                sorted: VecDeque::new(),
                is_closed: false,
            }),
            count: AtomicUsize::new(0),
            owner,
        }
    }

    /// Gives `item` back, and wakes its owner, which has not closed this.
    pub(crate) fn give_back(&self, item: T) {
        let pushed = self.push(item);
        debug_assert!(pushed.is_ok(), "the owner waits for it");
        self.owner.unpark();
    }

    /// Puts `item` here by its age, or gives it back if this is closed.
    pub(crate) fn push(&self, item: T) -> Result<(), T> {
        let mut items = lock(&self.items);
        if items.is_closed {
            return Err(item);
        }
        insert(&mut items.sorted, item);
        // Relaxed: under the fences of the sleep protocol, and the owner is unparked after it.
        self.count.store(items.sorted.len(), Ordering::Relaxed);
        Ok(())
    }

    pub(crate) fn len(&self) -> usize {
        self.count.load(Ordering::Relaxed)
    }

    pub(crate) fn has_any(&self) -> bool {
        self.len() != 0
    }

    pub(crate) fn has(&self, wanted: impl Fn(&T) -> bool) -> bool {
        self.has_any() && lock(&self.items).sorted.iter().any(wanted)
    }

    /// Takes the oldest that `wanted` accepts.
    pub(crate) fn take(&self, wanted: impl Fn(&T) -> bool) -> Option<T> {
        if !self.has_any() {
            return None;
        }
        let mut items = lock(&self.items);
        let place = items.sorted.iter().position(wanted)?;
        let item = items.sorted.remove(place);
        self.count.store(items.sorted.len(), Ordering::Relaxed);
        item
    }

    pub(crate) fn close(&self) -> VecDeque<T> {
        let mut items = lock(&self.items);
        items.is_closed = true;
        self.count.store(0, Ordering::Relaxed);
        mem::take(&mut items.sorted)
    }
}

impl<T> ByAge<Aged<T>> {
    /// Lets what `is_its`, if that is here, be no younger than `age`.
    pub(crate) fn renew(&self, is_its: impl Fn(&T) -> bool, age: Age) {
        let mut items = lock(&self.items);
        let is_younger = |own: Age| age.is_before(own);
        let is_wrong = |it: &Aged<T>| is_its(&it.item) && it.age().is_some_and(is_younger);
        let place = items.sorted.iter().position(is_wrong);
        if let Some(wrong) = place.and_then(|place| items.sorted.remove(place)) {
            insert(&mut items.sorted, Aged::new(wrong.item, Some(age)));
        }
    }
}

#[cfg(all(test, not(heartbeat_loom)))]
mod tests {
    use super::*;
    use crate::age::Age;
    use crate::threads::this_thread;

    #[test]
    fn the_oldest_is_next_whichever_came_first() {
        let returned = ByAge::new(this_thread::parker());
        let aged = |nth| Aged::new(nth, Some(Age::new(1, nth)));
        for nth in [5, 7, 3, 6, 4] {
            assert!(returned.push(aged(nth)).is_ok());
        }
        let age = |nth| Age::new(1, nth);
        returned.renew(|item| *item == 7, age(2));
        returned.renew(|item| *item == 3, age(9));
        let next = || returned.take(|item| item.item != 4).map(|item| item.item);
        assert_eq!([(); 4].map(|()| next()), [7, 3, 5, 6].map(Some));
        assert!(next().is_none() && returned.len() == 1);
        assert_eq!(returned.close().len(), 1);
        assert!(returned.push(aged(8)).is_err() && !returned.has_any());
    }

    #[test]
    fn the_owner_hears_of_what_comes_back() {
        let owner = Arc::new(Parker::new());
        let returned = ByAge::new(owner.clone());
        returned.give_back(Aged::new((), Some(Age::new(1, 1))));
        assert!(owner.has_token());
    }
}
