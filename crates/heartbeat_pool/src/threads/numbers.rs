//! Numbers for running threads, fewer than the pool has threads with spare ones: a thread that
//! waits gives its number back.

use crate::sync::{Condvar, Instant, Mutex, lock};
use std::cell::Cell;
use std::sync::PoisonError;
use std::time::Duration;

/// How long a thread waits for a number. Those that come back from a wait run beyond the pool's
/// number of threads, until another's job ends.
const PATIENCE: Duration = Duration::from_millis(5);
/// For how long nobody waits after one has waited in vain: they are short for longer.
const SHORT: Duration = PATIENCE.saturating_mul(16);

#[derive(Default)]
pub(crate) struct Numbers {
    taken: Mutex<Taken>,
    released: Condvar,
}

#[derive(Default)]
struct Taken {
    numbers: Vec<bool>,
    /// When a thread has last waited in vain.
    refused: Option<Instant>,
}

impl Taken {
    /// A number below `count` that is free: `own`, or else the last one.
    fn free(&mut self, own: Option<usize>, count: usize) -> Option<usize> {
        if self.numbers.len() < count {
            self.numbers.resize(count, false);
        }
        let free = |number: &usize| !self.numbers[*number];
        own.filter(|own| *own < count && free(own))
            .or_else(|| (0..count).rev().find(free))
    }
}

impl Numbers {
    fn take(&self, own: Option<usize>, count: usize) -> Option<usize> {
        let count = count.max(1);
        let mut taken = lock(&self.taken);
        let in_vain = |refused: Instant| refused.elapsed() < SHORT;
        let waits = !taken.refused.is_some_and(in_vain);
        if waits {
            let full = |taken: &mut Taken| taken.free(own, count).is_none();
            (taken, _) = self
                .released
                .wait_timeout_while(taken, PATIENCE, full)
                .unwrap_or_else(PoisonError::into_inner);
        }
        let Some(number) = taken.free(own, count) else {
            if waits {
                taken.refused = Some(Instant::now());
            }
            return None;
        };
        taken.numbers[number] = true;
        Some(number)
    }

    fn release(&self, slot: usize) {
        let mut taken = lock(&self.taken);
        taken.numbers[slot] = false;
        // They come free: it is worth to wait for the next one.
        taken.refused = None;
        drop(taken);
        self.released.notify_one();
    }
}

/// The number that one worker has, if it has one.
#[derive(Default)]
pub(crate) struct Slot(Cell<Option<usize>>);

impl Slot {
    /// The worker's number, taken now if it has none.
    pub(crate) fn take(
        &self,
        numbers: &Numbers,
        own: Option<usize>,
        count: usize,
    ) -> Option<usize> {
        if self.0.get().is_none() {
            self.0.set(numbers.take(own, count));
        }
        self.0.get()
    }

    /// Gives the number back, if there is one.
    pub(crate) fn release(&self, numbers: &Numbers) {
        if let Some(slot) = self.0.take() {
            numbers.release(slot);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_number_is_taken_once() {
        let slots = Numbers::default();
        let workers = [(); 3].map(|()| Slot::default());
        assert_eq!(workers[0].take(&slots, Some(1), 2), Some(1));
        assert_eq!(workers[0].take(&slots, Some(0), 2), Some(1), "it is kept");
        assert_eq!(workers[1].take(&slots, Some(5), 2), Some(0));
        assert_eq!(workers[2].take(&slots, None, 2), None);
        workers[0].release(&slots);
        assert_eq!(workers[2].take(&slots, None, 2), Some(1), "it asks again");
        workers[0].release(&slots);
        assert_eq!(
            workers[2].take(&slots, None, 2),
            Some(1),
            "no release of others'"
        );
    }

    #[test]
    #[cfg_attr(miri, ignore = "its clock stands still but for steps and waits")]
    fn nobody_waits_while_numbers_are_known_to_be_short() {
        const ASKED: u32 = 10;
        let slots = Numbers::default();
        let first = Slot::default();
        first.take(&slots, None, 1);
        let waits_seldom = || {
            let start = Instant::now();
            for _ in 0..ASKED {
                assert_eq!(Slot::default().take(&slots, None, 1), None);
            }
            start.elapsed() < PATIENCE * ASKED / 2
        };
        // Once at least where the machine doesn't stand still.
        assert!((0..100).any(|_| waits_seldom()));
    }

    #[test]
    fn a_release_ends_the_wait_for_a_number() {
        let ends = || {
            let slots = Numbers::default();
            let first = Slot::default();
            first.take(&slots, None, 1);
            std::thread::scope(|scope| {
                let waits = scope.spawn(|| {
                    let start = Instant::now();
                    let is_given = Slot::default().take(&slots, None, 1).is_some();
                    is_given && start.elapsed() < PATIENCE
                });
                std::thread::sleep(PATIENCE / 5);
                first.release(&slots);
                waits.join().unwrap()
            })
        };
        // Once at least where the machine doesn't stand still.
        assert!((0..100).any(|_| ends()));
    }
}
