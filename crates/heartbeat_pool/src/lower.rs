//! Threads of lower system priority for the lower lanes.
//!
//! A job that runs can't be interrupted from user space, but the operating system can: it takes a core
//! from an image that is decoded as soon as a frame's thread wakes. So io and background jobs may run
//! on as many threads as frames have, whenever these leave a core alone, and keep no frame waiting
//! (bevy#18163).
//!
//! A nice value alone doesn't do it on Linux: from 6.6 on a running thread keeps its core for a slice of
//! some 3 ms, up to the next clock tick, though one of higher priority wakes, and one of low priority
//! gets a turn as long now and then while frames run. `SCHED_IDLE` gives way at once, and whoever
//! wakes a thread takes its core for a free one (`sched(7)`). The first of the threads has the lowest share
//! instead, so that no lane stands still where frames, or other threads of the game, leave no core alone.
//!
//! A thread can't raise its priority again, so these threads are others than the frame's. They are
//! scheduled by a registry of their own, the *lower* one, which the pool's own, the *upper* one, owns.

use crate::config::Config;
use crate::lane::Lane;
use crate::registry::Registry;
use crate::sync::Arc;
use crate::thread_state;
use std::sync::{OnceLock, Weak};
use thread_priority::{ThreadPriority, set_current_thread_priority};

/// The thread that has a share even where others want all cores, and always a place.
const FIRST: usize = 0;

/// What a registry has to do with the pool's other one.
pub(crate) struct Kin {
    /// Started with the first job that is for it. None if it could not be.
    lower: OnceLock<Option<Arc<Registry>>>,
    upper: OnceLock<Weak<Registry>>,
}

impl Kin {
    pub(crate) const fn new() -> Self {
        Self {
            lower: OnceLock::new(),
            upper: OnceLock::new(),
        }
    }

    /// The lower registry, if it was started.
    pub(crate) fn lower(&self) -> Option<&Arc<Registry>> {
        self.lower.get()?.as_ref()
    }

    /// The lower registry, if it was started; none will be from now on.
    pub(crate) fn close(&self) -> Option<&Arc<Registry>> {
        self.lower.get_or_init(|| None).as_ref()
    }
}

/// Makes the calling thread, the lower one of that index, give way to others. Where the system won't, the
/// threads are still there and the frame's have a fair share.
fn give_way(index: usize) {
    let priority = ThreadPriority::Min;
    #[cfg(any(target_os = "linux", target_os = "android"))]
    if index != FIRST {
        use thread_priority::{NormalThreadSchedulePolicy::Idle, ThreadSchedulePolicy::Normal};
        let thread = thread_priority::thread_native_id();
        _ = thread_priority::set_thread_priority_and_policy(thread, priority, Normal(Idle));
        return;
    }
    _ = set_current_thread_priority(priority);
}

/// The configuration of the lower threads.
fn config(upper: &Config) -> Config {
    let name = upper.thread_name.clone();
    let start = upper.start_handler.clone();
    Config {
        thread_name: Arc::new(move |index| format!("low {}", name(index))),
        start_handler: Some(Arc::new(move |index| {
            give_way(index);
            if let Some(start) = &start {
                start(index);
            }
        })),
        has_lower: false,
        keeps_first_place: true,
        ..upper.clone()
    }
}

impl Registry {
    /// The registry that jobs of `lane` go to, if that is not this one.
    pub(crate) fn elsewhere(self: &Arc<Self>, lane: Lane) -> Option<Arc<Self>> {
        if lane == Lane::Frame {
            self.kin.upper.get()?.upgrade()
        } else if self.config.has_lower && self.occupancy.target() > 0 {
            self.kin.lower.get_or_init(|| self.start_lower()).clone()
        } else {
            None
        }
    }

    fn start_lower(self: &Arc<Self>) -> Option<Arc<Self>> {
        if self.is_terminated() {
            return None;
        }
        let lower = Self::new(config(&self.config), self.threads.main());
        _ = lower.kin.upper.set(Arc::downgrade(self));
        for lane in [Lane::Io, Lane::Background] {
            lower
                .occupancy
                .set_budget(lane, self.occupancy.budget(lane));
        }
        // Those that the system refuses are started as they are missed, as spare threads.
        _ = lower.resize_own(&|_| self.occupancy.target().max(1));
        Some(lower)
    }

    /// The registry that the calling thread works for, where it is one of this pool's.
    pub(crate) fn nearest(self: &Arc<Self>) -> &Arc<Self> {
        let is_current = |registry: &&Arc<Self>| {
            thread_state::with_current(|worker| worker.is_some_and(|w| w.is_in(registry)))
        };
        self.kin.lower().filter(is_current).unwrap_or(self)
    }
}
