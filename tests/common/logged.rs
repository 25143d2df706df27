//! Keeps what is logged, for a test that has its process for itself.

use log::{LevelFilter, Log, Metadata, Record};
use std::mem;
use std::sync::Mutex;

struct Kept(Mutex<Vec<String>>);

static KEPT: Kept = Kept(Mutex::new(Vec::new()));

impl Log for Kept {
    fn enabled(&self, _: &Metadata) -> bool {
        true
    }

    fn log(&self, record: &Record) {
        self.0.lock().unwrap().push(record.args().to_string());
    }

    fn flush(&self) {}
}

/// From now on warnings and errors are kept.
pub fn keep() {
    log::set_logger(&KEPT).unwrap();
    log::set_max_level(LevelFilter::Warn);
}

/// What was logged since the last call.
pub fn take() -> Vec<String> {
    mem::take(&mut *KEPT.0.lock().unwrap())
}
