//! The tasks that wait for something: what a pool or mailbox cancels at its end.
//!
//! A pending task lies in no queue. Were it left alone when its pool ends, a later wake-up could
//! only drop it on the spot, and wake-ups happen under locks that the task's own drop may want.
//! So the end wakes every pending task while there is still a queue to drop it from. The scheme is
//! async-executor's, but that a task is listed when it first waits: most never do.

use crate::sync::{Arc, Mutex, lock};
use crate::unwind;
use slab::Slab;
use std::any::Any;
use std::future::Future;
use std::mem::ManuallyDrop;
use std::pin::Pin;
use std::ptr::NonNull;
use std::task::{Context, Poll, Waker};

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

/// A future that is listed from its first wait until it is dropped.
pub(crate) struct Tracked<F, O: Tracks> {
    future: ManuallyDrop<F>,
    /// Not counted, for the counter would travel between cores with every task.
    owner: NonNull<O>,
    key: Option<usize>,
}

// SAFETY: the future is `Send`, and the owner is shared with other threads.
unsafe impl<F: Send, O: Tracks + Sync> Send for Tracked<F, O> {}

impl<F, O: Tracks> Tracked<F, O> {
    /// # Safety
    ///
    /// `owner` must outlive the future. async-task drops a task's future before its schedule
    /// function, so it is enough that the latter holds a count of `owner`.
    pub(crate) unsafe fn new(future: F, owner: &Arc<O>) -> Self {
        Self {
            future: ManuallyDrop::new(future),
            owner: NonNull::from(&**owner),
            key: None,
        }
    }

    fn owner(&self) -> &O {
        // SAFETY: whoever called `new` keeps the owner for as long as this lives.
        unsafe { self.owner.as_ref() }
    }
}

impl<F: Future, O: Tracks> Future for Tracked<F, O> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        // SAFETY: the future is not moved out of the pinned struct, here or elsewhere.
        let this = unsafe { self.get_unchecked_mut() };
        // SAFETY: structural pinning: `this` was pinned, and the type's `Drop` drops the future in
        // its place.
        let future = unsafe { Pin::new_unchecked(&mut *this.future) };
        match unwind::catch(|| future.poll(context)) {
            Ok(Poll::Ready(output)) => Poll::Ready(output),
            Ok(Poll::Pending) => {
                if this.key.is_none() {
                    this.key = this.owner().active().insert(context.waker());
                }
                Poll::Pending
            }
            Err(payload) => {
                this.owner().report_panic(&*payload);
                unwind::resume(payload)
            }
        }
    }
}

impl<F, O: Tracks> Drop for Tracked<F, O> {
    fn drop(&mut self) {
        // SAFETY: nothing touches the future after this.
        let dropped = unwind::catch(|| unsafe { ManuallyDrop::drop(&mut self.future) });
        if let Err(payload) = dropped {
            // Not resumed: async-task would abort.
            self.owner().report_panic(&*payload);
            unwind::discard(payload);
        }
        if let Some(key) = self.key {
            self.owner().active().remove(key);
        }
    }
}
