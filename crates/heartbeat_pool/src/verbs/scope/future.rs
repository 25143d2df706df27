//! Futures on a scope.

use super::core::ScopeCore;
use crate::active::Tracked;
use crate::sync::Arc;
use async_task::{Runnable, Task};
use std::future::Future;

/// Makes a task of `future`, begun on the latch of `core`, that is scheduled by `schedule` but for
/// the first time: async-task would count the task once more around that.
///
/// # Safety
///
/// Caller and `schedule` must see to it that the runnable is run, or dropped, by
/// [`ScopeCore::counted`] of the same core; the scope's owner must wait for the latch before what
/// the future borrows ends.
pub(super) unsafe fn spawn<'a, F>(
    core: &Arc<ScopeCore>,
    future: F,
    schedule: impl Fn(Runnable) + Send + Sync + 'static,
) -> (Runnable, Task<F::Output>)
where
    F: Future + Send + 'a,
    F::Output: Send + 'a,
{
    core.begin();
    // SAFETY: by contract it is dropped by the core's `counted`, and the owner, which waits for
    // that, holds the core.
    let future = unsafe { Tracked::new(future, core) };
    let builder = async_task::Builder::new().propagate_panic(true);
    // SAFETY: future and output are `Send`; `schedule` is `Send`, `Sync` and 'static; the caller
    // promises that the future is dropped before what it borrows ends.
    unsafe { builder.spawn_unchecked(|()| future, schedule) }
}
