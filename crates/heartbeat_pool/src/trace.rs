//! What is said of each job that runs: to the recorder, and with the `tracing` feature a span, for
//! profilers that read [`tracing`](https://docs.rs/tracing).

use heartbeat_record::{Lane, What, Work, note};

/// Calls `f`, which runs the piece of work that `job` gives the number of.
#[inline(always)]
pub(crate) fn job<R>(work: Work, lane: Lane, job: u64, f: impl FnOnce() -> R) -> R {
    let begun = || What::Begun { job, lane, work };
    note::around(begun, What::Ended { job }, || span(work, lane, f))
}

/// Whatever a subscriber panics with, `f` is called, and the panic goes no further.
#[cfg(feature = "tracing")]
fn span<R>(work: Work, lane: Lane, f: impl FnOnce() -> R) -> R {
    use crate::unwind;
    struct Entered(Option<tracing::span::EnteredSpan>);
    impl Drop for Entered {
        fn drop(&mut self) {
            unwind::discard(self.0.take());
        }
    }
    let span = || tracing::trace_span!("heartbeat_job", kind = ?work, ?lane).entered();
    let entered = unwind::catch(span).map_err(unwind::discard);
    let _entered = Entered(entered.ok());
    f()
}

#[cfg(not(feature = "tracing"))]
#[inline(always)]
fn span<R>(_: Work, _: Lane, f: impl FnOnce() -> R) -> R {
    f()
}
