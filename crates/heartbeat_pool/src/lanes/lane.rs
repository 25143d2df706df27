//! The three lanes: ranks that all work is placed by.

/// A rank of work. All lanes share the threads of the pool, or, with
/// [lower threads](crate::ThreadPoolBuilder::lower_threads), the frame has its own and the others
/// theirs; a better rank goes first.
///
/// Budgets cap how many jobs of a lane run at once, so that work which may be long (`Io` and
/// `Background`) leaves cores to the frame, and each lane always has at least one running where
/// it has work, so that none starves.
///
/// Frame jobs that block on queued frame jobs, in ways that the pool can't see (a channel, a lock),
/// are relieved: others run in their place, whatever the number of threads. Jobs of the other lanes
/// are not, beyond their budget: there, wait by [`block_on`](crate::block_on()), or say so by
/// [`block_in_place`](crate::block_in_place()).
///
/// ```
/// use heartbeat_pool::{Lane, ThreadPool};
///
/// let pool = ThreadPool::builder().num_threads(2).build().unwrap();
/// let answer = pool.block_on(pool.spawn_future(Lane::Background, async { 6 * 7 }));
/// assert_eq!(answer, 42);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Lane {
    /// Work that the current frame waits for: `join`, scopes, systems.
    Frame = 0,
    /// Loading: short steps between waits, though decoders run for milliseconds.
    Io = 1,
    /// Work that may span frames and need never yield.
    Background = 2,
}

impl Lane {
    /// Every lane, best rank first.
    pub const ALL: [Self; 3] = [Self::Frame, Self::Io, Self::Background];

    /// The lane's place in per-lane arrays such as
    /// [`WorkerMetrics::jobs`](crate::WorkerMetrics::jobs).
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }
}
