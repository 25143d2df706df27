//! What an item of a loop takes, by the code that the loop runs: known from the last time that it
//! was split, or ran alone while all others slept.

use crate::cost::{self, PLACES};
use crate::sync::real::{AtomicU32, AtomicUsize, Ordering};
use std::time::Duration;

struct Place {
    /// The loop that it is of; 0 for none.
    key: AtomicUsize,
    /// Nanoseconds an item, as the bits of an `f32`.
    item: AtomicU32,
}

/// Of loops that meet in one place, the last is remembered.
static KNOWN: [Place; PLACES] = [const {
    Place {
        key: AtomicUsize::new(0),
        item: AtomicU32::new(0),
    }
}; PLACES];

/// What `items` items of the loop that runs the code at `key` take together, if that is known.
pub(crate) fn expected(key: usize, items: usize) -> Option<Duration> {
    let place = &KNOWN[cost::place(key)];
    // Relaxed, here and below: a number that is another loop's costs a guess.
    let is_known = place.key.load(Ordering::Relaxed) == key;
    let item = || f32::from_bits(place.item.load(Ordering::Relaxed));
    is_known.then(|| cost::duration(f64::from(item()) * items as f64))
}

/// An item of that loop was found to take so many nanoseconds.
pub(crate) fn learn(key: usize, item: f32) {
    let place = &KNOWN[cost::place(key)];
    place.item.store(item.to_bits(), Ordering::Relaxed);
    place.key.store(key, Ordering::Relaxed);
}

/// Forgets all, so that what comes is as in a process of its own.
#[cfg(heartbeat_sim)]
pub(crate) fn forget() {
    KNOWN
        .iter()
        .for_each(|place| place.key.store(0, Ordering::Relaxed));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_learnt_last_is_expected() {
        let key = usize::MAX;
        assert_eq!(expected(key, 10), None);
        learn(key, 3.0);
        assert_eq!(expected(key, 10), Some(Duration::from_nanos(30)));
        learn(key, 1.0);
        assert_eq!(expected(key, 10), Some(Duration::from_nanos(10)));
        learn(key - (PLACES << 4), 5.0);
        assert_eq!(expected(key, 10), None, "the place is another one's");
    }
}
