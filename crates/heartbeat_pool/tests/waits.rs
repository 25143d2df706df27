//! Waits inside of waits: each gets what it is owed, and runs nothing else.

mod common;

use common::{pool, within_a_minute};
use heartbeat_pool::{Lane, ThreadPool};
use std::cell::RefCell;
use std::future::{Future, poll_fn};
use std::sync::{Arc, mpsc};
use std::task::Poll;
use std::thread;
use std::time::Duration;

const SOON: Duration = Duration::from_millis(10);

/// A future whose first poll leaves its waker with a thread that wakes it soon, and then calls `wait`, which
/// takes longer.
fn waits_in_its_poll(wait: impl FnOnce()) -> impl Future<Output = u32> {
    let (sender, receiver) = async_channel::bounded::<u32>(1);
    let mut received = Box::pin(async move { receiver.recv().await.unwrap() });
    let mut once = Some((wait, sender));
    poll_fn(move |context| {
        if let Poll::Ready(number) = received.as_mut().poll(context) {
            return Poll::Ready(number);
        }
        if let Some((wait, sender)) = once.take() {
            let waker = thread::spawn(move || {
                thread::sleep(SOON);
                sender.try_send(7).unwrap();
            });
            wait();
            waker.join().unwrap();
        }
        Poll::Pending
    })
}

fn block_inside() {
    let (sender, receiver) = async_channel::bounded::<()>(1);
    let waker = thread::spawn(move || {
        thread::sleep(SOON * 4);
        sender.try_send(()).unwrap();
    });
    heartbeat_pool::block_on(receiver.recv()).unwrap();
    waker.join().unwrap();
}

fn scope_inside(pool: &ThreadPool) {
    pool.scope(|scope| (0..3).for_each(|_| scope.spawn(|| thread::sleep(SOON * 4))));
}

#[test]
fn a_wait_inside_of_a_poll_takes_no_wake_up_of_the_one_around_it() {
    within_a_minute(|| {
        for threads in [0, 1, 2] {
            let pool = pool(threads);
            assert_eq!(heartbeat_pool::block_on(waits_in_its_poll(block_inside)), 7);
            assert_eq!(pool.block_on(waits_in_its_poll(block_inside)), 7);
            let scope = || scope_inside(&pool);
            assert_eq!(heartbeat_pool::block_on(waits_in_its_poll(scope)), 7);
            assert_eq!(pool.block_on(waits_in_its_poll(scope)), 7);
        }
    });
}

/// The same on one of the pool's own threads.
#[test]
fn a_wait_inside_of_a_poll_of_a_job_takes_no_wake_up_of_the_one_around_it() {
    within_a_minute(|| {
        let pool = pool(2);
        let answer = pool.install(|worker| worker.block_on(waits_in_its_poll(block_inside)));
        assert_eq!(answer, 7);
    });
}

#[test]
fn a_call_from_outside_is_run_by_its_caller_if_the_pool_loses_its_threads() {
    within_a_minute(|| {
        for _ in 0..20 {
            let pool = pool(1);
            let (go, may_go) = mpsc::channel::<()>();
            pool.spawn(Lane::Frame, move || may_go.recv().unwrap());
            thread::scope(|threads| {
                let call = threads.spawn(|| pool.install(|_| 7));
                thread::sleep(Duration::from_millis(1));
                pool.depopulate();
                go.send(()).unwrap();
                assert_eq!(call.join().unwrap(), 7);
            });
        }
    });
}

struct UsesScope(Arc<ThreadPool>, mpsc::Sender<u32>);

impl Drop for UsesScope {
    fn drop(&mut self) {
        let mut number = 0;
        let borrowed = &mut number;
        self.0
            .scope(|scope| scope.spawn_future(async move { *borrowed = 1 }).detach());
        self.1.send(number).unwrap();
    }
}

thread_local!(static USES_SCOPE: RefCell<Option<UsesScope>> = const { RefCell::new(None) });

/// The pool's thread is busy, so that the thread that ends runs its scope's future itself.
#[test]
fn a_thread_locals_destructor_may_run_a_scoped_future() {
    within_a_minute(|| {
        let pool = Arc::new(pool(1));
        let (go, may_go) = mpsc::channel::<()>();
        pool.spawn(Lane::Frame, move || may_go.recv().unwrap());
        let (sender, number) = mpsc::channel();
        let user = pool.clone();
        let thread = thread::spawn(move || {
            USES_SCOPE.set(Some(UsesScope(user.clone(), sender)));
            // Its own thread-locals come after the pool's, and go before them.
            user.scope(|scope| scope.spawn_future(async {}).detach());
        });
        thread.join().unwrap();
        assert_eq!(number.recv().unwrap(), 1);
        go.send(()).unwrap();
    });
}
