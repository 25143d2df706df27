//! Which threads of a pool live, by index, and when one may end.

use crate::lanes::occupancy::Occupancy;
use crate::sync::Arc;

/// How many idle threads more than its target a pool keeps, for the next waits.
const SPARES_KEPT: usize = 4;

/// The living threads, and those that are being started. Kept under a lock: whoever makes a pool
/// grow sets the target and takes places here under it, and a thread that ends looks at the target
/// under it.
pub(crate) struct Live<T> {
    threads: Vec<Option<Arc<T>>>,
    /// The places of threads that have left them and not ended yet.
    retiring: Vec<usize>,
}

/// Whether the thread of `index`, one of so many `idle` ones of a pool that `has_spares`, is one
/// too many.
pub(crate) fn is_surplus(
    occupancy: &Occupancy,
    index: usize,
    idle: usize,
    has_spares: bool,
) -> bool {
    let target = occupancy.target();
    let keeps = has_spares && target > 0;
    let enough = if keeps { target + SPARES_KEPT } else { 0 };
    index >= target && idle > enough
}

impl<T> Default for Live<T> {
    fn default() -> Self {
        Self {
            threads: Vec::new(),
            retiring: Vec::new(),
        }
    }
}

impl<T> Live<T> {
    /// Those that live, in the order of their indices.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Arc<T>> {
        self.threads.iter().flatten()
    }

    /// The number of the first `count` places up to the last one that is taken.
    pub(crate) fn up_to_last(&self, count: usize) -> usize {
        let first = &self.threads[..count.min(self.threads.len())];
        first
            .iter()
            .rposition(Option::is_some)
            .map_or(0, |last| last + 1)
    }

    /// Whether the first `count` places are taken.
    pub(crate) fn has_first(&self, count: usize) -> bool {
        self.threads.iter().take(count).flatten().count() == count
    }

    pub(crate) fn get(&self, index: usize) -> Option<Arc<T>> {
        self.threads.get(index)?.clone()
    }

    pub(crate) fn has_retiring(&self) -> bool {
        !self.retiring.is_empty()
    }

    /// A thread of `index`, or of the first one that no thread has, that the caller must start.
    /// None if it lives.
    pub(crate) fn begin(
        &mut self,
        index: Option<usize>,
        make: impl FnOnce(usize) -> T,
    ) -> Option<Arc<T>> {
        let is_free = |index: &usize| {
            self.threads.get(*index).is_none_or(Option::is_none) && !self.retiring.contains(index)
        };
        let index = index.or_else(|| (0..).find(is_free))?;
        if index >= self.threads.len() {
            self.threads.resize(index + 1, None);
        }
        let place = &mut self.threads[index];
        if place.is_some() {
            return None;
        }
        Some(place.insert(Arc::new(make(index))).clone())
    }

    /// Takes the idle thread of `index` off, if it is one too many: then it must end.
    pub(crate) fn retire(&mut self, occupancy: &Occupancy, index: usize, has_spares: bool) -> bool {
        if !is_surplus(occupancy, index, self.iter().count(), has_spares) {
            return false;
        }
        self.threads[index] = None;
        self.retiring.push(index);
        true
    }

    pub(crate) fn end(&mut self, index: usize, thread: &Arc<T>) {
        let place = &mut self.threads[index];
        if place.as_ref().is_some_and(|own| Arc::ptr_eq(own, thread)) {
            *place = None;
        } else if let Some(one) = self.retiring.iter().position(|own| *own == index) {
            self.retiring.swap_remove(one);
        }
    }
}
