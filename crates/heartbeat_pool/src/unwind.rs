//! Panics, carried from where they happen to whoever owns them.

use std::any::Any;
use std::panic::{self, AssertUnwindSafe};

/// What a panic carries.
pub(crate) type Payload = Box<dyn Any + Send>;

/// Calls `f` and catches its panic. The payload is always resumed or reported, so no state that
/// the panic left broken is looked at as if it were whole.
#[inline]
pub(crate) fn catch<R>(f: impl FnOnce() -> R) -> Result<R, Payload> {
    panic::catch_unwind(AssertUnwindSafe(f))
}

pub(crate) use panic::resume_unwind as resume;
