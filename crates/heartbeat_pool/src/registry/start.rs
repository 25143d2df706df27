//! The pool's operating-system threads: started, spared, joined.

use crate::active::Tracks;
use crate::config::Config;
use crate::lanes::priority;
use crate::queue::pinned::Pinned;
use crate::record::{What, note};
use crate::registry::Registry;
use crate::sync::thread::{self, JoinHandle};
use crate::sync::{Arc, AtomicBool, AtomicUsize, Condvar, Mutex, Ordering, lock};
use crate::threads::builder::{ThreadBuilder, Wanted};
use crate::threads::live::{self, Live};
use crate::threads::numbers::Numbers;
use crate::threads::spares::Spares;
use crate::unwind;
use std::any::Any;
use std::cell::Cell;
use std::io;
use std::mem;
use std::sync::PoisonError;
use std::time::Duration;

/// How long after the system has refused a thread it is asked again, if one is missed.
pub(crate) const RETRY: Duration = Duration::from_millis(10);

/// How often who waits for a pool's end looks whether there is work that its last jobs wait for.
const LOOK: Duration = Duration::from_millis(1);

/// What becomes of a thread of the pool.
#[derive(Clone, Copy)]
pub(crate) struct Main {
    /// Whether the calling thread belongs to a pool.
    pub(crate) is_taken: fn() -> bool,
    /// Runs it, from its start to its end.
    pub(crate) run: fn(&Arc<Registry>, &Arc<Pinned>),
    /// Makes the calling thread one that takes part while it is inside of a pool call, and keeps
    /// what it is given until that ends.
    pub(crate) enroll: fn(&Arc<Registry>, &Arc<Pinned>, Box<dyn Any>),
}

/// The threads of one pool, by index. The first ones, as many as the target, are its members and
/// stay; the others are spares, which come for waiting threads and go when too many are idle.
pub(crate) struct Threads {
    main: Main,
    slots: Mutex<Slots>,
    /// Signalled when a thread ends.
    ended: Condvar,
    spares: Spares,
    /// How many members were asked for.
    wanted: AtomicUsize,
    /// Whether somebody has chosen how many there are to be.
    is_sized: AtomicBool,
    /// Small numbers for those that run.
    pub(crate) numbers: Numbers,
}

struct Slots {
    live: Live<Pinned>,
    handles: Vec<JoinHandle<()>>,
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
            self.registry.threads.spares.started();
        }
    }
}

impl Wanted for Thread {
    fn is_taken(&self) -> bool {
        (self.registry.threads.main.is_taken)()
    }

    fn run(&self) {
        let threads = &self.registry.threads;
        self.registry.sleep.search_begin();
        self.started();
        (threads.main.run)(&self.registry, &self.pinned);
    }

    fn enroll(self: Box<Self>) {
        self.started();
        self.pinned.enroll();
        let (registry, pinned) = (self.registry.clone(), self.pinned.clone());
        // It leaves its slot when the thread ends.
        (registry.threads.main.enroll)(&registry, &pinned, self);
    }
}

impl Drop for Thread {
    fn drop(&mut self) {
        self.pinned.close();
        // Unpinned under no lock: a job's drop may spawn.
        while let Some(job) = self.pinned.pop() {
            self.registry.drop_job(job);
        }
        // In case it never ran.
        self.started();
        let threads = &self.registry.threads;
        let mut slots = lock(&threads.slots);
        slots.live.end(self.pinned.index, &self.pinned);
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
            slots: Mutex::new(Slots {
                live: Live::new(),
                handles: Vec::new(),
            }),
            ended: Condvar::new(),
            spares: Spares::new(),
            wanted: AtomicUsize::new(0),
            is_sized: AtomicBool::new(false),
            numbers: Numbers::new(),
        }
    }

    /// Whether somebody has chosen how many there are to be, be it none.
    pub(crate) fn is_sized(&self) -> bool {
        // Relaxed: the flag guards nothing.
        self.is_sized.load(Ordering::Relaxed)
    }

    /// What each thread runs.
    pub(crate) fn main(&self) -> Main {
        self.main
    }

    /// Whether the pool has fewer threads than it could use, for the system refused the last one.
    ///
    /// Then threads that wait do what nobody else could, as those of a pool without spare threads,
    /// and [`ask_again`](Self::ask_again).
    pub(crate) fn is_short(&self) -> bool {
        self.spares.is_short()
    }

    /// Whether the last refusal is old enough for another try.
    fn may_ask(&self) -> bool {
        self.spares.may_ask(RETRY)
    }

    /// Asks for the threads that the system has refused, if that is some time ago and they are
    /// still missed.
    pub(crate) fn ask_again(&self, registry: &Arc<Registry>) {
        if !self.is_short() || !self.may_ask() || registry.is_terminated() {
            return;
        }
        let wanted = self.wanted.load(Ordering::Relaxed);
        if registry.occupancy.target() < wanted {
            _ = registry.resize_own(&|_| wanted);
        } else {
            self.spawn_spare(registry);
        }
    }

    /// Starts the members that are missing of `target`. Where the system refuses one, tells how
    /// many there are.
    pub(crate) fn populate(
        &self,
        registry: &Arc<Registry>,
        target: usize,
    ) -> Result<(), (usize, io::Error)> {
        // Relaxed: read for a later try, by whoever comes first.
        self.wanted.store(target, Ordering::Relaxed);
        for index in 0..target {
            if let Err(error) = self.start(registry, Some(index), false) {
                self.spares.refuse(&registry.waiters);
                // Of those behind it some may be there from before.
                return Err((lock(&self.slots).live.of_first(target), error));
            }
        }
        // A spare thread may be missed as well; `ask_again` sees to that.
        Ok(())
    }

    /// Starts a thread for a seat that a waiting one has left. Does nothing while one is being
    /// started. Where the system has no more threads, those that wait see to the work.
    pub(crate) fn spawn_spare(&self, registry: &Arc<Registry>) {
        if !registry.config.has_spares {
            return;
        }
        if !self.may_ask() {
            return registry.waiters.wake_all();
        }
        // The loser relies on the winner's search, counted in `run`.
        if !self.spares.try_start() {
            return;
        }
        if !priority::gives_way() || !registry.kin.start_spare(registry) {
            self.start_spare(registry);
        }
    }

    /// The part of [`spawn_spare`](Self::spawn_spare) that may be another thread's.
    pub(crate) fn start_spare(&self, registry: &Arc<Registry>) {
        if registry.is_terminated() {
            self.spares.started();
        } else if self.start(registry, None, true).is_err() {
            self.spares.started();
            self.spares.refuse(&registry.waiters);
        } else {
            note::note(|| What::SpareStarted);
            if registry.occupancy.target() >= self.wanted.load(Ordering::Relaxed) {
                self.spares.suffice();
            }
        }
    }

    /// The place of a thread that is to be started; none if it lives already, or the pool has
    /// ended.
    fn begin(&self, registry: &Registry, index: Option<usize>) -> Option<Arc<Pinned>> {
        let mut slots = lock(&self.slots);
        // Once it has, `join` may have seen the slots already.
        let is_over = registry.is_terminated();
        if is_over {
            None
        } else {
            slots.live.begin(index, Pinned::new)
        }
    }

    /// Starts the thread of `index`, if it does not live, or of the first free index.
    fn start(&self, registry: &Arc<Registry>, index: Option<usize>, spare: bool) -> io::Result<()> {
        let Some(pinned) = self.begin(registry, index) else {
            return Ok(());
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
            thread: Box::new(thread),
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
        let occupancy = &registry.occupancy;
        // Again, under the lock: a pool that has grown meanwhile has found this thread alive.
        live::is_surplus(occupancy, pinned.index, idle)
            && lock(&self.slots).live.retire(occupancy, pinned.index)
    }

    /// The queue of the thread of `index`, if it lives.
    pub(crate) fn pinned(&self, index: usize) -> Option<Arc<Pinned>> {
        lock(&self.slots).live.get(index)
    }

    /// Waits for every thread to end, and calls `work` now and then meanwhile. A pool dropped by
    /// one of its own threads leaves that one to end by itself, and those that were enrolled go on
    /// without it.
    pub(crate) fn join(&self, own: Option<usize>, work: impl Fn() -> bool) {
        let mut slots = lock(&self.slots);
        let others = |slots: &Slots| {
            let mut live = slots.live.iter();
            slots.live.has_retiring()
                || live.any(|pinned| Some(pinned.index) != own && !pinned.is_enrolled())
        };
        while others(&slots) {
            drop(slots);
            while work() {}
            slots = lock(&self.slots);
            if others(&slots) {
                // Pools end seldom, so nobody tells that there is work again.
                (slots, _) = self
                    .ended
                    .wait_timeout(slots, LOOK)
                    .unwrap_or_else(PoisonError::into_inner);
            }
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

impl Registry {
    /// Sets the number of threads of this registry alone to what `change` makes of it.
    pub(crate) fn resize_own(
        self: &Arc<Self>,
        change: &dyn Fn(usize) -> usize,
    ) -> io::Result<usize> {
        // Relaxed: the flag guards nothing.
        self.threads.is_sized.store(true, Ordering::Relaxed);
        let mut threads = self.occupancy.change_target(change);
        // Whoever waits in a pool that has ended since would take these for threads that come. It
        // is seen here, or the end's own change comes later: `change_target`.
        if self.is_terminated() {
            threads = self.occupancy.change_target(|_| 0);
        }
        let started = self.threads.populate(self, threads);
        let started = started.map_err(|(started, error)| {
            // Nobody is to wait for threads that are not there.
            self.occupancy.change_target(|now| now.min(started));
            error
        });
        // The idle ones see whether they are still wanted, the waiting ones whether there is
        // anybody left but them.
        self.sleep.wake_all();
        self.waiters.wake_all();
        started.map(|()| threads)
    }
}

#[cfg(all(test, not(heartbeat_loom)))]
mod tests {
    use crate::pool::ThreadPool;

    /// As where a thread that waits asks for refused threads, and the pool ends just then.
    #[test]
    fn a_pool_that_has_ended_counts_on_no_threads() {
        let pool = ThreadPool::builder().num_threads(1).build().unwrap();
        let registry = pool.registry().clone();
        drop(pool);
        assert_eq!(registry.resize_own(&|_| 2).unwrap(), 0);
        assert_eq!(registry.occupancy.target(), 0);
    }
}
