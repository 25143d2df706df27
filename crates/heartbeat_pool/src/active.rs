//! The tasks that wait for something: what a pool or mailbox cancels at its end.
//!
//! A pending task lies in no queue. Were it left alone when its pool ends, a later wake-up could
//! only drop it on the spot, and wake-ups happen under locks that the task's own drop may want.
//! So the end wakes every pending task while there is still a queue to drop it from. The scheme is
//! async-executor's, but that a task is listed when it first waits: most never do.

use crate::sync::{Arc, Mutex, lock};
use crate::unwind::{self, Payload};
use slab::Slab;
use std::future::Future;
use std::mem::ManuallyDrop;
use std::pin::Pin;
use std::ptr;
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

/// Whoever tasks belong to.
pub(crate) trait Tracks {
    /// Where its tasks are listed while they wait, if they are.
    fn active(&self) -> Option<&ActiveTasks>;
    /// Hears of what a task has panicked with, in a poll or in its drop. Gives what whoever awaits
    /// it gets.
    fn panicked(&self, payload: Payload) -> Payload;
    /// Hears that a task's future was dropped.
    fn ended(&self) {}
}

/// A pointer without a count of its own, for the counter would travel between cores with every
/// task.
pub(crate) struct Uncounted<T>(ManuallyDrop<Arc<T>>);

impl<T> Uncounted<T> {
    /// # Safety
    ///
    /// Somebody must hold a count of `owner` whenever [`get`](Self::get) is called, and for as long
    /// as what that gives is used.
    pub(crate) unsafe fn new(owner: &Arc<T>) -> Self {
        // SAFETY: a copy that is never dropped; its use is the caller's promise.
        Self(ManuallyDrop::new(unsafe { ptr::read(owner) }))
    }

    pub(crate) fn get(&self) -> &Arc<T> {
        &self.0
    }
}

/// A task's future, of which its owner hears.
pub(crate) struct Tracked<F, O: Tracks> {
    future: ManuallyDrop<F>,
    owner: Uncounted<O>,
    /// Where it is listed, from its first wait on.
    key: Option<usize>,
}

impl<F, O: Tracks> Tracked<F, O> {
    /// # Safety
    ///
    /// `owner` must outlive it. async-task drops a task's future before its schedule function, so
    /// it is enough that the latter holds a count of `owner`.
    pub(crate) unsafe fn new(future: F, owner: &Arc<O>) -> Self {
        Self {
            future: ManuallyDrop::new(future),
            // SAFETY: by contract.
            owner: unsafe { Uncounted::new(owner) },
            key: None,
        }
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
        let polled = unwind::catch(|| future.poll(context));
        let owner = this.owner.get();
        if let Ok(Poll::Pending) = polled
            && this.key.is_none()
            && let Some(active) = owner.active()
        {
            this.key = active.insert(context.waker());
        }
        polled.unwrap_or_else(|payload| unwind::resume(owner.panicked(payload)))
    }
}

impl<F, O: Tracks> Drop for Tracked<F, O> {
    fn drop(&mut self) {
        // SAFETY: nothing touches the future after this.
        let dropped = unwind::catch(|| unsafe { ManuallyDrop::drop(&mut self.future) });
        let owner = self.owner.get();
        if let Err(payload) = dropped {
            // Not resumed: async-task would abort.
            unwind::discard(owner.panicked(payload));
        }
        if let Some((key, active)) = self.key.zip(owner.active()) {
            active.remove(key);
        }
        owner.ended();
    }
}

#[cfg(all(test, not(heartbeat_loom)))]
mod tests {
    use crate::queue::mailbox::Mailbox;
    use crate::sync::Arc;
    use std::future::poll_fn;
    use std::task::Poll;

    #[test]
    fn a_task_is_listed_once_until_it_ends() {
        let mailbox = Arc::new(Mailbox::new());
        let mut left = 3;
        let task = mailbox.spawn(poll_fn(move |context| {
            if left == 0 {
                return Poll::Ready(());
            }
            left -= 1;
            context.waker().wake_by_ref();
            Poll::Pending
        }));
        task.detach();
        assert!(mailbox.try_tick() && mailbox.has_tasks());
        while mailbox.try_tick() {}
        assert!(!mailbox.has_tasks());
    }
}
