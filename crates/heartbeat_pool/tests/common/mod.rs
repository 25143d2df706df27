//! A deadline for tests of things that could hang.
#![allow(dead_code, reason = "each test crate uses a part")]

#[cfg(target_os = "linux")]
pub mod switches;

use heartbeat_pool::{Lane, ThreadPool, yield_task};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

/// Runs `f` on a thread of its own, and fails the test if it takes a minute.
pub fn within_a_minute(f: impl FnOnce() + Send + 'static) {
    // An interpreter takes its time.
    let minutes = if cfg!(miri) { 10 } else { 1 };
    within(Duration::from_mins(minutes), f);
}

/// As [`within_a_minute`], for another time.
pub fn within(limit: Duration, f: impl FnOnce() + Send + 'static) {
    let (done, over) = mpsc::channel();
    let thread = thread::spawn(move || {
        f();
        let _ = done.send(());
    });
    match over.recv_timeout(limit) {
        Ok(()) => thread.join().unwrap(),
        // The thread has dropped its sender: it panicked.
        Err(mpsc::RecvTimeoutError::Disconnected) => {
            if let Err(payload) = thread.join() {
                std::panic::resume_unwind(payload);
            }
        }
        Err(mpsc::RecvTimeoutError::Timeout) => panic!("still running after {limit:?}: it hangs"),
    }
}

/// Spins until `done` says so; with [`within_a_minute`] around it.
pub fn wait_until(mut done: impl FnMut() -> bool) {
    while !done() {
        thread::yield_now();
    }
}

pub fn pool(threads: usize) -> ThreadPool {
    ThreadPool::builder().num_threads(threads).build().unwrap()
}

/// The pool sizes that everything must work at.
pub const SIZES: [usize; 6] = [0, 1, 2, 3, 8, 64];

/// What endless work waits for.
#[derive(Clone, Default)]
pub struct Flag(pub Arc<AtomicBool>);

impl Flag {
    /// Wakes itself again and again until the flag is set.
    pub async fn wait(&self) {
        while !self.is_set() {
            yield_task().await;
        }
    }

    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    pub fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Has a task of `pool` set it, which is queued once all threads of the pool are busy.
    pub fn set_later(&self, pool: &ThreadPool, lane: Lane) {
        thread::sleep(Duration::from_millis(20));
        let flag = self.clone();
        pool.spawn(lane, move || flag.set());
    }
}
