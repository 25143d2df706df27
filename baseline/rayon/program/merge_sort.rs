//! A merge sort whose merges fork too.

use crate::fork::{Fork, Pool, Serial};
use crate::sorting::Sort;

/// Fewer are sorted at once.
const FEW: usize = 256;
/// Fewer are merged one by one.
const FEW_TO_MERGE: usize = 1024;

/// With the space that it needs.
#[derive(Default)]
pub struct MergeSort {
    space: Vec<u32>,
}

impl MergeSort {
    fn run<F: Fork>(&mut self, numbers: &mut [u32]) {
        self.space.resize(numbers.len(), 0);
        sort::<F>(numbers, &mut self.space, Place::Here);
    }
}

impl Sort for MergeSort {
    fn parallel(&mut self, numbers: &mut [u32]) {
        self.run::<Pool>(numbers);
    }

    fn serial(&mut self, numbers: &mut [u32]) {
        self.run::<Serial>(numbers);
    }
}

/// Where the sorted numbers are wanted.
#[derive(Clone, Copy)]
enum Place {
    Here,
    Space,
}

impl Place {
    fn other(self) -> Self {
        match self {
            Self::Here => Self::Space,
            Self::Space => Self::Here,
        }
    }
}

/// Each merge goes from one slice to the other, so halves are wanted where the whole is not.
fn sort<F: Fork>(here: &mut [u32], space: &mut [u32], wanted: Place) {
    if here.len() <= FEW {
        here.sort_unstable();
        if let Place::Space = wanted {
            space.copy_from_slice(here);
        }
        return;
    }
    let middle = here.len() / 2;
    let (left, right) = here.split_at_mut(middle);
    let (left_space, right_space) = space.split_at_mut(middle);
    let halves = wanted.other();
    F::fork(
        || sort::<F>(left, left_space, halves),
        || sort::<F>(right, right_space, halves),
    );
    match wanted {
        Place::Here => merge::<F>(left_space, right_space, here),
        Place::Space => merge::<F>(left, right, space),
    }
}

/// Splits at the middle of the longer one, and at the same value in the other.
fn merge<F: Fork>(a: &[u32], b: &[u32], merged: &mut [u32]) {
    let (longer, shorter) = if a.len() < b.len() { (b, a) } else { (a, b) };
    if merged.len() <= FEW_TO_MERGE {
        return merge_one_by_one(longer, shorter, merged);
    }
    let middle = longer.len() / 2;
    let value = longer[middle];
    let place = shorter.partition_point(|number| *number < value);
    let (longer_low, longer_high) = longer.split_at(middle);
    let (shorter_low, shorter_high) = shorter.split_at(place);
    let (low, high) = merged.split_at_mut(middle + place);
    F::fork(
        || merge::<F>(longer_low, shorter_low, low),
        || merge::<F>(longer_high, shorter_high, high),
    );
}

fn merge_one_by_one<'a>(mut a: &'a [u32], mut b: &'a [u32], merged: &mut [u32]) {
    for slot in merged {
        // Equal numbers can't be told apart, so any order of them is right.
        let from = match (a.first(), b.first()) {
            (Some(first), Some(second)) if second < first => &mut b,
            (Some(_), _) => &mut a,
            (None, _) => &mut b,
        };
        if let Some((number, rest)) = from.split_first() {
            *slot = *number;
            *from = rest;
        }
    }
}
