//! Work that goes on and on until something has run that lies beside it, where the thread that does
//! the one is the only one that can do the other.

mod common;

use common::{Flag, within_a_minute};
use heartbeat_pool::{Lane, Mailbox, Order, Scope, ThreadPool, Worker};
use std::io;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

fn spareless(threads: usize) -> ThreadPool {
    let builder = ThreadPool::builder().num_threads(threads);
    builder.spare_threads(false).build().unwrap()
}

/// The ways to wait for a future that wakes itself until the flag is set.
const WAITS: [fn(&Worker, &Flag); 2] = [
    |worker, flag| worker.scope(|scope| scope.spawn_future(flag.wait()).detach()),
    |worker, flag| worker.block_on(flag.wait()),
];

/// What sets the flag, queued as work of each kind.
const KINDS: [fn(&ThreadPool, Flag); 4] = [
    |pool, flag| pool.spawn(Lane::Frame, move || flag.set()),
    |pool, flag| pool.spawn(Lane::Io, move || flag.set()),
    |pool, flag| pool.spawn(Lane::Background, move || flag.set()),
    |pool, flag| pool.spawn_blocking(move || flag.set()).detach(),
];

#[test]
fn a_wait_in_a_pool_without_threads() {
    within_a_minute(|| {
        for wait in WAITS {
            for queue in KINDS {
                let (pool, flag) = (common::pool(0), Flag::default());
                pool.with_worker(|worker| {
                    queue(&pool, flag.clone());
                    wait(worker, &flag);
                });
            }
        }
    });
}

#[test]
fn a_wait_of_a_pools_only_thread() {
    within_a_minute(|| {
        for wait in WAITS {
            for queue in KINDS {
                let (pool, flag) = (spareless(1), Flag::default());
                pool.install(|worker| {
                    queue(&pool, flag.clone());
                    wait(worker, &flag);
                });
            }
        }
    });
}

/// It lies where frame work from outside does, in a pool as rayon's.
#[test]
fn a_wait_beside_a_task_that_wakes_itself() {
    within_a_minute(|| {
        for wait in WAITS {
            for queue in KINDS {
                let (pool, flag) = (newest_first(false), Flag::default());
                pool.install(|worker| {
                    let own = flag.clone();
                    let wakes_itself = async move { own.wait().await };
                    heartbeat_pool::spawn_future(Lane::Frame, wakes_itself).detach();
                    thread::scope(|outside| _ = outside.spawn(|| queue(&pool, flag.clone())));
                    wait(worker, &flag);
                });
            }
        }
    });
}

#[test]
fn a_wait_of_the_only_thread_that_the_system_gives() {
    within_a_minute(|| {
        for wait in WAITS {
            for queue in KINDS {
                let started = AtomicUsize::new(0);
                let builder = ThreadPool::builder().num_threads(1);
                let pool = builder
                    .spawn_handler(
                        move |thread| match started.fetch_add(1, Ordering::Relaxed) {
                            0 => thread.spawn().map(drop),
                            _ => Err(io::ErrorKind::WouldBlock.into()),
                        },
                    )
                    .build()
                    .unwrap();
                let flag = Flag::default();
                thread::scope(|scope| {
                    scope.spawn(|| {
                        thread::sleep(Duration::from_millis(20));
                        queue(&pool, flag.clone());
                    });
                    pool.install(|worker| wait(worker, &flag));
                });
            }
        }
    });
}

/// Queues itself again and again until the flag is set, as work of a kind that is none of the
/// frame's.
fn again(pool: &Arc<ThreadPool>, over: &Flag, kind: usize) {
    if over.is_set() {
        return;
    }
    let (own, flag) = (pool.clone(), over.clone());
    let next = move || again(&own, &flag, kind);
    match kind {
        0 => pool.spawn(Lane::Io, next),
        1 => pool.spawn_blocking(next).detach(),
        2 => pool.spawn_on(0, next),
        _ => pool.spawn(Lane::Background, next),
    }
}

/// Threads from outside have all places of the frame, and the pool's own threads other work without
/// end.
#[test]
fn frame_work_beside_threads_from_outside_that_never_leave() {
    within_a_minute(|| {
        let outsiders: [fn(&ThreadPool, &Flag); 2] = [
            |pool, flag| pool.scope(|scope| scope.spawn_future(flag.wait()).detach()),
            |pool, flag| {
                pool.with_worker(|worker| {
                    while !flag.is_set() {
                        worker.join(|_| (), |_| ());
                    }
                });
            },
        ];
        for outsider in outsiders {
            for (kind, has_own) in (0..3).flat_map(|kind| [(kind, false), (kind, true)]) {
                let (pool, flag) = (Arc::new(spareless(1)), Flag::default());
                again(&pool, &flag, kind);
                if has_own {
                    // It lies in the thread's own deque after its first turn.
                    let flag = flag.clone();
                    let wakes_itself = async move { flag.wait().await };
                    pool.spawn_future(Lane::Frame, wakes_itself).detach();
                }
                thread::scope(|scope| {
                    scope.spawn(|| flag.set_later(&pool, Lane::Frame));
                    outsider(&pool, &flag);
                });
            }
        }
    });
}

#[test]
fn frame_work_beside_a_wait_and_endless_other_work() {
    within_a_minute(|| {
        for kinds in [&[0][..], &[0, 3]] {
            for round in 0..8 {
                let (pool, flag) = (Arc::new(spareless(2)), Flag::default());
                kinds.iter().for_each(|kind| again(&pool, &flag, *kind));
                thread::scope(|scope| {
                    scope.spawn(|| {
                        // Until then the other thread has helped in vain.
                        thread::sleep(Duration::from_millis(25 * round));
                        flag.set_later(&pool, Lane::Frame);
                    });
                    pool.install(|worker| {
                        worker.scope(|scope| {
                            (0..2).for_each(|_| scope.spawn_future(flag.wait()).detach());
                        });
                    });
                });
            }
        }
    });
}

/// What it waits for is of its own lane, whose place it has itself, or of its own thread.
#[test]
fn a_wait_in_a_job_of_a_lower_lane() {
    within_a_minute(|| {
        for lower in [false, true] {
            for is_own in [false, true] {
                for wait in WAITS {
                    let builder = ThreadPool::builder().num_threads(1).lower_threads(lower);
                    let pool = Arc::new(builder.spare_threads(false).build().unwrap());
                    let (flag, waits) = (Flag::default(), Flag::default());
                    let (own, ends, begins) = (pool.clone(), flag.clone(), waits.clone());
                    let job = pool.spawn_future(Lane::Io, async move {
                        let set = ends.clone();
                        if is_own {
                            own.spawn(Lane::Frame, move || set.set());
                        }
                        begins.set();
                        Worker::with_current(|worker| wait(worker.unwrap(), &ends));
                    });
                    common::wait_until(|| waits.is_set());
                    if !is_own {
                        let set = flag.clone();
                        pool.spawn(Lane::Io, move || set.set());
                    }
                    pool.block_on(job);
                }
            }
        }
    });
}

/// It waits for nothing else, so it is free for that, though the pool has no room.
#[test]
fn who_waits_from_outside_does_its_own_work_though_the_pool_is_full() {
    fn run_within(inner: impl FnOnce(mpsc::Sender<()>, mpsc::Receiver<()>)) {
        // Until then the owner sleeps.
        thread::sleep(Duration::from_millis(50));
        let (sender, receiver) = mpsc::channel();
        inner(sender, receiver);
    }
    within_a_minute(|| {
        let pool = spareless(1);
        let begun = &AtomicBool::new(false);
        pool.scope(|scope| {
            scope.spawn(move || {
                begun.store(true, Ordering::Relaxed);
                run_within(|sender, receiver| {
                    scope.spawn(move || sender.send(()).unwrap());
                    receiver.recv().unwrap();
                });
            });
            scope.call_for_help();
            common::wait_until(|| begun.load(Ordering::Relaxed));
        });
        let begun = &AtomicBool::new(false);
        pool.with_worker(|worker| {
            worker.join_offered(
                |_| common::wait_until(|| begun.load(Ordering::Relaxed)),
                |worker| {
                    begun.store(true, Ordering::Relaxed);
                    run_within(|sender, receiver| {
                        let waits = move |_: &Worker| receiver.recv().unwrap();
                        worker.join_offered(waits, move |_| sender.send(()).unwrap());
                    });
                },
            );
        });
    });
}

#[test]
fn a_task_of_one_mailbox_beside_one_of_another() {
    within_a_minute(|| {
        let pool = common::pool(1);
        let mailboxes = [Mailbox::of_this_thread(), Arc::new(Mailbox::new())];
        for (first, second) in [(0, 1), (1, 0)] {
            let [first, second] = [first, second].map(|index| &mailboxes[index]);
            let flag = Flag::default();
            pool.scope_with_mailboxes(&[&mailboxes[0], &mailboxes[1]], |scope| {
                scope.spawn_future_on(first, flag.wait()).detach();
                scope.spawn_future_on(second, async { flag.set() }).detach();
            });
        }
    });
}

fn pinned_again(pool: &Arc<ThreadPool>, over: &Flag) {
    if !over.is_set() {
        let (own, flag) = (pool.clone(), over.clone());
        pool.spawn_on(0, move || pinned_again(&own, &flag));
    }
}

fn spawned_again(worker: &Worker, over: &Flag) {
    if !over.is_set() {
        let flag = over.clone();
        let again = move || Worker::with_current(|own| spawned_again(own.unwrap(), &flag));
        worker.spawn(Lane::Frame, again);
    }
}

#[test]
fn a_loop_of_yields_beside_endless_work_comes_to_all_kinds() {
    within_a_minute(|| {
        let begin: [fn(&Arc<ThreadPool>, &Worker, &Flag); 2] = [
            |pool, _, over| pinned_again(pool, over),
            |_, worker, over| spawned_again(worker, over),
        ];
        for begin in begin {
            for (queue, both) in KINDS
                .into_iter()
                .flat_map(|kind| [(kind, false), (kind, true)])
            {
                let (pool, over) = (Arc::new(spareless(1)), Flag::default());
                pool.install(|worker| {
                    begin(&pool, worker, &over);
                    queue(&pool, over.clone());
                    while !over.is_set() {
                        worker.yield_now();
                        if both {
                            worker.yield_local();
                        }
                    }
                });
            }
            let (pool, over) = (Arc::new(spareless(1)), Flag::default());
            pool.install(|worker| {
                begin(&pool, worker, &over);
                let yields = |worker: &Worker| {
                    while !over.is_set() {
                        worker.yield_local();
                    }
                };
                worker.join_offered(yields, |_| over.set());
            });
        }
    });
}

fn newest_first(spares: bool) -> ThreadPool {
    let builder = ThreadPool::builder().num_threads(1);
    let builder = builder.order(Order::NewestFirst);
    builder.spare_threads(spares).build().unwrap()
}

/// It would be next again and again, as the newest.
#[test]
fn a_task_that_wakes_itself_comes_after_older_jobs_of_its_thread() {
    within_a_minute(|| {
        for spares in [true, false] {
            let (pool, flag) = (newest_first(spares), Flag::default());
            let tasks = pool.install(|worker| {
                let set = flag.clone();
                worker.spawn(Lane::Frame, move || set.set());
                [(); 2].map(|()| {
                    let flag = flag.clone();
                    heartbeat_pool::spawn_future(Lane::Frame, async move { flag.wait().await })
                })
            });
            tasks.into_iter().for_each(|task| pool.block_on(task));
        }
    });
}

#[test]
fn a_scoped_task_that_wakes_itself_comes_after_older_jobs_of_its_thread() {
    within_a_minute(|| {
        for pool in [spareless(1), newest_first(true), newest_first(false)] {
            let flag = Flag::default();
            pool.install(|worker| {
                worker.scope_in_order(Order::NewestFirst, |scope| {
                    scope.spawn(|| flag.set());
                    (0..2).for_each(|_| scope.spawn_future(flag.wait()).detach());
                });
            });
        }
    });
}

fn scoped_again<'scope>(scope: &'scope Scope<'scope, '_>, over: &'scope Flag) {
    if !over.is_set() {
        scope.spawn(move || scoped_again(scope, over));
    }
}

/// Not in a pool without spare threads that runs its newest first: there a job may block until one
/// has run that the same thread has spawned after it, as in rayon's.
#[test]
fn a_job_that_spawns_itself_lets_older_jobs_of_its_thread_have_turns() {
    within_a_minute(|| {
        let (pool, flag) = (newest_first(true), Flag::default());
        pool.install(|worker| {
            let set = flag.clone();
            worker.spawn(Lane::Frame, move || set.set());
            spawned_again(worker, &flag);
            spawned_again(worker, &flag);
        });
        common::wait_until(|| flag.is_set());
        for pool in [spareless(1), newest_first(true)] {
            let flag = Flag::default();
            pool.install(|worker| {
                worker.scope_in_order(Order::NewestFirst, |scope| {
                    scope.spawn(|| flag.set());
                    scoped_again(scope, &flag);
                    scoped_again(scope, &flag);
                });
            });
        }
    });
}

/// Each has its turn after some milliseconds, not after as many turns as there are looks between
/// two of others' work.
#[test]
fn jobs_from_outside_beside_a_scope_that_goes_on() {
    within_a_minute(|| {
        for pool in [common::pool(1), spareless(1)] {
            let over = &Flag::default();
            thread::scope(|outside| {
                let goes_on = || {
                    pool.scope_elsewhere(Order::OldestFirst, |scope| {
                        scope.spawn_future(over.wait()).detach();
                    });
                };
                outside.spawn(goes_on);
                thread::sleep(Duration::from_millis(20));
                for _ in 0..400 {
                    pool.block_on(pool.spawn_future(Lane::Frame, async {}));
                }
                over.set();
            });
        }
    });
}
