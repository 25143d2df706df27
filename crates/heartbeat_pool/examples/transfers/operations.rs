//! What is done: rounds of one operation each, in which as many threads take part as there are.
//!
//! Each job gives up its core at its end, so that the threads' operations alternate as they would on
//! as many cores, and a line that all of them write goes from thread to thread each time. What the
//! rounds themselves count is in atomics of std's, which nobody counts.

use heartbeat_pool::{BuildError, Lane, Scope, ThreadPool, Worker, spawn};
use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

/// Jobs of a round for each thread.
const JOBS: usize = 100;
/// Depth of the tree of a round of forks, and how many of its leaves pass until one gives up its
/// core.
const DEPTH: u32 = 14;
const LEAVES: u64 = 64;
/// No round takes as long, unless something is lost.
const DEADLINE: Duration = Duration::from_secs(60);

/// One kind of round.
pub struct Operation {
    /// The name in tables.
    pub name: &'static str,
    /// How many of them a figure is of.
    pub of: u64,
    /// Runs so many jobs of it, or about as many, and gives the number of operations.
    round: fn(&Pool) -> Result<u64, String>,
}

/// All of them.
pub const ALL: &[Operation] = &[
    Operation {
        name: "thousand forks",
        of: 1000,
        round: forks,
    },
    Operation {
        name: "steal",
        of: 1,
        round: steals,
    },
    Operation {
        name: "measured join",
        of: 1,
        round: measured_joins,
    },
    Operation {
        name: "scoped job",
        of: 1,
        round: scoped_jobs,
    },
    Operation {
        name: "spawn",
        of: 1,
        round: spawns,
    },
    Operation {
        name: "spawn from outside",
        of: 1,
        round: spawns_from_outside,
    },
    Operation {
        name: "wake",
        of: 1,
        round: wakes,
    },
    Operation {
        name: "system",
        of: 1,
        round: systems,
    },
];

/// What a round came to.
pub struct Ran {
    /// How many operations.
    pub operations: u64,
    /// How many threads ran some.
    pub threads: usize,
}

/// A pool, and who has worked in the present round.
pub struct Pool {
    pool: ThreadPool,
    threads: usize,
    /// The number of the round.
    round: Arc<AtomicU64>,
    took_part: Arc<AtomicUsize>,
    /// Jobs done in this round.
    done: Arc<AtomicUsize>,
}

impl Pool {
    /// One with so many threads.
    pub fn new(threads: usize) -> Result<Self, String> {
        let pool = ThreadPool::builder().num_threads(threads).build();
        Ok(Self {
            pool: pool.map_err(|error: BuildError| error.to_string())?,
            threads,
            round: Arc::default(),
            took_part: Arc::default(),
            done: Arc::default(),
        })
    }

    /// Runs one round, whose answer is checked.
    pub fn round(&self, operation: &Operation) -> Result<Ran, String> {
        static ROUND: AtomicU64 = AtomicU64::new(1);
        let round = ROUND.fetch_add(1, Ordering::Relaxed);
        self.round.store(round, Ordering::Relaxed);
        self.took_part.store(0, Ordering::Relaxed);
        self.done.store(0, Ordering::Relaxed);
        let operations = (operation.round)(self)?;
        Ok(Ran {
            operations,
            threads: self.took_part.load(Ordering::Relaxed),
        })
    }

    fn jobs(&self) -> usize {
        self.threads * JOBS
    }

    fn job(&self) -> Job {
        Job {
            round: self.round.clone(),
            took_part: self.took_part.clone(),
            done: self.done.clone(),
            caller: thread::current(),
            all: self.jobs(),
        }
    }

    /// Waits, without any help of the pool's, until all jobs are done.
    fn wait(&self) -> Result<u64, String> {
        let start = Instant::now();
        while self.done.load(Ordering::Acquire) < self.jobs() {
            if start.elapsed() > DEADLINE {
                return Err("jobs are lost".to_owned());
            }
            thread::park_timeout(DEADLINE);
        }
        self.check()
    }

    /// The number of jobs that are done, if these are all.
    fn check(&self) -> Result<u64, String> {
        let (done, all) = (self.done.load(Ordering::Acquire), self.jobs());
        if done == all {
            return Ok(done as u64);
        }
        Err(format!("{done} jobs were done, not {all}"))
    }
}

/// What each job does.
#[derive(Clone)]
struct Job {
    round: Arc<AtomicU64>,
    took_part: Arc<AtomicUsize>,
    done: Arc<AtomicUsize>,
    caller: Thread,
    all: usize,
}

impl Job {
    fn run(&self) {
        self.take_part();
        if self.done.fetch_add(1, Ordering::AcqRel) + 1 == self.all {
            self.caller.unpark();
        }
        thread::yield_now();
    }

    /// Counts the thread, once a round.
    fn take_part(&self) {
        thread_local!(static LAST: Cell<u64> = const { Cell::new(0) });
        let round = self.round.load(Ordering::Relaxed);
        if LAST.replace(round) != round {
            self.took_part.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// A tree of joins; its leaves are counted.
fn forks(pool: &Pool) -> Result<u64, String> {
    fn leaves(worker: &Worker, depth: u32, number: u64, job: &Job) -> u64 {
        if depth == 0 {
            if number.is_multiple_of(LEAVES) {
                job.take_part();
                thread::yield_now();
            }
            return 1;
        }
        let (a, b) = worker.join(
            |worker| leaves(worker, depth - 1, 2 * number, job),
            |worker| leaves(worker, depth - 1, 2 * number + 1, job),
        );
        a + b
    }
    let job = pool.job();
    let found = pool.pool.install(|worker| leaves(worker, DEPTH, 0, &job));
    if found == 1 << DEPTH {
        return Ok(found - 1);
    }
    Err(format!("{found} leaves"))
}

/// A tree of joins with a leaf for each thread; both halves of each wait for each other.
fn steals(pool: &Pool) -> Result<u64, String> {
    fn meet(own: &AtomicBool, other: &AtomicBool) {
        let start = Instant::now();
        own.store(true, Ordering::Release);
        while !other.load(Ordering::Acquire) {
            assert!(start.elapsed() < DEADLINE, "nobody has taken a half");
            thread::yield_now();
        }
    }
    fn halves(worker: &Worker, leaves: usize, job: &Job) -> u64 {
        job.take_part();
        if leaves < 2 {
            return 0;
        }
        let begun = [AtomicBool::new(false), AtomicBool::new(false)];
        let (a, b) = worker.join_offered(
            |worker| {
                meet(&begun[0], &begun[1]);
                halves(worker, leaves.div_ceil(2), job)
            },
            |worker| {
                meet(&begun[1], &begun[0]);
                halves(worker, leaves / 2, job)
            },
        );
        a + b + 1
    }
    let job = pool.job();
    let threads = pool.threads;
    let stolen = pool.pool.install(|worker| halves(worker, threads, &job));
    if stolen == threads as u64 - 1 {
        return Ok(stolen);
    }
    Err(format!("{stolen} halves were taken by others"))
}

/// Joins that are timed, all of one kind, as those of an iterator of rayon's: each a job's.
fn measured_joins(pool: &Pool) -> Result<u64, String> {
    for _ in 0..pool.jobs() {
        let job = pool.job();
        pool.pool.spawn(Lane::Frame, move || {
            Worker::with_current(|worker| {
                let worker = worker.expect("a pool's thread runs it");
                worker.join_measured(|_| job.run(), |_| ());
            });
        });
    }
    pool.wait()
}

/// One scope's jobs.
fn scoped_jobs(pool: &Pool) -> Result<u64, String> {
    let job = pool.job();
    pool.pool.install(|worker| {
        worker.scope(|scope| {
            for _ in 0..pool.jobs() {
                scope.spawn(|| job.run());
            }
        });
    });
    pool.check()
}

/// Jobs that another one spawns.
fn spawns(pool: &Pool) -> Result<u64, String> {
    let (job, jobs) = (pool.job(), pool.jobs());
    pool.pool.spawn(Lane::Frame, move || {
        for _ in 0..jobs {
            let job = job.clone();
            spawn(Lane::Frame, move || job.run());
        }
    });
    pool.wait()
}

/// Jobs that a thread from outside spawns.
fn spawns_from_outside(pool: &Pool) -> Result<u64, String> {
    let job = pool.job();
    for _ in 0..pool.jobs() {
        let job = job.clone();
        pool.pool.spawn(Lane::Frame, move || job.run());
    }
    pool.wait()
}

/// Pairs of tasks, as many as threads: one waits for the other, each time.
fn wakes(pool: &Pool) -> Result<u64, String> {
    for _ in 0..pool.threads {
        let (ping, pinged) = async_channel::bounded::<()>(1);
        let (pong, ponged) = async_channel::bounded::<()>(1);
        let job = pool.job();
        let first = async move {
            for _ in 0..JOBS / 2 {
                job.run();
                if ping.send(()).await.is_err() || ponged.recv().await.is_err() {
                    return;
                }
            }
        };
        let job = pool.job();
        let second = async move {
            while pinged.recv().await.is_ok() {
                job.run();
                if pong.send(()).await.is_err() {
                    return;
                }
            }
        };
        pool.pool.spawn_future(Lane::Frame, first).detach();
        pool.pool.spawn_future(Lane::Frame, second).detach();
    }
    pool.wait()
}

/// Chains, as many as threads, of jobs of one scope that spawn the next one each, as an engine's
/// schedule starts a system when those that it must come after are done.
fn systems(pool: &Pool) -> Result<u64, String> {
    fn chain<'scope>(scope: &'scope Scope<'scope, '_>, job: &'scope Job, left: usize) {
        scope.spawn(move || {
            job.run();
            if left > 1 {
                chain(scope, job, left - 1);
            }
        });
    }
    let job = pool.job();
    pool.pool.install(|worker| {
        worker.scope(|scope| (0..pool.threads).for_each(|_| chain(scope, &job, JOBS)));
    });
    pool.check()
}
