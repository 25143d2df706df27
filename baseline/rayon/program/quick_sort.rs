//! A quick sort that forks down to a few numbers.

use crate::fork::{Fork, Pool, Serial};
use crate::sorting::Sort;

/// Fewer are sorted at once.
const FEW: usize = 32;

/// Needs no space.
pub struct QuickSort;

impl Sort for QuickSort {
    fn parallel(&mut self, numbers: &mut [u32]) {
        sort::<Pool>(numbers);
    }

    fn serial(&mut self, numbers: &mut [u32]) {
        sort::<Serial>(numbers);
    }
}

fn sort<F: Fork>(numbers: &mut [u32]) {
    if numbers.len() <= FEW {
        numbers.sort_unstable();
        return;
    }
    let place = partition(numbers);
    let (low, high) = numbers.split_at_mut(place);
    // The pivot itself lies where it belongs.
    F::fork(|| sort::<F>(low), || sort::<F>(&mut high[1..]));
}

/// Puts what is less than the pivot before it and gives the pivot's place.
fn partition(numbers: &mut [u32]) -> usize {
    let last = numbers.len() - 1;
    let candidates = [0, last / 2, last];
    let mut by_value = candidates.map(|place| (numbers[place], place));
    by_value.sort_unstable();
    numbers.swap(by_value[1].1, last);
    let pivot = numbers[last];
    let mut place = 0;
    for next in 0..last {
        // Without a branch: which way it goes can't be guessed.
        let is_less = numbers[next] < pivot;
        numbers.swap(place, next);
        place += usize::from(is_less);
    }
    numbers.swap(place, last);
    place
}
