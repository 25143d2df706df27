//! Programs on real threads.
//!
//! `HEARTBEAT_PROGRAM_SECONDS` is for how long, `HEARTBEAT_PROGRAM_SEED` the first seed, and
//! `HEARTBEAT_PROGRAM_THREADS` the size of all pools.

use crate::generate;
use crate::ledger;
use crate::perform::Play;
use crate::program::{Program, Shape, Shortage};
use crate::stage::{self, number};
use crate::watchdog;
use heartbeat_pool::{ThreadPool, ThreadPoolBuilder};
use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// The sizes of pools.
const SIZES: [usize; 4] = [1, 2, 8, 64];

static SEED: AtomicU64 = AtomicU64::new(0);
static THREADS: AtomicUsize = AtomicUsize::new(0);

/// Work that takes so long, about.
pub fn pass(time: Duration) {
    match time.as_micros() {
        0 => {}
        1..100 => {
            let start = Instant::now();
            while start.elapsed() < time {
                std::hint::spin_loop();
            }
        }
        _ => thread::sleep(time / 5),
    }
}

/// Here the watchdog sees all threads' frames.
pub fn note(_: fn() -> String) {}

/// Tells of a failure, and ends the process.
pub fn report(what: String) {
    let (seed, threads) = (
        SEED.load(Ordering::Relaxed),
        THREADS.load(Ordering::Relaxed),
    );
    eprintln!(
        "HEARTBEAT_PROGRAM_SEED={seed} HEARTBEAT_PROGRAM_THREADS={threads}: {what}\n{}{}",
        ledger::stacks(),
        threads_of_the_system()
    );
    // Not `exit`, which runs the destructors of this thread's own locals, and a pool's may wait.
    process::abort();
}

/// What the system says of the threads, where it says something.
fn threads_of_the_system() -> String {
    let mut out = String::new();
    let Ok(tasks) = std::fs::read_dir("/proc/self/task") else {
        return out;
    };
    for task in tasks.flatten() {
        let read = |file| std::fs::read_to_string(task.path().join(file)).unwrap_or_default();
        let (name, on) = (read("comm"), read("wchan"));
        let _ = writeln!(out, "  {:?} {} {on}", task.file_name(), name.trim());
    }
    out
}

/// Has the pool's threads refused whose starts `shape` says.
fn refuse(shape: &Shape, builder: ThreadPoolBuilder) -> ThreadPoolBuilder {
    let (shape, starts) = (shape.clone(), AtomicUsize::new(0));
    if !shape.lacks_threads() {
        return builder;
    }
    let begun = Instant::now();
    builder.spawn_handler(move |thread| {
        let start = starts.fetch_add(1, Ordering::Relaxed);
        let is_short = |it: Shortage| start >= it.from && begun.elapsed() < it.until;
        if shape.refused.contains(&start) || shape.shortage.is_some_and(is_short) {
            return Err(io::Error::new(
                io::ErrorKind::WouldBlock,
                "refused by the program",
            ));
        }
        thread.spawn().map(drop)
    })
}

fn wait_until(what: &str, mut is_so: impl FnMut() -> Vec<String>) {
    let end = Instant::now() + watchdog::deadline();
    loop {
        let left = is_so();
        if left.is_empty() {
            return;
        }
        if Instant::now() >= end {
            report(format!("{what} {left:?}"));
        }
        thread::sleep(Duration::from_micros(50));
    }
}

/// Performs `program` on real threads.
pub fn perform(program: &Program, play: &Arc<Play>) {
    let ledger = &play.ledger;
    let set_up = |builder| refuse(&program.pool, builder);
    if let Some(pool) = stage::build(&program.pool, ledger, set_up) {
        let second = stage::build_second(program, play);
        stage::outside(program, play, &pool);
        if program.settles {
            settle(&pool, play);
        }
        ledger.end();
        drop(pool);
        drop(second);
    }
    wait_until("not dropped once:", || ledger.undropped());
}

fn settle(pool: &ThreadPool, play: &Play) {
    wait_until("a pool has left", || {
        // Where it has no threads, nobody else does its work.
        while pool.num_threads() == 0 && pool.tick() {}
        play.ledger.unfinished()
    });
    wait_until("the panic handler was not told of", || {
        play.ledger.unreported()
    });
}

/// Ends the process on a panic that nobody planned.
fn watch_panics() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        if !stage::is_end(&info.to_string()) {
            usual(info);
            report("a panic that nobody planned".to_owned());
        }
    }));
}

#[test]
fn programs_on_real_threads() {
    let seconds = number("HEARTBEAT_PROGRAM_SECONDS");
    let first = number("HEARTBEAT_PROGRAM_SEED");
    let size = number("HEARTBEAT_PROGRAM_THREADS");
    let sizes = size.map_or(SIZES.to_vec(), |size| vec![size as usize]);
    watch_panics();
    let runs = Arc::new(AtomicUsize::new(0));
    watchdog::watch(runs.clone());
    let mut seed = first.unwrap_or_else(|| u64::from(process::id()) * 1_000_000);
    let share = Duration::from_secs(seconds.unwrap_or(4)) / sizes.len() as u32;
    for threads in sizes {
        THREADS.store(threads, Ordering::Relaxed);
        let (end, before) = (Instant::now() + share, runs.load(Ordering::Relaxed));
        loop {
            SEED.store(seed, Ordering::Relaxed);
            ledger::forget_stacks();
            let program = generate::program(seed, Some(threads));
            let play = stage::play(&program);
            perform(&program, &play);
            runs.fetch_add(1, Ordering::Relaxed);
            seed += 1;
            if Instant::now() >= end {
                break;
            }
        }
        // Whoever gives a time wants to know, and this is not captured.
        if seconds.is_some() {
            let count = runs.load(Ordering::Relaxed) - before;
            _ = writeln!(io::stdout(), "{count} programs, pools of {threads}");
        }
    }
}
