//! Futures on a scope.

use super::core::{self, End, ScopeCore};
use crate::sync::Arc;
use crate::unwind::{Around, Guarded, Payload};
use async_task::{Runnable, Task};
use std::future::Future;
use std::mem::ManuallyDrop;
use std::ptr;

/// What an awaiting task gets in place of a payload that the scope has taken.
#[derive(Debug)]
struct ScopePanicked;

/// A future's panic goes to the scope, and its drop is counted.
impl Around for End {
    fn panicked(&self, payload: Payload) -> Payload {
        core::set_panic(payload);
        Box::new(ScopePanicked)
    }
}

/// A scope's core without a count of its own, for most futures are queued once, by the scope
/// itself.
pub(super) struct Uncounted(ManuallyDrop<Arc<ScopeCore>>);

impl Uncounted {
    pub(super) fn new(core: &Arc<ScopeCore>) -> Self {
        // SAFETY: a copy that is never dropped, and used only as `count` allows.
        Self(ManuallyDrop::new(unsafe { ptr::read(core) }))
    }

    /// # Safety
    ///
    /// Somebody else must hold a count until this returns.
    pub(super) unsafe fn count(&self) -> Arc<ScopeCore> {
        Arc::clone(&self.0)
    }
}

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
    let future = Guarded::new(future, End);
    let builder = async_task::Builder::new().propagate_panic(true);
    // SAFETY: future and output are `Send`; `schedule` is `Send`, `Sync` and 'static; the caller
    // promises that the future is dropped before what it borrows ends.
    unsafe { builder.spawn_unchecked(|()| future, schedule) }
}

/// One run of a scoped future on some mailbox. A closed mailbox drops it instead, which counts the
/// future off as well.
pub(super) struct MailboxRun {
    pub(super) core: Arc<ScopeCore>,
    pub(super) runnable: Option<Runnable>,
}

impl MailboxRun {
    pub(super) fn run(mut self) {
        if let Some(runnable) = self.runnable.take() {
            self.core.counted(|| {
                runnable.run();
            });
        }
    }
}

impl Drop for MailboxRun {
    fn drop(&mut self) {
        if let Some(runnable) = self.runnable.take() {
            self.core.counted(|| drop(runnable));
        }
    }
}
