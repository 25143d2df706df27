//! The order of others' work in a pool whose threads run their newest first: of each thread the
//! oldest is next, be it a fork, a job or a scope's ticket. Whatever a piece of work waits for that
//! its thread had queued before it, is then taken before it, and no thread blocks on what no other
//! is left for. The order is that of a rayon thread's deque.
//!
//! Forks, jobs and tickets lie in queues of their own, so a thread that has taken one looks whether
//! an older one lies in the others: what was queued before is there to be seen by then. If there
//! is, it puts the younger one back: a fork into `returned`, anything else into `by_age`. A scope
//! has one ticket, with the thread that has queued the job which is next: another thread's jobs
//! there are not seen as that one's oldest, but by that thread itself.

use super::Worker;
use super::work::{Found, STRANGERS_TURN};
use crate::age::{Age, Aged, HasAge};
use crate::job::Job;
use crate::queue::forks::Offered;
use crate::schedule::News;
use crate::seat::Seat;
use crate::sync::Arc;
use crate::threads::this_thread::Stranger;
use heartbeat_record::{Lane, Place, note};
use std::ptr;
use std::sync::Weak;

/// A scope, to a thread that has queued jobs there.
pub(crate) trait OwnJobs: Send + Sync {
    /// How old the newest job is that the calling thread has there.
    fn newest_own(&self) -> Option<Age>;
    /// Takes the one that is next of these, if its age `is_wanted`.
    fn take_own(self: Arc<Self>, is_wanted: &dyn Fn(Age) -> bool) -> Option<Aged<Job>>;
}

impl Worker {
    pub(crate) fn goes_by_age(&self) -> bool {
        self.registry.config.goes_by_age()
    }

    /// Takes what a thread of the pool has queued, if there is something: what is the caller's own
    /// first, and then of one thread after the other the oldest, be it a ticket, a fork or a job,
    /// for any of these may come without end.
    pub(super) fn take_from_inside(&self) -> Option<Found> {
        let from_seat = |seat: &Arc<Seat>| match seat.take_ticket(|_| true) {
            Some(ticket) => Some(self.oldest_or(seat, ticket)),
            None if self.is_wasted() => None,
            None => {
                let shared = self.take_shared_of(seat, Lane::Frame);
                shared.or_else(|| self.steal_job_from(seat))
            }
        };
        self.take_own_ticket()
            .or_else(|| self.find_seat(Lane::Frame, from_seat))
    }

    fn take_own_ticket(&self) -> Option<Found> {
        let ticket = self.seat.take_ticket(|_| true);
        // Others' have turns, for the thread's own may spawn each other without end.
        let is_own_turn = !self.registry.config.have_turns()
            || !self.search.ticks.get().is_multiple_of(STRANGERS_TURN);
        let own =
            ticket.or_else(|| is_own_turn.then(|| self.take_scoped(ptr::null(), &|_| true))?)?;
        self.begin_helping(Lane::Frame);
        Some(Found::Job(own.item))
    }

    /// Remembers that the thread has queued a job on `scope`.
    pub(crate) fn remember_scope<S: OwnJobs + 'static>(&self, scope: &Arc<S>) {
        let mut scopes = self.joins.scopes.borrow_mut();
        let is_it = |known: &Weak<dyn OwnJobs>| ptr::addr_eq(known.as_ptr(), Arc::as_ptr(scope));
        if scopes.iter().rev().any(is_it) {
            return;
        }
        // Now and then, the more seldom the more there are.
        if scopes.len().is_power_of_two() {
            scopes.retain(|known| {
                known
                    .upgrade()
                    .is_some_and(|known| known.newest_own().is_some())
            });
        }
        let scope: Weak<S> = Arc::downgrade(scope);
        scopes.push(scope);
    }

    /// Takes a job that the thread has queued on a scope, whose ticket may lie elsewhere: of the
    /// scope where its newest one is.
    fn take_scoped(&self, but: *const (), is_wanted: &dyn Fn(Age) -> bool) -> Option<Aged<Job>> {
        loop {
            // Not borrowed as it is taken: that tells of what is left, which may start a thread.
            let (_, scope) = self.newest_scope(but, is_wanted)?;
            if let Some(job) = scope.take_own(is_wanted) {
                return Some(job);
            }
            // Another thread has taken it meanwhile.
        }
    }

    pub(super) fn newest_scope(
        &self,
        but: *const (),
        is_wanted: &dyn Fn(Age) -> bool,
    ) -> Option<(Age, Arc<dyn OwnJobs>)> {
        let scopes = self.joins.scopes.borrow();
        let others = scopes
            .iter()
            .filter(|known| !ptr::addr_eq(known.as_ptr(), but));
        let scopes = others.filter_map(Weak::upgrade);
        let newest = scopes.filter_map(|scope| Some((scope.newest_own()?, scope)));
        let wanted = newest.filter(|(age, _)| is_wanted(*age));
        wanted.reduce(
            |one, other| {
                if one.0.is_before(other.0) { other } else { one }
            },
        )
    }

    /// Queues `ticket` by its age. Gives back what lies elsewhere, as no thread of the pool is
    /// known to have queued it.
    pub(super) fn queue_by_age(&self, ticket: Aged<Job>) -> Option<Job> {
        let Some(seat) = ticket.age().and_then(|age| self.seat_of(age)) else {
            return Some(ticket.item);
        };
        let number = ticket.item.number();
        note::queued(number, Lane::Frame, Place::Own);
        self.registry.queue_times.queued(Lane::Frame, number);
        // Refused where its thread has left.
        seat.by_age.push(ticket).err().map(|refused| refused.item)
    }

    /// Lets the ticket of this `number` be no younger than `age`, of a job that it stands for.
    pub(crate) fn renew_ticket(&self, number: u64, age: Age) {
        if let Some(seat) = self.seat_of(age) {
            seat.by_age.renew(|ticket| ticket.number() == number, age);
        }
    }

    fn seat_of(&self, age: Age) -> Option<Arc<Seat>> {
        self.refresh_seats();
        let seats = self.search.seats.borrow();
        let mut seats = seats.1.iter();
        seats.find(|seat| seat.thread == age.thread()).cloned()
    }

    /// Puts back what was taken from `seat`, and tells those who have looked for it meanwhile.
    fn put_back(&self, seat: &Seat, job: Aged<Job>) {
        if let Err(refused) = seat.by_age.push(job) {
            // Its thread has left.
            _ = self.registry.inject(Lane::Frame, refused.item);
        }
        self.tell(News::at_once(Lane::Frame));
    }

    /// The same of a fork.
    pub(crate) fn put_back_fork(&self, seat: &Seat, fork: Offered) {
        seat.returned.give_back(fork);
        self.tell(News::at_once(seat.fork_lane()));
    }

    /// The oldest of what the thread of `seat` has queued, which is `job` unless there is older.
    pub(super) fn oldest_or(&self, seat: &Seat, job: Aged<Job>) -> Found {
        let Some(older) = job.age().and_then(|age| self.take_older_of(seat, age)) else {
            return Found::Job(job.item);
        };
        self.put_back(seat, job);
        older
    }

    /// The same of a fork.
    pub(super) fn older_or_fork(&self, seat: &Seat, fork: Offered) -> Found {
        // Forks of other lanes have no frame jobs beside them.
        let age = fork.age().filter(|_| seat.fork_lane() == Lane::Frame);
        let Some(older) = age.and_then(|age| self.take_older_of(seat, age)) else {
            return Found::Fork(fork);
        };
        self.put_back_fork(seat, fork);
        older
    }

    /// Takes what another thread has queued before it has queued something at this `age`.
    pub(crate) fn take_older(&self, age: Age) -> Option<Found> {
        let seat = self.seat_of(age)?;
        let is_own = Arc::ptr_eq(&seat, &self.seat);
        (!is_own).then(|| self.take_older_of(&seat, age))?
    }

    /// The same, of the thread of `seat`.
    fn take_older_of(&self, seat: &Seat, age: Age) -> Option<Found> {
        if !self.goes_by_age() {
            return None;
        }
        if let Some(job) = self.take_job_between(seat, None, age) {
            return Some(self.oldest_or(seat, job));
        }
        if seat.fork_lane() != Lane::Frame {
            return None;
        }
        match seat.steal_fork_before(age) {
            Ok(fork) => Some(self.older_or_fork(seat, fork?)),
            Err(()) => {
                self.tell(News::at_once(Lane::Frame));
                None
            }
        }
    }

    /// Takes a job or a ticket that the thread of `seat` has queued before this `age`, and after
    /// `start` if there is one.
    pub(crate) fn take_job_between(
        &self,
        seat: &Seat,
        start: Option<Age>,
        age: Age,
    ) -> Option<Aged<Job>> {
        if !self.goes_by_age() {
            return None;
        }
        let is_between =
            |job: Age| job.is_before(age) && start.is_none_or(|start| start.is_before(job));
        // A thread that has taken something sees all that its thread did before it.
        seat.take_ticket(is_between).or_else(|| {
            let may_be = seat.stealer.oldest().is_some_and(is_between);
            let job = may_be.then(|| seat.stealer.steal())??;
            if job.age().is_some_and(is_between) {
                return Some(job);
            }
            self.put_back(seat, job);
            None
        })
    }

    /// Runs `job`, which the thread of some fork had queued before that, and what it queues,
    /// `until` that is no use.
    pub(crate) fn run_older(&self, job: Job, until: impl Fn() -> bool) {
        let _stranger = Stranger::begin();
        let start = self.joins.next_age(&self.seat);
        self.run_piece(Found::Job(job));
        while !until()
            && let Some(next) = self.take_new(Some(start))
        {
            self.run_piece(Found::Job(next.item));
        }
    }

    /// Takes the newest that the thread itself has queued, `since` this age if there is one.
    pub(crate) fn take_new(&self, since: Option<Age>) -> Option<Aged<Job>> {
        self.take_new_but(ptr::null(), since)
    }

    /// The same, but for jobs of the scope whose core lies at this address.
    pub(crate) fn take_new_but(&self, scope: *const (), since: Option<Age>) -> Option<Aged<Job>> {
        if !self.goes_by_age() {
            return None;
        }
        let is_new =
            |start: Option<Age>| move |job: Age| start.is_none_or(|start| start.is_before(job));
        let job = self.pop_new(is_new(since));
        let newest = job.as_ref().map_or(since, HasAge::age);
        if let Some(scoped) = self.take_scoped(scope, &is_new(newest)) {
            job.into_iter().for_each(|job| self.push_back(job));
            return Some(scoped);
        }
        job.or_else(|| self.seat.take_ticket(is_new(since)))
    }

    /// Takes the newest job of the thread's own deque if its age `is_new`.
    fn pop_new(&self, is_new: impl Fn(Age) -> bool) -> Option<Aged<Job>> {
        let newest = self.deque.pop()?;
        if newest.age().is_some_and(is_new) {
            return Some(newest);
        }
        self.push_back(newest);
        None
    }

    /// A thread that has looked meanwhile has not seen `job`.
    fn push_back(&self, job: Aged<Job>) {
        self.deque.push(job);
        self.tell(News::at_once(Lane::Frame));
    }
}

#[cfg(all(test, not(heartbeat_loom)))]
mod tests {
    use super::*;
    use crate::parker::Parker;
    use crate::pool::ThreadPool;
    use crate::queue::deque::Order;

    fn with_idle(f: impl FnOnce(&Worker, &Arc<Parker>)) {
        let builder = ThreadPool::builder()
            .num_threads(0)
            .order(Order::NewestFirst);
        let pool = builder.build().unwrap();
        pool.with_worker(|worker| {
            let sleep = &worker.team().sleep;
            let idle = Arc::new(Parker::new());
            sleep.search_begin();
            sleep.park_begin(&idle);
            f(worker, &idle);
            assert!(idle.has_token());
            sleep.park_cancel(&idle);
            worker.end_search();
        });
    }

    fn job() -> Job {
        Job::new(Box::new(|| ()))
    }

    #[test]
    fn who_puts_its_own_job_back_tells_of_it() {
        with_idle(|worker, _| {
            let old = worker.joins.next_age(&worker.seat);
            worker.deque.push(Aged::new(job(), Some(old)));
            let since = worker.joins.next_age(&worker.seat);
            assert!(worker.take_new(Some(since)).is_none());
            assert!(worker.take_new(None).is_some());
        });
    }

    #[test]
    fn who_puts_back_what_it_took_tells_of_it() {
        with_idle(|worker, _| {
            let seat = &worker.seat;
            let (old, new) = (worker.joins.next_age(seat), worker.joins.next_age(seat));
            assert!(seat.by_age.push(Aged::new(job(), Some(old))).is_ok());
            assert!(matches!(
                worker.oldest_or(seat, Aged::new(job(), Some(new))),
                Found::Job(_)
            ));
            assert!(seat.take_ticket(|age| age == new).is_some());
        });
    }

    #[test]
    fn who_puts_back_a_fork_tells_of_it() {
        with_idle(|worker, _| {
            worker.put_back_fork(&worker.seat, Offered::nothing());
            assert!(worker.seat.returned.take(|_| true).is_some());
        });
    }

    #[test]
    fn what_comes_back_to_a_thread_that_has_left_is_anybodys() {
        with_idle(|worker, _| {
            worker.seat.by_age.close();
            worker.put_back(&worker.seat, Aged::new(job(), None));
            assert!(worker.pop_injected(Lane::Frame).is_some());
        });
    }

    #[test]
    fn what_is_older_is_not_run_on_top() {
        let builder = ThreadPool::builder()
            .num_threads(0)
            .order(Order::NewestFirst);
        let pool = builder.build().unwrap();
        pool.with_worker(|worker| {
            let old = worker.joins.next_age(&worker.seat);
            worker.deque.push(Aged::new(job(), Some(old)));
            worker.run_older(job(), || false);
            assert!(worker.take_new(None).is_some());
        });
    }
}
