//! What rayon has deprecated, for those who still use it.

#![allow(deprecated)]

use crate::builder::ThreadPoolBuilder;
use crate::pool::ThreadPool;
use std::any::Any;
use std::error::Error;

/// The older name of [`ThreadPoolBuilder`].
#[deprecated(note = "Use `ThreadPoolBuilder`")]
#[derive(Debug, Default)]
pub struct Configuration {
    builder: ThreadPoolBuilder,
}

impl Configuration {
    /// A configuration with the defaults.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    fn with(self, change: impl FnOnce(ThreadPoolBuilder) -> ThreadPoolBuilder) -> Self {
        Self {
            builder: change(self.builder),
        }
    }

    /// See [`ThreadPoolBuilder::build`].
    ///
    /// # Errors
    ///
    /// As [`ThreadPoolBuilder::build`].
    pub fn build(self) -> Result<ThreadPool, Box<dyn Error + 'static>> {
        self.builder.build().map_err(Box::from)
    }

    /// See [`ThreadPoolBuilder::thread_name`].
    #[must_use]
    pub fn thread_name<F>(self, closure: F) -> Self
    where
        F: FnMut(usize) -> String + 'static,
    {
        self.with(|builder| builder.thread_name(closure))
    }

    /// See [`ThreadPoolBuilder::num_threads`].
    #[must_use]
    pub fn num_threads(self, num_threads: usize) -> Self {
        self.with(|builder| builder.num_threads(num_threads))
    }

    /// See [`ThreadPoolBuilder::panic_handler`].
    #[must_use]
    pub fn panic_handler<H>(self, panic_handler: H) -> Self
    where
        H: Fn(Box<dyn Any + Send>) + Send + Sync + 'static,
    {
        self.with(|builder| builder.panic_handler(panic_handler))
    }

    /// See [`ThreadPoolBuilder::stack_size`].
    #[must_use]
    pub fn stack_size(self, stack_size: usize) -> Self {
        self.with(|builder| builder.stack_size(stack_size))
    }

    /// See [`ThreadPoolBuilder::breadth_first`].
    #[must_use]
    pub fn breadth_first(self) -> Self {
        self.with(ThreadPoolBuilder::breadth_first)
    }

    /// See [`ThreadPoolBuilder::start_handler`].
    #[must_use]
    pub fn start_handler<H>(self, start_handler: H) -> Self
    where
        H: Fn(usize) + Send + Sync + 'static,
    {
        self.with(|builder| builder.start_handler(start_handler))
    }

    /// See [`ThreadPoolBuilder::exit_handler`].
    #[must_use]
    pub fn exit_handler<H>(self, exit_handler: H) -> Self
    where
        H: Fn(usize) + Send + Sync + 'static,
    {
        self.with(|builder| builder.exit_handler(exit_handler))
    }
}

/// The older name of [`ThreadPoolBuilder::build_global`].
///
/// # Errors
///
/// As [`ThreadPoolBuilder::build_global`].
#[deprecated(note = "use `ThreadPoolBuilder::build_global`")]
pub fn initialize(config: Configuration) -> Result<(), Box<dyn Error>> {
    config.builder.build_global().map_err(Box::from)
}
