//! What a scope's owner, its jobs and its tickets share: its own queue, and its completion.
//!
//! It keeps no pointer to what the scope borrows, so a ticket or a waker may keep it for longer,
//! and its worker uses it for one scope after another.

use crate::job::Job;
use crate::lane::Lane;
use crate::latch::CountLatch;
use crate::parker::Parker;
use crate::registry::Registry;
use crate::seat::Seat;
use crate::small_fn::SmallFn;
use crate::sync::{Arc, AtomicBool, Mutex, Ordering, lock};
use crate::thread_state;
use crate::tickets::{Call, Tickets};
use crate::unwind::{self, Payload};
use async_task::Runnable;
use concurrent_queue::ConcurrentQueue;
use std::cell::Cell;

/// One piece of a scope's work. It is only run by threads that keep the scope's core alive, so it
/// needs no pointer of its own to it.
pub(crate) enum ScopedJob {
    /// A closure, which may unwind.
    Closure(SmallFn),
    /// One run of a future.
    Run(Runnable),
}

pub(crate) struct ScopeCore {
    pub(crate) registry: Arc<Registry>,
    pub(crate) lane: Lane,
    pub(crate) queue: ConcurrentQueue<ScopedJob>,
    pub(crate) tickets: Tickets,
    pub(crate) latch: CountLatch,
    panic: Mutex<Option<Payload>>,
    /// The owner's seat.
    pub(crate) owner: Arc<Seat>,
    /// Whether the owner calls nobody for what it spawns, as long as it is likely to be through with it sooner.
    is_held: AtomicBool,
}

impl ScopeCore {
    pub(crate) fn new(
        registry: Arc<Registry>,
        lane: Lane,
        parker: Arc<Parker>,
        owner: Arc<Seat>,
    ) -> Self {
        Self {
            registry,
            lane,
            queue: ConcurrentQueue::unbounded(),
            tickets: Tickets::new(),
            latch: CountLatch::new(parker),
            panic: Mutex::new(None),
            owner,
            is_held: AtomicBool::new(false),
        }
    }

    /// Queues a job and, unless there is one, the ticket that `ticket` makes.
    pub(crate) fn push(&self, job: ScopedJob, ticket: impl FnOnce() -> Job) {
        // The queue is unbounded and never closed.
        let _ = self.queue.push(job);
        self.owner.counters.push();
        if self.is_held_here() {
            return;
        }
        let occupancy = &self.registry.occupancy;
        // In a pool with no threads there is nobody but the owner.
        let owner_may = || occupancy.target() == 0 || occupancy.has_room();
        match self.tickets.pushed(owner_may) {
            Call::Owner => self.latch.wake_owner(),
            Call::Ticket => self.announce(ticket()),
            Call::Nobody => {}
        }
    }

    /// Whether the calling thread, the owner, keeps to itself what is queued.
    fn is_held_here(&self) -> bool {
        // Relaxed: only the owner's own writes matter, for others ask in vain. Before it sleeps it looks at the
        // queue, so what it kept to itself is not forgotten.
        self.is_held.load(Ordering::Relaxed)
            && thread_state::with_current(|worker| {
                worker.is_some_and(|worker| Arc::ptr_eq(&worker.seat, &self.owner))
            })
    }

    /// The owner calls nobody for what it spawns, until [`let_go`](Self::let_go). Owner only.
    pub(crate) fn hold(&self) {
        self.is_held.store(true, Ordering::Relaxed);
    }

    /// Ends what [`hold`](Self::hold) began. Owner only.
    pub(crate) fn let_go(&self) {
        if self.is_held.load(Ordering::Relaxed) {
            self.is_held.store(false, Ordering::Relaxed);
        }
    }

    fn announce(&self, ticket: Job) {
        self.registry.queue(self.lane, ticket);
        self.registry.notify_helper_within_a_beat(self.lane);
    }

    /// Before the caller gets busy: lets another thread come for what is left. A ticket that is
    /// still queued was announced when it was put there.
    pub(crate) fn offer(&self, ticket: impl FnOnce() -> Job) {
        if !self.is_held_here() && !self.queue.is_empty() && self.tickets.claim() {
            self.announce(ticket());
        }
    }

    /// Puts a ticket back for what is left. The caller must look for it later, or see to it that
    /// somebody does.
    pub(crate) fn put_back(&self, ticket: impl FnOnce() -> Job) {
        if !self.queue.is_empty() && self.tickets.claim() {
            self.registry.queue(self.lane, ticket());
        }
    }

    /// Runs `job`, which was taken from the queue, and counts it off.
    pub(crate) fn run(&self, job: ScopedJob) {
        match job {
            ScopedJob::Closure(job) => {
                if let Err(payload) = unwind::catch(|| job.call()) {
                    self.record_panic(payload);
                }
                self.latch.finish();
            }
            ScopedJob::Run(runnable) => self.counted(|| {
                runnable.run();
            }),
        }
    }

    /// Calls `f`, which runs or drops a runnable of this scope, and counts the future off if that
    /// was its end.
    pub(crate) fn counted(&self, f: impl FnOnce()) {
        let outer = (ENDED.replace(false), PANIC.take());
        // A panic may come from the drop of an output that nobody wanted.
        if let Err(payload) = unwind::catch(f) {
            self.record_panic(payload);
        }
        let ended = ENDED.replace(outer.0);
        if let Some(payload) = PANIC.replace(outer.1) {
            self.record_panic(payload);
        }
        if ended {
            self.latch.finish();
        }
    }

    pub(crate) fn record_panic(&self, payload: Payload) {
        // The first one is the caller's; later ones have been printed by the panic hook.
        let mut first = lock(&self.panic);
        if first.is_some() {
            drop(first);
            unwind::discard(payload);
        } else {
            *first = Some(payload);
        }
    }

    pub(crate) fn has_panicked(&self) -> bool {
        lock(&self.panic).is_some()
    }

    pub(crate) fn take_panic(&self) -> Option<Payload> {
        lock(&self.panic).take()
    }
}

thread_local! {
    /// Whether a scoped future was dropped in the run that is under way.
    static ENDED: Cell<bool> = const { Cell::new(false) };
    /// What a scoped future has panicked with in that run: for its scope, which the future does
    /// not know.
    pub(super) static PANIC: Cell<Option<Payload>> = const { Cell::new(None) };
}

/// Reports that a scoped future was dropped.
pub(crate) struct End;

impl Drop for End {
    fn drop(&mut self) {
        // Not to the latch: the run that drops the future still holds its output, which may
        // borrow as well. `ScopeCore::counted` passes it on when that is over.
        ENDED.set(true);
    }
}

impl std::fmt::Debug for ScopeCore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ScopeCore")
            .field("lane", &self.lane)
            .field("queued", &self.queue.len())
            .field("latch", &self.latch)
            .finish_non_exhaustive()
    }
}
