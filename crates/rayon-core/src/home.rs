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
use std::cell::{Cell, RefCell};
use std::ptr;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

thread_local! {
    /// The pool that the thread belongs to, and how many threads that was asked for.
    static OWN: RefCell<(Weak<Inner>, usize)> = const { RefCell::new((Weak::new(), 0)) };
    /// Whether the thread makes the global pool just now.
    static STARTS: Cell<bool> = const { Cell::new(false) };
}

/// The pool that the thread belongs to, if that was built here.
pub(crate) fn own() -> Option<Arc<Inner>> {
    OWN.try_with(|own| own.borrow().0.upgrade()).ok().flatten()
}

/// Makes the calling thread one of the `threads` of `pool`, or of none.
pub(crate) fn set_own(pool: Weak<Inner>, threads: usize) {
    OWN.replace((pool, threads));
}

/// How many threads the pool that `worker` is in has.
fn num_threads(worker: &Worker) -> usize {
    let own = || OWN.try_with(|own| own.borrow().1).unwrap_or_default();
    // Its own pool may be about to end.
    let own = if worker.is_member() { own() } else { 0 };
    worker.num_threads().max(own)
}

/// Calls `f` with the worker of the pool that the thread is inside of, or else of the process's.
pub(crate) fn with_worker<R>(f: impl FnOnce(&Worker) -> R) -> R {
    Worker::with_current(|worker| match worker {
        Some(worker) => f(worker),
        None => heartbeat_pool::global().with_worker(f),
    })
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

/// Held by who makes the global pool, so that others wait for what becomes of it.
struct Starting {
    _alone: MutexGuard<'static, ()>,
}

static STARTING: Mutex<()> = Mutex::new(());

impl Starting {
    /// None where the calling thread does so already, and is called back meanwhile.
    fn begin() -> Option<Self> {
        let is_first = !STARTS.replace(true);
        is_first.then(|| Self {
            _alone: STARTING.lock().unwrap_or_else(PoisonError::into_inner),
        })
    }
}

impl Drop for Starting {
    fn drop(&mut self) {
        STARTS.set(false);
    }
}

/// The global pool, unless the process's one pool serves.
fn global() -> Option<Arc<Inner>> {
    if heartbeat_pool::global().is_sized() {
        return None;
    }
    if let Some(global) = GLOBAL.get() {
        return global.clone();
    }
    let _starting = Starting::begin();
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
    // Where the system refuses threads, it has those that there are: on the web none, and callers
    // do the work.
    _ = builder.build_static_if_unsized(pool);
}

/// Sets the global pool to what `build` makes, unless there is one: such a pool, or the process's
/// one.
pub(crate) fn set_global(
    build: impl FnOnce() -> Result<Arc<Inner>, ThreadPoolBuildError>,
) -> Result<(), ThreadPoolBuildError> {
    let again = || ThreadPoolBuildError::new(ErrorKind::GlobalPoolAlreadyInitialized);
    let is_there = || GLOBAL.get().is_some() || heartbeat_pool::global().is_sized();
    // Looked at first, too: whoever sizes the process's pool may call this back, and somebody who
    // begins to start wait for it.
    let starting = (!is_there()).then(Starting::begin).flatten();
    if starting.is_none() || is_there() {
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
            Self::Here => Worker::with_current(|worker| worker.map_or(0, num_threads)),
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
