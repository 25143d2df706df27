//! The process's one pool, as the engine's three global pools set it up.
//!
//! The engine initializes its pools one by one, each with settings of its own. They are gathered
//! here, and the pool's threads start when `ComputeTaskPool` is made, which the engine makes last,
//! or when one is used.

use heartbeat_pool::{BuildError, Lane, MOST_THREADS, ThreadPool};
use std::error::Error as _;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
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
/// Set once the pool runs: whether it was started here, with the settings that were gathered.
static STARTED: OnceLock<bool> = OnceLock::new();

/// Notes `settings` for `lane`. Where the pool runs already, they are applied as far as they can be
/// if it was started here, and lost if not: whoever started it, with settings of its own, comes
/// first.
///
/// # Panics
///
/// When there are to be more threads than a pool can have, and when the system gives no thread a
/// stack of that size.
pub(crate) fn gather(lane: Lane, settings: LaneSettings) {
    match STARTED.get() {
        Some(true) => return apply_late(lane, &settings),
        Some(false) => return,
        None => try_out(lane, &settings),
    }
    GATHERED
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .push((lane, settings));
    if lane == Lane::Frame {
        // The engine makes this one last; nothing that comes later is waited for.
        running();
    }
}

/// Panics where no pool could be started with these. The process's pool keeps the settings that it
/// was first given for good, so it must not be given such.
fn try_out(lane: Lane, settings: &LaneSettings) {
    let too_many = |threads: &usize| lane == Lane::Frame && *threads > MOST_THREADS;
    if let Some(threads) = settings.num_threads.filter(too_many) {
        fail(&BuildError::Threads(threads));
    }
    let Some(bytes) = settings.stack_size else {
        return;
    };
    match thread::Builder::new().stack_size(bytes).spawn(|| ()) {
        Ok(thread) => _ = thread.join(),
        Err(error) => panic!("the system gives no thread a stack of {bytes} bytes: {error}"),
    }
}

/// Applies to the running pool what can be changed there, and says what can't.
fn apply_late(lane: Lane, settings: &LaneSettings) {
    let pool = running();
    if let (Lane::Io | Lane::Background, Some(wanted)) = (lane, settings.num_threads) {
        pool.set_budget(lane, wanted);
    }
    let wants_more = lane == Lane::Frame && settings.num_threads > Some(pool.num_threads());
    let lost = [
        (wants_more, "number of threads"),
        (settings.stack_size.is_some(), "stack size"),
        (settings.on_thread_spawn.is_some(), "on_thread_spawn"),
        (settings.on_thread_destroy.is_some(), "on_thread_destroy"),
    ];
    for (_, setting) in lost.iter().filter(|(is_lost, _)| *is_lost) {
        let pool = match lane {
            Lane::Frame => "ComputeTaskPool",
            Lane::Io => "IoTaskPool",
            Lane::Background => "AsyncComputeTaskPool",
        };
        log::warn!(
            "bevy_tasks: the {setting} of {pool} has no effect, for the threads run already: make \
             ComputeTaskPool last of the three pools, and all before one is used"
        );
    }
}

/// Whether the process's pool has been started.
pub(crate) fn is_running() -> bool {
    STARTED.get().is_some()
}

/// The process's pool, with its threads. Where the system refuses some, it goes on with those that
/// there are.
///
/// # Panics
///
/// Where it could not be started as it should be.
pub(crate) fn running() -> &'static ThreadPool {
    let pool = heartbeat_pool::global();
    let mut refused = None;
    STARTED.get_or_init(|| match start(pool) {
        Ok(is_ours) => is_ours,
        Err(error @ BuildError::Spawn { .. }) => {
            refused = Some(error);
            true
        }
        Err(error) => fail(&error),
    });
    if let Some(error) = refused {
        fail(&error);
    }
    pool
}

fn fail(error: &BuildError) -> ! {
    let reason = reason(error);
    panic!("the process's thread pool could not be started: {error}{reason}");
}

/// Starts the pool with what was gathered, unless somebody else has, and tells whether it did.
fn start(pool: &'static ThreadPool) -> Result<bool, BuildError> {
    let gathered = GATHERED.lock().unwrap_or_else(PoisonError::into_inner);
    let available = thread::available_parallelism().map_or(1, usize::from);
    let mut threads = available;
    // Without lower threads: beside programs that keep all cores busy these get little, and only
    // the plugin lets an app choose.
    let mut builder = ThreadPool::builder();
    let (mut spawn, mut destroy) = (Vec::new(), Vec::new());
    let mut stack_size = None;
    for (lane, settings) in gathered.iter() {
        match (lane, settings.num_threads) {
            (_, None) => {}
            // All cores are the frame's in any case; more than there are must be meant.
            (Lane::Frame, Some(wanted)) => threads = threads.max(wanted),
            (&lane, Some(wanted)) => builder = builder.budget(lane, wanted),
        }
        stack_size = stack_size.max(settings.stack_size);
        spawn.extend(settings.on_thread_spawn.clone());
        destroy.extend(settings.on_thread_destroy.clone());
    }
    drop(gathered);
    if let Some(stack_size) = stack_size {
        builder = builder.stack_size(stack_size);
    }
    builder
        .num_threads(threads)
        .start_handler(move |_| spawn.iter().for_each(|callback| callback()))
        .exit_handler(move |_| destroy.iter().for_each(|callback| callback()))
        .build_static_if_unsized(pool)
}

/// The system's reason, to be put behind the error, for a panic has no source.
pub(crate) fn reason(error: &BuildError) -> String {
    let reason = error.source().map(|reason| format!(": {reason}"));
    reason.unwrap_or_default()
}
