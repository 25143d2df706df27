//! The tasks that have been spawned and are not over: what a pool or mailbox cancels at its end.
//!
//! A pending task lies in no queue. Were it left alone when its pool ends, a later wake-up could
//! only drop it on the spot, and wake-ups happen under locks that the task's own drop may want.
//! So the end wakes every task while there is still a queue to drop it from. The scheme is
//! async-executor's.

use crate::sync::{Mutex, lock};
use slab::Slab;
use std::future::Future;
use std::ops::Deref;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

/// Wakers of unfinished tasks; `None` once closed.
pub(crate) struct ActiveTasks(Mutex<Option<Slab<Option<Waker>>>>);

/// The key of a task that came after the end.
const UNTRACKED: usize = usize::MAX;

impl ActiveTasks {
    pub(crate) fn new() -> Self {
        Self(Mutex::new(Some(Slab::new())))
    }

    /// A place for a task that is being made.
    fn reserve(&self) -> usize {
        lock(&self.0)
            .as_mut()
            .map_or(UNTRACKED, |tasks| tasks.insert(None))
    }

    fn set(&self, key: usize, waker: Waker) {
        if let Some(tasks) = &mut *lock(&self.0)
            && let Some(place) = tasks.get_mut(key)
        {
            *place = Some(waker);
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
            if let Some(waker) = waker {
                waker.wake();
            }
        }
    }
}

/// Whoever keeps a list of its tasks.
pub(crate) trait Tracks {
    fn active(&self) -> &ActiveTasks;
}

/// A future that is listed until it is dropped.
pub(crate) struct Tracked<F, O: Deref<Target: Tracks>> {
    future: F,
    owner: O,
    key: usize,
}

impl<F, O: Deref<Target: Tracks>> Tracked<F, O> {
    pub(crate) fn new(future: F, owner: O) -> Self {
        let key = owner.active().reserve();
        Self { future, owner, key }
    }

    pub(crate) fn key(&self) -> usize {
        self.key
    }
}

/// Completes the listing that [`Tracked::new`] began, before the task is first scheduled.
pub(crate) fn track(owner: &impl Tracks, key: usize, waker: Waker) {
    owner.active().set(key, waker);
}

impl<F: Future, O: Deref<Target: Tracks>> Future for Tracked<F, O> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        // SAFETY: structural pinning: `future` is moved nowhere once `self` is pinned, and the
        // type's `Drop` does not touch it.
        unsafe { self.map_unchecked_mut(|this| &mut this.future) }.poll(context)
    }
}

impl<F, O: Deref<Target: Tracks>> Drop for Tracked<F, O> {
    fn drop(&mut self) {
        self.owner.active().remove(self.key);
    }
}
