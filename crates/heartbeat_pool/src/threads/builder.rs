//! A thread that a pool wants, before somebody starts it.

use crate::sync::thread::{self, JoinHandle};
use std::fmt;
use std::io;

/// A pool's thread, from when it is wanted until it ends, whoever starts it.
pub(crate) trait Wanted: Send {
    /// Whether the calling thread belongs to a pool.
    fn is_taken(&self) -> bool;
    /// Runs the calling thread as this one.
    fn run(&self);
    /// Makes the calling thread this one, for as long as it lives.
    fn enroll(self: Box<Self>);
}

/// A thread that a pool wants, for a
/// [`spawn_handler`](crate::ThreadPoolBuilder::spawn_handler) to start. The interface is rayon's.
pub struct ThreadBuilder {
    pub(crate) index: usize,
    pub(crate) name: String,
    pub(crate) stack_size: Option<usize>,
    pub(crate) thread: Box<dyn Wanted>,
}

impl ThreadBuilder {
    /// The thread's index in its pool, or among the lower threads, whose names differ. A spare
    /// thread has one beyond [`num_threads`](crate::ThreadPool::num_threads), or that of a thread
    /// that has ended.
    #[must_use]
    pub fn index(&self) -> usize {
        self.index
    }

    /// The name that the thread should have.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The stack that the thread should have, in bytes; the system's default if `None`.
    #[must_use]
    pub fn stack_size(&self) -> Option<usize> {
        self.stack_size
    }

    /// Runs the calling thread as one of the pool, until the pool ends or needs it no more.
    ///
    /// # Panics
    ///
    /// When the thread belongs to a pool already. Then the one that this was for is missed as if
    /// the system had refused it, and jobs for that thread alone are dropped.
    pub fn run(self) {
        assert!(
            !self.thread.is_taken(),
            "run: the thread belongs to a pool already; give `run` a thread of its own"
        );
        self.thread.run();
    }

    /// Makes the calling thread this one, for as long as it lives. It takes part in the pool's work
    /// only while it is inside of a call of the pool's: it runs what it waits for, and what is
    /// [meant for it](crate::ThreadPool::spawn_on). The pool's handlers are not called for it. A
    /// pool that ends before it leaves it with a pool without threads. In place of a spare thread
    /// that is enrolled the pool asks for another, at the next wait or spawn. In a pool without
    /// [spare threads](crate::ThreadPoolBuilder::spare_threads) of which this is the only one, what
    /// other threads spawn or [install](crate::ThreadPool::install) waits until this one does such
    /// work in a wait of its own, and for good once it has ended; their joins and scopes they run
    /// themselves. The idea is rayon's `use_current_thread`.
    ///
    /// # Panics
    ///
    /// When the thread belongs to a pool already.
    ///
    /// ```
    /// use heartbeat_pool::{ThreadPool, Worker};
    /// use std::sync::atomic::{AtomicBool, Ordering};
    /// use std::sync::{Arc, Mutex};
    ///
    /// let first = Arc::new(Mutex::new(None));
    /// let kept = first.clone();
    /// let is_first = AtomicBool::new(true);
    /// let pool = ThreadPool::builder()
    ///     .num_threads(2)
    ///     .spawn_handler(move |thread| match thread.index() {
    ///         // Once: a spare thread has this index when the enrolled one has ended.
    ///         0 if is_first.swap(false, Ordering::Relaxed) => {
    ///             Ok(*kept.lock().unwrap() = Some(thread))
    ///         }
    ///         _ => thread.spawn().map(drop),
    ///     })
    ///     .build()
    ///     .unwrap();
    /// let thread = first.lock().unwrap().take();
    /// thread.unwrap().enroll();
    /// assert_eq!(Worker::with_current(|worker| worker.unwrap().index()), Some(0));
    /// assert_eq!(pool.broadcast(|context| context.index()), [0, 1]);
    /// ```
    pub fn enroll(self) {
        assert!(
            !self.thread.is_taken(),
            "enroll: the thread belongs to a pool already"
        );
        self.thread.enroll();
    }

    /// Starts the thread as a pool without a spawn handler does.
    ///
    /// # Errors
    ///
    /// When the system refuses a thread.
    pub fn spawn(self) -> io::Result<JoinHandle<()>> {
        let mut builder = thread::Builder::new().name(self.name);
        if let Some(stack_size) = self.stack_size {
            builder = builder.stack_size(stack_size);
        }
        let thread = self.thread;
        builder.spawn(move || thread.run())
    }
}

impl fmt::Debug for ThreadBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ThreadBuilder")
            .field("index", &self.index)
            .field("name", &self.name)
            .field("stack_size", &self.stack_size)
            .finish_non_exhaustive()
    }
}
