//! Yielding: let other work have the thread for a moment.

use crate::age::HasAge;
use crate::threads::this_thread::Stranger;
use crate::worker::{Found, Worker};
use crate::worker::{current, duty};
use heartbeat_record::Lane;
use std::task::Poll;
use std::{future, mem};

/// What [`yield_now`] or [`Worker::yield_local`] did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Yield {
    /// It ran one piece of work.
    Executed,
    /// There was nothing to run.
    Idle,
}

impl Worker {
    /// Runs one piece of the thread's own work, if there is any. Where the pool's threads run their
    /// [newest first](crate::Order::NewestFirst), that is the newest of what the thread has queued:
    /// the second half of an unfinished join, a job, or one of a scope. Elsewhere it is the job
    /// that is next in the thread's own deque, and then the newest such half. What was spawned on
    /// this very thread ([`spawn_on`](crate::ThreadPool::spawn_on)) comes last. A task that has
    /// yielded is not the thread's where it runs its newest first. At every eighth
    /// call one of the later kinds comes first, for the earlier ones may have no end; not in a pool
    /// whose threads run their newest first without spare ones, where it may block on these.
    ///
    /// For long loops that wait for something that their own fork does. Of [`join`](crate::join())s
    /// inside of one another the fifth and deeper ones may be plain calls, whose second half nobody
    /// finds before the first is over; those of [`join_offered`](Self::join_offered) are found at
    /// any depth. What runs here nests on the caller's stack and may want any lock, so hold none.
    ///
    /// ```
    /// use heartbeat_pool::{ThreadPool, Yield};
    /// let pool = ThreadPool::builder().num_threads(1).build().unwrap();
    /// pool.install(|worker| {
    ///     let first = |worker: &heartbeat_pool::Worker| worker.yield_local();
    ///     assert_eq!(worker.join_offered(first, |_| ()).0, Yield::Executed);
    ///     assert_eq!(worker.yield_local(), Yield::Idle);
    /// });
    /// ```
    pub fn yield_local(&self) -> Yield {
        let run_next = |worker: &Self| !worker.goes_by_age() && worker.run_spawned();
        let run_pinned = |_: &Self| current::run_pinned();
        self.yield_to(true, [run_next, Self::run_newest, run_pinned])
    }

    /// Runs one piece of one kind of work, in turn.
    fn yield_to(&self, is_local: bool, kinds: [fn(&Self) -> bool; 3]) -> Yield {
        let kinds = self.in_turn_of_yields(is_local, kinds);
        if kinds.into_iter().any(|run| run(self)) {
            Yield::Executed
        } else {
            Yield::Idle
        }
    }

    /// Runs the newest of the thread's forks, or where work goes by age of all that it has queued:
    /// a fork, a job or one of a scope. Tells whether it did.
    pub(crate) fn run_newest(&self) -> bool {
        self.promote_all();
        let fork = self.joins.forks.pop();
        let is_own = self.lane() == Lane::Frame;
        let newer = is_own.then(|| self.take_new(fork.as_ref().and_then(HasAge::age)));
        // It may be a part of something below what the thread has taken from others since.
        let _stranger = Stranger::begin();
        match (newer.flatten(), fork) {
            (Some(job), fork) => {
                if let Some(fork) = fork {
                    self.joins.forks.push(fork);
                    self.announce_forks();
                }
                self.run_piece(Found::Job(job.item));
            }
            (None, Some(fork)) => self.run_fork(fork),
            (None, None) => {
                // It may have come back from a thief.
                let fork = self.seat.steal_fork();
                return fork.map(|fork| self.run_fork(fork)).is_some();
            }
        }
        true
    }

    /// Runs one piece of the pool's work. See [`yield_now`](crate::yield_now()).
    pub fn yield_now(&self) -> Yield {
        // Not what the thread has spawned, but in its turn: that may go on for ever.
        let run_pinned = |_: &Self| current::run_pinned();
        // A team may have no threads: whoever yields does its work, too.
        let run_one = |worker: &Self| worker.run_one() || duty::tick_threadless(&worker.registry);
        self.yield_to(false, [Self::run_newest, run_pinned, run_one])
    }
}

/// Runs one piece of the pool's work on the calling thread, anybody's: of its own lane, or of
/// another that has room for one more, or that nobody else comes to do. Outside of a pool it is
/// [`Yield::Idle`].
///
/// For long jobs that want to let others in. What runs here nests on the caller's stack and may
/// want any lock, so hold none. A task yields better by [`yield_task`], which nests nothing. The
/// interface is rayon's.
///
/// ```
/// use heartbeat_pool::{Lane, ThreadPool, Yield, yield_now};
///
/// let pool = ThreadPool::builder().num_threads(0).build().unwrap();
/// pool.spawn(Lane::Frame, || ());
/// pool.with_worker(|_| {
///     assert_eq!(yield_now(), Yield::Executed);
///     assert_eq!(yield_now(), Yield::Idle);
/// });
/// ```
pub fn yield_now() -> Yield {
    Worker::with_current(|worker| worker.map_or(Yield::Idle, Worker::yield_now))
}

/// A future that is pending once. The task then waits for what its thread has queued, and not for
/// what lies elsewhere; but a task of a lower lane, and one that is polled outside of its pool,
/// goes to the back of its lane's queue. So does one in a pool whose threads run their newest first
/// ([`Order`](crate::Order)), which is behind all that these threads have queued.
///
/// ```
/// # let pool = heartbeat_pool::ThreadPool::builder().num_threads(1).build().unwrap();
/// pool.block_on(async { heartbeat_pool::yield_task().await });
/// ```
pub async fn yield_task() {
    let mut yielded = false;
    future::poll_fn(|context| {
        if mem::replace(&mut yielded, true) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}
