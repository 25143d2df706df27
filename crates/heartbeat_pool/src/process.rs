//! The process's one pool, which drop-ins for other libraries share.

use crate::pool::ThreadPool;
use crate::sync::{Mutex, lock};

static PROCESS: ThreadPool = ThreadPool::new();
static DROP_INS: Mutex<Vec<&'static str>> = Mutex::new(Vec::new());

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

/// For drop-in libraries: tells that `name` is linked and runs on [`global`].
pub fn register_drop_in(name: &'static str) {
    let mut names = lock(&DROP_INS);
    if !names.contains(&name) {
        names.push(name);
    }
}

/// Whether the drop-in `name` is linked into this process, and has been used.
#[must_use]
pub fn has_drop_in(name: &str) -> bool {
    lock(&DROP_INS).contains(&name)
}
