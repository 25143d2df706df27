//! Panics, carried from where they happen to whoever owns them.

use std::any::Any;
use std::panic::{self, AssertUnwindSafe};
use std::process;

/// What a panic carries.
pub(crate) type Payload = Box<dyn Any + Send>;

/// Calls `f` and catches its panic, which is then resumed or reported.
#[inline]
pub(crate) fn catch<R>(f: impl FnOnce() -> R) -> Result<R, Payload> {
    panic::catch_unwind(AssertUnwindSafe(f))
}

/// Ends the process, for a panic that nobody takes.
pub(crate) fn abort(what: &str) -> ! {
    eprintln!("rayon-core: {what}; aborting");
    process::abort();
}
