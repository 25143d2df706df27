//! What a pool is made with.

use crate::queue::deque::Order;
use crate::sync::Arc;
use crate::threads::builder::ThreadBuilder;
use std::any::Any;
use std::io;
use std::time::Duration;

/// A callback that gets a thread's index.
pub(crate) type ThreadHandler = Arc<dyn Fn(usize) + Send + Sync>;

pub(crate) type PanicHandler = dyn Fn(&(dyn Any + Send)) + Send + Sync;

/// A beat of 100 microseconds: several wake-ups' worth, so that handing work over always pays.
pub(crate) const DEFAULT_BEAT: Duration = Duration::from_micros(100);

/// Code of the program's own, which goes with the pool.
#[derive(Default)]
pub(crate) struct Handlers {
    pub(crate) name: Option<Arc<dyn Fn(usize) -> String + Send + Sync>>,
    pub(crate) start: Option<ThreadHandler>,
    pub(crate) exit: Option<ThreadHandler>,
    pub(crate) panic: Option<Arc<PanicHandler>>,
    pub(crate) spawn: Option<Arc<dyn Fn(ThreadBuilder) -> io::Result<()> + Send + Sync>>,
}

/// A pool's settings, fixed once it runs.
pub(crate) struct Config {
    pub(crate) handlers: Handlers,
    pub(crate) stack_size: Option<usize>,
    pub(crate) beat: Duration,
    pub(crate) order: Order,
    pub(crate) has_spares: bool,
}

impl Config {
    /// Whether others take the oldest of each thread's work (`worker/ages.rs`), in place of what
    /// lies nearest.
    pub(crate) fn goes_by_age(&self) -> bool {
        self.order == Order::NewestFirst
    }

    /// Whether a thread that has work of its own does others' now and then, so that none is
    /// starved. Not where others take its work by age and no spare thread comes for one that
    /// blocks: others' may block on what it has itself, as no thread of rayon's would.
    pub(crate) fn have_turns(&self) -> bool {
        !self.goes_by_age() || self.has_spares
    }
}

impl Default for Config {
    fn default() -> Self {
        Self {
            handlers: Handlers::default(),
            stack_size: None,
            beat: DEFAULT_BEAT,
            order: Order::default(),
            has_spares: true,
        }
    }
}
