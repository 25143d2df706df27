//! Waiting for a future, as seen by the pool.

use crate::executor::drive_until;
use core::future::Future;
use heartbeat_pool::ThreadPool;

/// Waits for `future` on the calling thread.
///
/// On a thread that works for the pool, a spare thread runs in its place while it sleeps, so that
/// no core idles and the future may wait for the pool's own work. Where the process's pool has no
/// threads, the calling thread does its work meanwhile, and its own local tasks.
///
/// ```
/// assert_eq!(bevy_tasks::block_on(async { 1 + 1 }), 2);
/// ```
pub fn block_on<T>(future: impl Future<Output = T>) -> T {
    let pool = heartbeat_pool::global();
    if pool.is_sized() && pool.num_threads() == 0 {
        block_on_alone(pool, future)
    } else {
        heartbeat_pool::block_on(future)
    }
}

/// Waits where nobody else would do what the future waits for. What that needs on the stack is no
/// part of other waits, which may be nested deeply.
#[cold]
#[inline(never)]
fn block_on_alone<T>(pool: &ThreadPool, future: impl Future<Output = T>) -> T {
    pool.block_on(drive_until(future))
}
