//! Ends the process when a pool hangs, and says which one.

use std::process;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// How often it looks: seldom, so that it disturbs no sample.
const LOOK: Duration = Duration::from_secs(2);

/// A thread that knows what is running, and since when.
pub struct Watchdog {
    running: Arc<Mutex<Option<(String, Instant)>>>,
    over: Arc<AtomicBool>,
}

impl Watchdog {
    /// Starts the thread; `limit` holds for each thing that is watched.
    #[must_use]
    pub fn start(limit: Duration) -> Self {
        let running = Arc::new(Mutex::new(None::<(String, Instant)>));
        let over = Arc::new(AtomicBool::new(false));
        let dog = Self {
            running: running.clone(),
            over: over.clone(),
        };
        thread::spawn(move || {
            while !over.load(Ordering::Relaxed) {
                thread::sleep(LOOK);
                let running = running.lock().unwrap_or_else(PoisonError::into_inner);
                if let Some((what, since)) = &*running
                    && since.elapsed() > limit
                {
                    eprintln!("\nerror: {what} has not returned for {limit:?}: it hangs");
                    process::exit(3);
                }
            }
        });
        dog
    }

    /// Calls `f` under watch.
    pub fn watch<R>(&self, what: impl FnOnce() -> String, f: impl FnOnce() -> R) -> R {
        self.set(Some((what(), Instant::now())));
        let result = f();
        self.set(None);
        result
    }

    fn set(&self, running: Option<(String, Instant)>) {
        *self.running.lock().unwrap_or_else(PoisonError::into_inner) = running;
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
    }
}
