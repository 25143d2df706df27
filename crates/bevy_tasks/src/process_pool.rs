//! The process's one pool, as the engine's three global pools set it up.
//!
//! The engine initializes its pools one by one, each with settings of its own. They are gathered
//! here, and the pool's threads start when the last of the three is made, or the first is used.

use heartbeat_pool::{Lane, ThreadPool};
use std::sync::{Arc, Mutex, Once, PoisonError};
use std::thread;

/// A callback that runs on a thread of the pool.
pub(crate) type Callback = Arc<dyn Fn() + Send + Sync>;

/// What a builder was told for its lane.
#[derive(Default)]
pub(crate) struct LaneSettings {
    pub(crate) num_threads: Option<usize>,
    pub(crate) stack_size: Option<usize>,
    pub(crate) on_thread_spawn: Option<Callback>,
    pub(crate) on_thread_destroy: Option<Callback>,
}

static GATHERED: Mutex<Vec<(Lane, LaneSettings)>> = Mutex::new(Vec::new());
static STARTED: Once = Once::new();

/// Notes `settings` for `lane`. They are lost if the pool runs already: whoever started it, with
/// settings of its own, comes first.
pub(crate) fn gather(lane: Lane, settings: LaneSettings) {
    GATHERED
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .push((lane, settings));
    if lane == Lane::Frame {
        // The engine makes this one last; nothing that comes later is waited for.
        running();
    }
}

/// Whether the process's pool has been started.
pub(crate) fn is_running() -> bool {
    STARTED.is_completed()
}

/// The process's pool, with its threads.
pub(crate) fn running() -> &'static ThreadPool {
    STARTED.call_once(|| start(heartbeat_pool::global()));
    heartbeat_pool::global()
}

fn start(pool: &'static ThreadPool) {
    let mut gathered = GATHERED.lock().unwrap_or_else(PoisonError::into_inner);
    let available = thread::available_parallelism().map_or(1, usize::from);
    let mut threads = available;
    // Without lower threads: beside programs that keep all cores busy these get little, and only
    // the plugin lets an app choose.
    let mut builder = ThreadPool::builder();
    let (mut spawn, mut destroy) = (Vec::new(), Vec::new());
    let mut stack_size = None;
    for (lane, settings) in gathered.drain(..) {
        match (lane, settings.num_threads) {
            (_, None) => {}
            // All cores are the frame's in any case; more than there are must be meant.
            (Lane::Frame, Some(wanted)) => threads = threads.max(wanted),
            (lane, Some(wanted)) => builder = builder.budget(lane, wanted),
        }
        stack_size = stack_size.max(settings.stack_size);
        spawn.extend(settings.on_thread_spawn);
        destroy.extend(settings.on_thread_destroy);
    }
    drop(gathered);
    if let Some(stack_size) = stack_size {
        builder = builder.stack_size(stack_size);
    }
    let started = builder
        .num_threads(threads)
        .start_handler(move |_| spawn.iter().for_each(|callback| callback()))
        .exit_handler(move |_| destroy.iter().for_each(|callback| callback()))
        .build_static_if_unsized(pool);
    if let Err(error) = started {
        panic!("the process's thread pool could not be started: {error}");
    }
}
