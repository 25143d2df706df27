//! How a pool's threads are started: by the standard library, or as the pool's builder was told.

use std::fmt;
use std::io;
use std::thread;

/// A thread that a pool wants, for a [`spawn_handler`](crate::ThreadPoolBuilder::spawn_handler) to
/// start.
pub struct ThreadBuilder {
    pub(crate) name: Option<String>,
    pub(crate) thread: heartbeat_pool::ThreadBuilder,
}

impl ThreadBuilder {
    /// The thread's index in its pool.
    #[must_use]
    pub fn index(&self) -> usize {
        self.thread.index()
    }

    /// The name that was chosen for the thread, if one was.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// The stack that was chosen for the thread, in bytes, if one was.
    #[must_use]
    pub fn stack_size(&self) -> Option<usize> {
        self.thread.stack_size()
    }

    /// Runs the calling thread as one of the pool, until the pool ends.
    pub fn run(self) {
        self.thread.run();
    }
}

impl fmt::Debug for ThreadBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ThreadBuilder")
            .field("index", &self.index())
            .field("name", &self.name)
            .field("stack_size", &self.stack_size())
            .finish_non_exhaustive()
    }
}

/// Starts a pool's threads. Not for others to implement.
pub trait ThreadSpawn: sealed::Sealed {
    #[doc(hidden)]
    fn spawn(&mut self, thread: ThreadBuilder) -> io::Result<()>;
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::DefaultSpawn {}
    impl<F> Sealed for super::CustomSpawn<F> {}
}

/// Starts threads as [`std::thread::Builder`] does.
#[derive(Debug, Default)]
pub struct DefaultSpawn;

impl ThreadSpawn for DefaultSpawn {
    fn spawn(&mut self, thread: ThreadBuilder) -> io::Result<()> {
        let default = || format!("rayon ({})", thread.index());
        let name = thread.name.clone().unwrap_or_else(default);
        let mut builder = thread::Builder::new().name(name);
        if let Some(bytes) = thread.stack_size() {
            builder = builder.stack_size(bytes);
        }
        builder.spawn(|| thread.run()).map(drop)
    }
}

/// Starts threads by a [`spawn_handler`](crate::ThreadPoolBuilder::spawn_handler).
#[derive(Debug)]
pub struct CustomSpawn<F>(pub(crate) F);

impl<F: FnMut(ThreadBuilder) -> io::Result<()>> ThreadSpawn for CustomSpawn<F> {
    fn spawn(&mut self, thread: ThreadBuilder) -> io::Result<()> {
        (self.0)(thread)
    }
}
