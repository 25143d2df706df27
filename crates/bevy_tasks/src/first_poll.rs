//! The first poll of a future, at the cost of a closure: most tasks of the engine never wait.

use core::cell::Cell;
use core::future::Future;
use core::mem;
use core::pin::Pin;
use core::task::{Context, Poll, Waker};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Wake;

/// Where the wake-ups of a first poll go.
#[derive(Debug)]
enum Target {
    /// The poll is under way.
    Polling { woken: bool },
    /// It found the future pending: this is its task's waker.
    Task(Waker),
}

/// What the waker of a first poll refers to.
struct Shared(Mutex<Target>);

impl Shared {
    fn swap(&self, target: Target) -> Target {
        let mut own = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        mem::replace(&mut own, target)
    }
}

impl Wake for Shared {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        let task = match &mut *self.0.lock().unwrap_or_else(PoisonError::into_inner) {
            Target::Polling { woken } => return *woken = true,
            Target::Task(waker) => waker.clone(),
        };
        // Outside of the lock: it may run whatever the task's executor does.
        task.wake();
    }
}

/// A shared state and the waker for it.
struct Reusable(Arc<Shared>, Waker);

thread_local! {
    /// What the thread's last first poll left: futures that never wait don't keep their waker.
    static SPARE: Cell<Option<Reusable>> = const { Cell::new(None) };
}

impl Reusable {
    fn take() -> Self {
        SPARE
            .try_with(Cell::take)
            .ok()
            .flatten()
            .unwrap_or_else(|| {
                let shared = Arc::new(Shared(Mutex::new(Target::Polling { woken: false })));
                Self(shared.clone(), shared.into())
            })
    }

    /// Keeps it for the next poll, unless somebody holds the waker still. It may have been woken:
    /// then the next future that waits is polled once more than it need be.
    fn give_back(self) {
        if Arc::strong_count(&self.0) == 2 {
            _ = SPARE.try_with(|spare| spare.set(Some(self)));
        }
    }
}

/// A future that was pending at its first poll. To be polled by its task from now on.
pub(crate) struct Waiting<F> {
    future: Pin<Box<F>>,
    /// Until the task's first poll.
    first: Option<Arc<Shared>>,
}

/// Polls `future` for the first time.
pub(crate) fn first_poll<F: Future>(mut future: Pin<Box<F>>) -> Result<F::Output, Waiting<F>> {
    let state = Reusable::take();
    match future.as_mut().poll(&mut Context::from_waker(&state.1)) {
        Poll::Ready(output) => {
            state.give_back();
            Ok(output)
        }
        Poll::Pending => Err(Waiting {
            future,
            first: Some(state.0),
        }),
    }
}

impl<F: Future> Future for Waiting<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        // Its waiter holds the first poll's waker. There is no need to poll until that one wakes.
        if let Some(shared) = self.first.take()
            && let Target::Polling { woken: false } =
                shared.swap(Target::Task(context.waker().clone()))
        {
            return Poll::Pending;
        }
        self.future.as_mut().poll(context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::future::{pending, poll_fn};
    use futures_lite::future::{block_on, yield_now};
    use std::thread;
    use std::time::Duration;

    #[test]
    fn what_is_ready_is_over_and_the_waker_is_used_again() {
        assert_eq!(first_poll(Box::pin(async { 7 })).ok(), Some(7));
        let spare = SPARE.take().unwrap();
        assert_eq!(Arc::strong_count(&spare.0), 2);
        SPARE.set(Some(spare));
        assert_eq!(first_poll(Box::pin(async { 8 })).ok(), Some(8));
    }

    #[test]
    fn a_waker_that_was_kept_is_not_used_again() {
        let mut kept = None;
        let keep = poll_fn(|context| {
            kept = Some(context.waker().clone());
            Poll::Ready(())
        });
        assert!(first_poll(Box::pin(keep)).is_ok());
        assert!(SPARE.take().is_none());
        kept.unwrap().wake();
    }

    #[test]
    fn wake_ups_during_the_poll_and_after_it_arrive() {
        let waiting = first_poll(Box::pin(yield_now())).err().unwrap();
        block_on(waiting);

        let (sender, receiver) = async_channel::bounded(1);
        let waiting = first_poll(Box::pin(async move { receiver.recv().await }));
        let late = thread::spawn(move || {
            thread::sleep(Duration::from_millis(5));
            sender.try_send(3).unwrap();
        });
        assert_eq!(block_on(waiting.err().unwrap()), Ok(3));
        late.join().unwrap();
    }

    #[test]
    fn polls_may_be_nested() {
        let outer = async { first_poll(Box::pin(async { 1 })).ok().unwrap() + 1 };
        assert_eq!(first_poll(Box::pin(outer)).ok(), Some(2));
        drop(first_poll(Box::pin(pending::<()>())));
    }
}
