//! The order of others' work in a pool whose threads run their newest first: of each thread the
//! oldest is next, be it a fork, a job or a scope's ticket. Whatever a piece of work waits for that
//! its thread had queued before it, is then taken before it, and no thread blocks on what no other
//! is left for. The order is that of a rayon thread's deque.
//!
//! Forks, jobs and tickets lie in queues of their own, so who has taken one looks whether an older
//! one lies in the others: what was queued before is there to be seen by then.

use super::Worker;
use super::work::Found;
use crate::job::{Age, Job};
use crate::lanes::lane::Lane;
use crate::queue::forks::ForkPtr;
use crate::schedule::News;
use crate::seat::Seat;
use crate::threads::this_thread::Stranger;

impl Worker {
    /// Whether the pool's work goes by age.
    pub(crate) fn goes_by_age(&self) -> bool {
        self.seat.elders.is_some()
    }

    /// Takes a scope's ticket, or what the same thread has queued before it.
    pub(super) fn take_ticket(&self) -> Option<Found> {
        let ticket = self.pop_ticket()?;
        let Some(older) = ticket.age().and_then(|age| self.take_older_than(age)) else {
            self.count_taken(Lane::Frame);
            return Some(Found::Job(ticket));
        };
        self.put_back(ticket);
        Some(older)
    }

    fn pop_ticket(&self) -> Option<Job> {
        let injector = self.registry.injector(self.team(), Lane::Frame)?;
        injector.pop_part()
    }

    /// Queues `ticket` again, and tells those who have looked for it meanwhile.
    fn put_back(&self, ticket: Job) {
        _ = self.registry.inject(Lane::Frame, ticket);
        self.tell(News::at_once(Lane::Frame));
    }

    /// Takes a fork or a job of another thread that is older than `age`, which is of that thread.
    fn take_older_than(&self, age: Age) -> Option<Found> {
        self.find_seat(Lane::Frame, |seat| {
            if seat.thread != age.thread || seat.thread == self.seat.thread {
                return None;
            }
            if seat.fork_lane() == Lane::Frame {
                match seat.steal_fork_before(age) {
                    Ok(Some(fork)) => return Some(self.older_or_fork(seat, fork)),
                    Ok(None) => {}
                    Err(()) => self.tell(News::at_once(Lane::Frame)),
                }
            }
            let has_older = seat.has_jobs_before(age);
            has_older.then(|| seat.stealer.steal().map(Found::Job))?
        })
    }

    /// Takes what the thread of `seat` has queued before the jobs that it has spawned.
    pub(super) fn take_before_jobs(&self, seat: &Seat) -> Option<Found> {
        let is_first = self.goes_by_age()
            && !seat.stealer.is_empty()
            && seat.fork_lane() == Lane::Frame
            && !seat.has_older_jobs();
        is_first.then(|| self.take_older_or_fork(seat))?
    }

    /// Takes the oldest fork of `seat`, or what its thread has queued before it.
    pub(super) fn take_older_or_fork(&self, seat: &Seat) -> Option<Found> {
        Some(self.older_or_fork(seat, seat.steal_fork()?))
    }

    fn older_or_fork(&self, seat: &Seat, fork: ForkPtr) -> Found {
        let Some(job) = self.take_before(seat, fork.age()) else {
            return Found::Fork(fork);
        };
        seat.returned.give_back(fork);
        self.tell(News::at_once(seat.fork_lane()));
        Found::Job(job)
    }

    /// Takes a job or a ticket that the thread of `seat` has queued before a fork of this `age`.
    pub(crate) fn take_before(&self, seat: &Seat, age: Age) -> Option<Job> {
        if !self.goes_by_age() {
            return None;
        }
        // Who takes the fork sees all that its owner did before it.
        self.ticket_that(|ticket| ticket.is_before(age))
            .or_else(|| {
                let has_jobs = seat.has_jobs_before(age);
                has_jobs.then(|| seat.stealer.steal())?
            })
    }

    /// Runs `job`, which the thread of some fork had queued before that, and what it queues, `until`
    /// that is no use.
    pub(crate) fn run_older(&self, job: Job, until: impl Fn() -> bool) {
        let _stranger = Stranger::begin();
        let (start, before) = (self.joins.next_age(&self.seat), self.deque.len());
        self.run_piece(Found::Job(job));
        while !until() {
            if self.deque.len() > before && self.run_spawned() {
                continue;
            }
            let Some(ticket) = self.ticket_that(|age| start.is_before(age)) else {
                return;
            };
            self.run_piece(Found::Job(ticket));
        }
    }

    /// Takes a ticket whose age `is_wanted`.
    fn ticket_that(&self, is_wanted: impl Fn(Age) -> bool) -> Option<Job> {
        let injector = self.registry.injector(self.team(), Lane::Frame)?;
        for _ in 0..injector.len() {
            let ticket = self.pop_ticket()?;
            if ticket.age().is_some_and(&is_wanted) {
                return Some(ticket);
            }
            self.put_back(ticket);
        }
        None
    }

    /// Takes what a thread of the pool has queued, if there is something.
    pub(super) fn take_from_inside(&self) -> Option<Found> {
        self.take_ticket().or_else(|| self.steal(Lane::Frame))
    }

    /// Runs one piece of what the threads of the pool have queued, its own first, if there is some.
    ///
    /// For a thread that waits where all others have been blocked for long: they may be blocked on
    /// just that.
    pub(super) fn run_one_from_inside(&self) -> bool {
        if self.run_spawned() {
            return true;
        }
        let _stranger = Stranger::begin();
        let found = self.take_from_inside();
        let any = found.is_some();
        found.into_iter().for_each(|found| self.run_piece(found));
        any
    }
}
