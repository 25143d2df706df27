//! A span a job, for profilers that read [`tracing`](https://docs.rs/tracing): with the `tracing`
//! feature only, else nothing at all.

use crate::lanes::lane::Lane;

/// What kind of work a span covers.
#[derive(Clone, Copy)]
pub(crate) enum Kind {
    /// A spawned closure, or one run of a spawned future.
    Spawned,
    /// A scope's closure, or one run of its future.
    Scoped,
    /// Half of a join, on the thread that took it.
    Joined,
    /// Work for one thread.
    Pinned,
    /// Work of `spawn_blocking`.
    Blocking,
}

/// Calls `f` in a span.
#[cfg(feature = "tracing")]
pub(crate) fn job<R>(kind: Kind, lane: Lane, f: impl FnOnce() -> R) -> R {
    let kind = match kind {
        Kind::Spawned => "spawned",
        Kind::Scoped => "scoped",
        Kind::Joined => "joined",
        Kind::Pinned => "pinned",
        Kind::Blocking => "blocking",
    };
    tracing::trace_span!("heartbeat_job", kind, ?lane).in_scope(f)
}

/// Calls `f`.
#[cfg(not(feature = "tracing"))]
#[inline(always)]
pub(crate) fn job<R>(_: Kind, _: Lane, f: impl FnOnce() -> R) -> R {
    f()
}
