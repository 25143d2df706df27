//! What a thread keeps for itself: its parker, and what it is inside of.

use crate::parker::Parker;
use crate::signal::Signal;
use crate::sync::{Arc, AtomicUsize, Ordering};
use std::cell::Cell;

struct ThreadState {
    parker: Arc<Parker>,
    strangers: Arc<AtomicUsize>,
    /// That of the last wait for a future which is over, for the next.
    signal: Cell<Option<Arc<Signal>>>,
}

thread_local! {
    static STATE: ThreadState = ThreadState {
        parker: Arc::new(Parker::new()),
        strangers: Arc::new(AtomicUsize::new(0)),
        signal: const { Cell::new(None) },
    };
    /// How many waits the thread is inside of.
    static WAITS: Cell<usize> = const { Cell::new(0) };
}

/// A wait that the thread is inside of until this is dropped.
pub(crate) struct Waiting(());

impl Waiting {
    pub(crate) fn begin() -> Self {
        WAITS.set(WAITS.get() + 1);
        Self(())
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        WAITS.set(WAITS.get() - 1);
    }
}

pub(crate) fn is_waiting() -> bool {
    WAITS.get() > 0
}

/// A job that the calling thread runs on top of what it does, and that is no part of that, until
/// this is dropped.
pub(crate) struct Stranger(Arc<AtomicUsize>);

impl Stranger {
    pub(crate) fn begin() -> Self {
        let count = strangers();
        // Relaxed, here and below: only this thread writes it; for others it comes before what the
        // job forks.
        count.store(count.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
        Self(count)
    }
}

impl Drop for Stranger {
    fn drop(&mut self) {
        let before = self.0.load(Ordering::Relaxed);
        self.0.store(before - 1, Ordering::Relaxed);
    }
}

/// How many such jobs the calling thread is inside of, for others to read. In a thread-local's
/// destructor, a new one.
pub(crate) fn strangers() -> Arc<AtomicUsize> {
    STATE
        .try_with(|state| state.strangers.clone())
        .unwrap_or_default()
}

/// The calling thread's parker. In a thread-local's destructor, a new one.
pub(crate) fn parker() -> Arc<Parker> {
    STATE
        .try_with(|state| state.parker.clone())
        .unwrap_or_else(|_| Arc::new(Parker::new()))
}

/// Calls `f` with a signal of the calling thread's that no other wait has now.
pub(crate) fn with_signal<R>(f: impl FnOnce(&Arc<Signal>) -> R) -> R {
    /// Keeps the signal for the next wait. A waker that outlives its wait makes that one poll in
    /// vain.
    struct Kept(Arc<Signal>);
    impl Drop for Kept {
        fn drop(&mut self) {
            _ = STATE.try_with(|state| state.signal.set(Some(self.0.clone())));
        }
    }
    let kept = STATE.try_with(|state| state.signal.take()).ok().flatten();
    let signal = Kept(kept.unwrap_or_else(|| Arc::new(Signal::new(parker()))));
    f(&signal.0)
}
