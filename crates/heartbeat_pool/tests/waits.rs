//! Waits inside of waits: each gets what it is owed, and runs nothing else.

mod common;

use common::{pool, wait_until, within_a_minute};
use heartbeat_pool::{Lane, Mailbox, Order, ThreadPool, Worker, yield_now};
use std::cell::{Cell, RefCell};
use std::future::{Future, poll_fn};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::task::Poll;
use std::thread;
use std::time::{Duration, Instant};

const SOON: Duration = Duration::from_millis(10);

/// A future whose first poll leaves its waker with a thread that wakes it soon, and then calls
/// `wait`, which takes longer.
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
                pool.resize_to(0).unwrap();
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

/// Waits in a scope for a future of its mailbox, which another thread wakes.
struct WaitsForItsMailbox(Arc<ThreadPool>, Arc<Mailbox>);

impl Drop for WaitsForItsMailbox {
    fn drop(&mut self) {
        let (wakes, woken) = async_channel::bounded(1);
        let other = thread::spawn(move || {
            thread::sleep(Duration::from_millis(50));
            wakes.send_blocking(()).unwrap();
        });
        self.0.scope_with_mailboxes(&[&self.1], |scope| {
            let wait = async move { woken.recv().await.unwrap() };
            scope.spawn_future_on(&self.1, wait).detach();
        });
        other.join().unwrap();
    }
}

thread_local!(static WAITS_AT_END: RefCell<Option<WaitsForItsMailbox>> = const { RefCell::new(None) });

/// By then the thread's parker, which the mailbox unparks, is gone.
#[test]
fn a_thread_locals_destructor_may_wait_for_a_mailbox_of_before() {
    within_a_minute(|| {
        let pool = Arc::new(pool(1));
        let thread = thread::spawn(move || {
            // It comes before the pool's own thread-locals, and goes after them.
            WAITS_AT_END.set(None);
            WAITS_AT_END.set(Some(WaitsForItsMailbox(pool, Arc::new(Mailbox::new()))));
        });
        thread.join().unwrap();
    });
}

/// Joins inside of one another, whose first halves wait for their second ones.
fn nested(is_set: &[AtomicBool], spin: &(impl Fn(&AtomicBool) + Sync)) {
    let Some((own, others)) = is_set.split_first() else {
        return;
    };
    let first = |_: &Worker| {
        nested(others, spin);
        spin(own);
    };
    let second = |_: &Worker| own.store(true, Ordering::Release);
    Worker::with_current(|worker| worker.unwrap().join_offered(first, second));
}

/// The first half spins until the second has run, which nobody but its own thread could run.
#[test]
fn a_yield_runs_the_half_that_is_waited_for() {
    within_a_minute(|| {
        for yields in [Worker::yield_now, Worker::yield_local] {
            let pool = ThreadPool::builder().num_threads(1).build().unwrap();
            let spin = move |is_set: &AtomicBool| {
                while !is_set.load(Ordering::Acquire) {
                    Worker::with_current(|worker| yields(worker.unwrap()));
                }
            };
            let task = pool.spawn_future(Lane::Frame, async move {
                let is_set = AtomicBool::new(false);
                heartbeat_pool::join(|| spin(&is_set), || is_set.store(true, Ordering::Release));
                let is_set: [_; 6] = std::array::from_fn(|_| AtomicBool::new(false));
                nested(&is_set, &spin);
            });
            pool.block_on(task);
        }
    });
}

#[test]
fn a_yield_runs_what_was_spawned_on_its_thread() {
    within_a_minute(|| {
        let pool = ThreadPool::builder().num_threads(2).build().unwrap();
        let task = pool.spawn_future(Lane::Frame, async {
            let called = Arc::new(AtomicUsize::new(0));
            for index in 0..2 {
                let calls = called.clone();
                let call = move || _ = calls.fetch_add(1, Ordering::Release);
                Worker::with_current(|worker| worker.unwrap().try_spawn_on(index, call));
            }
            while called.load(Ordering::Acquire) < 2 {
                yield_now();
            }
        });
        pool.block_on(task);
    });
}

/// Each item waits for a task of its own, which lies where only one who looks for it in time keeps
/// the next item, and one more thread in its wait, from beginning before that.
#[test]
fn items_that_wait_for_tasks_need_few_threads() {
    within_a_minute(|| {
        const ITEMS: usize = 4096;
        let started = Arc::new(AtomicUsize::new(0));
        let starts = started.clone();
        let count = move |_| _ = starts.fetch_add(1, Ordering::Relaxed);
        let pool = ThreadPool::builder()
            .num_threads(2)
            .start_handler(count)
            .build()
            .unwrap();
        let mut items = vec![0_u8; ITEMS];
        let wait = || heartbeat_pool::block_on(heartbeat_pool::spawn_future(Lane::Frame, async {}));
        pool.for_each(&mut items, |_| wait());
        let started = started.load(Ordering::Relaxed);
        assert!(started < ITEMS / 8, "{started} threads");
    });
}

/// A hundred seconds, were each of them to wait for whoever looks each beat.
#[test]
fn what_a_job_waits_for_begins_as_it_sleeps() {
    within_a_minute(|| {
        let builder = ThreadPool::builder().num_threads(2);
        let pool = builder.beat(Duration::from_secs(1)).build().unwrap();
        for lane in [Lane::Frame, Lane::Io] {
            for _ in 0..100 {
                pool.block_on(pool.spawn_future(Lane::Frame, async move {
                    let (sender, receiver) = async_channel::bounded(1);
                    heartbeat_pool::spawn(lane, move || sender.try_send(1).unwrap());
                    heartbeat_pool::block_on(receiver.recv()).unwrap();
                }));
            }
        }
    });
}

thread_local! {
    static WAITS: Cell<bool> = const { Cell::new(false) };
}

#[test]
fn a_join_that_waits_runs_no_job_that_its_first_half_has_spawned() {
    within_a_minute(|| {
        let builder = ThreadPool::builder().num_threads(2);
        let pool = builder.order(Order::NewestFirst).build().unwrap();
        for _ in 0..20 {
            let (has_begun, job_has_run) = (AtomicBool::new(false), Arc::default());
            let has_run: &Arc<AtomicBool> = &job_has_run;
            let helped = AtomicBool::new(false);
            let first = |worker: &Worker| {
                wait_until(|| has_begun.load(Ordering::Relaxed));
                let has_run = has_run.clone();
                worker.spawn(Lane::Frame, move || {
                    assert!(!WAITS.get(), "it may want a lock that is held there");
                    has_run.store(true, Ordering::Relaxed);
                });
                WAITS.set(true);
            };
            // The waiter finds a part of this one to help with.
            let second = |worker: &Worker| {
                let wait = |_: &Worker| {
                    has_begun.store(true, Ordering::Relaxed);
                    wait_until(|| helped.load(Ordering::Relaxed));
                };
                worker.join_offered(wait, |_| helped.store(true, Ordering::Relaxed));
            };
            pool.install(|worker| {
                worker.join_offered(first, second);
                WAITS.set(false);
            });
            wait_until(|| has_run.load(Ordering::Relaxed));
        }
    });
}

#[test]
fn what_a_waiting_thread_runs_for_another_pool_holds_no_room_in_its_own() {
    within_a_minute(|| {
        let own = pool(1);
        let other = Arc::new(pool(0));
        let (go, may_go) = mpsc::channel::<()>();
        let (began, has_begun) = mpsc::channel::<()>();
        let (sender, receiver) = async_channel::bounded::<()>(1);
        other.spawn(Lane::Frame, move || {
            began.send(()).unwrap();
            may_go.recv().unwrap();
            sender.try_send(()).unwrap();
        });
        let (done, is_done) = mpsc::channel();
        let waits_in = other.clone();
        own.spawn(Lane::Io, move || {
            waits_in.block_on(receiver.recv()).unwrap();
            done.send(()).unwrap();
        });
        has_begun.recv().unwrap();
        own.spawn(Lane::Io, move || go.send(()).unwrap());
        is_done.recv().unwrap();
    });
}

/// It may want what the one that waits holds. A spare thread comes for it.
#[test]
fn a_wait_for_a_half_runs_no_job_that_its_thief_has_spawned() {
    within_a_minute(|| {
        let builder = ThreadPool::builder().num_threads(2);
        let pool = builder.order(Order::NewestFirst).build().unwrap();
        for _ in 0..100 {
            let (sender, ran_on) = mpsc::channel();
            let begun = AtomicBool::new(false);
            let owner = pool.install(|worker| {
                worker.join_offered(
                    |_| wait_until(|| begun.load(Ordering::Acquire)),
                    |thief| {
                        begun.store(true, Ordering::Release);
                        let tells = move || sender.send((thread::current().id(), Instant::now()));
                        thief.spawn(Lane::Frame, move || tells().unwrap());
                        thief.join_offered(|_| thread::sleep(Duration::from_millis(1)), |_| ());
                    },
                );
                (thread::current().id(), Instant::now())
            });
            let ran = ran_on.recv().unwrap();
            assert!(ran.0 != owner.0 || ran.1 >= owner.1, "within the wait");
        }
    });
}
