//! The pool's operating-system threads: started, spared, joined.

use crate::registry::Registry;
use crate::sync::{Arc, AtomicUsize, Mutex, Ordering, lock};
use crate::worker;
use std::io;
use std::thread::{self, JoinHandle};

/// Idle threads beyond the target that a pool keeps for the next wait.
const SPARES_KEPT: usize = 4;

/// The threads of one pool.
pub(crate) struct Threads {
    handles: Mutex<Vec<JoinHandle<()>>>,
    /// Index of the next thread, for its name.
    next_index: AtomicUsize,
    /// Threads that live, or are being started.
    alive: AtomicUsize,
    /// Spare threads being started: one at a time is enough, for it wakes the next.
    starting: AtomicUsize,
}

impl Threads {
    pub(crate) fn new() -> Self {
        Self {
            handles: Mutex::new(Vec::new()),
            next_index: AtomicUsize::new(0),
            alive: AtomicUsize::new(0),
            starting: AtomicUsize::new(0),
        }
    }

    /// Starts threads until `target` live. Errors leave the pool with those that started.
    pub(crate) fn populate(&self, registry: &Arc<Registry>, target: usize) -> io::Result<()> {
        while self.alive.load(Ordering::SeqCst) < target {
            self.start(registry, false)?;
        }
        Ok(())
    }

    /// Starts a thread for a seat that a waiting one has left. Does nothing while one is being
    /// started, or where the system has no more threads: the work stays queued for the others.
    pub(crate) fn spawn_spare(&self, registry: &Arc<Registry>) {
        // SeqCst: one winner; the loser relies on the winner's search, counted below.
        if self
            .starting
            .compare_exchange(0, 1, Ordering::SeqCst, Ordering::SeqCst)
            .is_err()
        {
            return;
        }
        if registry.is_terminated() || self.start(registry, true).is_err() {
            self.starting.store(0, Ordering::SeqCst);
        }
    }

    fn start(&self, registry: &Arc<Registry>, spare: bool) -> io::Result<()> {
        let index = self.next_index.fetch_add(1, Ordering::Relaxed);
        let mut builder = thread::Builder::new().name((registry.config.thread_name)(index));
        if let Some(stack_size) = registry.config.stack_size {
            builder = builder.stack_size(stack_size);
        }
        self.alive.fetch_add(1, Ordering::SeqCst);
        let registry = registry.clone();
        // Held over the start, so that `join` sees each thread that it must wait for.
        let mut handles = lock(&self.handles);
        handles.retain(|handle| !handle.is_finished());
        match builder.spawn(move || worker::thread_main(&registry, index, spare)) {
            Ok(handle) => {
                handles.push(handle);
                Ok(())
            }
            Err(error) => {
                self.alive.fetch_sub(1, Ordering::SeqCst);
                Err(error)
            }
        }
    }

    /// A spare thread looks for work now.
    pub(crate) fn started(&self) {
        self.starting.store(0, Ordering::SeqCst);
    }

    /// Whether a thread that found nothing should end, because enough others are idle.
    pub(crate) fn try_retire(&self, registry: &Registry) -> bool {
        let target = registry.occupancy.target();
        let enough = if target == 0 { 0 } else { target + SPARES_KEPT };
        if registry.sleep.idle_count() < enough {
            return false;
        }
        self.alive
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, |alive| {
                (alive > enough).then(|| alive - 1)
            })
            .is_ok()
    }

    /// Waits for every thread to end. A pool dropped by one of its own threads leaves that one
    /// to end by itself.
    pub(crate) fn join(&self) {
        loop {
            let Some(handle) = lock(&self.handles).pop() else {
                return;
            };
            if handle.thread().id() != thread::current().id() {
                // A worker's panics are caught job by job; an error here is a handler's own.
                let _ = handle.join();
            }
        }
    }
}
