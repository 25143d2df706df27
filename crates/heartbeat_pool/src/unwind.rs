//! Panics, carried from where they happen to whoever owns them.

use std::any::Any;
use std::panic::{self, AssertUnwindSafe};
use std::process;

/// What a panic carries.
pub(crate) type Payload = Box<dyn Any + Send>;

/// Calls `f` and catches its panic. The payload is always resumed or reported, so no state that
/// the panic left broken is looked at as if it were whole.
#[inline]
pub(crate) fn catch<R>(f: impl FnOnce() -> R) -> Result<R, Payload> {
    panic::catch_unwind(AssertUnwindSafe(f))
}

/// Drops a payload that nobody takes, and what its own drop may panic with.
pub(crate) fn discard(payload: Payload) {
    let mut left = Some(payload);
    while let Some(payload) = left {
        left = catch(|| drop(payload)).err();
    }
}

/// Calls `f`, whose panic ends the process: for frames that others still point into.
pub(crate) fn or_abort<R>(f: impl FnOnce() -> R) -> R {
    catch(f).unwrap_or_else(|_| {
        eprintln!("heartbeat_pool: a panic where none may pass; aborting");
        process::abort()
    })
}

pub(crate) use panic::resume_unwind as resume;
