//! Threads that take part in the run.

use super::part::{Entry, announce, block, has_ended, point, yields};
use super::world::On;
use std::io;
use std::num::NonZero;
use std::panic::Location;
use std::time::Duration;

pub use std::thread::{Thread, ThreadId, current, panicking};

/// std's, whose threads take part in the run that it is used in.
#[derive(Debug)]
pub struct Builder {
    builder: std::thread::Builder,
    name: String,
}

impl Builder {
    /// One without settings.
    #[must_use]
    pub fn new() -> Self {
        Self {
            builder: std::thread::Builder::new(),
            name: String::new(),
        }
    }

    /// Names the thread.
    #[must_use]
    pub fn name(self, name: String) -> Self {
        Self {
            builder: self.builder.name(name.clone()),
            name,
        }
    }

    /// Gives it a stack of so many bytes.
    #[must_use]
    pub fn stack_size(self, bytes: usize) -> Self {
        Self {
            builder: self.builder.stack_size(bytes),
            name: self.name,
        }
    }

    /// Starts it.
    ///
    /// # Errors
    ///
    /// When the system refuses, or the run's settings.
    #[track_caller]
    pub fn spawn<T: Send + 'static>(
        self,
        f: impl FnOnce() -> T + Send + 'static,
    ) -> io::Result<JoinHandle<T>> {
        let entry = announce(&self.name, Location::caller())?;
        let Some(entry) = entry else {
            let handle = self.builder.spawn(f)?;
            return Ok(JoinHandle {
                handle,
                number: None,
            });
        };
        let number = entry.number();
        let (sender, receiver) = std::sync::mpsc::channel::<Entry>();
        let handle = self.builder.spawn(move || {
            if let Ok(entry) = receiver.recv() {
                entry.begin();
            }
            f()
        });
        match handle {
            Ok(handle) => {
                // It has no stand in the run before it has begun.
                let _ = sender.send(entry);
                Ok(JoinHandle {
                    handle,
                    number: Some(number),
                })
            }
            Err(refused) => {
                entry.cancel();
                Err(refused)
            }
        }
    }
}

impl Default for Builder {
    fn default() -> Self {
        Self::new()
    }
}

/// Starts a thread.
///
/// # Panics
///
/// When it is refused.
#[track_caller]
pub fn spawn<T: Send + 'static>(f: impl FnOnce() -> T + Send + 'static) -> JoinHandle<T> {
    Builder::new().spawn(f).expect("a thread was refused")
}

/// A thread, to be joined.
#[derive(Debug)]
pub struct JoinHandle<T> {
    handle: std::thread::JoinHandle<T>,
    number: Option<usize>,
}

impl<T> JoinHandle<T> {
    /// Waits for its end.
    ///
    /// # Errors
    ///
    /// When it panicked.
    #[track_caller]
    pub fn join(self) -> std::thread::Result<T> {
        let site = Location::caller();
        point(site);
        if let Some(number) = self.number {
            while !has_ended(number) {
                block(On::Thread(number), None, site);
            }
        }
        self.handle.join()
    }

    /// Whether it has ended.
    #[track_caller]
    pub fn is_finished(&self) -> bool {
        point(Location::caller());
        self.number
            .map_or_else(|| self.handle.is_finished(), has_ended)
    }

    /// The thread.
    pub fn thread(&self) -> &Thread {
        self.handle.thread()
    }
}

/// Blocks the caller for so long.
#[track_caller]
pub fn sleep(time: Duration) {
    if block(On::Sleep, Some(time), Location::caller()).is_none() {
        std::thread::sleep(time);
    }
}

/// Lets others run.
#[track_caller]
pub fn yield_now() {
    yields();
}

/// Two, on any machine.
///
/// # Errors
///
/// Never.
pub fn available_parallelism() -> io::Result<NonZero<usize>> {
    Ok(const { NonZero::new(2).unwrap() })
}
