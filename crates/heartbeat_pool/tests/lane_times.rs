//! How long jobs of each lane wait, how long threads work for it, and what they do for it.

mod common;

use common::{pool, wait_until, within_a_minute};
use heartbeat_pool::{Lane, Order, PoolMetrics, ThreadPool, WaitWatch, WorkerMetrics};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::{Duration, Instant};

const MS: Duration = Duration::from_millis(1);

/// Pools of one thread a lane, with lower threads and without, each with a lower lane.
fn pools_and_lanes() -> impl Iterator<Item = (ThreadPool, Lane)> {
    let lanes = [Lane::Io, Lane::Background];
    lanes.into_iter().flat_map(|lane| {
        [false, true].map(|lower| {
            let builder = ThreadPool::builder().num_threads(1).lower_threads(lower);
            (builder.build().unwrap(), lane)
        })
    })
}

fn wait_of(watch: &WaitWatch, lane: Lane) -> Duration {
    watch.take_longest()[lane.index()]
}

/// Keeps the thread of `lane` at work until the sender is dropped.
fn block(pool: &ThreadPool, lane: Lane) -> mpsc::Sender<()> {
    let (release, released) = mpsc::channel::<()>();
    let (begun, is_begun) = mpsc::channel();
    pool.spawn(lane, move || {
        begun.send(()).unwrap();
        let _ = released.recv();
    });
    is_begun.recv().unwrap();
    release
}

#[test]
fn a_job_behind_one_that_blocks_is_seen_to_wait_and_has_waited_once_it_begins() {
    within_a_minute(|| {
        for (pool, lane) in pools_and_lanes() {
            let before = block(&pool, lane);
            let watch = pool.watch_waits();
            assert_eq!(watch.take_longest(), [Duration::ZERO; 3]);
            let called = Instant::now();
            let (done, is_done) = mpsc::channel();
            pool.spawn(lane, move || done.send(()).unwrap());
            let queued = Instant::now();
            thread::sleep(20 * MS);
            let waited = queued.elapsed();
            let seen = watch.take_longest();
            assert!(seen[lane.index()] >= waited, "{lane:?}: {seen:?}");
            assert!(seen[lane.index()] <= called.elapsed());
            let others = Lane::ALL.into_iter().filter(|other| *other != lane);
            assert!(
                others
                    .map(|other| seen[other.index()])
                    .all(|wait| wait.is_zero())
            );
            thread::sleep(5 * MS);
            let waited = queued.elapsed();
            drop(before);
            is_done.recv().unwrap();
            let seen = wait_of(&watch, lane);
            assert!((waited..=called.elapsed()).contains(&seen), "{seen:?}");
            assert_eq!(watch.take_longest(), [Duration::ZERO; 3], "it was told of");
        }
    });
}

#[test]
fn while_the_last_job_of_a_burst_waits_the_longest_wait_is_known() {
    within_a_minute(|| {
        for (pool, lane) in pools_and_lanes() {
            let before = block(&pool, lane);
            let watch = pool.watch_waits();
            let turn = |pool: &ThreadPool| {
                let (go, may_go) = mpsc::channel::<()>();
                let (begun, is_begun) = mpsc::channel();
                pool.spawn(lane, move || {
                    begun.send(()).unwrap();
                    let _ = may_go.recv();
                });
                (go, is_begun)
            };
            let jobs: Vec<_> = (0..40).map(|_| turn(&pool)).collect();
            let queued = Instant::now();
            let mut runs = before;
            for (go, is_begun) in jobs {
                // The job waits, and so does the last, if it is another one.
                let waited = queued.elapsed();
                drop(runs);
                is_begun.recv().unwrap();
                let seen = wait_of(&watch, lane);
                assert!(seen >= waited, "{seen:?} of {waited:?}");
                runs = go;
            }
        }
    });
}

#[test]
fn frame_jobs_in_the_pools_queue_and_in_a_workers_own_are_timed() {
    within_a_minute(|| {
        let pool = pool(0);
        let watch = pool.watch_waits();
        pool.spawn(Lane::Frame, || ());
        let queued = Instant::now();
        thread::sleep(5 * MS);
        let waited = queued.elapsed();
        assert!(pool.tick());
        assert!(wait_of(&watch, Lane::Frame) >= waited);
        // Nobody comes to the aid of its only thread while that blocks.
        let builder = ThreadPool::builder().num_threads(1).spare_threads(false);
        let pool = builder.build().unwrap();
        let watch = pool.watch_waits();
        let (waited, has_waited) = mpsc::channel();
        pool.spawn(Lane::Frame, move || {
            heartbeat_pool::spawn(Lane::Frame, || ());
            let queued = Instant::now();
            thread::sleep(5 * MS);
            let passed = queued.elapsed();
            waited.send((passed, wait_of(&watch, Lane::Frame))).unwrap();
        });
        let (passed, seen) = has_waited.recv().unwrap();
        assert!(seen >= passed, "{seen:?} of {passed:?}");
    });
}

/// Where others take the oldest first, a scope's owner takes its ticket back.
#[test]
fn a_ticket_that_was_taken_back_waits_no_more() {
    within_a_minute(|| {
        let builder = ThreadPool::builder().num_threads(1).spare_threads(false);
        let pool = builder.order(Order::NewestFirst).build().unwrap();
        let watch = pool.watch_waits();
        for _ in 0..20 {
            pool.install(|worker| worker.scope(|scope| scope.spawn(|| ())));
        }
        _ = watch.take_longest();
        thread::sleep(50 * MS);
        assert_eq!(wait_of(&watch, Lane::Frame), Duration::ZERO);
    });
}

#[test]
fn what_was_queued_before_there_was_a_watch_is_not_known_of() {
    within_a_minute(|| {
        let pool = pool(0);
        pool.spawn(Lane::Io, || ());
        let watch = pool.watch_waits();
        thread::sleep(MS);
        assert_eq!(watch.take_longest(), [Duration::ZERO; 3]);
        assert!(pool.tick());
        assert_eq!(watch.take_longest(), [Duration::ZERO; 3]);
    });
}

/// The pool's own threads, which time themselves.
fn members(metrics: &PoolMetrics) -> impl Iterator<Item = &WorkerMetrics> {
    let is_member = |worker: &&WorkerMetrics| {
        worker.name.starts_with("heartbeat") || worker.name.starts_with("low")
    };
    metrics.workers.iter().filter(is_member)
}

fn busy(pool: &ThreadPool) -> [Duration; 3] {
    let metrics = pool.metrics();
    let mut sum = [Duration::ZERO; 3];
    for worker in members(&metrics) {
        assert_eq!(worker.busy_by_lane.iter().sum::<Duration>(), worker.busy);
        for (sum, busy) in sum.iter_mut().zip(worker.busy_by_lane) {
            *sum += busy;
        }
    }
    sum
}

#[test]
fn a_job_that_runs_counts_for_its_lane_alone() {
    within_a_minute(|| {
        for (pool, lane) in pools_and_lanes() {
            let before = busy(&pool);
            let release = block(&pool, lane);
            let begun = Instant::now();
            thread::sleep(20 * MS);
            let passed = begun.elapsed();
            let now = busy(&pool);
            for other in Lane::ALL {
                let more = now[other.index()] - before[other.index()];
                if other == lane {
                    assert!(more >= passed, "{lane:?}: {more:?}");
                } else {
                    assert_eq!(more, Duration::ZERO, "{other:?} beside {lane:?}");
                }
            }
            drop(release);
            // The thread goes to rest.
            wait_until(|| busy(&pool) == busy(&pool));
        }
    });
}

#[test]
fn a_thread_that_goes_from_lane_to_lane_without_a_pause_counts_for_each() {
    within_a_minute(|| {
        let pool = pool(1);
        let before = busy(&pool);
        let release = block(&pool, Lane::Background);
        let (done, is_done) = mpsc::channel();
        for lane in [Lane::Background, Lane::Io, Lane::Frame] {
            let done = done.clone();
            pool.spawn(lane, move || {
                let begun = Instant::now();
                thread::sleep(3 * MS);
                done.send((lane, begun.elapsed())).unwrap();
            });
        }
        drop((release, done));
        let times: Vec<_> = is_done.iter().collect();
        assert_eq!(times.len(), 3);
        let now = busy(&pool);
        for (lane, time) in times {
            let more = now[lane.index()] - before[lane.index()];
            assert!(more >= time, "{lane:?}: {more:?} of {time:?}");
        }
    });
}

#[cfg(any(target_os = "linux", target_os = "android"))]
#[cfg(not(any(miri, heartbeat_sim)))]
#[test]
fn a_thread_from_outside_works_for_frames() {
    within_a_minute(|| {
        let pool = pool(1);
        pool.with_worker(|_| ());
        let begun = Instant::now();
        while begun.elapsed() < 5 * MS {}
        let total = pool.metrics().total();
        assert!(total.busy > Duration::ZERO);
        assert_eq!(total.busy_by_lane.iter().sum::<Duration>(), total.busy);
        assert_eq!(total.busy_by_lane[1..], [Duration::ZERO; 2]);
    });
}

#[test]
fn wake_ups_count_for_the_lane_whose_job_was_queued() {
    within_a_minute(|| {
        for (pool, lane) in pools_and_lanes() {
            wait_until(|| {
                pool.block_on(pool.spawn_future(lane, async {}));
                // Until the thread sleeps without a timer.
                thread::sleep(20 * MS);
                pool.metrics().total().wakes[lane.index()] > 0
            });
            assert_eq!(
                pool.metrics().total().wakes[Lane::Frame.index()],
                0,
                "{lane:?}"
            );
        }
    });
}

#[test]
fn promotions_and_steals_count_for_the_lane_of_the_join() {
    within_a_minute(|| {
        for lane in Lane::ALL {
            for lower in [false, true] {
                let builder = ThreadPool::builder().num_threads(4).lower_threads(lower);
                let pool = builder.build().unwrap();
                let begun = Arc::new(AtomicUsize::new(0));
                // Both halves must run at the same time, or this never ends. The first one answers
                // beats meanwhile: what blocks offers nothing.
                let meet = move || {
                    begun.fetch_add(1, Ordering::Relaxed);
                    while begun.load(Ordering::Relaxed) < 2 {
                        heartbeat_pool::join(|| (), || ());
                    }
                };
                let both = async move {
                    heartbeat_pool::join(&meet, &meet);
                };
                pool.block_on(pool.spawn_future(lane, both));
                let done = pool.metrics().total();
                let of_lane = |counts: [u64; 3]| counts[lane.index()];
                assert!(of_lane(done.promotions) >= 1, "{lane:?}: {done:?}");
                assert!(of_lane(done.steals) >= 1, "{lane:?}: {done:?}");
                assert_eq!(
                    done.promotions.iter().sum::<u64>(),
                    of_lane(done.promotions)
                );
            }
        }
    });
}
