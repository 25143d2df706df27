//! Work for one member of the pool: it takes it between jobs, and while it waits, for nobody else
//! could.

use crate::job::Job;
use crate::parker::Parker;
use crate::sync::{Arc, AtomicBool, Mutex, Ordering, lock};
use concurrent_queue::ConcurrentQueue;
use heartbeat_record::{Lane, Place, note};

pub(crate) struct Pinned {
    pub(crate) index: usize,
    queue: ConcurrentQueue<Job>,
    /// The thread's parker, once it runs.
    owner: Mutex<Option<Arc<Parker>>>,
    enrolled: AtomicBool,
}

impl Pinned {
    pub(crate) fn new(index: usize) -> Self {
        Self {
            index,
            queue: ConcurrentQueue::unbounded(),
            owner: Mutex::new(None),
            enrolled: AtomicBool::new(false),
        }
    }

    /// The thread runs now. What was queued before, it finds at its first look.
    pub(crate) fn begin(&self, owner: Arc<Parker>) {
        *lock(&self.owner) = Some(owner);
    }

    pub(crate) fn has_begun(&self) -> bool {
        lock(&self.owner).is_some()
    }

    /// The thread was there before the pool, and will outlive it.
    pub(crate) fn enroll(&self) {
        // Relaxed: read under the lock of the pool's threads, or after the pool was handed over.
        self.enrolled.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_enrolled(&self) -> bool {
        self.enrolled.load(Ordering::Relaxed)
    }

    /// Queues `job` and wakes the thread. Gives the job back if the thread has ended.
    pub(crate) fn push(&self, job: Job) -> Result<(), Job> {
        note::queued(job.number(), Lane::Frame, Place::Pinned);
        self.queue
            .push(job)
            .map_err(concurrent_queue::PushError::into_inner)?;
        if let Some(owner) = &*lock(&self.owner) {
            owner.unpark();
        }
        Ok(())
    }

    pub(crate) fn pop(&self) -> Option<Job> {
        self.queue.pop().ok()
    }

    pub(crate) fn len(&self) -> usize {
        self.queue.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }

    /// Whether it refuses all work, for the thread has ended or never begins.
    pub(crate) fn is_closed(&self) -> bool {
        self.queue.is_closed()
    }

    /// Refuses all further work; what is left is the caller's to run or drop.
    pub(crate) fn close(&self) {
        self.queue.close();
    }
}
