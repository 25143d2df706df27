//! What was taken from a thread and came back to it, and its scopes' tickets: where others take the
//! oldest first.

use crate::parker::Parker;
use crate::sync::{Arc, AtomicUsize, Mutex, Ordering, lock};

/// What came back to one thread, which may wait for it.
pub(crate) struct Returned<T> {
    items: Mutex<Items<T>>,
    /// The number of items, read without the lock.
    count: AtomicUsize,
    owner: Arc<Parker>,
}

struct Items<T> {
    items: Vec<T>,
    is_closed: bool,
}

impl<T> Returned<T> {
    pub(crate) fn new(owner: Arc<Parker>) -> Self {
        Self {
            items: Mutex::new(Items {
                items: Vec::new(),
                is_closed: false,
            }),
            count: AtomicUsize::new(0),
            owner,
        }
    }

    /// Gives `item` back, and wakes its owner, who has not closed this.
    pub(crate) fn give_back(&self, item: T) {
        let pushed = self.push(item);
        debug_assert!(pushed.is_ok(), "the owner waits for it");
        self.owner.unpark();
    }

    /// Puts `item` here, or gives it back if this is closed.
    pub(crate) fn push(&self, item: T) -> Result<(), T> {
        let mut items = lock(&self.items);
        if items.is_closed {
            return Err(item);
        }
        items.items.push(item);
        // Relaxed: under the fences of the sleep protocol, and the owner is unparked after it.
        self.count.store(items.items.len(), Ordering::Relaxed);
        Ok(())
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.count.load(Ordering::Relaxed)
    }

    pub(crate) fn has_any(&self) -> bool {
        self.len() != 0
    }

    /// Whether something came back that `wanted` accepts.
    pub(crate) fn has(&self, wanted: impl Fn(&T) -> bool) -> bool {
        self.has_any() && lock(&self.items).items.iter().any(wanted)
    }

    /// Takes something that came back, and that `wanted` accepts.
    pub(crate) fn take(&self, wanted: impl Fn(&T) -> bool) -> Option<T> {
        self.take_first(wanted, |_, _| false)
    }

    /// The same; of several one that none of them `is_before`.
    pub(crate) fn take_first(
        &self,
        wanted: impl Fn(&T) -> bool,
        is_before: impl Fn(&T, &T) -> bool,
    ) -> Option<T> {
        if !self.has_any() {
            return None;
        }
        let mut items = lock(&self.items);
        let all = items.items.iter().enumerate();
        let wanted = all.filter(|(_, item)| wanted(item));
        let first = wanted.reduce(|first, next| {
            if is_before(next.1, first.1) {
                next
            } else {
                first
            }
        });
        let (place, _) = first?;
        let item = items.items.swap_remove(place);
        self.count.store(items.items.len(), Ordering::Relaxed);
        Some(item)
    }

    /// Refuses what comes from now on, and gives what there is.
    pub(crate) fn close(&self) -> Vec<T> {
        let mut items = lock(&self.items);
        items.is_closed = true;
        self.count.store(0, Ordering::Relaxed);
        std::mem::take(&mut items.items)
    }
}
