//! Ends the process where programs on real threads come no further, and has each thread's stand
//! told. `HEARTBEAT_PROGRAM_DEADLINE` is how many seconds one may take.

use crate::joins;
use crate::program::{Body, Program, Step};
use crate::real::{self, report};
use crate::stage::{self, number};
use heartbeat_pool::Order;
use std::env;
use std::io::Read;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// Many times what a program takes, under a sanitizer and beside others.
const DEADLINE: Duration = Duration::from_secs(120);
/// Set where a program is to hang.
const HANGS: &str = "HEARTBEAT_PROGRAM_HANGS";

/// How long a program may take.
pub fn deadline() -> Duration {
    number("HEARTBEAT_PROGRAM_DEADLINE").map_or(DEADLINE, Duration::from_secs)
}

/// Reports a failure when no more of `runs` are over after a deadline than before it.
pub fn watch(runs: Arc<AtomicUsize>) {
    let deadline = deadline();
    thread::spawn(move || {
        let mut last = usize::MAX;
        loop {
            let now = runs.load(Ordering::Relaxed);
            if now == last {
                report(format!("still running after {deadline:?}"));
            }
            last = now;
            thread::sleep(deadline);
        }
    });
}

/// A program of a call that takes half an hour, of which its caller sees nothing.
fn hang() {
    watch(Arc::default());
    let body = |step| Body {
        steps: [step].into(),
        panics: false,
    };
    let program = Program {
        pool: joins::shape(2, Order::OldestFirst),
        outside: vec![body(Step::Install(body(Step::Work(9_000_000_000))))],
        settles: false,
        is_endless: false,
        freezes_at: String::new(),
    };
    real::perform(&program, &stage::play(&program));
}

/// In a process of its own, which ends by it.
#[test]
fn the_watchdog_tells_where_each_thread_stands() {
    if env::var_os(HANGS).is_some() {
        return hang();
    }
    let own = "watchdog::the_watchdog_tells_where_each_thread_stands";
    let mut child = Command::new(env::current_exe().unwrap())
        .args(["--exact", own, "--nocapture"])
        .env(HANGS, "1")
        .env("HEARTBEAT_PROGRAM_DEADLINE", "1")
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let end = Instant::now() + DEADLINE;
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if Instant::now() >= end {
            child.kill().unwrap();
            panic!("no watchdog has ended it");
        }
        thread::sleep(Duration::from_millis(10));
    };
    let mut told = String::new();
    let mut errors = child.stderr.take().unwrap();
    errors.read_to_string(&mut told).unwrap();
    assert!(!status.success(), "{told}");
    let line = |begin: &str| told.lines().any(|line| line.trim().starts_with(begin));
    assert!(told.contains(": still running after 1s"), "{told}");
    assert!(
        line("\"outside 0\": [Job(Id(0)), Wait { verb: \"install\""),
        "{told}"
    );
    assert!(
        line("\"heartbeat (") && told.contains(": [Job(Id(1))]"),
        "{told}"
    );
}
