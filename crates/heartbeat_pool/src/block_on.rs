//! `block_on`: a thread waits for a future, and nothing else runs on it meanwhile.

use crate::parker::Parker;
use crate::registry::Registry;
use crate::sync::{Arc, AtomicBool, Ordering};
use crate::thread_state;
use crate::worker::Worker;
use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Wake, Waker};

/// Unparks the waiting thread, and tells its own wake-ups from others'.
struct Signal {
    woken: AtomicBool,
    parker: Arc<Parker>,
}

impl Wake for Signal {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        // Release pairs with the Acquire in `take`.
        self.woken.store(true, Ordering::Release);
        self.parker.unpark();
    }
}

impl Signal {
    fn take(&self) -> bool {
        // Acquire pairs with the Release in `wake_by_ref`.
        self.woken.swap(false, Ordering::Acquire)
    }
}

/// Polls `future` to its end; calls `idle` whenever it is pending and not woken. `idle` must park
/// the thread, or do something useful, and may return early.
fn drive<F: Future>(future: F, idle: impl Fn(&Signal)) -> F::Output {
    let mut future = pin!(future);
    let signal = Arc::new(Signal {
        woken: AtomicBool::new(false),
        parker: thread_state::parker(),
    });
    let waker = Waker::from(signal.clone());
    let mut context = Context::from_waker(&waker);
    loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut context) {
            return output;
        }
        while !signal.take() {
            idle(&signal);
        }
    }
}

/// Waits for `future` on the calling thread. A worker gives its seat to a spare thread whenever it
/// sleeps, so the pool loses no core, and the future may wait for work that only this worker's
/// pool can do.
///
/// Works outside of any pool as well.
///
/// ```
/// let pool = heartbeat_pool::ThreadPool::builder().num_threads(1).build().unwrap();
/// let lane = heartbeat_pool::Lane::Frame;
/// // A worker that waits for a task of its own pool, which has one thread.
/// let task = pool.spawn_async(lane, move || async move {
///     let inner = heartbeat_pool::spawn_future(lane, async { 5 });
///     heartbeat_pool::current_block_on(inner)
/// });
/// assert_eq!(pool.block_on(task), 5);
/// ```
pub fn current_block_on<F: Future>(future: F) -> F::Output {
    drive(future, |signal| {
        let stood_up = Worker::stand_up();
        while !signal.woken.load(Ordering::Acquire) {
            signal.parker.park();
        }
        Worker::sit_down(stood_up);
    })
}

/// Whether the calling thread is counted as running in some pool, so that a wait on it should give
/// its seat away ([`current_block_on`]).
#[must_use]
pub fn is_worker_thread() -> bool {
    Worker::with_current(|worker| worker.is_some())
}

impl Registry {
    pub(crate) fn block_on<F: Future>(self: &Arc<Self>, future: F) -> F::Output {
        if self.occupancy.target() > 0 {
            return current_block_on(future);
        }
        // A pool without threads: its caller does its work.
        let worker = thread_state::seat_in(self);
        drive(future, |signal| {
            if worker.visit(Worker::tick) {
                return;
            }
            worker.sleep_threadless(|| signal.woken.load(Ordering::Acquire));
        })
    }
}
