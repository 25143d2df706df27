//! Which schedule an executor runs, for recordings and diagnostics.

use crate::record::SCHEDULE;
use heartbeat_pool::Way;
use heartbeat_pool::record::{Name, Recorder};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// A schedule that has a name.
pub(super) struct Named {
    span: Name,
    is_on_all: Arc<AtomicBool>,
}

/// A run of it.
pub(super) struct Running(Name);

/// Whether each runs on all threads, for as long as its executor lives.
static WAYS: Mutex<Vec<(&'static str, Weak<AtomicBool>)>> = Mutex::new(Vec::new());

impl Drop for Running {
    fn drop(&mut self) {
        Recorder::end(self.0);
    }
}

impl Named {
    pub(super) fn new(schedule: &str) -> Self {
        let span = Recorder::name(&format!("{SCHEDULE}{schedule}"));
        let is_on_all = Arc::new(AtomicBool::new(false));
        let name = span.text().strip_prefix(SCHEDULE).unwrap_or_default();
        let mut ways = WAYS.lock().unwrap_or_else(PoisonError::into_inner);
        ways.retain(|(_, way)| way.strong_count() > 0);
        ways.push((name, Arc::downgrade(&is_on_all)));
        Self { span, is_on_all }
    }

    /// The schedule runs from now on, in that way.
    pub(super) fn begin(&self, way: Way) -> Running {
        let is_on_all = way == Way::Shared;
        // Relaxed: it is for people to read.
        self.is_on_all.store(is_on_all, Ordering::Relaxed);
        Recorder::begin(self.span, is_on_all.into());
        Running(self.span)
    }
}

/// The names of the schedules, and whether each last ran on all threads; of those of one name, in
/// several worlds, whether any did.
pub(crate) fn ways() -> Vec<(&'static str, bool)> {
    let ways = WAYS.lock().unwrap_or_else(PoisonError::into_inner);
    let way = |(name, way): &(&'static str, Weak<AtomicBool>)| {
        Some((*name, way.upgrade()?.load(Ordering::Relaxed)))
    };
    let mut ways: Vec<_> = ways.iter().filter_map(way).collect();
    ways.sort_unstable();
    ways.dedup_by(|(name, is_on_all), (kept, any)| {
        *any |= *is_on_all && name == kept;
        name == kept
    });
    ways
}
