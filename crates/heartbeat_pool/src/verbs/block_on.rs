//! `block_on`: a thread waits for a future, and runs nothing else but what nobody else could.

use crate::registry::Registry;
use crate::sync::Arc;
use crate::threads::this_thread::{self, Waiting};
use crate::worker::Worker;
use crate::worker::duty;
use crate::worker::turns::Turns;
use crate::worker::wait::BareWait;
use heartbeat_record::Wait;
use std::cell::Cell;
use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

thread_local! {
    /// How many polls on this thread's stack have work run above them that is this thread's to do.
    static DEPTH: Cell<u32> = const { Cell::new(0) };
}

/// Polls `future` to its end, and rests for as long as nothing has woken it. It does
/// the work of `pool` where nobody else could.
pub(crate) fn drive<F: Future>(future: F, pool: Option<&Arc<Registry>>) -> F::Output {
    this_thread::with_signal(|signal| {
        let _waiting = Waiting::begin();
        let mut future = pin!(future);
        let waker = Waker::from(signal.clone());
        let mut context = Context::from_waker(&waker);
        let wait = BareWait {
            pool,
            kind: Wait::Future,
            parker: signal.owner(),
            is_over: || signal.is_set(),
        };
        let mut turns = Turns::default();
        loop {
            if let Poll::Ready(output) = future.as_mut().poll(&mut context) {
                return output;
            }
            // It may wake itself until somebody does what nobody else does. What is done so may
            // come to such a wait as well: the deeper, the more seldom, so that the stack is
            // bounded.
            let depth = DEPTH.get();
            if turns.count_at(depth) {
                DEPTH.set(depth + 1);
                duty::do_what_only_it_does(pool);
                if turns.look(None) {
                    duty::help_out();
                }
                DEPTH.set(depth);
            }
            while !signal.take() {
                wait.rest(&mut turns);
            }
        }
    })
}

impl Worker {
    /// Waits for `future` on the calling thread. See [`block_on`](crate::block_on()).
    pub fn block_on<F: Future>(&self, future: F) -> F::Output {
        drive(future, Some(&self.registry))
    }
}

/// Waits for `future` on the calling thread. A spare thread runs in the place of a worker while
/// that sleeps, so the pool loses no core, and the future may wait for work that only this worker's
/// pool can do. Nothing else runs here meanwhile, but what was [spawned
/// on](crate::ThreadPool::spawn_on) this very thread, and in a pool without threads, or without
/// [spare ones](crate::ThreadPoolBuilder::spare_threads), the pool's work where nobody else could.
///
/// Works outside of any pool as well. A future's poll may wait itself, by this function or in a
/// scope: each wait gets the wake-ups that it is owed.
///
/// ```
/// let pool = heartbeat_pool::ThreadPool::builder().num_threads(1).build().unwrap();
/// let lane = heartbeat_pool::Lane::Frame;
/// // A worker that waits for a task of its own pool, which has one thread.
/// let task = pool.spawn_future(lane, async move {
///     let inner = heartbeat_pool::spawn_future(lane, async { 5 });
///     heartbeat_pool::block_on(inner)
/// });
/// assert_eq!(pool.block_on(task), 5);
/// ```
pub fn block_on<F: Future>(future: F) -> F::Output {
    let registry = Worker::with_current(|worker| worker.map(|worker| worker.registry.clone()));
    drive(future, registry.as_ref())
}
