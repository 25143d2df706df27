//! Running a scope's work: by its owner, which waits, and by workers that its tickets call.

use super::core::{ScopeCore, ScopedJob};
use crate::age::{Age, HasAge};
use crate::cost;
use crate::job::{Job, Pointer};
use crate::parker::Parker;
use crate::queue::mailbox::Mailbox;
use crate::sync::{Arc, Instant};
use crate::trace;
use crate::worker::turns::Turns;
use crate::worker::wait::Wait;
use crate::worker::{Found, Worker};
use heartbeat_record::Work;
use std::cell::Cell;
use std::mem::ManuallyDrop;
use std::ptr::NonNull;

/// The job through which workers find a scope. It stands for the whole scope, and is queued at
/// most once at a time. The pointer, whose address is the core's [number](ScopeCore::number), is an
/// `Arc`'s raw form, with a count of its own.
#[repr(transparent)]
pub(super) struct Ticket(NonNull<ScopeCore>);

// SAFETY: as an `Arc` of the core, which is `Send` and `Sync`.
unsafe impl Send for Ticket where Arc<ScopeCore>: Send {}

impl Ticket {
    pub(super) fn job(core: &Arc<ScopeCore>) -> Job {
        let raw = Arc::into_raw(core.clone()).cast_mut();
        // SAFETY: `Arc::into_raw` is never null.
        Job::new(Self(unsafe { NonNull::new_unchecked(raw) }))
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        // SAFETY: it is from `Arc::into_raw`, and used no more; `run` forgets the ticket.
        drop(unsafe { Arc::from_raw(self.0.as_ptr()) });
    }
}

// SAFETY: it is such a pointer.
unsafe impl Pointer for Ticket {
    const STANDS_FOR_OTHERS: bool = true;

    fn run(self) {
        let this = ManuallyDrop::new(self);
        // SAFETY: as in `drop`, which doesn't come.
        let core = unsafe { Arc::from_raw(this.0.as_ptr()) };
        core.tickets.taken();
        Worker::with_current(|worker| {
            let Some(worker) = worker else { return };
            if let Some(owner) = &core.owner {
                worker.stretch.set_helped(owner);
            }
            let is_one = worker.takes_one_piece();
            let mut turns = Turns::since(worker.stretch.start_of_first());
            // Before each job a ticket for the rest was queued, and for what came after that
            // somebody was called. A thread whose help is wasted is shy now, and looks again within
            // a beat. The scope's work may go on for ever, until others' has run.
            let mut leaves = || {
                if turns.count_some() && turns.is_over() {
                    worker.give_strangers_a_turn();
                    return true;
                }
                is_one || worker.is_wasted() || worker.is_one_too_many(core.lane)
            };
            while run_next(&core, worker) && !leaves() {}
        });
    }
}

/// Runs a job of the scope. Tells whether there was one.
#[inline]
pub(super) fn run_one(core: &Arc<ScopeCore>, worker: &Worker) -> bool {
    let Some(job) = core.jobs.pop() else {
        return false;
    };
    run(core, worker, job);
    true
}

// Always, for at its call alone a small job would take a tenth longer.
#[inline(always)]
fn run(core: &Arc<ScopeCore>, worker: &Worker, job: ScopedJob) {
    core.offer();
    worker.count_job();
    let begun = core.owner.is_none().then(Instant::now);
    trace::job(Work::Scoped, core.lane, core.number(), || core.run(job));
    if let Some(begun) = begun {
        core.left_job_took(begun.elapsed());
    }
}

/// The same for another thread than the owner, where jobs have ages: first what the calling thread
/// has queued since the newest that it has here, and what the job's thread has queued before it.
fn run_next(core: &Arc<ScopeCore>, worker: &Worker) -> bool {
    let Some(stacks) = core.jobs.stacks() else {
        return run_one(core, worker);
    };
    // One look under the scope's lock, which its threads fight for if its jobs are short.
    let Some((job, newest_own)) = stacks.pop() else {
        return false;
    };
    let newer = |own| worker.take_new_but(Arc::as_ptr(core).cast(), Some(own));
    let other = match newest_own.and_then(newer) {
        Some(newer) => Some(Found::Job(newer.item)),
        None => job.age().and_then(|age| take_older(core, worker, age)),
    };
    match other {
        Some(other) => {
            core.put_back_job(worker, stacks, job);
            worker.run_piece(other);
        }
        None => run(core, worker, job.item),
    }
    true
}

/// What the thread of a job of this `age` has queued before that. The scope's own ticket, whose age
/// may be that of a job which was taken since, is not: it stands for no other.
fn take_older(core: &Arc<ScopeCore>, worker: &Worker, age: Age) -> Option<Found> {
    loop {
        match worker.take_older(age)? {
            Found::Job(ticket) if ticket.number() == core.number() => core.drop_ticket(),
            older => return Some(older),
        }
    }
}

/// The owner's wait for its scope.
pub(super) struct Completion<'a> {
    core: &'a Arc<ScopeCore>,
    mailboxes: &'a [&'a Arc<Mailbox>],
    /// Which of them is looked at first: what lies in one may go on for ever.
    first: Cell<usize>,
    /// When the count of jobs began: once there were some to help with.
    start: Cell<Option<Instant>>,
    jobs: Cell<u32>,
    /// The number of jobs after which the clock is read next.
    next_look: Cell<u32>,
}

impl<'a> Completion<'a> {
    pub(super) fn new(core: &'a Arc<ScopeCore>, mailboxes: &'a [&'a Arc<Mailbox>]) -> Self {
        let are_many = core.jobs.len() > 2;
        // Until the first one is over.
        core.set_much(are_many);
        Self {
            core,
            mailboxes,
            first: Cell::new(0),
            start: Cell::new(are_many.then(Instant::now)),
            jobs: Cell::new(0),
            next_look: Cell::new(1),
        }
    }

    /// One that is not empty; next time the ones after it come first.
    fn next_mailbox(&self) -> Option<&'a Arc<Mailbox>> {
        let first = self.first.get();
        let mut inward = (first..self.mailboxes.len()).chain(0..first);
        let found = inward.find(|index| !self.mailboxes[*index].is_empty())?;
        self.first.set((found + 1) % self.mailboxes.len());
        Some(self.mailboxes[found])
    }

    /// Wakes a helper once the work turns out to be long. The clock is read after the first job,
    /// and then the more seldom the shorter they are, so it costs short ones next to nothing.
    fn call_for_help(&self) {
        let jobs = self.jobs.get().saturating_add(1);
        self.jobs.set(jobs);
        if jobs < self.next_look.get() {
            return;
        }
        let left = self.core.jobs.len();
        if left < 2 {
            return self.core.set_much(false);
        }
        let Some(start) = self.start.get() else {
            self.start.set(Some(Instant::now()));
            self.jobs.set(0);
            return;
        };
        let elapsed = start.elapsed();
        let rest = (elapsed / jobs).saturating_mul(u32::try_from(left).unwrap_or(u32::MAX));
        let are_worth_taking = cost::is_worth_taking(jobs, elapsed);
        self.core
            .set_much(are_worth_taking && cost::is_worth_waking(rest));
        if cost::is_worth_a_call(elapsed) {
            self.core.offer();
            // The next one is the owner's.
            self.core.tell_of(self.core.team(), true, left - 1);
        }
        // Where nobody was called yet, the next ones may be longer.
        let more = if are_worth_taking { 2 } else { 16 };
        self.next_look.set(jobs.saturating_mul(more));
    }
}

impl Wait for Completion<'_> {
    fn is_done(&self) -> bool {
        self.core.is_done()
    }

    fn step(&self, worker: &Worker, is_strangers_turn: bool) -> bool {
        // Now and then a job comes first, for the same reason.
        let is_jobs_turn = is_strangers_turn && !self.core.jobs.is_empty();
        if let Some(mailbox) = self.next_mailbox().filter(|_| !is_jobs_turn) {
            self.core.offer();
            self.core.guard(|| _ = mailbox.try_tick());
            return true;
        }
        let ran = run_one(self.core, worker);
        if ran {
            self.call_for_help();
        }
        ran
    }

    fn is_ready(&self) -> bool {
        !self.core.jobs.is_empty() || self.mailboxes.iter().any(|mailbox| !mailbox.is_empty())
    }

    fn set_asleep(&self, asleep: bool) {
        self.core.set_owner_asleep(asleep);
    }

    fn unparks(&self, parker: &Arc<Parker>) -> bool {
        let mut mailboxes = self.mailboxes.iter();
        mailboxes.all(|mailbox| mailbox.unparks(parker))
    }

    fn offer(&self) {
        self.core.offer();
    }

    fn tickets(&self) -> usize {
        usize::from(!self.core.tickets.is_ticketless())
    }

    fn kind(&self) -> heartbeat_record::Wait {
        heartbeat_record::Wait::Scope
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::age::Aged;
    use crate::job::SmallFn;
    use crate::pool::ThreadPool;
    use crate::queue::deque::Order;
    use crate::queue::pinned::Pinned;
    use crate::registry::team::Rank;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::mpsc;
    use std::thread;

    /// By its number its owner takes it back. A spare thread, which comes where this one is slow,
    /// might have it in its hand just then.
    #[test]
    fn a_scope_that_is_over_leaves_no_ticket_and_its_core_is_kept() {
        let builder = ThreadPool::builder().num_threads(1).spare_threads(false);
        let pool = builder.order(Order::NewestFirst).build().unwrap();
        pool.install(|worker| {
            for _ in 0..10 {
                worker.scope(|scope| scope.spawn(|| ()));
            }
            assert_eq!(worker.seat.by_age.len(), 0);
            assert_eq!(worker.kept_scopes.borrow().len(), 1);
        });
    }

    fn nothing() -> ScopedJob {
        // SAFETY: it borrows nothing.
        ScopedJob::Closure(unsafe { SmallFn::new(|| ()) })
    }

    #[test]
    fn jobs_are_offered_before_a_mailbox_is_emptied() {
        let pool = ThreadPool::builder().num_threads(0).build().unwrap();
        pool.with_worker(|worker| {
            let core = worker.take_scope_core(Order::OldestFirst);
            let mailbox = Arc::new(Mailbox::new());
            mailbox.spawn(async {}).detach();
            core.begin();
            core.jobs.push(nothing(), || None);
            let mailboxes = [&mailbox];
            let completion = Completion::new(&core, &mailboxes);
            assert!(completion.step(worker, false));
            assert!(!core.tickets.is_ticketless());
            assert!(completion.step(worker, false) && completion.is_done());
        });
        while pool.tick() {}
    }

    /// Calls `f` with a worker, and the seat of another one.
    fn with_other(f: impl FnOnce(&Worker, &Arc<crate::seat::Seat>)) {
        let builder = ThreadPool::builder()
            .num_threads(0)
            .order(Order::NewestFirst);
        let pool = builder.build().unwrap();
        let (sender, receiver) = mpsc::channel();
        let (done, is_done) = mpsc::channel::<()>();
        thread::scope(|threads| {
            let registry = pool.registry();
            threads.spawn(move || {
                let other = Worker::new(registry, Rank::Frame, Some(Arc::new(Pinned::new(0))));
                sender.send(other.seat.clone()).unwrap();
                _ = is_done.recv();
            });
            let seat = receiver.recv().unwrap();
            pool.with_worker(|worker| f(worker, &seat));
            drop(done);
        });
        while pool.tick() {}
    }

    #[test]
    fn a_job_is_back_before_an_older_one_is_run() {
        with_other(|worker, other| {
            let core = worker.take_scope_core(Order::OldestFirst);
            let age = |nth| Some(Age::new(other.thread, nth));
            core.begin();
            let stacks = core.jobs.stacks().unwrap();
            stacks.push_back(Aged::new(nothing(), age(2)));
            let seen = Arc::new(AtomicUsize::new(9));
            let (known, sees) = (core.clone(), seen.clone());
            let older = Job::new(Box::new(move || {
                sees.store(known.jobs.len(), Ordering::SeqCst);
            }));
            assert!(other.by_age.push(Aged::new(older, age(1))).is_ok());
            assert!(run_next(&core, worker));
            assert_eq!(seen.load(Ordering::SeqCst), 1);
            while run_next(&core, worker) {}
        });
    }

    #[test]
    fn a_ticket_is_no_younger_than_a_job_that_came_back() {
        with_other(|worker, other| {
            let core = worker.take_scope_core(Order::OldestFirst);
            let age = |nth| Some(Age::new(other.thread, nth));
            (0..2).for_each(|_| core.begin());
            let stacks = core.jobs.stacks().unwrap();
            stacks.push_back(Aged::new(nothing(), age(1)));
            let (job, _) = stacks.pop().unwrap();
            stacks.push_back(Aged::new(nothing(), age(2)));
            core.offer();
            assert!(other.by_age.has(|ticket| ticket.age() == age(2)));
            core.put_back_job(worker, stacks, job);
            assert!(other.by_age.has(|ticket| ticket.age() == age(1)));
            while run_next(&core, worker) {}
        });
    }
}
