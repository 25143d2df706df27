//! Slices, mapped in chunks on a pool.

use crate::TaskPool;

/// The chunk length that makes at most `max_tasks` chunks, or one a thread.
///
/// Rounded up, so that an uneven length makes no extra chunk; a pool without threads counts as one.
fn splat_chunk_len(len: usize, pool: &TaskPool, max_tasks: Option<usize>) -> usize {
    let tasks = pool
        .thread_num()
        .min(max_tasks.unwrap_or(usize::MAX))
        .max(1);
    len.div_ceil(tasks).max(1)
}

/// Maps chunks of a slice in parallel.
pub trait ParallelSlice<T: Sync>: AsRef<[T]> {
    /// Maps chunks of `chunk_size` items, the last one maybe shorter. `f` gets a chunk's index and
    /// the chunk; the results come in order. A few chunks are a task each; more than eight a thread
    /// are a loop, which is shared as threads come free, so that short ones cost little more than
    /// without tasks. None may wait for another one, nor for a task of the calling thread's
    /// executor.
    ///
    /// # Panics
    ///
    /// When `chunk_size` is 0, and when `f` panics.
    ///
    /// ```
    /// use bevy_tasks::{ParallelSlice, TaskPool};
    /// let pool = TaskPool::new();
    /// let sums = [1, 2, 3, 4, 5].par_chunk_map(&pool, 2, |_, chunk| chunk.iter().sum::<i32>());
    /// assert_eq!(sums, [3, 7, 5]);
    /// ```
    fn par_chunk_map<F, R>(&self, task_pool: &TaskPool, chunk_size: usize, f: F) -> Vec<R>
    where
        F: Fn(usize, &[T]) -> R + Send + Sync,
        R: Send + 'static,
    {
        let chunks = self.as_ref().chunks(chunk_size).enumerate();
        task_pool.map_each(chunks, |(index, chunk)| f(index, chunk))
    }

    /// As [`par_chunk_map`](Self::par_chunk_map), with at most `max_tasks` chunks of even length,
    /// and no more than the pool has threads.
    fn par_splat_map<F, R>(&self, task_pool: &TaskPool, max_tasks: Option<usize>, f: F) -> Vec<R>
    where
        F: Fn(usize, &[T]) -> R + Send + Sync,
        R: Send + 'static,
    {
        let chunk_size = splat_chunk_len(self.as_ref().len(), task_pool, max_tasks);
        self.par_chunk_map(task_pool, chunk_size, f)
    }
}

impl<S: AsRef<[T]>, T: Sync> ParallelSlice<T> for S {}

/// Maps mutable chunks of a slice in parallel.
pub trait ParallelSliceMut<T: Send>: AsMut<[T]> {
    /// As [`ParallelSlice::par_chunk_map`], with chunks that may be changed.
    ///
    /// # Panics
    ///
    /// When `chunk_size` is 0, and when `f` panics.
    ///
    /// ```
    /// use bevy_tasks::{ParallelSliceMut, TaskPool};
    /// let pool = TaskPool::new();
    /// let mut numbers = [1, 2, 3];
    /// numbers.par_chunk_map_mut(&pool, 2, |_, chunk| chunk.iter_mut().for_each(|n| *n *= 10));
    /// assert_eq!(numbers, [10, 20, 30]);
    /// ```
    fn par_chunk_map_mut<F, R>(&mut self, task_pool: &TaskPool, chunk_size: usize, f: F) -> Vec<R>
    where
        F: Fn(usize, &mut [T]) -> R + Send + Sync,
        R: Send + 'static,
    {
        let chunks = self.as_mut().chunks_mut(chunk_size).enumerate();
        task_pool.map_each(chunks, |(index, chunk)| f(index, chunk))
    }

    /// As [`ParallelSlice::par_splat_map`], with chunks that may be changed.
    fn par_splat_map_mut<F, R>(
        &mut self,
        task_pool: &TaskPool,
        max_tasks: Option<usize>,
        f: F,
    ) -> Vec<R>
    where
        F: Fn(usize, &mut [T]) -> R + Send + Sync,
        R: Send + 'static,
    {
        let chunk_size = splat_chunk_len(self.as_mut().len(), task_pool, max_tasks);
        self.par_chunk_map_mut(task_pool, chunk_size, f)
    }
}

impl<S: AsMut<[T]>, T: Send> ParallelSliceMut<T> for S {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TaskPoolBuilder;

    #[test]
    fn chunks_map_in_order() {
        let pool = TaskPoolBuilder::new().num_threads(2).build();
        let numbers: Vec<u32> = (0..1000).collect();
        let firsts = numbers.par_chunk_map(&pool, 99, |index, chunk| (index, chunk[0]));
        assert_eq!(firsts.len(), 11);
        assert!(firsts.iter().all(|&(i, first)| first == i as u32 * 99));
    }

    /// However few there are, and at the first call, of which nothing is known.
    #[cfg(feature = "multi_threaded")]
    #[test]
    fn long_chunks_are_shared() {
        for chunks in [2, 3, 50] {
            let pool = TaskPoolBuilder::new().num_threads(2).build();
            let threads = vec![(); chunks].par_chunk_map(&pool, 1, |_, _| {
                std::thread::sleep(core::time::Duration::from_millis(200 / chunks as u64));
                std::thread::current().id()
            });
            assert!(threads.iter().any(|id| *id != threads[0]), "{chunks}");
        }
    }

    #[test]
    fn a_panic_in_a_chunk_reaches_the_caller_and_the_pool_goes_on() {
        let pool = TaskPoolBuilder::new().num_threads(2).build();
        for bad in [0, 5, 9] {
            let result = std::panic::catch_unwind(core::panic::AssertUnwindSafe(|| {
                [(); 10].par_chunk_map(&pool, 1, |index, _| {
                    assert!(index != bad, "chunk {index}");
                })
            }));
            let payload = result.unwrap_err();
            assert_eq!(
                *payload.downcast::<String>().unwrap(),
                format!("chunk {bad}")
            );
        }
        assert_eq!([1, 2].par_chunk_map(&pool, 1, |_, chunk| chunk[0]), [1, 2]);
    }

    #[test]
    fn a_splat_makes_at_most_the_tasks_it_may() {
        for threads in [0, 1, 2, 3] {
            let pool = TaskPoolBuilder::new().num_threads(threads).build();
            let mut numbers: Vec<u32> = (0..1001).collect();
            for max in [None, Some(1), Some(2), Some(0)] {
                let parts = numbers.par_splat_map(&pool, max, |_, chunk| chunk.len());
                assert_eq!(parts.iter().sum::<usize>(), 1001);
                assert!(parts.len() <= threads.max(1).min(max.unwrap_or(9).max(1)));
            }
            numbers.par_splat_map_mut(&pool, None, |_, chunk| chunk.fill(1));
            assert_eq!(numbers.iter().sum::<u32>(), 1001);
            assert!(
                Vec::<u32>::new()
                    .par_splat_map(&pool, None, |_, c| c.len())
                    .is_empty()
            );
        }
    }
}
