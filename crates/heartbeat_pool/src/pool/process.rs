//! The process's one pool, which drop-ins for other libraries share.

use crate::pool::ThreadPool;

static PROCESS: ThreadPool = ThreadPool::new();

/// Whether the `rayon-core` drop-in is in the build, and from the same source as this crate.
pub const HAS_RAYON: bool = cfg!(feature = "rayon");

/// The process's one pool. It has no threads until somebody resizes it.
///
/// ```
/// heartbeat_pool::global().resize_to(1).unwrap();
/// assert_eq!(heartbeat_pool::global().num_threads(), 1);
/// ```
#[must_use]
pub fn global() -> &'static ThreadPool {
    &PROCESS
}
