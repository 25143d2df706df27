//! The pool's operating-system threads: started, spared, joined.

use crate::active::Tracks;
use crate::config::Config;
use crate::pinned::Pinned;
use crate::priority;
use crate::registry::Registry;
use crate::sync::{Arc, AtomicUsize, Condvar, Mutex, Ordering, lock};
use crate::thread_builder::ThreadBuilder;
use crate::thread_state;
use crate::unwind;
use std::cell::Cell;
use std::io;
use std::mem;
use std::sync::PoisonError;
use std::thread::{self, JoinHandle};

/// Idle threads beyond the target that a pool keeps for the next wait.
const SPARES_KEPT: usize = 4;

/// What becomes of a thread of the pool.
#[derive(Clone, Copy)]
pub(crate) struct Main {
    /// Runs it, from its start to its end.
    pub(crate) run: fn(&Arc<Registry>, &Arc<Pinned>),
    /// Makes the calling thread one that takes part while it is inside of a pool call.
    pub(crate) enroll: fn(&Arc<Registry>, &Arc<Pinned>),
}

/// The threads of one pool, by index. The first ones, as many as the target, are its members and
/// stay; the others are spares, which come for waiting threads and go when too many are idle.
pub(crate) struct Threads {
    main: Main,
    slots: Mutex<Slots>,
    /// Signalled when a thread ends.
    ended: Condvar,
    /// Spare threads being started: one at a time is enough, for it wakes the next.
    starting: AtomicUsize,
}

#[derive(Default)]
struct Slots {
    live: Vec<Option<Arc<Pinned>>>,
    /// Threads that have left their slot and not ended yet.
    retiring: usize,
    handles: Vec<JoinHandle<()>>,
}

impl Slots {
    fn alive(&self) -> usize {
        self.live.iter().flatten().count()
    }
}

/// A thread from its wish to its end, however it comes to it.
pub(crate) struct Thread {
    registry: Arc<Registry>,
    pinned: Arc<Pinned>,
    /// Whether it counts as a spare that is being started.
    starting: Cell<bool>,
}

impl Thread {
    /// The next spare may be started.
    fn started(&self) {
        if self.starting.take() {
            self.registry.threads.starting.store(0, Ordering::SeqCst);
        }
    }

    /// Runs the calling thread as this one.
    pub(crate) fn run(&self) {
        let threads = &self.registry.threads;
        self.registry.sleep.search_begin();
        self.started();
        (threads.main.run)(&self.registry, &self.pinned);
    }

    /// Makes the calling thread this one, for as long as it lives.
    pub(crate) fn enroll(self) {
        self.started();
        self.pinned.enroll();
        (self.registry.threads.main.enroll)(&self.registry, &self.pinned);
        // It leaves its slot when the thread ends.
        thread_state::keep_enrolled(self);
    }
}

impl Drop for Thread {
    fn drop(&mut self) {
        self.pinned.close();
        // Unpinned under no lock: a job's drop may spawn.
        while let Some(job) = self.pinned.pop() {
            if let Err(payload) = unwind::catch(|| drop(job)) {
                unwind::discard(payload);
            }
        }
        // In case it never ran.
        self.started();
        let threads = &self.registry.threads;
        let mut slots = lock(&threads.slots);
        let slot = &mut slots.live[self.pinned.index];
        if slot
            .as_ref()
            .is_some_and(|own| Arc::ptr_eq(own, &self.pinned))
        {
            *slot = None;
        } else {
            slots.retiring -= 1;
        }
        threads.ended.notify_all();
    }
}

/// The name of the thread of `index`. Workers start threads, so a panic must not get out.
fn name(registry: &Registry, index: usize) -> String {
    let name = unwind::catch(|| (registry.config.thread_name)(index));
    name.unwrap_or_else(|payload| {
        registry.report_panic(&*payload);
        unwind::discard(payload);
        (Config::default().thread_name)(index)
    })
}

impl Threads {
    pub(crate) fn new(main: Main) -> Self {
        Self {
            main,
            slots: Mutex::new(Slots::default()),
            ended: Condvar::new(),
            starting: AtomicUsize::new(0),
        }
    }

    /// What each thread runs.
    pub(crate) fn main(&self) -> Main {
        self.main
    }

    /// Starts the members that are missing. Errors leave the pool with those that started.
    pub(crate) fn populate(&self, registry: &Arc<Registry>, target: usize) -> io::Result<()> {
        for index in 0..target {
            self.start(registry, Some(index), false)?;
        }
        Ok(())
    }

    /// Starts a thread for a seat that a waiting one has left. Does nothing while one is being
    /// started, or where the system has no more threads: the work stays queued for the others.
    pub(crate) fn spawn_spare(&self, registry: &Arc<Registry>) {
        // SeqCst: one winner; the loser relies on the winner's search, counted in `run`.
        if !registry.config.has_spares
            || self
                .starting
                .compare_exchange(0, 1, Ordering::SeqCst, Ordering::SeqCst)
                .is_err()
        {
            return;
        }
        if !priority::gives_way() || !registry.kin.start_spare(registry) {
            self.start_spare(registry);
        }
    }

    /// The part of [`spawn_spare`](Self::spawn_spare) that may be another thread's.
    pub(crate) fn start_spare(&self, registry: &Arc<Registry>) {
        if registry.is_terminated() || self.start(registry, None, true).is_err() {
            self.starting.store(0, Ordering::SeqCst);
        }
    }

    /// Starts the thread of `index`, if it does not live, or of the first free index.
    fn start(&self, registry: &Arc<Registry>, index: Option<usize>, spare: bool) -> io::Result<()> {
        let pinned = {
            let mut slots = lock(&self.slots);
            if registry.is_terminated() {
                // `join` may have seen the slots already.
                return Ok(());
            }
            let free = || slots.live.iter().position(Option::is_none);
            let index = index.or_else(free).unwrap_or(slots.live.len());
            if index >= slots.live.len() {
                slots.live.resize(index + 1, None);
            }
            if slots.live[index].is_some() {
                return Ok(());
            }
            slots.live[index]
                .insert(Arc::new(Pinned::new(index)))
                .clone()
        };
        let thread = Thread {
            registry: registry.clone(),
            pinned,
            starting: Cell::new(spare),
        };
        let config = &registry.config;
        let index = thread.pinned.index;
        let thread = ThreadBuilder {
            index,
            name: name(registry, index),
            stack_size: config.stack_size,
            thread,
        };
        if let Some(handler) = &config.spawn_handler {
            // The thread that unwinding drops cleans up after itself.
            return unwind::catch(|| handler(thread)).unwrap_or_else(|payload| {
                unwind::discard(payload);
                Err(io::Error::other("the pool's spawn_handler panicked"))
            });
        }
        // A name with a zero byte in it makes this panic.
        let handle = unwind::catch(|| thread.spawn()).unwrap_or_else(|payload| {
            unwind::discard(payload);
            Err(io::Error::other(
                "the pool's thread_name can't be given to a thread",
            ))
        })?;
        let mut slots = lock(&self.slots);
        slots.handles.retain(|handle| !handle.is_finished());
        slots.handles.push(handle);
        Ok(())
    }

    /// Whether a thread that went idle as the last of `idle` should end.
    pub(crate) fn try_retire(&self, registry: &Registry, pinned: &Pinned, idle: usize) -> bool {
        let wanted = || {
            let target = registry.occupancy.target();
            let enough = if target == 0 { 0 } else { target + SPARES_KEPT };
            (pinned.index < target, enough)
        };
        let (member, enough) = wanted();
        if member || idle <= enough {
            return false;
        }
        let mut slots = lock(&self.slots);
        // Again, under the lock: a pool that has grown meanwhile has found this thread alive.
        let (member, enough) = wanted();
        if member || slots.alive() <= enough {
            return false;
        }
        slots.live[pinned.index] = None;
        slots.retiring += 1;
        true
    }

    /// The queue of the thread of `index`, if it lives.
    pub(crate) fn pinned(&self, index: usize) -> Option<Arc<Pinned>> {
        lock(&self.slots).live.get(index)?.clone()
    }

    /// Waits for every thread to end. A pool dropped by one of its own threads leaves that one
    /// to end by itself, and those that were enrolled go on without it.
    pub(crate) fn join(&self, own: Option<usize>) {
        let mut slots = lock(&self.slots);
        let others = |slots: &Slots| {
            let mut live = slots.live.iter().flatten();
            slots.retiring > 0
                || live.any(|pinned| Some(pinned.index) != own && !pinned.is_enrolled())
        };
        while others(&slots) {
            slots = self
                .ended
                .wait(slots)
                .unwrap_or_else(PoisonError::into_inner);
        }
        let handles = mem::take(&mut slots.handles);
        drop(slots);
        for handle in handles {
            if handle.thread().id() != thread::current().id() {
                // A worker's panics are caught job by job; an error here is a handler's own.
                let _ = handle.join();
            }
        }
    }
}
