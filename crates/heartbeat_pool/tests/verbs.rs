//! Each verb, at every size of pool, from inside and outside.

mod common;

use common::{SIZES, pool, within_a_minute};
use heartbeat_pool::{Lane, Mailbox, Order, ThreadPool, Worker, Yield};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Barrier, Mutex, mpsc};
use std::thread;
use std::time::{Duration, Instant};

fn fib(n: u32) -> u64 {
    if n < 2 {
        return n.into();
    }
    let (a, b) = heartbeat_pool::join(|| fib(n - 1), || fib(n - 2));
    a + b
}

#[test]
fn join_gives_both_results() {
    within_a_minute(|| {
        for threads in SIZES {
            let pool = pool(threads);
            assert_eq!(pool.with_worker(|_| fib(22)), 17_711, "{threads} threads");
            assert_eq!(pool.join(|| 1, || 2), (1, 2));
        }
        assert_eq!(fib(10), 55, "outside of any pool");
    });
}

#[test]
fn a_long_join_is_shared_between_threads() {
    within_a_minute(|| {
        let pool = pool(2);
        let meet = Barrier::new(2);
        // Both halves must run at the same time, or this never ends.
        pool.join(|| meet.wait(), || meet.wait());
        assert!(pool.metrics().total().promotions[Lane::Frame.index()] >= 1);
    });
}

#[test]
fn who_waits_for_a_stolen_half_does_part_of_it_in_a_full_pool() {
    within_a_minute(|| {
        let pool = pool(2);
        let owner = thread::current().id();
        let parks = || {
            let workers = pool.metrics().workers;
            let own = workers.iter().find(|own| own.name == format!("{owner:?}"));
            own.map_or(0, |own| own.parks)
        };
        if thread::available_parallelism().is_ok_and(|cores| cores.get() == 1) {
            // There two threads seldom meet.
            return;
        }
        // In some runs it may have given its place to another thread, but not in all.
        loop {
            let before = parks();
            if pool.with_worker(|worker| part_is_run_by(worker, owner)) && parks() == before {
                break;
            }
        }
    });
}

/// Comes back early for a stolen half, and tells whether `owner` ran half of that.
fn part_is_run_by(worker: &Worker, owner: thread::ThreadId) -> bool {
    let is_stolen = AtomicBool::new(false);
    let ran_by = Mutex::new(None);
    worker.join(
        |worker| {
            // By joins, for these are what polls the beat.
            while !is_stolen.load(Ordering::Relaxed) {
                worker.join(|_| (), |_| ());
            }
        },
        |worker| {
            is_stolen.store(true, Ordering::Relaxed);
            let is_begun = || lock(&ran_by).is_some();
            worker.join(
                |worker| {
                    while !is_begun() {
                        worker.join(|_| (), |_| ());
                    }
                },
                |_| *lock(&ran_by) = Some(thread::current().id()),
            );
        },
    );
    *lock(&ran_by) == Some(owner)
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap()
}

#[test]
fn join_panics_with_the_payload_of_the_half_that_failed() {
    within_a_minute(|| {
        for threads in SIZES {
            let pool = pool(threads);
            for (first, second) in [(true, false), (false, true), (true, true)] {
                let result = catch_unwind(AssertUnwindSafe(|| {
                    pool.join(
                        || assert!(!first, "first"),
                        || {
                            thread::sleep(Duration::from_micros(300));
                            assert!(!second, "second");
                        },
                    )
                }));
                let payload = result.unwrap_err();
                let expected = if first { "first" } else { "second" };
                assert_eq!(payload.downcast_ref::<&str>(), Some(&expected));
            }
            assert_eq!(pool.with_worker(|_| fib(15)), 610, "the pool goes on");
        }
    });
}

/// What a fold of `0..items` collects, each item taking some time.
fn collect(items: usize, micros: u64) -> Vec<usize> {
    heartbeat_pool::fold_pieces(
        0..items,
        Vec::new,
        |all, piece| {
            for item in piece {
                let start = Instant::now();
                while start.elapsed() < Duration::from_micros(micros) {}
                all.push(item);
            }
        },
        |all| all,
        |mut left, right| {
            left.extend(right);
            left
        },
    )
}

#[test]
fn a_fold_combines_in_order() {
    within_a_minute(|| {
        for threads in SIZES {
            let pool = pool(threads);
            for (items, micros) in [(0, 0), (1, 0), (2, 100), (100, 20), (100_000, 0)] {
                let all = pool.with_worker(|_| collect(items, micros));
                assert!(all.into_iter().eq(0..items), "{threads} threads, {items}");
            }
        }
        assert_eq!(collect(3, 0), [0, 1, 2], "outside of any pool");
        assert_eq!(collect(0, 0), [], "outside of any pool");
    });
}

#[test]
fn a_fold_is_shared_and_makes_a_state_a_stretch() {
    within_a_minute(|| {
        let pool = pool(2);
        let (made, open) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let meet = Barrier::new(2);
        // Two items that wait for one another: they must run at the same time.
        let sum = pool.fold_pieces(
            0..2,
            || {
                // It need not be `Send`.
                let thread = std::rc::Rc::new(thread::current().id());
                made.fetch_add(1, Ordering::SeqCst);
                open.fetch_add(1, Ordering::SeqCst);
                (thread, 0)
            },
            |(thread, sum), piece| {
                assert_eq!(**thread, thread::current().id());
                for item in piece {
                    meet.wait();
                    *sum += item + 1;
                }
            },
            |(thread, sum)| {
                assert_eq!(*thread, thread::current().id());
                open.fetch_sub(1, Ordering::SeqCst);
                sum
            },
            |left, right| left + right,
        );
        assert_eq!((sum, open.into_inner()), (3, 0));
        assert_eq!(made.into_inner(), 2);
        // Many pieces, and nobody to share them with: three states, or more where items take long.
        let pool = self::pool(0);
        let [states, pieces] = pool.fold_pieces(
            0..10_000,
            || [1, 0],
            |[_, pieces], _| *pieces += 1,
            |counts| counts,
            |[a, b], [c, d]| [a + c, b + d],
        );
        assert!(pieces > 2 * states, "{states}, {pieces}");
    });
}

#[test]
fn no_piece_of_a_fold_is_empty() {
    let count = |items: &[u8]| {
        let fold = |sum: &mut usize, piece: &[u8]| {
            assert!(!piece.is_empty());
            *sum += piece.len();
        };
        heartbeat_pool::fold_pieces(items, || 0, fold, |sum| sum, |left, right| left + right)
    };
    let items = [0; 100];
    let check = || (0..100).for_each(|len| assert_eq!(count(&items[..len]), len));
    check();
    for threads in SIZES {
        pool(threads).with_worker(|_| check());
    }
}

#[test]
fn a_scope_runs_closures_and_futures_that_borrow() {
    within_a_minute(|| {
        for threads in SIZES {
            let pool = pool(threads);
            let mut cells = vec![0_usize; 200];
            pool.scope(|scope| {
                for (i, cell) in cells.iter_mut().enumerate() {
                    if i % 2 == 0 {
                        scope.spawn(move || *cell = i);
                    } else {
                        let task = async move {
                            heartbeat_pool::yield_task().await;
                            *cell = i;
                        };
                        scope.spawn_future(task).detach();
                    }
                }
            });
            assert!(cells.iter().enumerate().all(|(i, cell)| i == *cell));
        }
    });
}

#[test]
fn scopes_nest_inside_tasks_and_spawn_from_within() {
    within_a_minute(|| {
        for threads in SIZES {
            let pool = pool(threads);
            let count = AtomicUsize::new(0);
            let (pool, count) = (&pool, &count);
            pool.scope(|outer| {
                for _ in 0..10 {
                    outer.spawn(move || {
                        for _ in 0..10 {
                            outer.spawn(|| _ = count.fetch_add(1, Ordering::Relaxed));
                        }
                        pool.scope(|inner| {
                            for _ in 0..10 {
                                inner.spawn(|| _ = count.fetch_add(1, Ordering::Relaxed));
                            }
                        });
                    });
                }
            });
            assert_eq!(count.load(Ordering::Relaxed), 200);
        }
    });
}

#[test]
fn a_panic_in_a_scope_reaches_its_owner_after_the_rest_is_over() {
    within_a_minute(|| {
        for threads in SIZES {
            let pool = pool(threads);
            let ran = AtomicUsize::new(0);
            for kind in 0..3 {
                ran.store(0, Ordering::Relaxed);
                let result = catch_unwind(AssertUnwindSafe(|| {
                    pool.scope(|scope| {
                        for _ in 0..20 {
                            scope.spawn(|| _ = ran.fetch_add(1, Ordering::Relaxed));
                        }
                        match kind {
                            0 => scope.spawn(|| panic!("it broke")),
                            1 => scope.spawn_future(async { panic!("it broke") }).detach(),
                            _ => panic!("it broke"),
                        }
                    });
                }));
                let payload = result.unwrap_err();
                assert_eq!(payload.downcast_ref::<&str>(), Some(&"it broke"));
                assert_eq!(ran.load(Ordering::Relaxed), 20);
            }
        }
    });
}

#[test]
fn spawned_work_runs_on_every_lane() {
    within_a_minute(|| {
        for threads in SIZES {
            let pool = pool(threads);
            for lane in Lane::ALL {
                let task = pool.spawn_future(lane, async move {
                    Worker::with_current(|worker| worker.map(Worker::lane))
                });
                assert_eq!(pool.block_on(task), Some(lane), "{threads} threads");
                let (sender, receiver) = async_channel::bounded(1);
                pool.spawn(lane, move || sender.try_send(3).unwrap());
                assert_eq!(pool.block_on(receiver.recv()), Ok(3));
            }
        }
    });
}

#[test]
fn a_worker_may_block_on_its_own_pool() {
    within_a_minute(|| {
        for threads in SIZES {
            let pool = Arc::new(pool(threads));
            let inner = pool.clone();
            let task = pool.spawn_future(Lane::Frame, async move {
                let task = inner.spawn_future(Lane::Frame, async { 1 });
                inner.block_on(task) + inner.join(|| 1, || 1).0
            });
            assert_eq!(pool.block_on(task), 2);
        }
    });
}

#[test]
fn a_task_panic_reaches_its_awaiter_and_the_handler() {
    within_a_minute(|| {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let handler = seen.clone();
        let pool = ThreadPool::builder()
            .num_threads(1)
            .panic_handler(move |payload| {
                let text = payload.downcast_ref::<&str>().copied();
                handler.lock().unwrap().push(text.unwrap_or("?"));
            })
            .build()
            .unwrap();
        let task = pool.spawn_future(Lane::Frame, async { panic!("task") });
        let result = catch_unwind(AssertUnwindSafe(|| pool.block_on(task)));
        assert_eq!(result.unwrap_err().downcast_ref::<&str>(), Some(&"task"));
        pool.spawn_future(Lane::Io, async { panic!("detached") })
            .detach();
        pool.spawn(Lane::Io, || panic!("closure"));
        // Behind the other two on the one thread's lane.
        pool.block_on(pool.spawn_future(Lane::Io, async {}));
        assert_eq!(*seen.lock().unwrap(), ["task", "detached", "closure"]);
    });
}

#[test]
fn dropping_a_task_cancels_it() {
    within_a_minute(|| {
        let pool = pool(1);
        let (started, start) = mpsc::channel();
        let token = Arc::new(());
        let held = token.clone();
        let task = pool.spawn_future(Lane::Frame, async move {
            let _held = held;
            started.send(()).unwrap();
            std::future::pending::<()>().await;
        });
        start.recv().unwrap();
        drop(task);
        while Arc::strong_count(&token) > 1 {
            thread::yield_now();
        }
    });
}

#[test]
fn dropping_a_pool_drops_what_is_queued() {
    within_a_minute(|| {
        let token = Arc::new(());
        for threads in SIZES {
            let pool = pool(threads);
            for lane in Lane::ALL {
                for _ in 0..100 {
                    let held = token.clone();
                    pool.spawn(lane, move || drop(held));
                    let held = token.clone();
                    pool.spawn_future(lane, async move {
                        let _held = held;
                        heartbeat_pool::yield_task().await;
                    })
                    .detach();
                }
            }
            drop(pool);
            assert_eq!(Arc::strong_count(&token), 1, "{threads} threads");
        }
    });
}

#[test]
fn a_mailbox_runs_on_its_owner_while_a_scope_waits() {
    within_a_minute(|| {
        for threads in SIZES {
            let pool = pool(threads);
            let mailbox = Arc::new(Mailbox::new());
            let here = thread::current().id();
            let ran = AtomicUsize::new(0);
            let (ran, mailbox) = (&ran, &mailbox);
            pool.scope_with_mailboxes(&[mailbox], |scope| {
                for _ in 0..10 {
                    scope.spawn(move || {
                        let task = async move {
                            assert_eq!(thread::current().id(), here);
                            ran.fetch_add(1, Ordering::Relaxed);
                        };
                        scope.spawn_future_on(mailbox, task).detach();
                    });
                }
            });
            assert_eq!(ran.load(Ordering::Relaxed), 10);
        }
    });
}

#[test]
fn a_mailbox_of_another_thread_is_refused_by_what_would_empty_it() {
    let theirs = thread::spawn(|| Arc::new(Mailbox::new())).join().unwrap();
    let ran = AtomicUsize::new(0);
    let run = || _ = ran.fetch_add(1, Ordering::Relaxed);
    let refused = |f: &dyn Fn()| {
        let payload = catch_unwind(AssertUnwindSafe(f)).unwrap_err();
        payload.downcast_ref::<&str>().is_some()
    };
    let pool = pool(1);
    assert!(refused(&|| pool.scope_with_mailboxes(&[&theirs], |_| run())));
    theirs.spawn(async {}).detach();
    assert!(refused(&|| _ = theirs.try_tick()) && !theirs.is_empty());
    // It need not be `Send`, so it must not be queued either.
    theirs.close();
    assert!(refused(&|| _ = theirs.spawn_local(async {})));
    assert_eq!(ran.into_inner(), 0);
}

#[test]
fn a_pool_thread_empties_its_own_mailbox() {
    within_a_minute(|| {
        let pool = pool(2);
        let task = pool.spawn_future(Lane::Frame, async {
            let here = thread::current().id();
            let local = Mailbox::of_this_thread().spawn_local(async move {
                heartbeat_pool::yield_task().await;
                let _not_send = std::rc::Rc::new(());
                heartbeat_pool::yield_task().await;
                thread::current().id() == here
            });
            let (sender, receiver) = async_channel::bounded(1);
            Mailbox::of_this_thread()
                .spawn_local(async move { sender.try_send(local.await).unwrap() })
                .detach();
            receiver
        });
        let receiver = pool.block_on(task);
        assert_eq!(pool.block_on(receiver.recv()), Ok(true));
    });
}

#[test]
fn a_wait_runs_no_strangers_work() {
    within_a_minute(|| {
        let pool = pool(2);
        let waiting = AtomicBool::new(true);
        let here = thread::current().id();
        let foreign = Arc::new(AtomicBool::new(false));
        for _ in 0..200 {
            let foreign = foreign.clone();
            pool.spawn(Lane::Frame, move || {
                if thread::current().id() == here {
                    foreign.store(true, Ordering::Relaxed);
                }
                let end = Instant::now() + Duration::from_micros(200);
                while Instant::now() < end {}
            });
        }
        pool.scope(|scope| {
            scope
                .spawn_future(async {
                    heartbeat_pool::yield_task().await;
                    waiting.store(false, Ordering::Relaxed);
                })
                .detach();
        });
        assert!(!waiting.load(Ordering::Relaxed));
        assert!(!foreign.load(Ordering::Relaxed));
    });
}

#[test]
fn jobs_that_block_on_queued_ones_are_relieved() {
    within_a_minute(|| {
        // More jobs than threads meet at a barrier that the pool knows nothing of.
        let pool = pool(2);
        let meet = Barrier::new(5);
        pool.scope(|scope| {
            for _ in 0..5 {
                scope.spawn(|| _ = meet.wait());
            }
        });
    });
}

#[test]
fn every_lane_moves_while_the_others_never_yield() {
    within_a_minute(|| {
        let pool = pool(1);
        let stop = Arc::new(AtomicBool::new(false));
        for lane in Lane::ALL {
            let stop = stop.clone();
            pool.spawn(lane, move || {
                while !stop.load(Ordering::Relaxed) {
                    thread::yield_now();
                }
            });
        }
        pool.block_on(pool.spawn_future(Lane::Frame, async {}));
        stop.store(true, Ordering::Relaxed);
        for lane in Lane::ALL {
            pool.block_on(pool.spawn_future(lane, async {}));
        }
    });
}

#[test]
fn budgets_cap_a_lane() {
    within_a_minute(|| {
        let pool = ThreadPool::builder()
            .num_threads(4)
            .budget(Lane::Background, 2)
            .build()
            .unwrap();
        let running = Arc::new(AtomicUsize::new(0));
        let most = Arc::new(AtomicUsize::new(0));
        // Where the machine has no core for a second thread meanwhile, one alone runs them.
        while most.load(Ordering::SeqCst) < 2 {
            let tasks: Vec<_> = (0..50)
                .map(|_| {
                    let (running, most) = (running.clone(), most.clone());
                    pool.spawn_future(Lane::Background, async move {
                        let now = running.fetch_add(1, Ordering::SeqCst) + 1;
                        most.fetch_max(now, Ordering::SeqCst);
                        thread::sleep(Duration::from_micros(200));
                        running.fetch_sub(1, Ordering::SeqCst);
                    })
                })
                .collect();
            for task in tasks {
                pool.block_on(task);
            }
        }
        assert_eq!(most.load(Ordering::SeqCst), 2);
    });
}

/// It would wait for what only comes once it is over.
#[test]
fn a_broadcast_leaves_its_threads_jobs_to_others_where_some_come() {
    within_a_minute(|| {
        let builder = ThreadPool::builder().num_threads(2);
        let pool = builder.order(Order::NewestFirst).build().unwrap();
        pool.install(|worker| {
            let (sender, receiver) = async_channel::bounded(1);
            let wait = move || heartbeat_pool::block_on(receiver.recv()).unwrap();
            worker.spawn(Lane::Frame, wait);
            worker.broadcast(|_| ());
            sender.try_send(()).unwrap();
        });
    });
}

#[test]
fn a_broadcast_comes_beside_work_of_its_own_thread_that_has_no_end() {
    within_a_minute(|| {
        let builder = ThreadPool::builder().num_threads(1).spare_threads(false);
        let pool = builder.order(Order::NewestFirst).build().unwrap();
        pool.install(|worker| {
            let is_over = Arc::new(AtomicBool::new(false));
            let ends = is_over.clone();
            let task = heartbeat_pool::spawn_future(Lane::Frame, async move {
                while !ends.load(Ordering::Relaxed) {
                    heartbeat_pool::yield_task().await;
                }
            });
            assert_eq!(worker.broadcast(|_| ()).len(), 1);
            is_over.store(true, Ordering::Relaxed);
            worker.block_on(task);
        });
    });
}

#[test]
fn a_yield_outside_is_idle() {
    assert_eq!(heartbeat_pool::yield_now(), Yield::Idle);
}

#[test]
fn bad_settings_are_told() {
    let error = ThreadPool::builder()
        .beat(Duration::ZERO)
        .build()
        .unwrap_err();
    assert!(error.to_string().contains("1 microsecond"), "{error}");
}
