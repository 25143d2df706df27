//! `block_on`: a thread waits for a future, and nothing else runs on it meanwhile.

use crate::cores;
use crate::parker::Parker;
use crate::registry::Registry;
use crate::spin;
use crate::sync::Arc;
use crate::thread_state::{self, Waiting};
use crate::worker::Worker;
use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

/// Polls `future` to its end with `parker` as its waker; calls `idle` whenever it is pending. `idle`
/// parks the thread there, or does something useful; it may return early, for a poll too
/// many does no harm.
fn drive<F: Future>(parker: &Arc<Parker>, future: F, idle: impl Fn()) -> F::Output {
    let mut future = pin!(future);
    let waker = Waker::from(parker.clone());
    let mut context = Context::from_waker(&waker);
    loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut context) {
            return output;
        }
        idle();
    }
}

impl Registry {
    pub(crate) fn block_on<F: Future>(self: &Arc<Self>, future: F) -> F::Output {
        let parker = thread_state::parker();
        let _waiting = Waiting::begin();
        drive(&parker, future, || {
            if self.occupancy.target() == 0 {
                if !thread_state::run_pinned() {
                    self.idle_threadless(&parker);
                }
            } else {
                stand(&parker, spin::BEFORE_SLEEP, || {
                    let has_threads = || self.occupancy.target() > 0;
                    self.waiters.park(&parker, has_threads);
                });
            }
        })
    }

    /// A pool without threads: its caller does its work.
    fn idle_threadless(self: &Arc<Self>, parker: &Arc<Parker>) {
        let worker = thread_state::seat_in(self);
        if !worker.visit(Worker::tick) {
            let _standing = Worker::stand_up();
            // A wake-up that came first has left its token.
            // Not the worker's own parker: in a thread-local's destructor it is another one.
            worker.sleep_alone(parker, || self.occupancy.target() > 0);
        }
    }
}

/// Sleeps by `park` after `patience`, with the thread's seats given away, unless there is work for this very thread, or
/// work of its own pool that nobody else could do.
fn stand(parker: &Arc<Parker>, patience: Duration, park: impl FnOnce()) {
    if thread_state::run_pinned() {
        return;
    }
    let lone = thread_state::lone_member();
    let needed = {
        let _standing = Worker::stand_up();
        // What is waited for is often almost there, unless it, or who is to help with it, needs this core.
        let is_over = || parker.has_token() || cores::keeps_lower() || cores::is_wanted();
        spin::until(patience, is_over);
        match &lone {
            // A token must be taken, for it may be an old one.
            Some(lone) if !parker.has_token() => lone.sleep_alone(parker, || false),
            _ => {
                park();
                false
            }
        }
    };
    if let Some(lone) = lone
        && needed
    {
        lone.visit(Worker::tick);
    }
}

impl Worker {
    /// Waits for `future` on the calling thread. See [`block_on`](crate::block_on()).
    pub fn block_on<F: Future>(&self, future: F) -> F::Output {
        self.registry().block_on(future)
    }
}

/// Waits for `future` on the calling thread. A worker gives its seat to a spare thread whenever it
/// sleeps, so the pool loses no core, and the future may wait for work that only this worker's
/// pool can do. Nothing else runs here meanwhile, but what was [spawned on](crate::spawn_on()) this
/// very thread, and in a pool without threads the pool's work.
///
/// Works outside of any pool as well.
///
/// ```
/// let pool = heartbeat_pool::ThreadPool::builder().num_threads(1).build().unwrap();
/// let lane = heartbeat_pool::Lane::Frame;
/// // A worker that waits for a task of its own pool, which has one thread.
/// let task = pool.spawn_async(lane, move || async move {
///     let inner = heartbeat_pool::spawn_future(lane, async { 5 });
///     heartbeat_pool::block_on(inner)
/// });
/// assert_eq!(pool.block_on(task), 5);
/// ```
pub fn block_on<F: Future>(future: F) -> F::Output {
    match Worker::with_current(|worker| worker.map(|worker| worker.registry().clone())) {
        Some(registry) => registry.block_on(future),
        None => block_outside(future, spin::BEFORE_SLEEP),
    }
}

/// Waits for `future` on a thread that is in no pool, and sleeps after `patience`.
fn block_outside<F: Future>(future: F, patience: Duration) -> F::Output {
    let parker = thread_state::parker();
    let _waiting = Waiting::begin();
    drive(&parker, future, || {
        stand(&parker, patience, || parker.park());
    })
}

/// As [`block_on`], of something that a thread was just woken for.
pub(crate) fn block_on_woken<F: Future>(future: F) -> F::Output {
    if Worker::with_current(|worker| worker.is_some()) {
        return block_on(future);
    }
    // It may have been woken on this thread's core, and comes when that is free.
    block_outside(future, Duration::ZERO)
}
