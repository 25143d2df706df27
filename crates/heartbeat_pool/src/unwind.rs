//! Panics, carried from where they happen to whoever owns them.

use std::any::Any;
use std::io::{self, Write};
use std::panic::{self, AssertUnwindSafe};
use std::process;

pub(crate) use panic::resume_unwind as resume;

pub(crate) type Payload = Box<dyn Any + Send>;

/// Calls `f` and catches its panic. The payload is always resumed or reported, so no state that
/// the panic left broken is looked at as if it were whole.
#[inline]
pub(crate) fn catch<R>(f: impl FnOnce() -> R) -> Result<R, Payload> {
    panic::catch_unwind(AssertUnwindSafe(f))
}

/// Drops a payload or result that nobody takes, and what its drop may panic with; after some of
/// these it leaks the next one, for they may go on without end.
pub(crate) fn discard<T>(value: T) {
    let mut left = catch(|| drop(value)).err();
    for _ in 0..8 {
        let Some(payload) = left else { return };
        left = catch(|| drop(payload)).err();
    }
    std::mem::forget(left);
}

/// Both results, or the second call's panic, whatever the drop of the first result panics with.
#[inline]
pub(crate) fn both<A, B>(first: A, second: Result<B, Payload>) -> Result<(A, B), Payload> {
    match second {
        Ok(second) => Ok((first, second)),
        Err(payload) => {
            discard(first);
            Err(payload)
        }
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    /// Panics as it is dropped, so many times one after the other.
    struct Panics {
        times: usize,
        held: Arc<()>,
    }

    impl Drop for Panics {
        fn drop(&mut self) {
            if let Some(times) = self.times.checked_sub(1) {
                let held = self.held.clone();
                resume(Box::new(Self { times, held }));
            }
        }
    }

    #[test]
    fn what_a_payloads_drop_panics_with_is_dropped_too() {
        let held = Arc::new(());
        for times in 0..4 {
            let held = held.clone();
            discard(Panics { times, held });
        }
        assert_eq!(Arc::strong_count(&held), 1);
    }
}
