//! A count of what still runs, and whom to wake at zero.

use crate::unwind::{self, Payload};
use std::future;
use std::mem;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Poll, Waker};

#[derive(Default)]
struct State {
    pending: usize,
    /// The first one.
    panic: Option<Payload>,
    waiter: Option<Waker>,
}

/// Counts jobs that one thread waits for.
#[derive(Default)]
pub(crate) struct Latch(Mutex<State>);

impl Latch {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn begin(&self) {
        self.lock().pending += 1;
    }

    pub(crate) fn finish(&self, result: Result<(), Payload>) {
        let mut state = self.lock();
        state.pending -= 1;
        let mut result = result.err();
        if state.panic.is_none() {
            state.panic = result.take();
        }
        let waiter = if state.pending == 0 {
            state.waiter.take()
        } else {
            None
        };
        drop(state);
        if let Some(waiter) = waiter {
            waiter.wake();
        }
        // Nobody takes it, and what its own drop panics with neither.
        if let Err(payload) = unwind::catch(|| drop(result)) {
            mem::forget(payload);
        }
    }

    /// Waits until nothing runs any more, and gives the first panic.
    pub(crate) fn wait(&self) -> Option<Payload> {
        heartbeat_pool::block_on(future::poll_fn(|context| {
            let mut state = self.lock();
            if state.pending == 0 {
                return Poll::Ready(());
            }
            state.waiter = Some(context.waker().clone());
            Poll::Pending
        }));
        self.lock().panic.take()
    }
}
