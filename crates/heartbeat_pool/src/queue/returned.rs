//! What was taken from a thread by mistake and came back to it.

use crate::parker::Parker;
use crate::sync::{Arc, AtomicUsize, Mutex, Ordering, lock};

/// What came back to one thread, which may wait for it.
pub(crate) struct Returned<T> {
    items: Mutex<Vec<T>>,
    /// The length of `items`, read without the lock.
    count: AtomicUsize,
    owner: Arc<Parker>,
}

impl<T> Returned<T> {
    pub(crate) fn new(owner: Arc<Parker>) -> Self {
        Self {
            items: Mutex::new(Vec::new()),
            count: AtomicUsize::new(0),
            owner,
        }
    }

    /// Gives `item` back, and wakes its owner.
    pub(crate) fn give_back(&self, item: T) {
        let mut items = lock(&self.items);
        items.push(item);
        // Relaxed: under the fences of the sleep protocol, and the owner is unparked after it.
        self.count.store(items.len(), Ordering::Relaxed);
        drop(items);
        self.owner.unpark();
    }

    pub(crate) fn has_any(&self) -> bool {
        self.count.load(Ordering::Relaxed) != 0
    }

    /// Whether something came back that `wanted` accepts.
    pub(crate) fn has(&self, wanted: impl Fn(&T) -> bool) -> bool {
        self.has_any() && lock(&self.items).iter().any(wanted)
    }

    /// Takes something that came back, and that `wanted` accepts.
    pub(crate) fn take(&self, wanted: impl Fn(&T) -> bool) -> Option<T> {
        if !self.has_any() {
            return None;
        }
        let mut items = lock(&self.items);
        let place = items.iter().position(wanted)?;
        let item = items.swap_remove(place);
        self.count.store(items.len(), Ordering::Relaxed);
        Some(item)
    }
}
