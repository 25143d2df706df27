//! The tasks that wait for something: what a pool or mailbox cancels at its end.
//!
//! A pending task lies in no queue. Were it left alone when its pool ends, a later wake-up could
//! only drop it on the spot, and wake-ups happen under locks that the task's own drop may want.
//! So the end wakes every pending task while there is still a queue to drop it from. The scheme is
//! async-executor's, but that a task is listed when it first waits: most never do.

use crate::sync::{Arc, Mutex, lock};
use crate::unwind::{Around, Guarded, Payload};
use slab::Slab;
use std::any::Any;
use std::ptr::NonNull;
use std::task::Waker;

/// Wakers of pending tasks; `None` once closed.
pub(crate) struct ActiveTasks(Mutex<Option<Slab<Waker>>>);

impl ActiveTasks {
    pub(crate) fn new() -> Self {
        Self(Mutex::new(Some(Slab::new())))
    }

    /// Lists a task and gives its key; after the end, wakes it instead.
    fn insert(&self, waker: &Waker) -> Option<usize> {
        let key = lock(&self.0)
            .as_mut()
            .map(|tasks| tasks.insert(waker.clone()));
        if key.is_none() {
            waker.wake_by_ref();
        }
        key
    }

    fn remove(&self, key: usize) {
        let removed = lock(&self.0)
            .as_mut()
            .and_then(|tasks| tasks.try_remove(key));
        // Outside of the lock: it may be the last reference to the task.
        drop(removed);
    }

    /// Whether no task waits.
    pub(crate) fn is_empty(&self) -> bool {
        lock(&self.0).as_ref().is_none_or(Slab::is_empty)
    }

    /// Lists no more tasks, and wakes those that are listed, so that they get queued.
    pub(crate) fn close(&self) {
        let tasks = lock(&self.0).take();
        for (_, waker) in tasks.into_iter().flatten() {
            waker.wake();
        }
    }
}

/// Whoever keeps a list of its tasks.
pub(crate) trait Tracks {
    fn active(&self) -> &ActiveTasks;
    /// Sees the panic of a task before its awaiter, if it has one, gets it.
    fn report_panic(&self, payload: &(dyn Any + Send));
}

/// Lists a task from its first wait until its future is dropped.
pub(crate) struct Listed<O: Tracks> {
    /// Not counted, for the counter would travel between cores with every task.
    owner: NonNull<O>,
    key: Option<usize>,
}

// SAFETY: all that is made of the pointer is `&O`, which other threads may have, as `O` is `Sync`;
// and by the contract of `tracked` the owner outlives this, wherever it is.
unsafe impl<O: Tracks + Sync> Send for Listed<O> {}

impl<O: Tracks> Listed<O> {
    fn owner(&self) -> &O {
        // SAFETY: whoever called `tracked` keeps the owner for as long as this lives.
        unsafe { self.owner.as_ref() }
    }
}

impl<O: Tracks> Around for Listed<O> {
    fn pending(&mut self, waker: &Waker) {
        if self.key.is_none() {
            self.key = self.owner().active().insert(waker);
        }
    }

    fn panicked(&self, payload: Payload) -> Payload {
        self.owner().report_panic(&*payload);
        payload
    }
}

impl<O: Tracks> Drop for Listed<O> {
    fn drop(&mut self) {
        if let Some(key) = self.key {
            self.owner().active().remove(key);
        }
    }
}

/// A task's future, which `owner` lists and whose panics it sees.
///
/// # Safety
///
/// `owner` must outlive the future. async-task drops a task's future before its schedule function,
/// so it is enough that the latter holds a count of `owner`.
pub(crate) unsafe fn tracked<F, O: Tracks>(future: F, owner: &Arc<O>) -> Guarded<F, Listed<O>> {
    let listed = Listed {
        owner: NonNull::from(&**owner),
        key: None,
    };
    Guarded::new(future, listed)
}
