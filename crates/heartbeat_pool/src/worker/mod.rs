//! A worker: a thread's own side of its seat. It imports the registry and the queues; the verbs
//! import it.
//!
//! | file | what is in it |
//! | --- | --- |
//! | `current`, `cells` | the worker that a thread is now, and what it is made of |
//! | `life`, `ladder`, `watch` | a pool thread's loop, the steps to its sleep, the sentinel's watch |
//! | `work`, `again`, `push` | finding and running work; where new work goes |
//! | `ages` | where the oldest of each thread is next: which that is |
//! | `own` | work that only a thread itself may run, and what it has spawned |
//! | `lone` | a thread that nobody comes to help |
//! | `wait`, `duty`, `standing` | waits, what a waiting thread must do itself, how its seats go |
//! | `turns` | what others get of a thread whose wait has work without end |
//! | `stretch` | whether helping pays |
//! | `end` | the end of a pool |
//!
//! A pool's thread is counted, in the occupancy or as a searcher, unless it is on the idle list,
//! waits, or runs a call that blocks. Whoever leaves a count looks, or has somebody look, at what
//! was queued meanwhile.

mod again;
pub(crate) mod ages;
mod cells;
pub(crate) mod current;
pub(crate) mod duty;
mod end;
mod ladder;
mod life;
mod lone;
mod own;
mod push;
mod standing;
mod stretch;
pub(crate) mod turns;
pub(crate) mod wait;
mod watch;
mod work;

pub(crate) use work::{Found, STRANGERS_TURN};

use crate::age::Aged;
use crate::job::Job;
use crate::parker::Parker;
use crate::placement;
use crate::presence::Was;
use crate::queue::deque::{Deque, Order};
use crate::queue::mailbox::Mailbox;
use crate::queue::pinned::Pinned;
use crate::registry::Registry;
use crate::registry::look::Look;
use crate::registry::team::{Rank, Team};
use crate::schedule::News;
use crate::seat::Seat;
use crate::sync::{Arc, thread};
use crate::threads::this_thread;
use again::Again;
use cells::{Count, Joins, KeptScopes, Search};
use current::Entered;
use heartbeat_record::Lane;
use std::any::Any;
use std::cell::RefCell;
use std::iter;
use std::ptr;
use std::rc::Rc;
use stretch::Stretch;

/// A thread's own side of its place in a pool: a pool thread's, or that of a thread from outside
/// while it is inside of a pool call.
///
/// Most verbs are methods of it; the [`ThreadPool`](crate::ThreadPool)'s methods of the same names
/// find the calling thread's worker first.
///
/// ```
/// use heartbeat_pool::{ThreadPool, Worker};
///
/// let pool = ThreadPool::builder().num_threads(2).build().unwrap();
/// let sum = pool.with_worker(|worker| {
///     let (a, b) = worker.join(|_| 1, |_| 2);
///     a + b
/// });
/// assert_eq!(sum, 3);
/// assert!(Worker::with_current(|worker| worker.is_none()));
/// ```
pub struct Worker {
    pub(crate) registry: Arc<Registry>,
    pub(crate) seat: Arc<Seat>,
    pub(crate) deque: Deque<Aged<Job>>,
    /// The task that it has just run, if that was woken meanwhile.
    again: Again,
    pub(crate) parker: Arc<Parker>,
    /// What must run on this very thread; a member empties it between jobs.
    mailbox: Arc<Mailbox>,
    /// The queue of a member.
    pinned: Option<Arc<Pinned>>,
    pub(crate) kept_scopes: KeptScopes,
    pub(crate) joins: Joins,
    search: Search,
    count: Count,
    pub(crate) stretch: Stretch,
}

impl Worker {
    /// That of the calling thread, which is a member if it has the queue of one.
    pub(crate) fn new(registry: &Arc<Registry>, rank: Rank, pinned: Option<Arc<Pinned>>) -> Self {
        // A thread from outside doesn't time itself: the system does, once, in the team of frames.
        let is_clocked = match &pinned {
            Some(pinned) => pinned.is_enrolled(),
            None => rank == Rank::Frame,
        };
        let by_age = registry.config.goes_by_age();
        let deque = Deque::new(registry.config.order, by_age);
        let thread = thread::current();
        let name = match thread.name() {
            Some(name) => name.to_owned(),
            None => format!("{:?}", thread.id()),
        };
        let forks = Deque::new(Order::NewestFirst, by_age);
        // Once, for in a thread-local's destructor there is another one each time.
        let parker = this_thread::parker();
        let seat = Arc::new(Seat::new(
            name,
            deque.stealer(),
            forks.stealer(),
            parker.clone(),
            pinned.is_some() && rank == Rank::Lower,
            is_clocked,
        ));
        registry.team(rank).seats.add(seat.clone());
        Self {
            registry: registry.clone(),
            seat,
            deque,
            again: Again::default(),
            parker,
            mailbox: Mailbox::of_this_thread(),
            pinned,
            kept_scopes: RefCell::new(Vec::new()),
            joins: Joins::new(forks),
            search: Search::default(),
            count: Count::new(rank),
            stretch: Stretch::new(),
        }
    }

    /// Calls `f` with the worker whose pool the calling thread is inside of, if it is in one.
    #[inline]
    pub fn with_current<R>(f: impl FnOnce(Option<&Self>) -> R) -> R {
        current::peek(|worker| match worker {
            Some(worker) => worker.counted(|worker| f(Some(worker))),
            None => f(None),
        })
    }

    /// Calls `f` with the worker whose pool the calling thread is inside of.
    ///
    /// # Panics
    ///
    /// Outside of any pool, naming `verb`.
    pub(crate) fn current_for<R>(verb: &str, f: impl FnOnce(&Self) -> R) -> R {
        Self::with_current(|worker| match worker {
            Some(worker) => f(worker),
            None => panic!(
                "heartbeat_pool::{verb} was called outside of a pool: call ThreadPool::{verb}"
            ),
        })
    }

    /// The worker that runs what was taken from a queue, which knows of no workers.
    pub(crate) fn of(thief: &dyn Any) -> &Self {
        match thief.downcast_ref() {
            Some(worker) => worker,
            None => unreachable!("what is taken from a queue is run by a worker"),
        }
    }

    /// The calling thread's mailbox, if the thread is one of a pool's own, whichever pool it is
    /// inside of now: its own one empties it.
    ///
    /// ```
    /// use heartbeat_pool::{ThreadPool, Worker};
    ///
    /// assert!(Worker::own_mailbox().is_none());
    /// let pool = ThreadPool::builder().num_threads(1).build().unwrap();
    /// assert!(pool.install(|_| Worker::own_mailbox().is_some()));
    /// ```
    #[must_use]
    pub fn own_mailbox() -> Option<Arc<Mailbox>> {
        current::member().map(|worker| worker.mailbox.clone())
    }

    /// Whether this is one of the pool's own threads, not one that entered from outside.
    #[must_use]
    pub fn is_member(&self) -> bool {
        self.pinned.is_some()
    }

    /// The thread's index among the pool's own threads; spare threads have one beyond
    /// [`num_threads`](crate::ThreadPool::num_threads), or that of a thread that has ended. [Lower
    /// threads](crate::ThreadPoolBuilder::lower_threads) have indices of their own, from 0 on as
    /// well; threads from outside have none.
    #[must_use]
    pub fn index(&self) -> Option<usize> {
        self.pinned.as_ref().map(|pinned| pinned.index)
    }

    /// The lane that the thread now works in. Work that it forks goes to the same.
    #[inline]
    #[must_use]
    pub fn lane(&self) -> Lane {
        self.count.charge.get().unwrap_or(Lane::Frame)
    }

    /// How many threads the pool is meant to run at once. See
    /// [`ThreadPool::num_threads`](crate::ThreadPool::num_threads).
    #[must_use]
    pub fn num_threads(&self) -> usize {
        self.registry.frame().occupancy.target()
    }

    /// The same of its team.
    pub(crate) fn team_size(&self) -> usize {
        self.team().occupancy.target()
    }

    /// A number below [`num_threads`](Self::num_threads) that no other running thread of the pool
    /// has: the thread's own [`index`](Self::index) where possible, else that of a thread which
    /// waits or idles. It is the caller's until it waits or leaves the pool, so it may serve to
    /// choose one of as many buffers for a job that doesn't wait.
    ///
    /// None if more threads run than there are numbers, for a few milliseconds: threads that come
    /// back from a wait are not held up, and threads from outside neither. And in a pool without
    /// spare threads, for those from outside, and for those that end as the pool has shrunk.
    ///
    /// [Lower threads](crate::ThreadPoolBuilder::lower_threads) have numbers of their own: a job of
    /// the io or background lane may have the same as one of the frame.
    ///
    /// ```
    /// let pool = heartbeat_pool::ThreadPool::builder().num_threads(2).build().unwrap();
    /// assert!(pool.with_worker(|worker| worker.slot()).unwrap() < 2);
    /// ```
    #[must_use]
    pub fn slot(&self) -> Option<usize> {
        if !self.registry.config.has_spares {
            // Each thread's until it has left its place, which another may have then.
            let is_beyond =
                |own: &Pinned| own.index >= self.team_size() && !self.team().has_ended();
            let has_place = |own: &&Arc<Pinned>| !own.is_closed() && !is_beyond(own);
            return self.pinned.as_ref().filter(has_place).map(|own| own.index);
        }
        self.count
            .slot
            .take(&self.team().threads.numbers, self.index(), self.team_size())
    }

    #[inline]
    pub(crate) fn team(&self) -> &Team {
        self.registry.team(self.count.rank)
    }

    pub(crate) fn is_in(&self, team: &Team) -> bool {
        ptr::eq(self.team(), team)
    }

    /// Whether it is of either team of that pool.
    pub(crate) fn is_of(&self, registry: &Registry) -> bool {
        ptr::eq(&*self.registry, registry)
    }

    pub(crate) fn look(&self) -> Look<'_> {
        self.refresh_seats();
        let seats = self.search.seats.borrow().1.clone();
        Look::new(&self.registry, self.team(), seats)
    }

    /// Reads the list of seats again, if it has changed.
    fn refresh_seats(&self) {
        let seats = &self.team().seats;
        seats.sweep();
        let epoch = seats.epoch();
        if self.search.seats.borrow().0 != epoch {
            *self.search.seats.borrow_mut() = (epoch, Rc::new(seats.listed()));
        }
    }

    /// Makes this the thread's current worker, and counts the thread as running, while `f` runs.
    pub(crate) fn visit<R>(self: &Rc<Self>, f: impl FnOnce(&Self) -> R) -> R {
        let _entered = Entered::new(self.clone());
        self.counted(f)
    }

    /// Counts the thread as running, for as long as `f` does.
    #[inline]
    fn counted<R>(&self, f: impl FnOnce(&Self) -> R) -> R {
        // A nested call, or one from a job, is counted already.
        if self.count.charge.get().is_some() {
            return f(self);
        }
        self.newly_counted(f)
    }

    #[cold]
    fn newly_counted<R>(&self, f: impl FnOnce(&Self) -> R) -> R {
        struct Visit<'a> {
            worker: &'a Worker,
            was_outside: bool,
        }
        impl Drop for Visit<'_> {
            fn drop(&mut self) {
                self.worker.set_charge(None);
                self.worker.offer_room();
                if self.was_outside {
                    self.worker.seat.presence.leave();
                }
            }
        }
        let was_outside = !self.is_member() && self.come_in();
        self.team().occupancy.enter(Lane::Frame);
        self.count_as(Some(Lane::Frame));
        self.seat.core.take();
        let _visit = Visit {
            worker: self,
            was_outside,
        };
        f(self)
    }

    /// Comes in from outside, unless it waits inside. Whether it was outside.
    fn come_in(&self) -> bool {
        let was = self.seat.presence.enter();
        if was == Was::Unlisted {
            self.team().seats.list(&self.seat);
            // A thread that has raised all beats meanwhile relies on it.
            self.seat.beat.raise();
        }
        was != Was::Inside
    }

    /// Changes what the thread is counted as. Gives the old one.
    fn count_as(&self, charge: Option<Lane>) -> Option<Lane> {
        self.seat.counters.runs.set(charge);
        self.count.charge.replace(charge)
    }

    /// Leaves the count, if the thread was counted, and becomes `charge`, which is counted already.
    fn set_charge(&self, charge: Option<Lane>) {
        if let Some(left) = self.count_as(charge) {
            self.count.relief.end();
            if charge.is_none() {
                self.seat.core.give_back();
            }
            self.count.slot.release(&self.team().threads.numbers);
            self.team().occupancy.leave(left);
        }
        if charge.is_some() {
            self.seat.counters.busy_turn(self.lane());
        }
    }

    /// Moves the thread, which has nothing to do, away from the core of one that runs.
    pub(crate) fn make_way(&self) {
        self.refresh_seats();
        let seats = self.search.seats.borrow();
        placement::leave(|| {
            let others = seats.1.iter().filter(|seat| !Arc::ptr_eq(seat, &self.seat));
            others.filter_map(|seat| seat.core.get())
        });
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // Nobody empties this deque any more; in a pool that ended, the jobs are dropped.
        let others = self.seat.by_age.close().into_iter().map(|job| job.item);
        let own = iter::from_fn(|| self.pop_own().or_else(|| self.again.take()));
        for job in others.chain(own) {
            let team = self.registry.inject(Lane::Frame, job);
            self.registry.tell(team, News::for_others(Lane::Frame));
        }
        self.team().seats.remove(&self.seat);
    }
}

impl std::fmt::Debug for Worker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Worker")
            .field("name", &self.seat.name)
            .field("index", &self.index())
            .finish_non_exhaustive()
    }
}
