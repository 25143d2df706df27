//! Which pool a call goes to.
//!
//! A thread that is inside of any heartbeat pool stays in that one, which is how a Bevy system's
//! rayon calls run on the app's pool. A thread of a pool that was built here is inside of that pool
//! for as long as it lives, but while it calls another one. Everyone else goes to the global pool:
//! the process's one pool, unless somebody has configured another before that was running.

use crate::builder;
use crate::error::{ErrorKind, ThreadPoolBuildError};
use crate::pool::Inner;
use heartbeat_pool::Worker;
use std::cell::RefCell;
use std::ptr;
use std::sync::{Arc, OnceLock, Weak};

thread_local! {
    /// The pool that the thread belongs to.
    static OWN: RefCell<Weak<Inner>> = const { RefCell::new(Weak::new()) };
}

/// The pool that the thread belongs to, if that was built here.
pub(crate) fn own() -> Option<Arc<Inner>> {
    OWN.try_with(|own| own.borrow().upgrade()).ok().flatten()
}

/// Makes the calling thread one of `pool`, or of none.
pub(crate) fn set_own(pool: Weak<Inner>) {
    OWN.replace(pool);
}

/// Where the free functions go.
pub(crate) enum Home {
    /// A pool that was built here.
    Built(Arc<Inner>),
    /// The heartbeat pool that the thread is inside of.
    Here,
    /// The process's one pool, from outside of it.
    Process,
}

/// Set once it was asked for, or was configured. None where the process's pool serves.
static GLOBAL: OnceLock<Option<Arc<Inner>>> = OnceLock::new();

/// The global pool, unless the process's one pool serves.
fn global() -> Option<Arc<Inner>> {
    if heartbeat_pool::global().is_sized() {
        return None;
    }
    let start = || {
        start_process_pool();
        None
    };
    GLOBAL.get_or_init(start).clone()
}

/// Gives the process's pool its threads, as the engine's drop-in would: whoever comes first does.
fn start_process_pool() {
    let pool = heartbeat_pool::global();
    let builder = heartbeat_pool::ThreadPool::builder().num_threads(builder::default_threads());
    if builder.build_static_if_unsized(pool).is_err() {
        // The system refuses threads, as on the web: callers do the work.
        _ = pool.resize_to(0);
    }
}

/// Sets the global pool to what `build` makes, unless there is one: such a pool, or the process's
/// one.
pub(crate) fn set_global(
    build: impl FnOnce() -> Result<Arc<Inner>, ThreadPoolBuildError>,
) -> Result<(), ThreadPoolBuildError> {
    let again = || ThreadPoolBuildError::new(ErrorKind::GlobalPoolAlreadyInitialized);
    if GLOBAL.get().is_some() || heartbeat_pool::global().is_sized() {
        return Err(again());
    }
    GLOBAL.set(Some(build()?)).map_err(|_| again())
}

impl Home {
    pub(crate) fn current() -> Self {
        let own = own();
        if let Some(own) = own.as_ref().filter(|own| own.pool().is_current()) {
            Self::Built(own.clone())
        } else if Worker::with_current(|worker| worker.is_some()) {
            Self::Here
        } else {
            own.or_else(global).map_or(Self::Process, Self::Built)
        }
    }

    /// How many threads the pool has, as rayon counts: whoever calls is one.
    pub(crate) fn num_threads(&self) -> usize {
        let threads = match self {
            Self::Built(pool) => pool.num_threads(),
            Self::Here => Worker::with_current(|worker| worker.map_or(0, Worker::num_threads)),
            Self::Process => heartbeat_pool::global().num_threads(),
        };
        threads.max(1)
    }
}

/// Tells the threads of a pool apart.
pub(crate) fn key(worker: &Worker) -> usize {
    ptr::from_ref(worker).addr()
}

/// Calls `f` on a thread of the pool that free functions go to, and tells whether that is another
/// thread than the calling one.
#[inline]
pub(crate) fn in_worker<R: Send>(f: impl FnOnce(&Worker, bool) -> R + Send) -> R {
    Worker::with_current(|worker| match worker {
        Some(worker) => f(worker, false),
        None => from_outside(f),
    })
}

#[cold]
fn from_outside<R: Send>(f: impl FnOnce(&Worker, bool) -> R + Send) -> R {
    match global() {
        Some(pool) => pool.pool().install(|worker| f(worker, true)),
        None => heartbeat_pool::global().with_worker(|worker| f(worker, false)),
    }
}
