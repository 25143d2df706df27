//! Yielding: let other work have the thread for a moment.

use crate::threads::this_thread::Stranger;
use crate::worker::Worker;
use crate::worker::current;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

/// What [`yield_now`] or [`yield_local`] did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Yield {
    /// It ran one piece of work.
    Executed,
    /// There was nothing to run.
    Idle,
}

impl Worker {
    /// Runs a job that only this thread may run, or else a second half of one of its own unfinished
    /// joins that nobody has taken yet. See [`yield_local`](crate::yield_local()).
    pub fn yield_local(&self) -> Yield {
        if current::run_pinned() {
            return Yield::Executed;
        }
        // It may be a part of something below what the thread has taken from others since.
        let _stranger = Stranger::begin();
        self.promote_all();
        match self.seat.steal_fork() {
            Some(fork) => {
                self.run_fork(fork);
                Yield::Executed
            }
            None => Yield::Idle,
        }
    }

    /// Runs one piece of the pool's work. See [`yield_now`](crate::yield_now()).
    pub fn yield_now(&self) -> Yield {
        if self.yield_local() == Yield::Executed || self.run_one() {
            Yield::Executed
        } else {
            Yield::Idle
        }
    }
}

/// Runs one piece of the calling thread's own work, if there is any: what was spawned on this very
/// thread ([`spawn_on`](crate::spawn_on())), or a second half of one of its unfinished joins.
///
/// For long loops that wait for something that their own fork does. Of [`join`](crate::join())s
/// inside of one another the fifth and deeper ones may be plain calls, whose second half nobody
/// finds before the first is over; those of [`Worker::join_offered`] are found at any depth.
/// Outside of a pool it is [`Yield::Idle`].
///
/// ```
/// use heartbeat_pool::{Yield, yield_local};
/// assert_eq!(yield_local(), Yield::Idle);
/// ```
pub fn yield_local() -> Yield {
    Worker::with_current(|worker| worker.map_or(Yield::Idle, Worker::yield_local))
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

/// A future that is pending once, so that the task goes to the back of its lane's queue.
///
/// ```
/// # let pool = heartbeat_pool::ThreadPool::builder().num_threads(1).build().unwrap();
/// pool.block_on(async { heartbeat_pool::yield_task().await });
/// ```
#[must_use = "a future does nothing until it is awaited"]
pub fn yield_task() -> YieldTask {
    YieldTask { yielded: false }
}

/// The future of [`yield_task`].
#[derive(Debug)]
pub struct YieldTask {
    yielded: bool,
}

impl Future for YieldTask {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        if self.yielded {
            return Poll::Ready(());
        }
        self.yielded = true;
        context.waker().wake_by_ref();
        Poll::Pending
    }
}
