//! A part of a job on another thread, whose panic goes on in the job: the pool hears nothing of it.

use pin_project_lite::pin_project;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::pin::Pin;
use std::task::{Context, Poll};

/// What became of a part.
type Outcome<R> = std::thread::Result<R>;

/// Calls `f` on the part's thread.
#[cfg(not(target_arch = "wasm32"))]
pub(super) fn call<R>(f: impl FnOnce() -> R) -> Outcome<R> {
    // Nothing of it is looked at after a panic but the payload, and that goes on.
    catch_unwind(AssertUnwindSafe(f))
}

/// What the part gave, or its panic, in the job.
pub(super) fn go_on<R>(outcome: Outcome<R>) -> R {
    outcome.unwrap_or_else(|payload| resume_unwind(payload))
}

pin_project! {
    /// A part that is a future.
    pub(super) struct Part<F> {
        #[pin]
        pub(super) future: F,
    }
}

impl<F: Future> Future for Part<F> {
    type Output = Outcome<F::Output>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let future = self.project().future;
        // As above; and it is polled no more.
        match catch_unwind(AssertUnwindSafe(|| future.poll(context))) {
            Ok(poll) => poll.map(Ok),
            Err(payload) => Poll::Ready(Err(payload)),
        }
    }
}
