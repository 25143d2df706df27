//! What is said of each job that runs: to the recorder, and with the `tracing` feature a span, for
//! profilers that read [`tracing`](https://docs.rs/tracing).

use heartbeat_record::{Lane, What, Work, note};

/// Calls `f`, which runs the piece of work that `job` gives the number of.
#[inline(always)]
pub(crate) fn job<R>(work: Work, lane: Lane, job: u64, f: impl FnOnce() -> R) -> R {
    let begun = || What::Begun { job, lane, work };
    note::around(begun, What::Ended { job }, || span(work, lane, f))
}

#[cfg(feature = "tracing")]
fn span<R>(work: Work, lane: Lane, f: impl FnOnce() -> R) -> R {
    tracing::trace_span!("heartbeat_job", kind = ?work, ?lane).in_scope(f)
}

#[cfg(not(feature = "tracing"))]
#[inline(always)]
fn span<R>(_: Work, _: Lane, f: impl FnOnce() -> R) -> R {
    f()
}
