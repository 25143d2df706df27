//! The recorder's rings: a writer that goes round against a reader.

use super::check;
use crate::record::ring::Ring;
use crate::sync::Arc;
use loom::thread;

fn event(number: u64) -> [u64; 3] {
    [number + 1, number + 11, number + 21]
}

/// A ring of two whose owner writes three events, the last over the first, while another thread
/// copies: what it gets was written like that, in order, and with the lost ones it is all.
#[test]
fn a_reader_gets_whole_events_in_order() {
    check(3, || {
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
