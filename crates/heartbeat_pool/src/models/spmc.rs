//! The queue of a scope's owner: who fills it against those that empty it, in a buffer of two.

use crate::queue::spmc::Producer;
use crate::sync::Arc;
use loom::cell::UnsafeCell;
use loom::thread;

/// What lies in the queue: written by its pusher, read by its taker.
struct Item(Arc<UnsafeCell<u32>>);

impl Item {
    fn new(number: u32) -> Self {
        let cell = Arc::new(UnsafeCell::new(0));
        // SAFETY: nobody else has it yet.
        cell.with_mut(|cell| unsafe { *cell = number });
        Self(cell)
    }

    fn number(&self) -> u32 {
        // SAFETY: an item is taken once.
        self.0.with_mut(|cell| unsafe { *cell })
    }
}

/// A producer that pushes and pops, a thief that takes one meanwhile: each item comes out once, in
/// order on either side. Up to three preemptions.
fn push_and_take(pushes: u32, pops_between: bool) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(3);
    model.check(move || {
        let queue = Producer::new();
        let stealer = queue.stealer();
        queue.push(Item::new(1));
        let thief = thread::spawn(move || {
            let taken = [stealer.steal(), stealer.steal()];
            taken.map(|item| item.map_or(0, |item| item.number()))
        });
        let mut own = Vec::new();
        for number in 2..=pushes {
            queue.push(Item::new(number));
            if pops_between {
                own.extend(queue.pop().map(|item| item.number()));
            }
        }
        own.extend(std::iter::from_fn(|| queue.pop()).map(|item| item.number()));
        let stolen = thief.join().unwrap();
        assert!(own.is_sorted(), "{own:?}");
        assert!(stolen[1] == 0 || stolen[0] < stolen[1], "{stolen:?}");
        let mut all: Vec<_> = stolen.into_iter().filter(|number| *number > 0).collect();
        all.extend(own);
        all.sort_unstable();
        assert!(all.into_iter().eq(1..=pushes));
    });
}

#[test]
fn an_item_is_taken_once() {
    push_and_take(2, true);
}

#[test]
fn an_item_is_taken_once_while_the_buffer_grows() {
    push_and_take(3, false);
}

/// A place is used again while a thief may still be at what lay there.
#[test]
fn a_place_is_overwritten_only_once_it_is_read() {
    push_and_take(4, true);
}
