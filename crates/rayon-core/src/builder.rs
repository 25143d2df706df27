//! The builder of pools.

use crate::error::{ErrorKind, ThreadPoolBuildError};
use crate::home;
use crate::pool::{Inner, PanicHandler, ThreadPool, report};
use crate::threads::{CustomSpawn, DefaultSpawn, ThreadBuilder, ThreadSpawn};
use crate::unwind::{self, Payload};
use heartbeat_pool::{LEAST_STACK, MOST_THREADS, Worker};
use std::any::Any;
use std::env;
use std::fmt;
use std::io;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};
use std::thread;

/// The most threads that a pool can have; one that is asked for more gets as many.
///
/// ```
/// assert!(rayon_core::max_num_threads() >= 1024);
/// ```
#[must_use]
pub fn max_num_threads() -> usize {
    MOST_THREADS
}

/// A callback that gets a thread's index.
type ThreadHandler = Box<dyn Fn(usize) + Send + Sync>;

/// Builds a [`ThreadPool`], or configures the global one.
///
/// ```
/// let pool = rayon_core::ThreadPoolBuilder::new()
///     .num_threads(4)
///     .thread_name(|index| format!("sorter {index}"))
///     .stack_size(4 << 20)
///     .build()
///     .unwrap();
/// assert_eq!(pool.current_num_threads(), 4);
/// let name = pool.install(|| std::thread::current().name().map(str::to_owned));
/// assert!(name.unwrap().starts_with("sorter"));
/// ```
pub struct ThreadPoolBuilder<S = DefaultSpawn> {
    num_threads: usize,
    use_current_thread: bool,
    panic_handler: Option<Box<PanicHandler>>,
    thread_name: Option<Box<dyn FnMut(usize) -> String>>,
    stack_size: Option<usize>,
    start_handler: Option<ThreadHandler>,
    exit_handler: Option<ThreadHandler>,
    spawn_handler: S,
}

impl Default for ThreadPoolBuilder {
    fn default() -> Self {
        Self {
            num_threads: 0,
            use_current_thread: false,
            panic_handler: None,
            thread_name: None,
            stack_size: None,
            start_handler: None,
            exit_handler: None,
            spawn_handler: DefaultSpawn,
        }
    }
}

/// What a pool's threads need before there is a pool.
#[derive(Default)]
struct Callbacks {
    pool: OnceLock<Weak<Inner>>,
    num_threads: usize,
    start: Option<ThreadHandler>,
    exit: Option<ThreadHandler>,
    panic: Option<Arc<PanicHandler>>,
}

impl Callbacks {
    fn call(&self, handler: Option<&ThreadHandler>, index: usize) {
        if let Some(handler) = handler
            && let Err(payload) = unwind::catch(|| handler(index))
        {
            report("a start or exit handler", self.panic.as_deref(), payload);
        }
    }

    fn start(&self, index: usize) {
        let pool = self.pool.get().cloned().unwrap_or_default();
        home::set_own(pool, self.num_threads);
        self.call(self.start.as_ref(), index);
    }

    fn exit(&self, index: usize) {
        self.call(self.exit.as_ref(), index);
        home::set_own(Weak::new(), 0);
    }
}

impl ThreadPoolBuilder {
    /// A builder with the defaults.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// As [`build`](Self::build), with threads that `wrapper` runs inside of a
    /// [`std::thread::scope`]: they may borrow from outside. Calls `with_pool` with the pool and
    /// returns when its threads have ended.
    ///
    /// # Errors
    ///
    /// As [`build`](Self::build).
    ///
    /// ```
    /// let greeting = String::from("hello");
    /// let length = rayon_core::ThreadPoolBuilder::new()
    ///     .num_threads(2)
    ///     .build_scoped(
    ///         |thread| {
    ///             assert_eq!(greeting, "hello");
    ///             thread.run();
    ///         },
    ///         |pool| pool.install(|| greeting.len()),
    ///     )
    ///     .unwrap();
    /// assert_eq!(length, 5);
    /// ```
    pub fn build_scoped<W, F, R>(self, wrapper: W, with_pool: F) -> Result<R, ThreadPoolBuildError>
    where
        W: Fn(ThreadBuilder) + Sync,
        F: FnOnce(&ThreadPool) -> R,
    {
        let wrapper = &wrapper;
        thread::scope(|scope| {
            let spawn = |thread: ThreadBuilder| {
                let mut builder = thread::Builder::new();
                if let Some(name) = thread.name() {
                    builder = builder.name(name.to_owned());
                }
                if let Some(bytes) = thread.stack_size() {
                    builder = builder.stack_size(bytes);
                }
                builder.spawn_scoped(scope, || wrapper(thread)).map(drop)
            };
            let pool = self.spawn_handler(spawn).build()?;
            Ok(with_pool(&pool))
        })
    }
}

impl<S: ThreadSpawn> ThreadPoolBuilder<S> {
    /// Builds a pool and starts its threads.
    ///
    /// # Errors
    ///
    /// When a thread can't be started, and when [`use_current_thread`](Self::use_current_thread) is
    /// called on a thread that belongs to a pool.
    ///
    /// # Panics
    ///
    /// When the closure given to [`thread_name`](Self::thread_name) does.
    pub fn build(self) -> Result<ThreadPool, ThreadPoolBuildError> {
        self.build_inner().map(ThreadPool::from_inner)
    }

    /// Makes this the global pool's configuration, and starts it. Where the process's one pool runs
    /// already, because of an application or of a rayon call, that is the global pool, and can't be
    /// configured any more. Once an application sets that up later, calls go there, though this
    /// pool's threads stay.
    ///
    /// # Errors
    ///
    /// As [`build`](Self::build), and when there is a global pool: it was configured or used
    /// before, or is the process's one. Then nothing is built, and no handler is called; but where
    /// a [`spawn_handler`](Self::spawn_handler) of this builder makes a rayon call, that is the
    /// first use, and the pool is built in vain.
    ///
    /// ```
    /// rayon_core::ThreadPoolBuilder::new().num_threads(3).build_global().unwrap();
    /// assert_eq!(rayon_core::current_num_threads(), 3);
    /// assert!(rayon_core::ThreadPoolBuilder::new().build_global().is_err());
    /// ```
    pub fn build_global(self) -> Result<(), ThreadPoolBuildError> {
        home::set_global(|| self.build_inner())
    }

    pub(crate) fn build_inner(mut self) -> Result<Arc<Inner>, ThreadPoolBuildError> {
        let io_error = |error| ThreadPoolBuildError::new(ErrorKind::IOError(error));
        if self.use_current_thread && Worker::with_current(|worker| worker.is_some()) {
            let kind = ErrorKind::CurrentThreadAlreadyInPool;
            return Err(ThreadPoolBuildError::new(kind));
        }
        let num_threads = self.chosen_threads();
        let panic = self.panic_handler.map(Arc::<PanicHandler>::from);
        let callbacks = Arc::new(Callbacks {
            pool: OnceLock::new(),
            num_threads,
            start: self.start_handler,
            exit: self.exit_handler,
            panic: panic.clone(),
        });
        // Kept until there is a pool, and started by a handler that need not be 'static.
        let threads = Arc::new(Mutex::new(Some(Vec::with_capacity(num_threads))));
        let kept = threads.clone();
        let (start, exit) = (callbacks.clone(), callbacks.clone());
        let mut builder = heartbeat_pool::ThreadPool::builder()
            .num_threads(num_threads)
            .spare_threads(false)
            .order(heartbeat_pool::Order::NewestFirst)
            .start_handler(move |index| start.start(index))
            .exit_handler(move |index| exit.exit(index))
            .spawn_handler(move |thread| {
                // None later: one that was never run is missed, and the program's handler is gone.
                let mut kept = lock(&kept);
                kept.as_mut()
                    .ok_or(io::ErrorKind::Unsupported)?
                    .push(thread);
                Ok(())
            });
        if let Some(bytes) = self.stack_size {
            builder = builder.stack_size(bytes.max(LEAST_STACK));
        }
        let pool = builder
            .build()
            .map_err(|error| io_error(io::Error::other(error)))?;
        let inner = Arc::new(Inner::new(pool, panic));
        _ = callbacks.pool.set(Arc::downgrade(&inner));
        let threads = lock(&threads).take();
        for thread in threads.into_iter().flatten() {
            // Asked for the calling thread's name as well, as rayon does.
            let name = self.thread_name.as_mut().map(|name| name(thread.index()));
            if self.use_current_thread && thread.index() == 0 {
                thread.enroll();
                home::set_own(Arc::downgrade(&inner), num_threads);
            } else {
                let thread = ThreadBuilder { name, thread };
                self.spawn_handler.spawn(thread).map_err(io_error)?;
            }
        }
        Ok(inner)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The number of threads that a variable of the environment asks for.
fn threads_from(variable: &str) -> Option<usize> {
    env::var(variable).ok()?.parse().ok()
}

/// As many threads as the environment asks for, or as the machine runs in parallel.
pub(crate) fn default_threads() -> usize {
    let available = || thread::available_parallelism().map_or(1, usize::from);
    // The second name is rayon's older one. Zero asks for the default.
    threads_from("RAYON_NUM_THREADS")
        .or_else(|| threads_from("RAYON_RS_NUM_CPUS"))
        .filter(|threads| *threads > 0)
        .unwrap_or_else(available)
        .min(MOST_THREADS)
}

impl<S> ThreadPoolBuilder<S> {
    fn chosen_threads(&self) -> usize {
        match self.num_threads {
            0 => default_threads(),
            threads => threads.min(MOST_THREADS),
        }
    }

    /// Starts the pool's threads by `spawn`, which must have [`ThreadBuilder::run`] called on a new
    /// thread, or give the error that kept it from doing so. The threads end after the pool is
    /// dropped; a program that needs to know when must wait for them.
    ///
    /// ```
    /// let mut threads = Vec::new();
    /// let pool = rayon_core::ThreadPoolBuilder::new()
    ///     .num_threads(2)
    ///     .spawn_handler(|thread| {
    ///         threads.push(std::thread::spawn(|| thread.run()));
    ///         Ok(())
    ///     })
    ///     .build()
    ///     .unwrap();
    /// assert_eq!(pool.install(|| 1 + 1), 2);
    /// drop(pool);
    /// threads.into_iter().for_each(|thread| thread.join().unwrap());
    /// ```
    pub fn spawn_handler<F>(self, spawn: F) -> ThreadPoolBuilder<CustomSpawn<F>>
    where
        F: FnMut(ThreadBuilder) -> io::Result<()>,
    {
        ThreadPoolBuilder {
            num_threads: self.num_threads,
            use_current_thread: self.use_current_thread,
            panic_handler: self.panic_handler,
            thread_name: self.thread_name,
            stack_size: self.stack_size,
            start_handler: self.start_handler,
            exit_handler: self.exit_handler,
            spawn_handler: CustomSpawn(spawn),
        }
    }

    /// Names each thread by its index.
    #[must_use]
    pub fn thread_name<F>(mut self, closure: F) -> Self
    where
        F: FnMut(usize) -> String + 'static,
    {
        self.thread_name = Some(Box::new(closure));
        self
    }

    /// How many threads the pool has. Zero, the default, asks for what the variable
    /// `RAYON_NUM_THREADS` says, or else for as many as the machine runs in parallel.
    #[must_use]
    pub fn num_threads(mut self, num_threads: usize) -> Self {
        self.num_threads = num_threads;
        self
    }

    /// Makes the thread that builds the pool its first one. It takes part only while it is inside
    /// of a rayon call, and the handlers are not called for it. It belongs to the pool for as long
    /// as it lives.
    ///
    /// ```
    /// let pool = rayon_core::ThreadPoolBuilder::new()
    ///     .num_threads(1)
    ///     .use_current_thread()
    ///     .build()
    ///     .unwrap();
    /// assert_eq!(pool.current_thread_index(), Some(0));
    /// let own = std::thread::current().id();
    /// pool.scope(|scope| scope.spawn(move |_| assert_eq!(std::thread::current().id(), own)));
    /// ```
    #[must_use]
    pub fn use_current_thread(mut self) -> Self {
        self.use_current_thread = true;
        self
    }

    /// Called with the payload of each panic that nobody waits for: of a spawned job, or of a
    /// handler. Without one, or if it panics itself, such a panic ends the process.
    ///
    /// ```
    /// let (sender, receiver) = std::sync::mpsc::channel();
    /// let sender = std::sync::Mutex::new(sender);
    /// let pool = rayon_core::ThreadPoolBuilder::new()
    ///     .panic_handler(move |payload| sender.lock().unwrap().send(payload).unwrap())
    ///     .build()
    ///     .unwrap();
    /// pool.spawn(|| std::panic::panic_any(7));
    /// assert_eq!(receiver.recv().unwrap().downcast_ref(), Some(&7));
    /// ```
    #[must_use]
    pub fn panic_handler<H>(mut self, panic_handler: H) -> Self
    where
        H: Fn(Box<dyn Any + Send>) + Send + Sync + 'static,
    {
        let handler: Box<dyn Fn(Payload) + Send + Sync> = Box::new(panic_handler);
        self.panic_handler = Some(handler);
        self
    }

    /// Each thread's stack, in bytes, 16 KiB at least; the system's default otherwise.
    #[must_use]
    pub fn stack_size(mut self, stack_size: usize) -> Self {
        self.stack_size = Some(stack_size);
        self
    }

    /// Once asked threads to run the oldest of their own jobs first. It has no effect here, as
    /// rayon's own deprecation allows for.
    #[must_use]
    #[deprecated(note = "use `scope_fifo` and `spawn_fifo` for similar effect")]
    pub fn breadth_first(self) -> Self {
        self
    }

    /// Called on each thread as it starts, with its index.
    #[must_use]
    pub fn start_handler<H>(mut self, start_handler: H) -> Self
    where
        H: Fn(usize) + Send + Sync + 'static,
    {
        self.start_handler = Some(Box::new(start_handler));
        self
    }

    /// Called on each thread as it ends, with its index.
    #[must_use]
    pub fn exit_handler<H>(mut self, exit_handler: H) -> Self
    where
        H: Fn(usize) + Send + Sync + 'static,
    {
        self.exit_handler = Some(Box::new(exit_handler));
        self
    }
}

impl<S> fmt::Debug for ThreadPoolBuilder<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ThreadPoolBuilder")
            .field("num_threads", &self.num_threads)
            .field("use_current_thread", &self.use_current_thread)
            .field("stack_size", &self.stack_size)
            .finish_non_exhaustive()
    }
}
