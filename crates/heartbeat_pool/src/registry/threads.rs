//! The operating-system threads of a team: which there are, and which are missed.

use crate::queue::pinned::Pinned;
use crate::sync::thread::{self, JoinHandle};
use crate::sync::{Arc, AtomicBool, Condvar, Mutex, Ordering, lock};
use crate::threads::live::Live;
use crate::threads::numbers::Numbers;
use crate::threads::spares::Spares;
use std::mem;
use std::sync::PoisonError;
use std::time::Duration;

/// How long after the system has refused a thread it is asked again, if one is missed.
pub(crate) const RETRY: Duration = Duration::from_millis(10);

/// How often a thread that waits for a pool's end looks whether there is work that its last jobs
/// wait for.
const LOOK: Duration = Duration::from_millis(1);

/// The threads of one team, by index. The first ones, as many as the target, stay; the others are
/// spares, which come for waiting threads and go when too many are idle.
#[derive(Default)]
pub(crate) struct Threads {
    pub(crate) slots: Mutex<Slots>,
    /// Signalled when a thread ends.
    ended: Condvar,
    pub(super) spares: Spares,
    /// Whether somebody has chosen how many there are to be.
    pub(super) is_sized: AtomicBool,
    pub(crate) numbers: Numbers,
}

#[derive(Default)]
pub(crate) struct Slots {
    /// How many that stay were asked for. Under the same lock as places are given, so whoever asks
    /// again for those that were refused never asks for more than anybody wants by now.
    pub(super) wanted: usize,
    pub(crate) live: Live<Pinned>,
    pub(super) handles: Vec<JoinHandle<()>>,
}

impl Threads {
    pub(crate) fn is_sized(&self) -> bool {
        // Relaxed: the flag guards nothing.
        self.is_sized.load(Ordering::Relaxed)
    }

    /// Whether there are fewer threads than there is use for, for the system refused the last one.
    ///
    /// Then threads that wait do what nobody else could, as those of a pool without spare threads,
    /// and [`ask_again`](crate::registry::Registry::ask_again).
    pub(crate) fn is_short(&self) -> bool {
        self.spares.is_short()
    }

    pub(crate) fn end(&self, pinned: &Arc<Pinned>) {
        lock(&self.slots).live.end(pinned.index, pinned);
        self.ended.notify_all();
    }

    pub(crate) fn pinned(&self, index: usize) -> Option<Arc<Pinned>> {
        lock(&self.slots).live.get(index)
    }

    /// Waits for every thread to end, and calls `work` now and then meanwhile. A pool dropped by
    /// one of its own threads leaves that one to end by itself, and those that were enrolled go on
    /// without it.
    pub(crate) fn join(&self, own: Option<usize>, work: impl Fn() -> bool) {
        let mut slots = lock(&self.slots);
        let others = |slots: &Slots| {
            let mut live = slots.live.iter();
            slots.live.has_retiring()
                || live.any(|pinned| Some(pinned.index) != own && !pinned.is_enrolled())
        };
        while others(&slots) {
            drop(slots);
            let has_worked = work();
            slots = lock(&self.slots);
            if !has_worked && others(&slots) {
                // Pools end seldom, so nobody tells that there is work again.
                (slots, _) = self
                    .ended
                    .wait_timeout(slots, LOOK)
                    .unwrap_or_else(PoisonError::into_inner);
            }
        }
        let handles = mem::take(&mut slots.handles);
        drop(slots);
        for handle in handles {
            if handle.thread().id() != thread::current().id() {
                // A worker's panics are caught job by job; an error here is a handler's own.
                let _ = handle.join();
            }
        }
    }
}
