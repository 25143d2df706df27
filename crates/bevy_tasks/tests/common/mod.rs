//! A deadline for tests of things that could hang, and a deep call.

use std::hint::black_box;
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

/// Uses `left` bytes of the stack.
#[allow(dead_code, reason = "not each test does")]
pub fn dig(left: usize) -> u8 {
    let piece = black_box([1_u8; 4096]);
    match left.checked_sub(piece.len()) {
        None => piece[0],
        Some(left) => dig(left).wrapping_add(black_box(&piece)[7]),
    }
}
