//! Calls that block, until a thread takes them.

use crate::job::Job;
use crate::sync::{AtomicUsize, Ordering};
use concurrent_queue::{ConcurrentQueue, PushError};
use std::iter;

/// The most blocking jobs that run at once in a pool; the number is tokio's. The others wait.
const MOST: usize = 512;

/// The jobs of `spawn_blocking`, which idle threads take without being counted as running.
pub(crate) struct BlockingQueue {
    queue: ConcurrentQueue<Job>,
    running: AtomicUsize,
}

impl BlockingQueue {
    pub(crate) fn new() -> Self {
        Self {
            queue: ConcurrentQueue::unbounded(),
            running: AtomicUsize::new(0),
        }
    }

    /// Queues a job, which comes back if the pool has ended.
    pub(crate) fn push(&self, job: Job) -> Result<(), Job> {
        self.queue.push(job).map_err(PushError::into_inner)
    }

    /// Whether a thread that now looks would get a job.
    pub(crate) fn is_ready(&self) -> bool {
        // Relaxed: as every look at a queue, under the fences of the sleep protocol.
        !self.queue.is_empty() && self.running.load(Ordering::Relaxed) < MOST
    }

    pub(crate) fn len(&self) -> usize {
        self.queue.len()
    }

    /// Takes a job, which the caller must run, and then call [`finish`](Self::finish).
    pub(crate) fn try_take(&self) -> Option<Job> {
        if self.queue.is_empty() {
            return None;
        }
        // Relaxed, here and in `finish`: the count guards no data.
        if self.running.fetch_add(1, Ordering::Relaxed) < MOST
            && let Ok(job) = self.queue.pop()
        {
            return Some(job);
        }
        self.finish();
        None
    }

    /// Takes a job that is not to be run.
    pub(crate) fn pop(&self) -> Option<Job> {
        self.queue.pop().ok()
    }

    /// A job is over. The caller must look at the queue once more.
    pub(crate) fn finish(&self) {
        self.running.fetch_sub(1, Ordering::Relaxed);
    }

    pub(crate) fn close(&self) -> impl Iterator<Item = Job> {
        self.queue.close();
        iter::from_fn(|| self.pop())
    }
}

#[cfg(all(test, not(heartbeat_loom)))]
mod tests {
    use super::*;

    #[test]
    fn who_looks_in_vain_is_not_counted() {
        let queue = BlockingQueue::new();
        for _ in 0..=MOST {
            assert!(queue.push(Job::new(Box::new(|| ()))).is_ok());
        }
        for _ in 0..MOST {
            assert!(queue.try_take().is_some());
        }
        assert!(queue.try_take().is_none() && !queue.is_ready());
        queue.finish();
        assert!(queue.is_ready() && queue.try_take().is_some());
    }
}
