//! The order of others' work in a pool whose threads run their newest first: of each thread the
//! oldest is next, be it a fork, a job or a scope's ticket. Whatever a piece of work waits for that
//! its thread had queued before it, is then taken before it, and no thread blocks on what no other
//! is left for. The order is that of a rayon thread's deque.
//!
//! Forks, jobs and tickets lie in queues of their own, so who has taken one looks whether an older
//! one lies in the others: what was queued before is there to be seen by then. What has to wait for
//! that lies among the tickets, or, if it is a fork, among those that came back.

use super::Worker;
use super::work::Found;
use crate::job::{Age, Aged, Job};
use crate::lanes::lane::Lane;
use crate::queue::forks::ForkPtr;
use crate::schedule::News;
use crate::seat::Seat;
use crate::sync::Arc;
use crate::threads::this_thread::Stranger;
use std::mem;

impl Worker {
    /// Whether the pool's work goes by age.
    pub(crate) fn goes_by_age(&self) -> bool {
        self.seat.elders.is_some()
    }

    /// Takes what a thread of the pool has queued, if there is something.
    pub(super) fn take_from_inside(&self) -> Option<Found> {
        let found = self.take_ticket().or_else(|| self.steal(Lane::Frame))?;
        if let Found::Job(job) = &found
            && job.stands_for_others()
        {
            self.count_taken(Lane::Frame);
        }
        Some(found)
    }

    /// Takes a scope's ticket, or what the same thread has queued before it.
    fn take_ticket(&self) -> Option<Found> {
        let ticket = self.pop_ticket()?;
        let seat = ticket.age().and_then(|age| self.others_seat(age.thread));
        Some(match seat {
            Some(seat) => self.oldest_or(&seat, ticket),
            None => Found::Job(ticket.item),
        })
    }

    fn pop_ticket(&self) -> Option<Aged<Job>> {
        let injector = self.registry.injector(self.team(), Lane::Frame)?;
        injector.pop_aged_part()
    }

    /// The seat of another thread, by its number.
    fn others_seat(&self, thread: u32) -> Option<Arc<Seat>> {
        self.refresh_seats();
        let seats = self.search.seats.borrow();
        let is_its = |seat: &&Arc<Seat>| seat.thread == thread && thread != self.seat.thread;
        seats.1.iter().find(is_its).cloned()
    }

    /// Queues `job` again, and tells those who have looked for it meanwhile.
    fn put_back(&self, job: Aged<Job>) {
        _ = self.registry.inject_aged(Lane::Frame, job);
        self.tell(News::at_once(Lane::Frame));
    }

    /// Takes the oldest job of `seat`, or what its thread has queued before it.
    pub(super) fn take_oldest(&self, seat: &Seat) -> Option<Found> {
        Some(self.oldest_or(seat, seat.stealer.steal()?))
    }

    /// Takes the oldest fork of `seat`, or what its thread has queued before it.
    pub(super) fn take_fork_or_older(&self, seat: &Seat) -> Option<Found> {
        Some(self.older_or_fork(seat, seat.steal_fork()?))
    }

    /// The oldest of what the thread of `seat` has queued, which is `job` unless there is older.
    fn oldest_or(&self, seat: &Seat, mut job: Aged<Job>) -> Found {
        while let Some(age) = job.age() {
            if seat.fork_lane() == Lane::Frame {
                match seat.steal_fork_before(age) {
                    Ok(Some(fork)) => {
                        self.put_back(job);
                        return self.older_or_fork(seat, fork);
                    }
                    Ok(None) => {}
                    Err(()) => self.tell(News::at_once(Lane::Frame)),
                }
            }
            match self.take_job_before(seat, age) {
                Some(older) => self.put_back(mem::replace(&mut job, older)),
                None => break,
            }
        }
        Found::Job(job.item)
    }

    /// The same of a fork.
    fn older_or_fork(&self, seat: &Seat, fork: ForkPtr) -> Found {
        let Some(job) = self.take_job_before(seat, fork.age()) else {
            return Found::Fork(fork);
        };
        seat.returned.give_back(fork);
        self.tell(News::at_once(seat.fork_lane()));
        self.oldest_or(seat, job)
    }

    /// Takes a job or a ticket that the thread of `seat` has queued before this `age`.
    fn take_job_before(&self, seat: &Seat, age: Age) -> Option<Aged<Job>> {
        self.take_job_between(seat, None, age)
    }

    /// The same, and after `start` if there is one.
    pub(crate) fn take_job_between(
        &self,
        seat: &Seat,
        start: Option<Age>,
        age: Age,
    ) -> Option<Aged<Job>> {
        if !self.goes_by_age() {
            return None;
        }
        // Who has taken something sees all that its thread did before it.
        let is_between =
            |job: Age| job.is_before(age) && start.is_none_or(|start| start.is_before(job));
        self.ticket_that(is_between).or_else(|| {
            let may_be = seat.has_jobs_before(age);
            let job = may_be.then(|| seat.stealer.steal())??;
            if job.age().is_some_and(is_between) {
                return Some(job);
            }
            self.put_back(job);
            None
        })
    }

    /// Takes a ticket whose age `is_wanted`.
    fn ticket_that(&self, is_wanted: impl Fn(Age) -> bool) -> Option<Aged<Job>> {
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
            self.run_piece(Found::Job(ticket.item));
        }
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
