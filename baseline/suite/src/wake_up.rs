//! What the system itself takes to wake a thread: no pool can start a second thread faster.

use crate::stats::median;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

const WAKES: usize = 31;
/// Long enough for the thread's core to go idle.
const PAUSE: Duration = Duration::from_millis(2);

/// The median time, in seconds, from `unpark` to when the parked thread runs.
#[must_use]
pub fn wake_up_latency() -> f64 {
    let over = AtomicBool::new(false);
    let (sender, woken) = mpsc::channel();
    let mut latencies = Vec::new();
    thread::scope(|scope| {
        let sleeper = scope.spawn(|| {
            let sender = sender;
            loop {
                thread::park();
                let now = Instant::now();
                if over.load(Ordering::Relaxed) || sender.send(now).is_err() {
                    break;
                }
            }
        });
        for _ in 0..WAKES {
            thread::sleep(PAUSE);
            let start = Instant::now();
            sleeper.thread().unpark();
            if let Ok(woken) = woken.recv() {
                latencies.push(woken.duration_since(start).as_secs_f64());
            }
        }
        over.store(true, Ordering::Relaxed);
        sleeper.thread().unpark();
    });
    median(&latencies)
}
