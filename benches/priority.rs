//! How readily the system should run the threads of io and background jobs: frames beside endless
//! jobs, loading beside busy programs, and a lock that frames share with a job, for each setting.
//! `cargo bench --bench priority`; Linux.

#[allow(dead_code, reason = "each bench uses a part")]
mod measure;

use heartbeat_pool::{Lane, LowerPriority, ThreadPool};
use measure::percentile;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

/// Jobs of a frame, and what each takes.
const JOBS: usize = 16;
const JOB: Duration = Duration::from_micros(100);

/// The time that the calling thread has run.
#[cfg(target_os = "linux")]
fn ran() -> Duration {
    use rustix::time::{ClockId, clock_gettime};
    clock_gettime(ClockId::ThreadCPUTime).try_into().unwrap()
}

/// The time that has passed: waits for a core are counted as work.
#[cfg(not(target_os = "linux"))]
fn ran() -> Duration {
    static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    START.get_or_init(Instant::now).elapsed()
}

/// Works for so long, waits for a core not counted.
fn work(time: Duration) {
    let end = ran() + time;
    while ran() < end {
        (0..50).for_each(|_| std::hint::spin_loop());
    }
}

fn frame(pool: &ThreadPool) -> Duration {
    let done = AtomicUsize::new(0);
    let job = || {
        work(JOB);
        done.fetch_add(1, Ordering::Relaxed);
    };
    let start = Instant::now();
    pool.scope(|scope| (0..JOBS).for_each(|_| scope.spawn(job)));
    let taken = start.elapsed();
    assert_eq!(done.into_inner(), JOBS, "each job must run once");
    taken
}

/// Busy programs beside this one, until this is dropped.
struct Neighbours(Vec<Child>);

impl Neighbours {
    fn new(count: usize) -> Self {
        // It ends when this program has, also if that was killed.
        let script =
            "while kill -0 $PPID; do i=0; while [ $i -lt 9999 ]; do i=$((i + 1)); done; done";
        let spin = || {
            let mut sh = Command::new("sh");
            sh.args(["-c", script]);
            // A pipe to this program's output would be open for as long as they run.
            sh.stdin(Stdio::null()).stdout(Stdio::null());
            sh.stderr(Stdio::null()).spawn()
        };
        let spinning = (0..count).map(|_| spin().expect("sh can be run")).collect();
        thread::sleep(Duration::from_millis(50));
        Self(spinning)
    }
}

impl Drop for Neighbours {
    fn drop(&mut self) {
        for child in &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Jobs that never end, until this is dropped.
struct Flood(Arc<AtomicBool>);

impl Flood {
    /// One for each of `lanes`.
    fn new(pool: &ThreadPool, lanes: &[Lane], job: impl Fn() + Clone + Send + 'static) -> Self {
        let over = Arc::new(AtomicBool::new(false));
        for lane in lanes {
            let (over, job) = (over.clone(), job.clone());
            pool.spawn(*lane, move || {
                while !over.load(Ordering::Relaxed) {
                    job();
                }
            });
        }
        thread::sleep(Duration::from_millis(50));
        Self(over)
    }
}

impl Drop for Flood {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// The 99th percentile of frames that begin so far apart, alone and beside endless jobs.
fn frames(pool: &ThreadPool, pause: Duration, count: usize, lanes: &[Lane]) -> String {
    let run = || {
        let mut times: Vec<_> = (0..count)
            .map(|_| {
                thread::sleep(pause);
                frame(pool)
            })
            .collect();
        (percentile(&mut times, 50), percentile(&mut times, 99))
    };
    run();
    let alone = run();
    let _flood = Flood::new(pool, lanes, || work(Duration::from_millis(3)));
    let beside = run();
    format!(
        "  frames {pause:?} apart: p50 {:?}, p99 {:?}; \
         beside endless jobs of {lanes:?} {:?}, {:?}: {:.2}, {:.2} times",
        alone.0,
        alone.1,
        beside.0,
        beside.1,
        beside.0.as_secs_f64() / alone.0.as_secs_f64(),
        beside.1.as_secs_f64() / alone.1.as_secs_f64()
    )
}

fn loading(pool: &ThreadPool, neighbours: usize) -> String {
    let _neighbours = Neighbours::new(neighbours);
    let mut times: Vec<_> = (0..3)
        .map(|_| {
            let start = Instant::now();
            let load = |image| {
                pool.spawn_future(Lane::Io, async move {
                    work(Duration::from_millis(1));
                    image
                })
            };
            let images: Vec<_> = (0..100).map(load).collect();
            let images = images.into_iter().map(|image| pool.block_on(image));
            let images: Vec<_> = images.collect();
            let taken = start.elapsed();
            assert!(images.into_iter().eq(0..100), "each image must be loaded");
            taken
        })
        .collect();
    let median = percentile(&mut times, 50);
    format!("  loading 100 images of 1 ms beside {neighbours} busy programs: {median:?}")
}

fn lock(pool: &ThreadPool, neighbours: usize) -> String {
    let _neighbours = Neighbours::new(neighbours);
    let shared = Arc::new(Mutex::new(0_u64));
    let other = shared.clone();
    let _flood = Flood::new(pool, &[Lane::Background], move || {
        let mut rounds = other.lock().unwrap();
        work(Duration::from_micros(200));
        *rounds += 1;
        drop(rounds);
        work(Duration::from_millis(2));
    });
    let mut waits: Vec<_> = (0..180)
        .map(|_| {
            thread::sleep(Duration::from_millis(16));
            let start = Instant::now();
            drop(shared.lock().unwrap());
            let waited = start.elapsed();
            frame(pool);
            waited
        })
        .collect();
    let (p99, max) = (percentile(&mut waits, 99), percentile(&mut waits, 100));
    let rounds = *shared.lock().unwrap();
    format!(
        "  a lock shared with a job, beside {neighbours} busy programs: \
         p99 {p99:?}, max {max:?}; {rounds} rounds"
    )
}

/// How lower threads are ranked: as the pool does it, or with what a command of the system's sets
/// for each of them as it starts.
struct Setting {
    name: &'static str,
    lower: Option<LowerPriority>,
    /// What comes before the thread's number.
    command: &'static [&'static str],
}

const fn setting(name: &'static str, command: &'static [&'static str]) -> Setting {
    Setting {
        name,
        lower: Some(LowerPriority::Usual),
        command,
    }
}

const SETTINGS: &[Setting] = &[
    setting("usual", &[]),
    setting("nice 5", &["renice", "-n", "5", "-p"]),
    setting("nice 10", &["renice", "-n", "10", "-p"]),
    setting("nice 19", &["renice", "-n", "19", "-p"]),
    setting("SCHED_BATCH", &["chrt", "--batch", "-p", "0"]),
    Setting {
        name: "leftovers",
        lower: Some(LowerPriority::Leftovers),
        command: &[],
    },
    Setting {
        name: "no lower threads",
        lower: None,
        command: &[],
    },
];

/// Sets a rank for the calling thread; the system's commands do it by its number.
#[cfg(target_os = "linux")]
fn rank(command: &[&str]) {
    if let [program, words @ ..] = command {
        let thread = rustix::thread::gettid().as_raw_nonzero().to_string();
        let set = Command::new(program).args(words).arg(thread).output();
        let set = set.expect("the system has the command");
        assert!(set.status.success(), "{set:?}");
    }
}

#[cfg(not(target_os = "linux"))]
fn rank(_: &[&str]) {}

impl Setting {
    fn pool(&self, threads: usize) -> ThreadPool {
        let command = self.command;
        let builder = ThreadPool::builder().num_threads(threads);
        let builder = builder.spawn_handler(move |thread| {
            let is_lower = thread.name().starts_with("low");
            let start = thread::Builder::new().name(thread.name().to_owned());
            let run = move || {
                if is_lower {
                    rank(command);
                }
                thread.run();
            };
            start.spawn(run).map(drop)
        });
        let builder = match self.lower {
            Some(priority) => builder.lower_threads(true).lower_priority(priority),
            None => builder,
        };
        builder.build().expect("the system has threads")
    }
}

/// What is measured with each setting; a line of what came of it.
type Part = fn(&ThreadPool) -> String;

const PAUSE: Duration = Duration::from_millis(15);

const PARTS: &[Part] = &[
    |pool| frames(pool, PAUSE, 150, &[Lane::Background; 4]),
    |pool| frames(pool, Duration::ZERO, 1500, &[Lane::Background; 4]),
    |pool| frames(pool, PAUSE, 150, &[Lane::Background, Lane::Io]),
    |pool| lock(pool, 0),
    |pool| lock(pool, 2),
    |pool| loading(pool, 0),
];

/// With what two busy programs leave, these take minutes.
const LONG_FOR_LEFTOVERS: &[Part] = &[|pool| loading(pool, 2), |pool| loading(pool, 4)];

fn main() {
    let threads = thread::available_parallelism().map_or(2, usize::from);
    let parts = |setting: &Setting| match setting.lower {
        Some(LowerPriority::Leftovers) => PARTS.to_vec(),
        _ => [PARTS, LONG_FOR_LEFTOVERS].concat(),
    };
    let bar = measure::bar(SETTINGS.iter().map(|setting| parts(setting).len()).sum());
    for setting in SETTINGS {
        bar.suspend(|| println!("{}, {threads} threads", setting.name));
        bar.set_message(setting.name);
        let pool = setting.pool(threads);
        for part in parts(setting) {
            let line = part(&pool);
            bar.suspend(|| println!("{line}"));
            bar.inc(1);
        }
    }
    bar.finish_and_clear();
}
