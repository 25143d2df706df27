//! Iterators that hand out batches, which tasks then go through.

use crate::TaskPool;
use core::cmp::Ordering;
use core::iter::{Product, Sum};

mod adapters;
pub use adapters::*;

/// Goes through the batches on as many threads as come free; the results come in the order of the
/// batches.
fn map_batches<P, B, R, W>(mut batches: P, pool: &TaskPool, work: W) -> Vec<R>
where
    P: ParallelIterator<B>,
    B: Iterator + Send,
    W: FnOnce(B) -> R + Clone + Sync,
    R: Send,
{
    let batches = core::iter::from_fn(|| batches.next_batch());
    pool.map_each(batches, |batch| (work.clone())(batch))
}

/// An iterator over batches, each of which is an iterator that one thread goes through.
///
/// Adapters are lazy and wrap each batch; consumers take the pool to run on. The batches are shared
/// as threads come free, as [those of a slice](crate::ParallelSlice::par_chunk_map): their length
/// matters only in that one batch stays on one thread. None may wait for another one, nor for a
/// task of the calling thread's executor.
///
/// ```
/// use bevy_tasks::{ParallelIterator, TaskPool};
///
/// struct Chunks<'a>(std::slice::Chunks<'a, u32>);
///
/// impl<'a> ParallelIterator<std::slice::Iter<'a, u32>> for Chunks<'a> {
///     fn next_batch(&mut self) -> Option<std::slice::Iter<'a, u32>> {
///         self.0.next().map(|chunk| chunk.iter())
///     }
/// }
///
/// let pool = TaskPool::new();
/// let numbers: Vec<u32> = (0..100).collect();
/// let even = Chunks(numbers.chunks(7)).copied::<u32>().filter(|n| n % 2 == 0);
/// assert_eq!(even.count(&pool), 50);
/// ```
pub trait ParallelIterator<BatchIter>
where
    BatchIter: Iterator + Send,
    Self: Sized + Send,
{
    /// The next batch; `None` when there are no more.
    fn next_batch(&mut self) -> Option<BatchIter>;

    /// Bounds of the number of items left, as [`Iterator::size_hint`].
    fn size_hint(&self) -> (usize, Option<usize>) {
        (0, None)
    }

    /// Counts the items. See [`Iterator::count`].
    fn count(self, pool: &TaskPool) -> usize {
        map_batches(self, pool, BatchIter::count).into_iter().sum()
    }

    /// The last item; serial. See [`Iterator::last`].
    fn last(mut self, _pool: &TaskPool) -> Option<BatchIter::Item> {
        let mut last = None;
        while let Some(batch) = self.next_batch() {
            // An empty batch at the end does not hide the item before it.
            last = batch.last().or(last);
        }
        last
    }

    /// The `n`th item, from 0; serial. See [`Iterator::nth`].
    fn nth(mut self, _pool: &TaskPool, n: usize) -> Option<BatchIter::Item> {
        let mut left = n;
        while let Some(batch) = self.next_batch() {
            for item in batch {
                if left == 0 {
                    return Some(item);
                }
                left -= 1;
            }
        }
        None
    }

    /// This one's batches, then `other`'s. See [`Iterator::chain`].
    fn chain<U>(self, other: U) -> Chain<Self, U>
    where
        U: ParallelIterator<BatchIter>,
    {
        Chain {
            left: self,
            right: other,
            left_in_progress: true,
        }
    }

    /// What `f` makes of each item. See [`Iterator::map`].
    fn map<T, F>(self, f: F) -> Map<Self, F>
    where
        F: FnMut(BatchIter::Item) -> T + Send + Clone,
    {
        Map { iter: self, f }
    }

    /// Calls `f` on each item. See [`Iterator::for_each`].
    fn for_each<F>(self, pool: &TaskPool, f: F)
    where
        F: FnMut(BatchIter::Item) + Send + Clone + Sync,
    {
        map_batches(self, pool, move |batch: BatchIter| batch.for_each(f));
    }

    /// The items that `predicate` accepts. See [`Iterator::filter`].
    fn filter<F>(self, predicate: F) -> Filter<Self, F>
    where
        F: FnMut(&BatchIter::Item) -> bool,
    {
        Filter {
            iter: self,
            predicate,
        }
    }

    /// What `f` makes of each item, where it makes something. See [`Iterator::filter_map`].
    fn filter_map<R, F>(self, f: F) -> FilterMap<Self, F>
    where
        F: FnMut(BatchIter::Item) -> Option<R>,
    {
        FilterMap { iter: self, f }
    }

    /// The items of what `f` makes of each item. See [`Iterator::flat_map`].
    fn flat_map<U, F>(self, f: F) -> FlatMap<Self, F>
    where
        F: FnMut(BatchIter::Item) -> U,
        U: IntoIterator,
    {
        FlatMap { iter: self, f }
    }

    /// The items of the items. See [`Iterator::flatten`].
    fn flatten(self) -> Flatten<Self>
    where
        BatchIter::Item: IntoIterator,
    {
        Flatten { iter: self }
    }

    /// Ends for good at the first `None`. See [`Iterator::fuse`].
    fn fuse(self) -> Fuse<Self> {
        Fuse { iter: Some(self) }
    }

    /// Shows each item to `f` and passes it on. See [`Iterator::inspect`].
    fn inspect<F>(self, f: F) -> Inspect<Self, F>
    where
        F: FnMut(&BatchIter::Item),
    {
        Inspect { iter: self, f }
    }

    /// Borrows this iterator. See [`Iterator::by_ref`].
    fn by_ref(&mut self) -> &mut Self {
        self
    }

    /// Collects the items, in order. See [`Iterator::collect`].
    fn collect<C>(self, pool: &TaskPool) -> C
    where
        C: FromIterator<BatchIter::Item>,
        BatchIter::Item: Send + 'static,
    {
        map_batches(self, pool, BatchIter::collect::<Vec<_>>)
            .into_iter()
            .flatten()
            .collect()
    }

    /// Collects the items that `f` accepts, and those that it does not. See
    /// [`Iterator::partition`].
    fn partition<C, F>(self, pool: &TaskPool, f: F) -> (C, C)
    where
        C: Default + Extend<BatchIter::Item> + Send,
        F: FnMut(&BatchIter::Item) -> bool + Send + Sync + Clone,
        BatchIter::Item: Send + 'static,
    {
        let (mut accepted, mut rest) = <(C, C)>::default();
        let parts = map_batches(self, pool, move |batch: BatchIter| {
            batch.partition::<Vec<_>, F>(f)
        });
        for (a, b) in parts {
            accepted.extend(a);
            rest.extend(b);
        }
        (accepted, rest)
    }

    /// Folds each batch on its own, starting from `init`; the results come in the order of the
    /// batches. See [`Iterator::fold`].
    fn fold<C, F, D>(self, pool: &TaskPool, init: C, f: F) -> Vec<C>
    where
        F: FnMut(C, BatchIter::Item) -> C + Send + Sync + Clone,
        C: Clone + Send + Sync + 'static,
    {
        map_batches(self, pool, move |batch: BatchIter| batch.fold(init, f))
    }

    /// Whether `f` accepts every item. A refusal ends its own batch only. See [`Iterator::all`].
    fn all<F>(self, pool: &TaskPool, f: F) -> bool
    where
        F: FnMut(BatchIter::Item) -> bool + Send + Sync + Clone,
    {
        map_batches(self, pool, move |mut batch: BatchIter| batch.all(f))
            .into_iter()
            .all(core::convert::identity)
    }

    /// Whether `f` accepts some item. A hit ends its own batch only. See [`Iterator::any`].
    fn any<F>(self, pool: &TaskPool, f: F) -> bool
    where
        F: FnMut(BatchIter::Item) -> bool + Send + Sync + Clone,
    {
        map_batches(self, pool, move |mut batch: BatchIter| batch.any(f))
            .into_iter()
            .any(core::convert::identity)
    }

    /// The place of the first item that `f` accepts; every item is counted. See
    /// [`Iterator::position`].
    fn position<F>(self, pool: &TaskPool, f: F) -> Option<usize>
    where
        F: FnMut(BatchIter::Item) -> bool + Send + Sync + Clone,
    {
        let found = map_batches(self, pool, move |mut batch: BatchIter| {
            let mut f = f;
            let mut len = 0;
            let hit = batch.by_ref().position(|item| {
                len += 1;
                f(item)
            });
            (len + batch.count(), hit)
        });
        let mut start = 0;
        for (len, hit) in found {
            if let Some(hit) = hit {
                return Some(start + hit);
            }
            start += len;
        }
        None
    }

    /// The greatest item. See [`Iterator::max`].
    fn max(self, pool: &TaskPool) -> Option<BatchIter::Item>
    where
        BatchIter::Item: Ord + Send + 'static,
    {
        map_batches(self, pool, BatchIter::max)
            .into_iter()
            .flatten()
            .max()
    }

    /// The least item. See [`Iterator::min`].
    fn min(self, pool: &TaskPool) -> Option<BatchIter::Item>
    where
        BatchIter::Item: Ord + Send + 'static,
    {
        map_batches(self, pool, BatchIter::min)
            .into_iter()
            .flatten()
            .min()
    }

    /// The item whose key is greatest. See [`Iterator::max_by_key`].
    fn max_by_key<R, F>(self, pool: &TaskPool, f: F) -> Option<BatchIter::Item>
    where
        R: Ord,
        F: FnMut(&BatchIter::Item) -> R + Send + Sync + Clone,
        BatchIter::Item: Send + 'static,
    {
        let key = f.clone();
        map_batches(self, pool, move |batch: BatchIter| batch.max_by_key(key))
            .into_iter()
            .flatten()
            .max_by_key(f)
    }

    /// The item that `f` ranks greatest. See [`Iterator::max_by`].
    fn max_by<F>(self, pool: &TaskPool, f: F) -> Option<BatchIter::Item>
    where
        F: FnMut(&BatchIter::Item, &BatchIter::Item) -> Ordering + Send + Sync + Clone,
        BatchIter::Item: Send + 'static,
    {
        let rank = f.clone();
        map_batches(self, pool, move |batch: BatchIter| batch.max_by(rank))
            .into_iter()
            .flatten()
            .max_by(f)
    }

    /// The item whose key is least. See [`Iterator::min_by_key`].
    fn min_by_key<R, F>(self, pool: &TaskPool, f: F) -> Option<BatchIter::Item>
    where
        R: Ord,
        F: FnMut(&BatchIter::Item) -> R + Send + Sync + Clone,
        BatchIter::Item: Send + 'static,
    {
        let key = f.clone();
        map_batches(self, pool, move |batch: BatchIter| batch.min_by_key(key))
            .into_iter()
            .flatten()
            .min_by_key(f)
    }

    /// The item that `f` ranks least. See [`Iterator::min_by`].
    fn min_by<F>(self, pool: &TaskPool, f: F) -> Option<BatchIter::Item>
    where
        F: FnMut(&BatchIter::Item, &BatchIter::Item) -> Ordering + Send + Sync + Clone,
        BatchIter::Item: Send + 'static,
    {
        let rank = f.clone();
        map_batches(self, pool, move |batch: BatchIter| batch.min_by(rank))
            .into_iter()
            .flatten()
            .min_by(f)
    }

    /// Copies each item. See [`Iterator::copied`].
    fn copied<'a, T>(self) -> Copied<Self>
    where
        Self: ParallelIterator<BatchIter>,
        T: 'a + Copy,
    {
        Copied { iter: self }
    }

    /// Clones each item. See [`Iterator::cloned`].
    fn cloned<'a, T>(self) -> Cloned<Self>
    where
        Self: ParallelIterator<BatchIter>,
        T: 'a + Copy,
    {
        Cloned { iter: self }
    }

    /// Starts over at the end, for ever. See [`Iterator::cycle`].
    fn cycle(self) -> Cycle<Self>
    where
        Self: Clone,
    {
        Cycle {
            iter: self,
            curr: None,
        }
    }

    /// Sums the batches, then their sums. See [`Iterator::sum`].
    fn sum<S, R>(self, pool: &TaskPool) -> R
    where
        S: Sum<BatchIter::Item> + Send + 'static,
        R: Sum<S>,
    {
        map_batches(self, pool, BatchIter::sum::<S>)
            .into_iter()
            .sum()
    }

    /// Multiplies the batches, then their products. See [`Iterator::product`].
    fn product<S, R>(self, pool: &TaskPool) -> R
    where
        S: Product<BatchIter::Item> + Send + 'static,
        R: Product<S>,
    {
        map_batches(self, pool, BatchIter::product::<S>)
            .into_iter()
            .product()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::slice::{Chunks, Iter};

    #[derive(Clone)]
    struct Batches<'a>(Chunks<'a, u32>);

    impl<'a> ParallelIterator<Iter<'a, u32>> for Batches<'a> {
        fn next_batch(&mut self) -> Option<Iter<'a, u32>> {
            self.0.next().map(<[u32]>::iter)
        }
    }

    const NUMBERS: [u32; 23] = [
        5, 3, 8, 1, 9, 2, 7, 7, 4, 6, 11, 13, 12, 10, 21, 20, 5, 17, 16, 15, 14, 18, 19,
    ];

    fn batches() -> impl ParallelIterator<core::iter::Copied<Iter<'static, u32>>> + Clone {
        Batches(const { &NUMBERS }.chunks(4)).copied::<u32>()
    }

    fn serial() -> impl Iterator<Item = u32> {
        NUMBERS.into_iter()
    }

    #[test]
    fn consumers_answer_as_the_serial_ones() {
        let pool = &TaskPool::new();
        assert_eq!(batches().count(pool), serial().count());
        assert_eq!(batches().last(pool), serial().last());
        assert_eq!(batches().nth(pool, 13), serial().nth(13));
        assert_eq!(batches().nth(pool, 99), None);
        assert_eq!(batches().collect::<Vec<_>>(pool), NUMBERS);
        let odd = |n: &u32| n % 2 == 1;
        let parts: (Vec<u32>, Vec<u32>) = batches().partition(pool, odd);
        assert_eq!(parts, serial().partition::<Vec<_>, _>(odd));
        assert_eq!(batches().fold::<_, _, ()>(pool, 0, |a, n| a + n).len(), 6);
        assert!(batches().all(pool, |n| n < 22) && !batches().all(pool, |n| n < 21));
        assert!(batches().any(pool, |n| n == 19) && !batches().any(pool, |n| n == 22));
        for wanted in [5, 21, 19, 22] {
            let place = serial().position(|n| n == wanted);
            assert_eq!(batches().position(pool, move |n| n == wanted), place);
        }
        assert_eq!(batches().max(pool), serial().max());
        assert_eq!(batches().min(pool), serial().min());
        let key = |n: &u32| n % 10;
        assert_eq!(batches().max_by_key(pool, key), serial().max_by_key(key));
        assert_eq!(batches().min_by_key(pool, key), serial().min_by_key(key));
        let rank = |a: &u32, b: &u32| (a % 7).cmp(&(b % 7));
        assert_eq!(batches().max_by(pool, rank), serial().max_by(rank));
        assert_eq!(batches().min_by(pool, rank), serial().min_by(rank));
        assert_eq!(batches().sum::<u32, u32>(pool), serial().sum());
        let wide = || batches().map(u64::from).map(|n| n % 3 + 1);
        let product: u64 = serial().map(|n| u64::from(n) % 3 + 1).product();
        assert_eq!(wide().product::<u64, u64>(pool), product);
        let sum = std::sync::atomic::AtomicU32::new(0);
        batches().for_each(pool, |n| {
            sum.fetch_add(n, std::sync::atomic::Ordering::Relaxed);
        });
        assert_eq!(sum.into_inner(), serial().sum());
    }

    #[test]
    fn adapters_answer_as_the_serial_ones() {
        let pool = &TaskPool::new();
        let even = |n: &u32| n.is_multiple_of(2);
        let twice = |n: u32| [n, n];
        let halved = |n: u32| even(&n).then_some(n / 2);
        let chained: Vec<u32> = batches().chain(batches()).collect(pool);
        assert_eq!(chained, serial().chain(serial()).collect::<Vec<_>>());
        let filtered: Vec<u32> = batches().filter(even).collect(pool);
        assert_eq!(filtered, serial().filter(even).collect::<Vec<_>>());
        let mapped: Vec<u32> = batches().filter_map(halved).collect(pool);
        assert_eq!(mapped, serial().filter_map(halved).collect::<Vec<_>>());
        let flat: Vec<u32> = batches().flat_map(twice).collect(pool);
        assert_eq!(flat, serial().flat_map(twice).collect::<Vec<_>>());
        let flat: Vec<u32> = batches().map(twice).flatten().collect(pool);
        assert_eq!(flat, serial().flat_map(twice).collect::<Vec<_>>());
        let inspected: Vec<u32> = batches().fuse().inspect(|_| {}).collect(pool);
        assert_eq!(inspected, NUMBERS);
        let cloned: Vec<u32> = Batches(NUMBERS.chunks(3)).cloned::<u32>().collect(pool);
        assert_eq!(cloned, NUMBERS);
        let mut cycle = batches().cycle();
        for _ in 0..20 {
            assert!(cycle.by_ref().next_batch().is_some());
        }
    }
}
