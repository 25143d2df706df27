//! A deadline for tests of things that could hang.

use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

/// Fails the test where `f` takes longer than a minute.
pub fn in_time(f: impl FnOnce() + Send + 'static) {
    let (done, over) = mpsc::channel();
    let thread = thread::spawn(move || {
        f();
        let _ = done.send(());
    });
    if let Err(RecvTimeoutError::Timeout) = over.recv_timeout(Duration::from_secs(60)) {
        panic!("still running after a minute: it hangs");
    }
    thread.join().unwrap();
}
