//! What a scope's owner, its jobs and its tickets share: its jobs, and its completion.
//!
//! It keeps no pointer to what the scope borrows, so a ticket or a waker may keep it for longer,
//! and its worker uses it for one scope after another.

use super::jobs::Jobs;
use super::stacks::Stacks;
use super::wait::Ticket;
use crate::active::{ActiveTasks, Tracks};
use crate::age::{Age, Aged, HasAge};
use crate::cost;
use crate::idle::sleep::Wake;
use crate::job::{Job, SmallFn};
use crate::latch::CountLatch;
use crate::parker::Parker;
use crate::queue::deque::Order;
use crate::registry::Registry;
use crate::registry::team::{Rank, Team};
use crate::schedule::News;
use crate::seat::Seat;
use crate::sync::{Arc, AtomicBool, Mutex, Ordering, lock};
use crate::tickets::{Call, Tickets};
use crate::unwind::{self, Payload};
use crate::worker::ages::OwnJobs;
use crate::worker::{Worker, current};
use async_task::Runnable;
use heartbeat_record::{Lane, Place, note};
use std::cell::Cell;
use std::time::Duration;

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
    rank: Rank,
    pub(crate) lane: Lane,
    /// Of what each thread has spawned itself.
    pub(super) order: Order,
    pub(super) jobs: Jobs,
    pub(crate) tickets: Tickets,
    latch: CountLatch,
    panic: Mutex<Option<Payload>>,
    /// Whether what is queued is much work, by what the owner has seen of it in its wait: jobs that
    /// are over, or the first one, which is not. Of an owner that only waits, by the last job that
    /// was over, of this scope or of another one in the pool.
    is_much: AtomicBool,
    /// The seat of the owner, if that runs jobs of the scope while it waits.
    pub(crate) owner: Option<Arc<Seat>>,
}

impl ScopeCore {
    pub(crate) fn new(
        registry: Arc<Registry>,
        rank: Rank,
        lane: Lane,
        parker: Arc<Parker>,
        owner: Option<Arc<Seat>>,
        order: Order,
    ) -> Self {
        let by_age = registry.config.goes_by_age();
        let have_turns = registry.config.have_turns();
        let is_much = owner.is_none() && registry.left_jobs_are_long.load(Ordering::Relaxed);
        Self {
            registry,
            rank,
            lane,
            order,
            jobs: Jobs::new(order, by_age, have_turns),
            tickets: Tickets::default(),
            latch: CountLatch::new(parker),
            panic: Mutex::new(None),
            is_much: AtomicBool::new(is_much),
            owner,
        }
    }

    /// That of the threads which run its jobs.
    pub(crate) fn team(&self) -> &Team {
        self.registry.team(self.rank)
    }

    /// A number that tells it from other scopes.
    pub(super) fn number(&self) -> u64 {
        std::ptr::from_ref(self).addr() as u64
    }

    /// Counts something that the scope's end waits for.
    #[inline]
    pub(super) fn begin(&self) {
        if !self.jobs.count(|begun| begun.wrapping_add(1)) {
            self.latch.begin();
        }
    }

    #[inline]
    pub(super) fn finish(&self) {
        if !self.jobs.count(|begun| begun.wrapping_sub(1)) {
            self.latch.finish();
        }
    }

    /// Whether all that was begun is finished. Owner only.
    #[inline]
    pub(super) fn is_done(&self) -> bool {
        self.latch.is_done(self.jobs.untold())
    }

    /// The owner, which may sleep next, has the latch wake it, and must look at that once more.
    pub(super) fn settle(&self) {
        self.latch.settle(self.jobs.untold());
        self.jobs.count(|_| 0);
    }

    /// The owner, which takes jobs while it waits, is about to sleep, and must look once more for
    /// jobs and at the latch; or it no longer is.
    pub(super) fn set_owner_asleep(&self, asleep: bool) {
        if asleep {
            self.settle();
        }
        self.tickets.set_owner_asleep(asleep);
    }

    /// Queues a job and, unless there is one, a ticket.
    #[inline]
    pub(crate) fn push(self: &Arc<Self>, job: ScopedJob) {
        note::queued(self.number(), self.lane, Place::Scope);
        self.jobs.push(job, || self.new_age());
        self.pushed();
    }

    /// As [`push`](Self::push), of a task that was woken while it ran: where the newest is next, it
    /// would be next again and again.
    pub(super) fn push_again(self: &Arc<Self>, runnable: Runnable) {
        note::queued(self.number(), self.lane, Place::Scope);
        self.jobs.push_last(ScopedJob::Run(runnable));
        self.pushed();
    }

    #[inline]
    fn pushed(self: &Arc<Self>) {
        if let Some(owner) = self.owner.as_ref().filter(|_| self.jobs.are_own()) {
            owner.counters.pushes.bump();
        }
        self.call();
    }

    /// After a job was queued: calls whoever must hear of it.
    #[inline]
    fn call(self: &Arc<Self>) -> Call {
        let (occupancy, team) = (&self.team().occupancy, self.team());
        // In a pool with no threads there is nobody but the owner; nor may there be where no spare
        // thread comes.
        let is_left_alone = || self.registry.is_left_alone(team);
        let owner_may =
            || occupancy.target() == 0 || occupancy.admits(self.lane) || is_left_alone();
        let call = self.tickets.pushed(owner_may);
        match call {
            Call::Owner => self.latch.wake_owner(),
            Call::Ticket => self.announce(),
            Call::Nobody => {}
        }
        call
    }

    /// How old what the calling thread queues now is, where work goes by age.
    fn new_age(self: &Arc<Self>) -> Option<Age> {
        if self.lane != Lane::Frame {
            return None;
        }
        let own = |worker: &Worker| {
            let age = worker.is_in(self.team()).then(|| worker.new_age())?;
            age.inspect(|_| worker.remember_scope(self))
        };
        current::peek(|worker| worker.and_then(own))
    }

    /// Queues a ticket, which was claimed, and tells of it.
    #[cold]
    fn announce(self: &Arc<Self>) {
        if let Some(team) = self.queue() {
            // The owner, or whoever tells of them here, does them where nobody comes, unless they
            // are much.
            let is_in_team = |worker: Option<&Worker>| worker.is_some_and(|own| own.is_in(team));
            let comes_to_them = self.owner.is_some() || current::peek(is_in_team);
            let at_once = !comes_to_them || self.is_much();
            self.tell_of(team, at_once, self.jobs.len());
        }
    }

    /// Tells `team` of so many jobs that are queued for others.
    pub(super) fn tell_of(&self, team: &Team, at_once: bool, jobs: usize) {
        let news = if at_once {
            News::at_once(self.lane)
        } else {
            News::within_a_beat(self.lane)
        };
        let mut news = news.by(Wake::Elsewhere);
        if self.is_much() {
            news = news.for_many(jobs);
        }
        self.registry.tell(team, news);
    }

    fn is_much(&self) -> bool {
        // Relaxed, as in `set_much`: a guess.
        self.is_much.load(Ordering::Relaxed)
    }

    pub(super) fn set_much(&self, is_much: bool) {
        if self.is_much() != is_much {
            self.is_much.store(is_much, Ordering::Relaxed);
        }
    }

    /// After a job of an owner that only waits, which has taken `time`.
    pub(super) fn left_job_took(&self, time: Duration) {
        let is_long = cost::is_worth_a_call(time);
        self.set_much(is_long);
        let are_long = &self.registry.left_jobs_are_long;
        // Relaxed, as in `set_much`.
        if are_long.load(Ordering::Relaxed) != is_long {
            are_long.store(is_long, Ordering::Relaxed);
        }
    }

    /// Queues a ticket, which was claimed, unless others have taken all jobs meanwhile: a thread
    /// that queues the next one makes a ticket of its age. Gives the team that is to take it.
    fn queue(self: &Arc<Self>) -> Option<&Team> {
        loop {
            let next = self.jobs.stacks().map_or(Some(None), Stacks::next);
            if let Some(age) = next {
                let ticket = Aged::new(Ticket::job(self), age);
                return Some(self.registry.queue_ticket(self.team(), self.lane, ticket));
            }
            self.tickets.taken();
            if self.jobs.is_empty() || !self.tickets.claim() {
                return None;
            }
        }
    }

    /// Takes back the ticket that `worker`, the owner, has queued, if it is there still. Whether
    /// none is left that would stand for another scope's jobs by its age.
    pub(super) fn is_clear(&self, worker: &Worker) -> bool {
        if !worker.goes_by_age() || !worker.is_member() {
            return true;
        }
        let is_its = |ticket: &Aged<Job>| ticket.item.number() == self.number();
        if worker.seat.by_age.take(is_its).is_some() {
            self.drop_ticket();
        }
        self.tickets.is_ticketless()
    }

    /// A ticket that was taken will not be run: its jobs are taken in another way.
    pub(super) fn drop_ticket(&self) {
        self.registry.queue_times.begun(self.lane, self.number());
        self.tickets.taken();
    }

    /// Before the caller gets busy: lets another thread come for what is left. A ticket that is
    /// still queued was announced when it was put there.
    #[inline(always)]
    pub(crate) fn offer(self: &Arc<Self>) {
        if self.tickets.is_ticketless() && !self.jobs.is_empty() && self.tickets.claim() {
            self.announce();
        }
    }

    /// Puts back a job that `worker` has taken of another thread's in `stacks`, the scope's. A
    /// ticket that was queued meanwhile stands for it as well.
    pub(super) fn put_back_job(
        self: &Arc<Self>,
        worker: &Worker,
        stacks: &Stacks<ScopedJob>,
        job: Aged<ScopedJob>,
    ) {
        let age = job.age();
        stacks.push_back(job);
        if self.call() == Call::Nobody
            && let Some(age) = age
        {
            worker.renew_ticket(self.number(), age);
        }
    }

    /// Runs `job` and counts it off.
    // Always: what the job is made of is at hand where it was taken, and at a call goes by memory.
    #[inline(always)]
    pub(crate) fn run(&self, job: ScopedJob) {
        match job {
            ScopedJob::Closure(job) => {
                self.guard(|| job.run());
                self.finish();
            }
            ScopedJob::Run(runnable) => self.counted(|| {
                runnable.run();
            }),
        }
    }

    /// Calls `f`, which runs or drops a runnable of this scope, and counts the future off if that
    /// was its end.
    pub(crate) fn counted(&self, f: impl FnOnce()) {
        let outer = ENDED.replace(false);
        // A panic may come from the drop of an output that nobody wanted.
        self.guard(f);
        if ENDED.replace(outer) {
            self.finish();
        }
    }

    /// Calls `f`, whose panic goes to the scope's owner.
    // Always, as `run`.
    #[inline(always)]
    pub(super) fn guard(&self, f: impl FnOnce()) {
        if let Err(payload) = unwind::catch(f) {
            self.record_panic(payload);
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

    pub(crate) fn take_panic(&self) -> Option<Payload> {
        lock(&self.panic).take()
    }
}

thread_local! {
    /// Whether a scoped future was dropped in the run that is under way.
    static ENDED: Cell<bool> = const { Cell::new(false) };
}

/// What an awaiting task gets in place of a payload that the scope has taken.
#[derive(Debug)]
struct ScopePanicked;

impl Tracks for ScopeCore {
    fn active(&self) -> Option<&ActiveTasks> {
        None
    }

    fn panicked(&self, payload: Payload) -> Payload {
        self.record_panic(payload);
        Box::new(ScopePanicked)
    }

    fn ended(&self) {
        // Not to the latch: the run that drops the future still holds its output, which may
        // borrow as well. `counted` passes it on when that is over.
        ENDED.set(true);
    }
}

impl OwnJobs for ScopeCore {
    fn newest_own(&self) -> Option<Age> {
        self.jobs.stacks()?.newest_own()
    }

    fn take_own(self: Arc<Self>, is_wanted: &dyn Fn(Age) -> bool) -> Option<Aged<Job>> {
        let job = self.jobs.stacks()?.take_own(is_wanted)?;
        self.offer();
        let age = job.age();
        Some(Aged::new(self.apart(job.item), age))
    }
}
