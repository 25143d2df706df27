//! A thread that ends the process in the middle of a join, whose other half another thread runs: as
//! the thread's locals are dropped, nothing goes that the half still points to, which an address
//! sanitizer would see.

use heartbeat_pool::{ThreadBuilder, ThreadPool, Worker};
use std::cell::RefCell;
use std::process::{self, Command};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};
use std::{env, hint};

/// Dropped after the pool's own thread-locals if it is made before them: the process lives on for
/// so long.
struct Slow;

impl Drop for Slow {
    fn drop(&mut self) {
        thread::sleep(Duration::from_millis(300));
    }
}

thread_local! {
    static LAST: RefCell<Option<Slow>> = const { RefCell::new(None) };
}

/// A pool of two threads, one of which is handed over.
fn handed_over() -> (ThreadPool, ThreadBuilder) {
    let first = Arc::new(Mutex::new(None));
    let kept = first.clone();
    let handler = move |thread: ThreadBuilder| {
        if thread.index() > 0 {
            return thread.spawn().map(drop);
        }
        *kept.lock().unwrap() = Some(thread);
        Ok(())
    };
    let builder = ThreadPool::builder().num_threads(2).spawn_handler(handler);
    let pool = builder.build().unwrap();
    let thread = first.lock().unwrap().take().unwrap();
    (pool, thread)
}

/// What tells that the process is for that.
const IS_CHILD: &str = "HEARTBEAT_ENDS_IN_A_JOIN";

/// Run in a process of its own, by the next one.
#[test]
#[ignore = "ends the process"]
fn ends_the_process_in_a_join() {
    if env::var_os(IS_CHILD).is_none() {
        return;
    }
    LAST.set(Some(Slow));
    let (_pool, thread) = handed_over();
    thread.enroll();
    let begun = AtomicBool::new(false);
    let exits = |_: &Worker| -> () {
        let start = Instant::now();
        while !begun.load(Ordering::Acquire) {
            if start.elapsed() > Duration::from_mins(1) {
                process::exit(1);
            }
            hint::spin_loop();
        }
        process::exit(0);
    };
    let half = |_: &Worker| {
        begun.store(true, Ordering::Release);
        thread::sleep(Duration::from_millis(100));
    };
    Worker::with_current(|worker| worker.unwrap().join_offered(exits, half));
}

#[test]
#[cfg_attr(miri, ignore = "starts a process")]
fn a_process_may_end_in_a_join() {
    let mut child = Command::new(env::current_exe().unwrap());
    child.args(["--exact", "ends_the_process_in_a_join", "--ignored"]);
    child.env(IS_CHILD, "1");
    let output = child.args(["--test-threads", "1"]).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
}
