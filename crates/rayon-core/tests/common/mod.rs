//! What the tests share: a deadline for what could hang, and both orders of spawning under one name.
#![allow(dead_code, reason = "each test crate uses a part")]

use rayon_core::{Scope, ScopeFifo, ThreadPool, ThreadPoolBuilder};
use std::panic::{self, AssertUnwindSafe};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

/// What no test takes as long as, on a busy machine neither.
pub const DEADLINE: Duration = Duration::from_secs(60);

/// Runs `f` on a thread of its own and gives back what it returns, or panics as it does. Fails the test
/// where that takes longer than [`DEADLINE`].
pub fn in_time<T: Send + 'static>(f: impl FnOnce() -> T + Send + 'static) -> T {
    let (done, over) = mpsc::channel();
    let thread = thread::spawn(move || {
        let value = f();
        let _ = done.send(());
        value
    });
    if let Err(RecvTimeoutError::Timeout) = over.recv_timeout(DEADLINE) {
        panic!("still running after {DEADLINE:?}: it hangs");
    }
    // Done, or it panicked and dropped its sender.
    thread
        .join()
        .unwrap_or_else(|payload| panic::resume_unwind(payload))
}

/// All that is sent until every sender is gone.
pub fn all<T>(receiver: &Receiver<T>) -> Vec<T> {
    let begun = Instant::now();
    let mut received = Vec::new();
    loop {
        match receiver.recv_timeout(DEADLINE.saturating_sub(begun.elapsed())) {
            Ok(value) => received.push(value),
            Err(RecvTimeoutError::Disconnected) => return received,
            Err(RecvTimeoutError::Timeout) => {
                panic!("{} came, and a sender is still alive", received.len())
            }
        }
    }
}

pub fn pool(threads: usize) -> ThreadPool {
    ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .unwrap()
}

/// Panics, where a closure is to return nothing rather than never.
pub fn fail(with: &'static str) {
    panic::panic_any(with);
}

/// What `f` panics with by [`fail`], or nothing.
pub fn panic_of<R>(f: impl FnOnce() -> R) -> Option<&'static str> {
    let payload = panic::catch_unwind(AssertUnwindSafe(f)).err()?;
    Some(payload.downcast_ref::<&'static str>().unwrap())
}

/// The two orders in which one thread runs what it has spawned.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Order {
    Lifo,
    Fifo,
}

pub use Order::{Fifo, Lifo};

impl Order {
    /// `values`, which were spawned in this order, as they come out.
    pub fn of<T>(self, values: impl DoubleEndedIterator<Item = T>) -> Vec<T> {
        match self {
            Lifo => values.rev().collect(),
            Fifo => values.collect(),
        }
    }

    pub fn spawn(self, f: impl FnOnce() + Send + 'static) {
        match self {
            Lifo => rayon_core::spawn(f),
            Fifo => rayon_core::spawn_fifo(f),
        }
    }

    pub fn spawn_in(self, pool: &ThreadPool, f: impl FnOnce() + Send + 'static) {
        match self {
            Lifo => pool.spawn(f),
            Fifo => pool.spawn_fifo(f),
        }
    }

    pub fn scope<'scope, R: Send>(self, f: impl FnOnce(AnyScope<'_, 'scope>) -> R + Send) -> R {
        match self {
            Lifo => rayon_core::scope(|s| f(AnyScope::Lifo(s))),
            Fifo => rayon_core::scope_fifo(|s| f(AnyScope::Fifo(s))),
        }
    }

    pub fn scope_in<'scope, R: Send>(
        self,
        pool: &ThreadPool,
        f: impl FnOnce(AnyScope<'_, 'scope>) -> R + Send,
    ) -> R {
        match self {
            Lifo => pool.scope(|s| f(AnyScope::Lifo(s))),
            Fifo => pool.scope_fifo(|s| f(AnyScope::Fifo(s))),
        }
    }

    pub fn in_place_scope<'scope, R>(self, f: impl FnOnce(AnyScope<'_, 'scope>) -> R) -> R {
        match self {
            Lifo => rayon_core::in_place_scope(|s| f(AnyScope::Lifo(s))),
            Fifo => rayon_core::in_place_scope_fifo(|s| f(AnyScope::Fifo(s))),
        }
    }

    pub fn in_place_scope_in<'scope, R>(
        self,
        pool: &ThreadPool,
        f: impl FnOnce(AnyScope<'_, 'scope>) -> R,
    ) -> R {
        match self {
            Lifo => pool.in_place_scope(|s| f(AnyScope::Lifo(s))),
            Fifo => pool.in_place_scope_fifo(|s| f(AnyScope::Fifo(s))),
        }
    }
}

/// A scope of either order.
#[derive(Clone, Copy)]
pub enum AnyScope<'a, 'scope> {
    Lifo(&'a Scope<'scope>),
    Fifo(&'a ScopeFifo<'scope>),
}

impl<'scope> AnyScope<'_, 'scope> {
    pub fn spawn(self, f: impl FnOnce(AnyScope<'_, 'scope>) + Send + 'scope) {
        match self {
            Self::Lifo(s) => s.spawn(move |s| f(AnyScope::Lifo(s))),
            Self::Fifo(s) => s.spawn_fifo(move |s| f(AnyScope::Fifo(s))),
        }
    }

    /// Runs `f` once on each thread, with that thread's index.
    pub fn spawn_broadcast(self, f: impl Fn(AnyScope<'_, 'scope>, usize) + Send + Sync + 'scope) {
        match self {
            Self::Lifo(s) => {
                s.spawn_broadcast(move |s, context| f(AnyScope::Lifo(s), context.index()));
            }
            Self::Fifo(s) => {
                s.spawn_broadcast(move |s, context| f(AnyScope::Fifo(s), context.index()));
            }
        }
    }
}
