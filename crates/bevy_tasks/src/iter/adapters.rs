//! The adapters: each wraps every batch in the serial adapter of the same name.

use super::ParallelIterator;
use core::iter;

/// First `T`'s batches, then `U`'s. Made by [`ParallelIterator::chain`].
#[derive(Clone, Debug)]
pub struct Chain<T, U> {
    pub(super) left: T,
    pub(super) right: U,
    pub(super) left_in_progress: bool,
}

impl<B, T, U> ParallelIterator<B> for Chain<T, U>
where
    B: Iterator + Send,
    T: ParallelIterator<B>,
    U: ParallelIterator<B>,
{
    fn next_batch(&mut self) -> Option<B> {
        if self.left_in_progress {
            let batch = self.left.next_batch();
            if batch.is_some() {
                return batch;
            }
            self.left_in_progress = false;
        }
        self.right.next_batch()
    }
}

/// What `F` makes of each item. Made by [`ParallelIterator::map`].
#[derive(Clone, Debug)]
pub struct Map<P, F> {
    pub(super) iter: P,
    pub(super) f: F,
}

impl<B, P, T, F> ParallelIterator<iter::Map<B, F>> for Map<P, F>
where
    B: Iterator + Send,
    P: ParallelIterator<B>,
    F: FnMut(B::Item) -> T + Send + Clone,
{
    fn next_batch(&mut self) -> Option<iter::Map<B, F>> {
        self.iter
            .next_batch()
            .map(|batch| batch.map(self.f.clone()))
    }
}

/// The items that `F` accepts. Made by [`ParallelIterator::filter`].
#[derive(Clone, Debug)]
pub struct Filter<P, F> {
    pub(super) iter: P,
    pub(super) predicate: F,
}

impl<B, P, F> ParallelIterator<iter::Filter<B, F>> for Filter<P, F>
where
    B: Iterator + Send,
    P: ParallelIterator<B>,
    F: FnMut(&B::Item) -> bool + Send + Clone,
{
    fn next_batch(&mut self) -> Option<iter::Filter<B, F>> {
        self.iter
            .next_batch()
            .map(|batch| batch.filter(self.predicate.clone()))
    }
}

/// What `F` makes of each item, where it makes something. Made by [`ParallelIterator::filter_map`].
#[derive(Clone, Debug)]
pub struct FilterMap<P, F> {
    pub(super) iter: P,
    pub(super) f: F,
}

impl<B, P, R, F> ParallelIterator<iter::FilterMap<B, F>> for FilterMap<P, F>
where
    B: Iterator + Send,
    P: ParallelIterator<B>,
    F: FnMut(B::Item) -> Option<R> + Send + Clone,
{
    fn next_batch(&mut self) -> Option<iter::FilterMap<B, F>> {
        self.iter
            .next_batch()
            .map(|batch| batch.filter_map(self.f.clone()))
    }
}

/// The items of what `F` makes of each item. Made by [`ParallelIterator::flat_map`].
#[derive(Clone, Debug)]
pub struct FlatMap<P, F> {
    pub(super) iter: P,
    pub(super) f: F,
}

impl<B, P, U, F> ParallelIterator<iter::FlatMap<B, U, F>> for FlatMap<P, F>
where
    B: Iterator + Send,
    P: ParallelIterator<B>,
    F: FnMut(B::Item) -> U + Send + Clone,
    U: IntoIterator,
    U::IntoIter: Send,
{
    fn next_batch(&mut self) -> Option<iter::FlatMap<B, U, F>> {
        self.iter
            .next_batch()
            .map(|batch| batch.flat_map(self.f.clone()))
    }
}

/// The items of the items. Made by [`ParallelIterator::flatten`].
#[derive(Clone, Debug)]
pub struct Flatten<P> {
    pub(super) iter: P,
}

impl<B, P> ParallelIterator<iter::Flatten<B>> for Flatten<P>
where
    B: Iterator + Send,
    P: ParallelIterator<B>,
    B::Item: IntoIterator,
    <B::Item as IntoIterator>::IntoIter: Send,
{
    fn next_batch(&mut self) -> Option<iter::Flatten<B>> {
        self.iter.next_batch().map(Iterator::flatten)
    }
}

/// Shows each item to `F`. Made by [`ParallelIterator::inspect`].
#[derive(Clone, Debug)]
pub struct Inspect<P, F> {
    pub(super) iter: P,
    pub(super) f: F,
}

impl<B, P, F> ParallelIterator<iter::Inspect<B, F>> for Inspect<P, F>
where
    B: Iterator + Send,
    P: ParallelIterator<B>,
    F: FnMut(&B::Item) + Send + Clone,
{
    fn next_batch(&mut self) -> Option<iter::Inspect<B, F>> {
        self.iter
            .next_batch()
            .map(|batch| batch.inspect(self.f.clone()))
    }
}

/// Copies each item. Made by [`ParallelIterator::copied`].
#[derive(Clone, Debug)]
pub struct Copied<P> {
    pub(super) iter: P,
}

impl<'a, B, P, T> ParallelIterator<iter::Copied<B>> for Copied<P>
where
    B: Iterator<Item = &'a T> + Send,
    P: ParallelIterator<B>,
    T: 'a + Copy,
{
    fn next_batch(&mut self) -> Option<iter::Copied<B>> {
        self.iter.next_batch().map(Iterator::copied)
    }
}

/// Clones each item. Made by [`ParallelIterator::cloned`].
#[derive(Clone, Debug)]
pub struct Cloned<P> {
    pub(super) iter: P,
}

impl<'a, B, P, T> ParallelIterator<iter::Cloned<B>> for Cloned<P>
where
    B: Iterator<Item = &'a T> + Send,
    P: ParallelIterator<B>,
    T: 'a + Copy,
{
    fn next_batch(&mut self) -> Option<iter::Cloned<B>> {
        self.iter.next_batch().map(Iterator::cloned)
    }
}

/// Ends for good at the first `None`. Made by [`ParallelIterator::fuse`].
#[derive(Clone, Debug)]
pub struct Fuse<P> {
    pub(super) iter: Option<P>,
}

impl<B, P> ParallelIterator<B> for Fuse<P>
where
    B: Iterator + Send,
    P: ParallelIterator<B>,
{
    fn next_batch(&mut self) -> Option<B> {
        let batch = self.iter.as_mut()?.next_batch();
        if batch.is_none() {
            self.iter = None;
        }
        batch
    }
}

/// Starts over at the end, for ever. Made by [`ParallelIterator::cycle`].
#[derive(Clone, Debug)]
pub struct Cycle<P> {
    pub(super) iter: P,
    pub(super) curr: Option<P>,
}

impl<B, P> ParallelIterator<B> for Cycle<P>
where
    B: Iterator + Send,
    P: ParallelIterator<B> + Clone,
{
    fn next_batch(&mut self) -> Option<B> {
        if let Some(batch) = self.curr.as_mut().and_then(P::next_batch) {
            return Some(batch);
        }
        // An iterator without batches ends here instead of never.
        self.curr.insert(self.iter.clone()).next_batch()
    }
}
