//! An event that a job brings about, and a future that waits for it.

use crate::program::Way;
use crate::scene::{Mutex, lock};
use std::future::Future;
use std::mem;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

#[derive(Default)]
struct State {
    has_come: bool,
    wakers: Vec<(u64, Waker)>,
    next: u64,
}

/// What is waited for.
struct Event {
    state: Mutex<State>,
    /// Whether it wakes under its lock, as others' events do.
    under_lock: bool,
}

/// Brings the event about when it is dropped.
pub struct Setter(Arc<Event>);

/// A wait.
pub struct Wait {
    event: Arc<Event>,
    key: Option<u64>,
    /// Whether it wakes itself until the event has come, and so is work without end.
    spins: bool,
}

/// An event, by its two ends.
pub fn event(way: Way) -> (Setter, Wait) {
    let event = Arc::new(Event {
        state: Mutex::default(),
        under_lock: way.under_lock,
    });
    let wait = Wait {
        event: event.clone(),
        key: None,
        spins: way.spins,
    };
    (Setter(event), wait)
}

impl Wait {
    pub fn has_come(&self) -> bool {
        lock(&self.event.state).has_come
    }
}

impl Drop for Setter {
    fn drop(&mut self) {
        let mut state = lock(&self.0.state);
        state.has_come = true;
        let wakers = mem::take(&mut state.wakers);
        if !self.0.under_lock {
            drop(state);
        }
        wakers.into_iter().for_each(|(_, waker)| waker.wake());
    }
}

impl Future for Wait {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let event = self.event.clone();
        let mut state = lock(&event.state);
        if state.has_come {
            return Poll::Ready(());
        }
        if self.spins {
            drop(state);
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        let key = *self.key.get_or_insert_with(|| {
            state.next += 1;
            state.next
        });
        state.wakers.retain(|(other, _)| *other != key);
        state.wakers.push((key, context.waker().clone()));
        Poll::Pending
    }
}

impl Drop for Wait {
    fn drop(&mut self) {
        if let Some(key) = self.key {
            // It may be the last waker of a task, whose drop wants the lock.
            let mut gone = Vec::new();
            let mut state = lock(&self.event.state);
            gone.extend(state.wakers.extract_if(.., |(other, _)| *other == key));
            drop(state);
        }
    }
}
