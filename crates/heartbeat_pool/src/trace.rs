//! What is said of each job that runs: to the recorder, and with the `tracing` feature a span, for
//! profilers that read [`tracing`](https://docs.rs/tracing).

use crate::lanes::lane::Lane;
use crate::record::note;
use crate::record::{What, Work};

/// Calls `f`, which runs the piece of work that `job` gives the number of.
#[inline(always)]
pub(crate) fn job<R>(work: Work, lane: Lane, job: u64, f: impl FnOnce() -> R) -> R {
    let begun = || What::Begun { job, lane, work };
    note::around(begun, What::Ended { job }, || span(work, lane, f))
}

#[cfg(feature = "tracing")]
fn span<R>(work: Work, lane: Lane, f: impl FnOnce() -> R) -> R {
    let kind = match work {
        Work::Spawned => "spawned",
        Work::Scoped => "scoped",
        Work::Joined => "joined",
        Work::Pinned => "pinned",
        Work::Blocking => "blocking",
        Work::Mailbox => "mailbox",
    };
    tracing::trace_span!("heartbeat_job", kind, ?lane).in_scope(f)
}

#[cfg(not(feature = "tracing"))]
#[inline(always)]
fn span<R>(_: Work, _: Lane, f: impl FnOnce() -> R) -> R {
    f()
}
