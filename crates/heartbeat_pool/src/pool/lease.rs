//! Leases: the right to a seat, held before it is taken.

use crate::pool::ThreadPool;
use crate::worker::Worker;

/// The right to a seat in a pool, from [`ThreadPool::claim_lease`].
///
/// It may be sent to another thread, shared, and used any number of times. A pool has no fixed
/// number of seats, so claiming never waits and never fails, and holding a lease costs nothing;
/// the word and the interface are forte's.
///
/// ```
/// let pool = heartbeat_pool::ThreadPool::builder().num_threads(2).build().unwrap();
/// let lease = pool.claim_lease();
/// std::thread::scope(|threads| {
///     threads.spawn(|| lease.occupy(|worker| assert_eq!(worker.join(|_| 1, |_| 2), (1, 2))));
/// });
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Lease<'pool> {
    pool: &'pool ThreadPool,
}

impl Lease<'_> {
    /// Takes the seat on the calling thread, counting the thread as one of the running ones, and
    /// calls `f` with its worker.
    pub fn occupy<R>(&self, f: impl FnOnce(&Worker) -> R) -> R {
        self.pool.with_worker(f)
    }
}

impl ThreadPool {
    /// Claims the right to a seat. See [`Lease`].
    #[must_use]
    pub fn claim_lease(&self) -> Lease<'_> {
        Lease { pool: self }
    }
}
