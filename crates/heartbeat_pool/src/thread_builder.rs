//! A thread that a pool wants, before somebody starts it.

use std::fmt;
use std::io;
use std::thread::{self, JoinHandle};

/// A thread that a pool wants, for a
/// [`spawn_handler`](crate::ThreadPoolBuilder::spawn_handler) to start. The interface is rayon's.
pub struct ThreadBuilder {
    pub(crate) index: usize,
    pub(crate) name: String,
    pub(crate) stack_size: Option<usize>,
    pub(crate) main: Box<dyn FnOnce() + Send>,
}

impl ThreadBuilder {
    /// The thread's index in its pool. A spare thread has one beyond
    /// [`num_threads`](crate::ThreadPool::num_threads).
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
    pub fn run(self) {
        (self.main)();
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
        builder.spawn(self.main)
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
