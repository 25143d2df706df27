//! The tasks that have been spawned and are not over: what a pool or mailbox cancels at its end.
//!
//! A pending task lies in no queue. Were it left alone when its pool ends, a later wake-up could
//! only drop it on the spot, and wake-ups happen under locks that the task's own drop may want.
//! So the end wakes every task while there is still a queue to drop it from. The scheme is
//! async-executor's.

use crate::sync::{Mutex, lock};
use crate::unwind;
use async_task::Runnable;
use slab::Slab;
use std::any::Any;
use std::future::Future;
use std::ops::Deref;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

/// Wakers of unfinished tasks; `None` once closed.
pub(crate) struct ActiveTasks(Mutex<Option<Slab<Waker>>>);

/// The key of a task that came after the end.
const UNTRACKED: usize = usize::MAX;

impl ActiveTasks {
    pub(crate) fn new() -> Self {
        Self(Mutex::new(Some(Slab::new())))
    }

    /// Lists the task that `make` makes of its key, before it is first scheduled. `make` must run
    /// nothing of the task, for the list is locked.
    pub(crate) fn track<T>(&self, make: impl FnOnce(usize) -> (Runnable, T)) -> (Runnable, T) {
        match &mut *lock(&self.0) {
            Some(tasks) => {
                let entry = tasks.vacant_entry();
                let made = make(entry.key());
                entry.insert(made.0.waker());
                made
            }
            None => make(UNTRACKED),
        }
    }

    fn remove(&self, key: usize) {
        let removed = lock(&self.0)
            .as_mut()
            .and_then(|tasks| tasks.try_remove(key));
        // Outside of the lock: it may be the last reference to the task.
        drop(removed);
    }

    /// Tracks no more tasks, and wakes those that are left, so that they get queued.
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

/// A future that is listed until it is dropped.
pub(crate) struct Tracked<F, O: Deref<Target: Tracks>> {
    future: F,
    owner: O,
    key: usize,
}

impl<F, O: Deref<Target: Tracks>> Tracked<F, O> {
    /// `key` is from [`ActiveTasks::track`].
    pub(crate) fn new(future: F, owner: O, key: usize) -> Self {
        Self { future, owner, key }
    }
}

impl<F: Future, O: Deref<Target: Tracks>> Future for Tracked<F, O> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        // SAFETY: the future is not moved out of the pinned struct, here or elsewhere.
        let this = unsafe { self.get_unchecked_mut() };
        // SAFETY: structural pinning: `this` was pinned, `future` is moved nowhere, and the type's
        // `Drop` does not touch it.
        let future = unsafe { Pin::new_unchecked(&mut this.future) };
        match unwind::catch(|| future.poll(context)) {
            Ok(poll) => poll,
            Err(payload) => {
                this.owner.report_panic(&*payload);
                unwind::resume(payload)
            }
        }
    }
}

impl<F, O: Deref<Target: Tracks>> Drop for Tracked<F, O> {
    fn drop(&mut self) {
        self.owner.active().remove(self.key);
    }
}
