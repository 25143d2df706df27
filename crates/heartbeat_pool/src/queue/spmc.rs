//! A queue that one thread fills and any thread empties, oldest first.
//!
//! Nobody reads a slot but who has won its index, and nobody writes one that is not read yet: each
//! has a stamp that says which index it is for, as in Vyukov's bounded queue. With one producer a
//! push needs no atomic operation but plain stores. A producer that meets a slot in use goes on in
//! a buffer twice as large; the old ones are kept for as long as the queue, for others may still
//! look into them.

use crate::sync::{Arc, AtomicPtr, AtomicUsize, Mutex, Ordering, UnsafeCell, lock};
use crossbeam_utils::CachePadded;
use std::cell::Cell;
use std::mem::MaybeUninit;
use std::ptr;

/// Slots of the first buffer.
#[cfg(not(heartbeat_loom))]
const FIRST: usize = 64;
#[cfg(heartbeat_loom)]
const FIRST: usize = 2;

struct Slot<T> {
    /// An index, if it is free for that one's item; one more, if it holds it.
    stamp: AtomicUsize,
    item: UnsafeCell<MaybeUninit<T>>,
}

/// As many slots as a power of two.
struct Buffer<T>(Box<[Slot<T>]>);

impl<T> Buffer<T> {
    /// One that is free for the items from `first` on.
    fn new(slots: usize, first: usize) -> Self {
        let slot = |place: usize| Slot {
            // The next index that belongs to this place.
            stamp: AtomicUsize::new(first + (place.wrapping_sub(first) & (slots - 1))),
            item: UnsafeCell::new(MaybeUninit::uninit()),
        };
        Self((0..slots).map(slot).collect())
    }

    #[inline]
    fn slot(&self, index: usize) -> &Slot<T> {
        &self.0[index & (self.0.len() - 1)]
    }
}

struct Queue<T> {
    /// The index of the oldest item.
    head: CachePadded<AtomicUsize>,
    /// The newest of `buffers`.
    buffer: AtomicPtr<Buffer<T>>,
    /// All of them, each leaked from a box.
    buffers: Mutex<Vec<*mut Buffer<T>>>,
}

// SAFETY: items pass from thread to thread, and are `Send`; what else there is, is atomic or under
// a lock.
unsafe impl<T: Send> Send for Queue<T> {}
// SAFETY: as above; by reference, an item is only reached by the one thread that has won its index.
unsafe impl<T: Send> Sync for Queue<T> {}

impl<T> Queue<T> {
    /// The buffer that items are in now, or were a moment ago.
    #[inline]
    fn buffer(&self) -> &Buffer<T> {
        // Acquire pairs with the Release in `grow`: the buffer is seen as it was filled.
        let buffer = self.buffer.load(Ordering::Acquire);
        // SAFETY: it was leaked from a box, and is freed when `self` is dropped.
        unsafe { &*buffer }
    }

    #[inline]
    fn pop(&self) -> Option<T> {
        loop {
            // Relaxed: the compare-exchange decides.
            let head = self.head.load(Ordering::Relaxed);
            let buffer = self.buffer();
            let slot = buffer.slot(head);
            // Acquire pairs with the Release in `push` and, for who is late, with the one below:
            // that one sees the head moved on.
            if slot.stamp.load(Ordering::Acquire) != head + 1 {
                let moved =
                    self.head.load(Ordering::Relaxed) != head || !ptr::eq(self.buffer(), buffer);
                if moved {
                    continue;
                }
                return None;
            }
            // Relaxed: the item was acquired by its stamp; an index is won once, whatever buffer it
            // is looked up in.
            let won = self.head.compare_exchange_weak(
                head,
                head + 1,
                Ordering::Relaxed,
                Ordering::Relaxed,
            );
            if won.is_ok() {
                // SAFETY: the producer writes here only after the stamp below.
                let item = slot.item.with(|item| unsafe { item.read() });
                // SAFETY: the stamp said that the item is there, and the index was won by this
                // thread alone.
                let item = unsafe { item.assume_init() };
                // Release pairs with the Acquire in `push`: it is read before it is overwritten.
                slot.stamp.store(head + buffer.0.len(), Ordering::Release);
                return Some(item);
            }
        }
    }

    fn is_empty(&self) -> bool {
        // Relaxed, both: a look, under whatever fence the caller has.
        let head = self.head.load(Ordering::Relaxed);
        let stamp = self.buffer().slot(head).stamp.load(Ordering::Relaxed);
        stamp != head + 1 && self.head.load(Ordering::Relaxed) == head
    }
}

impl<T> Drop for Queue<T> {
    fn drop(&mut self) {
        while self.pop().is_some() {}
        for buffer in lock(&self.buffers).drain(..) {
            // SAFETY: it was leaked from a box, once, and nobody else has the queue any more.
            drop(unsafe { Box::from_raw(buffer) });
        }
    }
}

/// The side of the thread that fills the queue, and may empty it as well.
pub(crate) struct Producer<T> {
    queue: Arc<Queue<T>>,
    /// The index of the next item.
    tail: Cell<usize>,
}

impl<T> Producer<T> {
    pub(crate) fn new() -> Self {
        let buffer = Box::into_raw(Box::new(Buffer::new(FIRST, 0)));
        Self {
            queue: Arc::new(Queue {
                head: CachePadded::new(AtomicUsize::new(0)),
                buffer: AtomicPtr::new(buffer),
                buffers: Mutex::new(vec![buffer]),
            }),
            tail: Cell::new(0),
        }
    }

    pub(crate) fn stealer(&self) -> Stealer<T> {
        Stealer(self.queue.clone())
    }

    #[inline]
    pub(crate) fn push(&self, item: T) {
        let tail = self.tail.get();
        let mut slot = self.queue.buffer().slot(tail);
        // Acquire pairs with the Release in `pop`: what was here is read.
        if slot.stamp.load(Ordering::Acquire) != tail {
            slot = self.grow().slot(tail);
        }
        // SAFETY: the slot is free for this index, so nobody reads it before the stamp below, and
        // only the producer writes.
        slot.item
            .with_mut(|place| unsafe { *place = MaybeUninit::new(item) });
        // Release pairs with the Acquire in `pop`: the item is seen.
        slot.stamp.store(tail + 1, Ordering::Release);
        self.tail.set(tail + 1);
    }

    /// Goes on in a larger buffer.
    #[cold]
    fn grow(&self) -> &Buffer<T> {
        let old = self.queue.buffer();
        // Relaxed: what is taken meanwhile is copied in vain, for nobody wins its index again.
        let head = self.queue.head.load(Ordering::Relaxed);
        let new = Buffer::new(2 * old.0.len(), head);
        for index in head..self.tail.get() {
            let copy = old.slot(index).item.with(|item| {
                // SAFETY: the producer wrote it, and only it writes; others may read it at the same
                // time.
                unsafe { ptr::read(item) }
            });
            let slot = new.slot(index);
            // SAFETY: nobody else knows the new buffer.
            slot.item.with_mut(|place| unsafe { *place = copy });
            // Relaxed: released with the buffer.
            slot.stamp.store(index + 1, Ordering::Relaxed);
        }
        let new = Box::into_raw(Box::new(new));
        lock(&self.queue.buffers).push(new);
        // Release pairs with the Acquire in `buffer`.
        self.queue.buffer.store(new, Ordering::Release);
        self.queue.buffer()
    }

    /// The oldest item.
    #[inline]
    pub(crate) fn pop(&self) -> Option<T> {
        self.queue.pop()
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    #[inline]
    pub(crate) fn len(&self) -> usize {
        // Relaxed: others may take more at any moment.
        self.tail.get() - self.queue.head.load(Ordering::Relaxed)
    }

    /// How many items there is memory for.
    #[cfg(all(test, not(heartbeat_loom)))]
    fn capacity(&self) -> usize {
        self.queue.buffer().0.len()
    }
}

/// The others' side.
pub(crate) struct Stealer<T>(Arc<Queue<T>>);

impl<T> Stealer<T> {
    /// The oldest item.
    pub(crate) fn steal(&self) -> Option<T> {
        self.0.pop()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

#[cfg(all(test, not(heartbeat_loom)))]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicBool;
    use std::thread;

    #[test]
    fn items_come_out_in_order_however_many_lie_there() {
        let queue = Producer::new();
        let (mut pushed, mut popped) = (0, 0);
        let turns = if cfg!(miri) { 24 } else { 200 };
        for turn in 0..turns {
            for _ in 0..turn {
                queue.push(Box::new(pushed));
                pushed += 1;
            }
            assert_eq!(queue.len(), pushed - popped);
            for _ in 0..turn * 2 / 3 {
                assert_eq!(queue.pop().as_deref(), Some(&popped));
                popped += 1;
            }
        }
        assert!(queue.capacity() > FIRST);
        // The rest is dropped with the queue.
        assert!(!queue.is_empty() && !queue.stealer().is_empty());
    }

    #[test]
    fn memory_is_used_again() {
        let queue = Producer::new();
        for item in 0..10 * FIRST {
            queue.push(item);
            assert_eq!(queue.stealer().steal(), Some(item));
        }
        assert!(queue.is_empty() && queue.stealer().is_empty() && queue.pop().is_none());
        assert_eq!(queue.capacity(), FIRST);
    }

    #[test]
    fn each_item_is_taken_once() {
        let items = if cfg!(miri) { 300 } else { 200_000 };
        let queue = Producer::new();
        let over = AtomicBool::new(false);
        let stealers = [(); 3].map(|()| queue.stealer());
        let mut taken = thread::scope(|scope| {
            let thieves = stealers.map(|stealer| {
                let over = &over;
                scope.spawn(move || {
                    let mut taken = Vec::new();
                    loop {
                        let was_over = over.load(Ordering::Acquire);
                        match stealer.steal() {
                            Some(item) => taken.push(item),
                            None if was_over => return taken,
                            None => thread::yield_now(),
                        }
                    }
                })
            });
            let mut taken = Vec::new();
            for item in 0..items {
                queue.push(Box::new(item));
                // Full at times, empty at times.
                if item % 1000 > 700 {
                    taken.extend(queue.pop());
                    taken.extend(queue.pop());
                }
            }
            over.store(true, Ordering::Release);
            let mut all = vec![taken];
            all.extend(thieves.map(|thief| thief.join().unwrap()));
            all
        });
        for own in &taken {
            assert!(own.is_sorted());
        }
        let mut all: Vec<_> = taken.drain(..).flatten().map(|item| *item).collect();
        all.sort_unstable();
        assert!(all.into_iter().eq(0..items));
    }
}
