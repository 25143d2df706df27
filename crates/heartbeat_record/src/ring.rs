//! A ring of words that one thread writes and others read while it goes on.
//!
//! The writer never waits and never learns of a reader. A reader copies what it wants and then
//! looks how far the writer has come: what that may have overwritten meanwhile is thrown away and
//! counted as lost. Every word is an atomic, so a copy that was torn is garbage at worst, and
//! never read as anything.

#[cfg(heartbeat_loom)]
use loom::sync::atomic::{AtomicU64, Ordering, fence};
#[cfg(not(heartbeat_loom))]
use std::sync::atomic::{AtomicU64, Ordering, fence};

/// An event.
pub(crate) type Words = [u64; 3];

pub(crate) struct Ring {
    words: Box<[[AtomicU64; 3]]>,
    /// How many events were written so far.
    written: AtomicU64,
}

/// What a reader got of a ring.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Copied {
    /// The events, oldest first.
    pub(crate) events: Vec<Words>,
    /// Those that were asked for and are gone.
    pub(crate) lost: u64,
    /// The number of the next event.
    pub(crate) next: u64,
}

impl Ring {
    /// A ring for so many events, rounded up to a power of two.
    pub(crate) fn new(capacity: usize) -> Self {
        let capacity = capacity.max(2).next_power_of_two();
        let slot = || Words::default().map(AtomicU64::new);
        Self {
            words: (0..capacity).map(|_| slot()).collect(),
            written: AtomicU64::new(0),
        }
    }

    fn slot(&self, number: u64) -> &[AtomicU64; 3] {
        // The length is a power of two.
        &self.words[number as usize & (self.words.len() - 1)]
    }

    /// Writes an event. Owner only: two writers would mix their words.
    #[inline]
    pub(crate) fn push(&self, event: Words) {
        // Relaxed: the owner alone writes it.
        let number = self.written.load(Ordering::Relaxed);
        // Pairs with the Acquire fence in `copy`: a reader that sees a word of this event sees
        // then that all events before it were written.
        fence(Ordering::Release);
        for (slot, word) in self.slot(number).iter().zip(event) {
            // Relaxed, under that fence and the store below.
            slot.store(word, Ordering::Relaxed);
        }
        // Release pairs with the first Acquire in `copy`: a reader that sees the count sees the
        // words.
        self.written.store(number + 1, Ordering::Release);
    }

    /// Copies the events from the one numbered `from` on, as far as they are there still.
    pub(crate) fn copy(&self, from: u64) -> Copied {
        // Acquire pairs with the Release store in `push`.
        let next = self.written.load(Ordering::Acquire);
        let capacity = self.words.len() as u64;
        let first = from.max(next.saturating_sub(capacity)).min(next);
        let read = |number| {
            // Relaxed, here: what is overwritten is thrown away below.
            let word = |word: &AtomicU64| word.load(Ordering::Relaxed);
            self.slot(number).each_ref().map(word)
        };
        let mut events: Vec<_> = (first..next).map(read).collect();
        // Pairs with the Release fence in `push`.
        fence(Ordering::Acquire);
        let now = self.written.load(Ordering::Relaxed);
        // The writer may be at the event numbered `now`, in the place of one a round before.
        let safe = (now + 1).saturating_sub(capacity).clamp(first, next);
        events.drain(..(safe - first) as usize);
        Copied {
            events,
            lost: safe.saturating_sub(from),
            next,
        }
    }

    pub(crate) fn written(&self) -> u64 {
        // Relaxed: a number to begin the next copy at.
        self.written.load(Ordering::Relaxed)
    }
}

#[cfg(all(test, not(heartbeat_loom)))]
mod tests {
    use super::*;

    fn event(number: u64) -> Words {
        [number, !number, number]
    }

    #[test]
    fn a_full_ring_loses_the_oldest_and_says_how_many() {
        let ring = Ring::new(8);
        (0..5).for_each(|number| ring.push(event(number)));
        let copied = ring.copy(0);
        assert_eq!((copied.events.len(), copied.lost, copied.next), (5, 0, 5));
        (5..100).for_each(|number| ring.push(event(number)));
        let copied = ring.copy(2);
        // One place is the writer's.
        assert_eq!(copied.events, (93..100).map(event).collect::<Vec<_>>());
        assert_eq!((copied.lost, copied.next), (91, 100));
        let rest = ring.copy(98);
        assert_eq!((rest.events.len(), rest.lost), (2, 0));
        assert_eq!(ring.copy(100).events.len(), 0);
    }

    #[test]
    fn no_torn_event_is_read_while_the_owner_writes() {
        // An interpreter takes its time.
        let events = if cfg!(miri) { 300 } else { 200_000 };
        let ring = Ring::new(16);
        let over = std::sync::atomic::AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                (0..events).for_each(|number| ring.push(event(number)));
                over.store(true, Ordering::Release);
            });
            let mut next = 0;
            let mut seen = 0;
            loop {
                let is_last = over.load(Ordering::Acquire);
                let copied = ring.copy(next);
                let first = next + copied.lost;
                for (number, read) in (first..).zip(&copied.events) {
                    assert_eq!(*read, event(number));
                }
                seen += copied.lost + copied.events.len() as u64;
                next = copied.next;
                if is_last {
                    break;
                }
            }
            assert_eq!((seen, next), (events, events));
        });
    }
}

/// A writer that goes round against a reader, in every interleaving of three preemptions at most.
#[cfg(all(test, heartbeat_loom))]
mod models {
    use super::*;
    use loom::thread;
    use std::sync::Arc;

    fn check(f: impl Fn() + Sync + Send + 'static) {
        let mut model = loom::model::Builder::new();
        model.preemption_bound = Some(3);
        model.check(f);
    }

    fn event(number: u64) -> [u64; 3] {
        [number + 1, number + 11, number + 21]
    }

    /// A ring of two whose owner writes three events, the last over the first, while another thread
    /// copies: what it gets was written like that, in order, and with the lost ones it is all.
    #[test]
    fn a_reader_gets_whole_events_in_order() {
        check(|| {
            let ring = Arc::new(Ring::new(2));
            let writer = {
                let ring = ring.clone();
                thread::spawn(move || (0..3).for_each(|number| ring.push(event(number))))
            };
            let copied = ring.copy(0);
            let read = copied.lost..copied.next;
            assert_eq!(copied.events, read.map(event).collect::<Vec<_>>());
            writer.join().unwrap();
            // All but one place, which is the writer's.
            let rest = ring.copy(copied.next);
            let read = (copied.next + rest.lost)..3;
            assert_eq!(rest.events, read.map(event).collect::<Vec<_>>());
            assert_eq!(rest.next, 3);
        });
    }
}
