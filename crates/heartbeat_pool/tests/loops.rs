//! Loops whose items take long, anywhere among them, and loops that are short.

mod common;

use common::{pool, wait_until, within_a_minute};
use heartbeat_pool::{Lane, ThreadPool, Worker};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

/// Runs loops over `THREADS * STRIDE` items, of which every `STRIDE`th takes long, and waits until
/// as many of these have begun as there are threads: whichever comes first, the others must be had
/// without its end. Each such loop is code of its own, of which nothing is known at first and then
/// that it takes long.
fn meet<const THREADS: usize, const STRIDE: usize>(worker: &Worker) {
    for _ in 0..3 {
        let mut numbers: Vec<usize> = (1..=THREADS * STRIDE).collect();
        let begun = AtomicUsize::new(0);
        worker.for_each(&mut numbers, |number| {
            if number.is_multiple_of(STRIDE) {
                begun.fetch_add(1, Ordering::SeqCst);
                wait_until(|| begun.load(Ordering::SeqCst) >= THREADS);
                thread::sleep(Duration::from_millis(2));
            }
        });
        assert_eq!(begun.into_inner(), THREADS);
    }
}

#[test]
fn other_items_can_be_taken_while_a_long_one_runs() {
    within_a_minute(|| {
        let pools = [2, 8, 64].map(pool);
        pools[0].with_worker(meet::<2, 1>);
        pools[0].with_worker(meet::<2, 5>);
        pools[0].with_worker(meet::<2, 200>);
        pools[1].with_worker(meet::<8, 1>);
        pools[1].with_worker(meet::<8, 5>);
        pools[1].with_worker(meet::<8, 50>);
        pools[2].with_worker(meet::<64, 1>);
        pools[2].with_worker(meet::<64, 20>);
    });
}

#[test]
fn other_items_can_be_taken_in_every_lane() {
    fn check<const STRIDE: usize>(lane: Lane) {
        let pool = pool(4);
        pool.set_budget(lane, 4);
        pool.block_on(pool.spawn_future(lane, async {
            Worker::with_current(|worker| meet::<4, STRIDE>(worker.unwrap()));
        }));
    }
    within_a_minute(|| {
        check::<2>(Lane::Frame);
        check::<3>(Lane::Io);
        check::<4>(Lane::Background);
    });
}

/// The items behind a long one are likely to be long as well, and are had one by one: of four at
/// the head of a loop, which lie in one part of it, some run at once, in one loop of many at the
/// latest.
#[test]
fn long_neighbours_are_shared_once_the_first_of_them_is_over() {
    fn check(worker: &Worker) {
        let (running, has_met) = (AtomicUsize::new(0), AtomicBool::new(false));
        while !has_met.load(Ordering::SeqCst) {
            let mut numbers: Vec<usize> = (0..8_000).collect();
            worker.for_each(&mut numbers, |number| {
                if *number < 4 {
                    running.fetch_add(1, Ordering::SeqCst);
                    thread::sleep(Duration::from_millis(5));
                    if running.fetch_sub(1, Ordering::SeqCst) > 1 {
                        has_met.store(true, Ordering::SeqCst);
                    }
                }
            });
        }
    }
    within_a_minute(|| {
        pool(2).with_worker(check);
        pool(8).with_worker(check);
    });
}

/// Runs a short loop in `pool`.
fn run_short(pool: &ThreadPool) {
    pool.with_worker(|worker| worker.for_each(&mut [1_u8; 16], |n| *n += 1));
}

/// Whether such loops are short, as they are not where each access is watched.
fn are_short() -> bool {
    let one = pool(1);
    run_short(&one);
    let start = Instant::now();
    (0..20).for_each(|_| run_short(&one));
    start.elapsed() < Duration::from_micros(100)
}

/// To wake somebody takes longer than the loop. Whoever is woken goes to sleep again.
#[test]
#[cfg_attr(miri, ignore = "in an interpreter all work is long")]
fn short_loops_wake_nobody_in_a_quiet_pool() {
    within_a_minute(|| {
        let pool = pool(2);
        // How long they take is not known yet.
        run_short(&pool);
        let parks = || {
            let before = pool.metrics().total().parks;
            thread::sleep(Duration::from_millis(200));
            pool.metrics().total().parks - before
        };
        wait_until(|| parks() == 0);
        let before = pool.metrics().total().parks;
        for _ in 0..20 {
            run_short(&pool);
            thread::sleep(Duration::from_millis(5));
        }
        let woken = pool.metrics().total().parks - before;
        // Who is woken looks around a few times before it sleeps for good.
        assert!(
            woken < 15 || !are_short(),
            "{woken} went to sleep again after 20 loops"
        );
    });
}

/// Each takes too long to be left to one thread while another looks for work, and not long enough
/// to wake that one.
#[test]
fn few_dear_items_are_shared_where_loop_follows_loop() {
    within_a_minute(|| {
        let pool = pool(2);
        let mut shared = 0;
        while shared < 100 {
            let mut runners = [None; 2];
            pool.with_worker(|worker| {
                worker.for_each(&mut runners, |runner| {
                    let start = Instant::now();
                    while start.elapsed() < Duration::from_micros(15) {}
                    *runner = Some(thread::current().id());
                });
            });
            shared += usize::from(runners[0] != runners[1]);
        }
    });
}

/// Such as a loop over a few chunks of a world, of which now and then two have changed. Where the
/// code is known to be quick, nobody is awake in time for the first such loop; so for some loops
/// after it, somebody is called at once.
#[test]
#[cfg_attr(miri, ignore = "in an interpreter all work is long")]
fn few_items_of_which_some_were_dear_are_shared_at_once_for_a_while() {
    within_a_minute(|| {
        let pool = pool(2);
        let run = |items: &mut [(u64, Option<ThreadId>)]| {
            pool.with_worker(|worker| {
                worker.for_each(items, |(millis, runner)| {
                    let start = Instant::now();
                    while start.elapsed() < Duration::from_millis(*millis) {}
                    *runner = Some(thread::current().id());
                });
            });
        };
        let is_shared = || {
            run(&mut [(0, None); 1000]);
            thread::sleep(Duration::from_millis(2));
            let mut items = [0, 0, 4, 4].map(|millis| (millis, None));
            run(&mut items);
            thread::sleep(Duration::from_millis(2));
            items[2].1 != items[3].1
        };
        // Each loop may be slower than the one who is called, but not half of them for long.
        wait_until(|| (0..10).filter(|_| is_shared()).count() >= 5);
    });
}
