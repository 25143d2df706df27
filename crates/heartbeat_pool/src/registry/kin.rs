//! Threads of lower system priority for the lower lanes.
//!
//! A job that runs can't be interrupted from user space, but by the operating system: it takes a
//! core from an image that is decoded as soon as a frame's thread wakes (bevy#18163).
//!
//! A thread can't raise its priority again, so these threads are others than the frame's. They are
//! scheduled by a registry of their own, the *lower* one, which the pool's own, the *upper* one,
//! owns.

use crate::config::Config;
use crate::lanes::lane::Lane;
use crate::lanes::priority::{self, LowerPriority};
use crate::registry::Registry;
use crate::sync::mpsc::{self, Sender};
use crate::sync::{Arc, AtomicBool, Mutex, OnceLock, Ordering, lock, thread};
use crate::waits::Waits;
use std::sync::Weak;

/// What a registry has to do with the pool's other one.
pub(crate) struct Kin {
    /// Started with the first job that is for it. None if it could not be.
    lower: OnceLock<Option<Arc<Registry>>>,
    upper: OnceLock<Weak<Registry>>,
    /// Has spare threads of the upper registry started for lower threads, whose priority they would
    /// have.
    starter: Mutex<Option<Sender<Arc<Registry>>>>,
    /// Whether the lower lanes have threads of their own.
    has_lower: AtomicBool,
    /// Whether these get no more than what others leave of the cores.
    has_leftovers: AtomicBool,
    /// How long jobs wait, in whichever of the two.
    pub(crate) waits: Arc<Waits>,
}

impl Kin {
    pub(crate) fn new(config: &Config, waits: Arc<Waits>) -> Self {
        Self {
            waits,
            lower: OnceLock::new(),
            upper: OnceLock::new(),
            starter: Mutex::new(None),
            has_lower: AtomicBool::new(config.has_lower),
            has_leftovers: AtomicBool::new(config.lower_priority == LowerPriority::Leftovers),
        }
    }

    /// Whether the lower lanes have threads of their own.
    pub(crate) fn has_lower(&self) -> bool {
        // Relaxed: jobs that come just then may go either way.
        self.has_lower.load(Ordering::Relaxed)
    }

    /// From now on; what the lower threads have been given is done by them. Those that run keep
    /// their priority.
    pub(crate) fn set_lower(&self, has_lower: bool, priority: LowerPriority) {
        self.has_lower.store(has_lower, Ordering::Relaxed);
        let has_leftovers = priority == LowerPriority::Leftovers;
        self.has_leftovers.store(has_leftovers, Ordering::Relaxed);
    }

    /// How readily the system is to run the lower threads.
    pub(crate) fn lower_priority(&self) -> LowerPriority {
        // Relaxed: as `has_lower`.
        if self.has_leftovers.load(Ordering::Relaxed) {
            LowerPriority::Leftovers
        } else {
            LowerPriority::LongTurns
        }
    }

    /// Has a spare thread of `registry`, whose kin this is, started by a thread of usual priority.
    /// False if there is none.
    pub(crate) fn start_spare(&self, registry: &Arc<Registry>) -> bool {
        let starter = lock(&self.starter);
        let Some(starter) = &*starter else {
            return false;
        };
        starter.send(registry.clone()).is_ok()
    }

    /// The registry whose lower kin this is.
    pub(crate) fn upper(&self) -> Option<Arc<Registry>> {
        self.upper.get().and_then(Weak::upgrade)
    }

    pub(crate) fn is_lower(&self) -> bool {
        self.upper.get().is_some()
    }

    /// The lower registry, if it was started.
    pub(crate) fn lower(&self) -> Option<&Arc<Registry>> {
        self.lower.get()?.as_ref()
    }

    /// The lower registry, if it was started; none will be from now on.
    pub(crate) fn close(&self) -> Option<&Arc<Registry>> {
        let lower = self.lower.get_or_init(|| None).as_ref();
        // The starter's thread ends.
        *lock(&self.starter) = None;
        lower
    }
}

/// Bytes of a thread's name that Linux shows.
const SHOWN: usize = 15;

/// The name of the lower thread beside the upper one with `name`: without that where it would be
/// cut, for what is cut is the index.
fn lower_name(name: &str, index: usize) -> String {
    let lower = format!("low {name}");
    if lower.len() <= SHOWN {
        lower
    } else {
        format!("low ({index})")
    }
}

/// The configuration of the lower threads.
fn config(upper: &Config, lower_priority: LowerPriority) -> Config {
    let name = upper.thread_name.clone();
    let start = upper.start_handler.clone();
    Config {
        thread_name: Arc::new(move |index| lower_name(&name(index), index)),
        start_handler: Some(Arc::new(move |index| {
            priority::lower(lower_priority);
            if let Some(start) = &start {
                start(index);
            }
        })),
        has_lower: false,
        ..upper.clone()
    }
}

impl Registry {
    /// Calls `f` with the registry that jobs of `lane` go to.
    pub(crate) fn with_home_of<R>(
        self: &Arc<Self>,
        lane: Lane,
        f: impl FnOnce(&Arc<Self>) -> R,
    ) -> R {
        if lane == Lane::Frame {
            return f(self.kin.upper().as_ref().unwrap_or(self));
        }
        if !self.kin.has_lower() || self.occupancy.target() == 0 {
            return f(self);
        }
        let Some(lower) = self.kin.lower.get_or_init(|| self.start_lower()) else {
            return f(self);
        };
        lower.threads.ask_again(lower);
        if lower.occupancy.target() == 0 && !lower.is_terminated() {
            // The system has refused all of its threads.
            return f(self);
        }
        f(lower)
    }

    fn start_lower(self: &Arc<Self>) -> Option<Arc<Self>> {
        if self.is_terminated() {
            return None;
        }
        let (starter, wanted) = mpsc::channel::<Arc<Self>>();
        let start = move || {
            for registry in wanted {
                registry.threads.start_spare(&registry);
            }
        };
        let thread = thread::Builder::new().name("heartbeat starter".to_owned());
        if thread.spawn(start).is_ok() {
            *lock(&self.kin.starter) = Some(starter);
        }
        let config = config(&self.config, self.kin.lower_priority());
        let lower = Self::beside(config, self.threads.main(), self.kin.waits.clone());
        _ = lower.kin.upper.set(Arc::downgrade(self));
        for lane in [Lane::Io, Lane::Background] {
            lower
                .occupancy
                .set_budget(lane, self.occupancy.budget(lane));
        }
        // Those that the system refuses are asked for again as they are missed.
        _ = lower.resize_own(&|_| self.occupancy.target().max(1));
        Some(lower)
    }
}
