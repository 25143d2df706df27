//! Panics, carried from where they happen to whoever owns them.

use std::any::Any;
use std::future::Future;
use std::io::{self, Write};
use std::mem::ManuallyDrop;
use std::panic::{self, AssertUnwindSafe};
use std::pin::Pin;
use std::process;
use std::task::{Context, Poll, Waker};

pub(crate) use panic::resume_unwind as resume;

/// What a panic carries.
pub(crate) type Payload = Box<dyn Any + Send>;

/// Calls `f` and catches its panic. The payload is always resumed or reported, so no state that
/// the panic left broken is looked at as if it were whole.
#[inline]
pub(crate) fn catch<R>(f: impl FnOnce() -> R) -> Result<R, Payload> {
    panic::catch_unwind(AssertUnwindSafe(f))
}

/// Drops a payload that nobody takes, and what its own drop may panic with; after some of these it
/// leaks the next one, for they may go on without end.
pub(crate) fn discard(payload: Payload) {
    let mut left = Some(payload);
    for _ in 0..8 {
        let Some(payload) = left else { return };
        left = catch(|| drop(payload)).err();
    }
    std::mem::forget(left);
}

/// Calls `f`, whose panic ends the process: for frames that others still point into.
pub(crate) fn or_abort<R>(f: impl FnOnce() -> R) -> R {
    catch(f).unwrap_or_else(|_| {
        // Not `eprintln`, which may panic itself.
        _ = writeln!(
            io::stderr(),
            "heartbeat_pool: a panic where none may pass; aborting"
        );
        process::abort()
    })
}

/// Who hears of what a future does.
pub(crate) trait Around {
    /// It waits, to be woken by `waker`.
    fn pending(&mut self, _waker: &Waker) {}

    /// It has panicked, in a poll or in its drop. Gives what whoever awaits it gets.
    fn panicked(&self, payload: Payload) -> Payload;
}

/// A future and who hears of it, which is dropped after the future.
pub(crate) struct Guarded<F, A: Around> {
    future: ManuallyDrop<F>,
    around: A,
}

impl<F, A: Around> Guarded<F, A> {
    pub(crate) fn new(future: F, around: A) -> Self {
        let future = ManuallyDrop::new(future);
        Self { future, around }
    }
}

impl<F: Future, A: Around> Future for Guarded<F, A> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        // SAFETY: the future is not moved out of the pinned struct, here or elsewhere.
        let this = unsafe { self.get_unchecked_mut() };
        // SAFETY: structural pinning: `this` was pinned, and the type's `Drop` drops the future in
        // its place.
        let future = unsafe { Pin::new_unchecked(&mut *this.future) };
        match catch(|| future.poll(context)) {
            Ok(Poll::Ready(output)) => Poll::Ready(output),
            Ok(Poll::Pending) => {
                this.around.pending(context.waker());
                Poll::Pending
            }
            Err(payload) => resume(this.around.panicked(payload)),
        }
    }
}

impl<F, A: Around> Drop for Guarded<F, A> {
    fn drop(&mut self) {
        // SAFETY: nothing touches the future after this.
        let dropped = catch(|| unsafe { ManuallyDrop::drop(&mut self.future) });
        if let Err(payload) = dropped {
            // Not resumed: async-task would abort.
            discard(self.around.panicked(payload));
        }
    }
}
