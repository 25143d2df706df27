//! Looking at a future without waiting for it.

use core::future::Future;
use core::pin::pin;
use core::task::{Context, Poll, Waker};

/// Polls `future` once and gives its output if that was enough. Dropped otherwise, it is cancelled.
///
/// ```
/// use bevy_tasks::futures::now_or_never;
/// assert_eq!(now_or_never(async { 1 }), Some(1));
/// assert_eq!(now_or_never(std::future::pending::<()>()), None);
/// ```
pub fn now_or_never<F: Future>(future: F) -> Option<F::Output> {
    let mut context = Context::from_waker(Waker::noop());
    match pin!(future).poll(&mut context) {
        Poll::Ready(output) => Some(output),
        Poll::Pending => None,
    }
}

/// Polls `future` once and gives its output if it is ready; the future goes on otherwise.
pub fn check_ready<F: Future + Unpin>(future: &mut F) -> Option<F::Output> {
    now_or_never(future)
}
