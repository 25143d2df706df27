//! Which schedule an executor runs, for recordings and diagnostics.

use crate::record::SCHEDULE;
use heartbeat_pool::Way;
use heartbeat_pool::record::{Name, Recorder};
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// A schedule that has a name.
pub(super) struct Named {
    span: Name,
    last: Arc<LastRun>,
}

/// How a schedule last ran: zero before it does, one on one thread, two on all.
#[derive(Default)]
struct LastRun(AtomicU8);

impl LastRun {
    fn set(&self, is_on_all: bool) {
        // Relaxed: it is for people to read.
        self.0.store(1 + u8::from(is_on_all), Ordering::Relaxed);
    }

    fn is_on_all(&self) -> Option<bool> {
        // Relaxed: as above.
        match self.0.load(Ordering::Relaxed) {
            0 => None,
            way => Some(way == 2),
        }
    }
}

/// A run of it.
pub(super) struct Running(Name);

/// How each last ran, for as long as its executor lives.
static WAYS: Mutex<Vec<(&'static str, Weak<LastRun>)>> = Mutex::new(Vec::new());

impl Drop for Running {
    fn drop(&mut self) {
        Recorder::end(self.0);
    }
}

impl Named {
    pub(super) fn new(schedule: &str) -> Self {
        let span = Recorder::name(&format!("{SCHEDULE}{schedule}"));
        let last = Arc::new(LastRun::default());
        let name = span.text().strip_prefix(SCHEDULE).unwrap_or_default();
        let mut ways = WAYS.lock().unwrap_or_else(PoisonError::into_inner);
        ways.retain(|(_, way)| way.strong_count() > 0);
        ways.push((name, Arc::downgrade(&last)));
        Self { span, last }
    }

    /// The schedule runs from now on, in that way.
    pub(super) fn begin(&self, way: Way) -> Running {
        let is_on_all = way == Way::Shared;
        self.last.set(is_on_all);
        Recorder::begin(self.span, is_on_all.into());
        Running(self.span)
    }
}

/// The names of the schedules that have run, and whether each last did so on all threads; of those
/// of one name, in several worlds, whether any did.
pub(crate) fn ways() -> Vec<(&'static str, bool)> {
    let ways = WAYS.lock().unwrap_or_else(PoisonError::into_inner);
    let way =
        |(name, last): &(&'static str, Weak<LastRun>)| Some((*name, last.upgrade()?.is_on_all()?));
    let mut ways: Vec<_> = ways.iter().filter_map(way).collect();
    ways.sort_unstable();
    ways.dedup_by(|(name, is_on_all), (kept, any)| {
        *any |= *is_on_all && name == kept;
        name == kept
    });
    ways
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_is_kept_of_schedules_that_are_gone() {
        (0..1000).for_each(|_| drop(Named::new("gone")));
        let kept = WAYS.lock().unwrap_or_else(PoisonError::into_inner);
        let of_gone = kept.iter().filter(|(name, _)| *name == "gone").count();
        assert!(of_gone <= 1, "{of_gone}");
    }
}
