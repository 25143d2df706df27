//! How many threads run at once what is long and blocks on nothing, in the scheduler of
//! `--cfg heartbeat_sim`: as many as there should, though it keeps others from what is queued.
#![cfg(heartbeat_sim)]
#![allow(missing_docs, reason = "a test")]

use heartbeat_pool::sim::{self, Settings, thread};
use heartbeat_pool::{Lane, ThreadPool, Worker};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

const ITEMS: usize = 1_000;
const RUNS: u64 = 40;

/// How many run an item now, and the most that did at once.
#[derive(Default)]
struct Crowd {
    now: AtomicUsize,
    most: AtomicUsize,
}

impl Crowd {
    fn item(&self) {
        let now = self.now.fetch_add(1, Ordering::Relaxed) + 1;
        self.most.fetch_max(now, Ordering::Relaxed);
        thread::sleep(Duration::from_millis(1));
        self.now.fetch_sub(1, Ordering::Relaxed);
    }
}

/// How many threads of a pool of two run `work` at once: in the median of some runs, and at most in
/// all of them but one, which may have one more.
fn most(lane: Lane, work: fn(&Worker, &Crowd)) -> (usize, usize) {
    let mut most: Vec<_> = (0..RUNS)
        .map(|seed| most_of_run(seed, lane, work))
        .collect();
    most.sort_unstable();
    assert!(most[most.len() - 1] <= most[most.len() - 2] + 1, "{most:?}");
    (most[most.len() / 2], most[most.len() - 2])
}

fn most_of_run(seed: u64, lane: Lane, work: fn(&Worker, &Crowd)) -> usize {
    sim::forget();
    let crowd = Arc::new(Crowd::default());
    let inside = crowd.clone();
    let outcome = sim::run(Settings::new(seed), move || {
        let pool = ThreadPool::builder().num_threads(2).build().unwrap();
        let task = pool.spawn_future(lane, async move {
            Worker::with_current(|worker| work(worker.unwrap(), &inside));
        });
        pool.block_on(task);
    });
    assert_eq!(outcome.failure, None, "seed {seed}");
    crowd.most.load(Ordering::Relaxed)
}

fn loops(worker: &Worker, crowd: &Crowd) {
    worker.for_each(&mut [(); ITEMS], |()| crowd.item());
}

fn scopes(worker: &Worker, crowd: &Crowd) {
    worker.scope(|scope| (0..ITEMS).for_each(|_| scope.spawn(|| crowd.item())));
}

fn joins(worker: &Worker, crowd: &Crowd) {
    fn split(worker: &Worker, items: usize, crowd: &Crowd) {
        if items == 1 {
            return crowd.item();
        }
        let half = |items| move |worker: &Worker| split(worker, items, crowd);
        worker.join(half(items / 2), half(items - items / 2));
    }
    split(worker, ITEMS, crowd);
}

/// A thread that waits comes back beside the one that has its place, and some orders have all
/// threads stand still for so long that they seem to be blocked: of joins one in twenty has five
/// run at once, and one in 400 six.
#[test]
fn frame_work_has_as_many_as_there_are() {
    for work in [loops, scopes, joins] {
        let (usual, most) = most(Lane::Frame, work);
        assert_eq!(usual, 2);
        assert!(most <= 5, "{most}");
    }
}

#[test]
fn background_work_keeps_its_budget() {
    for work in [loops, scopes, joins] {
        let (usual, most) = most(Lane::Background, work);
        assert_eq!(usual, 1);
        assert!(most <= 3, "{most}");
    }
}
