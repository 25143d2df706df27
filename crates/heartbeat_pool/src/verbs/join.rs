//! `join`: two calls, the second of which another thread may take.
//!
//! The second call waits in the worker's private queue. If a beat comes first it is promoted to
//! where others see it; else its own thread runs it, at about the cost of a function call. The
//! scheme is heartbeat scheduling (Acar et al., PLDI 2018), as in the libraries spice and chili.
//!
//! The second call of `join_offered` may be taken at once. That costs a fence where `join` costs
//! none, but needs no poll of their owner's for the second calls to be taken, as in rayon and Cilk.

use super::fork::Fork;
use crate::schedule::News;
use crate::sync::{Ordering, fence};
use crate::unwind;
use crate::worker::Worker;
use heartbeat_record::{What, note};

impl Worker {
    /// Runs `a` and `b`, possibly in parallel, and gives both results. Each gets the worker that
    /// it runs on, so that a join inside of it need not look that up: this is the fastest form.
    /// What is not shared is called in order, `a` first. See [`join`](crate::join()).
    ///
    /// ```
    /// use heartbeat_pool::Worker;
    ///
    /// fn fib(worker: &Worker, n: u64) -> u64 {
    ///     if n < 2 {
    ///         return n;
    ///     }
    ///     let (a, b) = worker.join(|w| fib(w, n - 1), |w| fib(w, n - 2));
    ///     a + b
    /// }
    /// let pool = heartbeat_pool::ThreadPool::builder().num_threads(2).build().unwrap();
    /// assert_eq!(pool.with_worker(|worker| fib(worker, 20)), 6765);
    /// ```
    ///
    /// # Panics
    ///
    /// With the payload of `a` or `b` if one panics, `a`'s if both do; the other one is over by
    /// then, or has not been started and never will be.
    #[inline]
    pub fn join<A, B, RA: Send, RB: Send>(&self, a: A, b: B) -> (RA, RB)
    where
        A: FnOnce(&Self) -> RA + Send,
        B: FnOnce(&Self) -> RB + Send,
    {
        if self.seat.beat.is_closed() {
            return (a(self), b(self));
        }
        self.join_queued(a, b)
    }

    #[inline(never)]
    fn join_queued<A, B, RA: Send, RB: Send>(&self, a: A, b: B) -> (RA, RB)
    where
        A: FnOnce(&Self) -> RA + Send,
        B: FnOnce(&Self) -> RB + Send,
    {
        if !self.may_keep_one_more() {
            return (a(self), b(self));
        }
        let (beat, private) = (&self.seat.beat, &self.joins.private);
        let mut fork = Fork::new(b);
        let half = fork.as_ptr();
        let data = half.data();
        let index = private.push(half);
        if beat.is_raised() {
            self.promote();
        }
        if private.is_deep() {
            beat.close();
        }
        let ra = unwind::catch(|| a(self));
        let is_own = private.pop(index) || {
            // SAFETY: it was promoted, and what was promoted later has ended.
            unsafe { self.end_offer(data) }
        };
        let results = ra.and_then(|ra| {
            let rb = if is_own {
                unwind::catch(|| fork.run_own(self))
            } else {
                fork.take_result()
            };
            unwind::both(ra, rb)
        });
        private.end();
        beat.open();
        results.unwrap_or_else(|payload| unwind::resume(payload))
    }

    /// As [`join`](Self::join), but `b` can be taken by others at once, not from the next beat on:
    /// for calls that join nothing and [split](crate::for_each()) nothing for long, so that nobody
    /// could take what was left private, or that wait for `b` themselves. It costs some ten
    /// nanoseconds.
    ///
    /// # Panics
    ///
    /// As [`join`](Self::join).
    ///
    /// ```
    /// let pool = heartbeat_pool::ThreadPool::builder().num_threads(2).build().unwrap();
    /// let sums = pool.with_worker(|worker| {
    ///     worker.join_offered(|_| (0..1000).sum::<u64>(), |_| (1000..2000).sum::<u64>())
    /// });
    /// assert_eq!(sums, (499_500, 1_499_500));
    /// ```
    #[inline]
    pub fn join_offered<A, B, RA: Send, RB: Send>(&self, a: A, b: B) -> (RA, RB)
    where
        A: FnOnce(&Self) -> RA + Send,
        B: FnOnce(&Self) -> RB + Send,
    {
        self.join_on_offer::<false, _, _, _, _>(a, b)
    }

    /// If `BOTH`, as in rayon: `b` is run though `a` has panicked, and `a` is not to wait for `b`,
    /// which for the price of a fence is not told of for certain.
    #[inline]
    pub(super) fn join_on_offer<const BOTH: bool, A, B, RA, RB>(&self, a: A, b: B) -> (RA, RB)
    where
        A: FnOnce(&Self) -> RA + Send,
        B: FnOnce(&Self) -> RB + Send,
        RA: Send,
        RB: Send,
    {
        // Private halves are older than `b`: others are to find them first.
        self.promote_all();
        let mut fork = Fork::new(b);
        let half = fork.as_ptr();
        let data = half.data();
        note::note(|| What::Forked { job: half.number() });
        // SAFETY: it is kept until `end_offer` below.
        let is_news = unsafe { self.offer(half) } || (!BOTH && self.offers_news_after_all());
        // A thief that comes for older forks finds this one too, unless they are hidden.
        if is_news || self.seat.hidden.is_set() {
            self.announce_forks();
        }
        let ra = unwind::catch(|| a(self));
        // SAFETY: what `a` has offered is over.
        let is_own = unsafe { self.end_offer(data) };
        let ra = match ra {
            Ok(ra) => ra,
            Err(payload) if BOTH => fork.end_after_panic(is_own, self, payload),
            Err(payload) => unwind::resume(payload),
        };
        // Called here, not caught: with a landing pad small joins take nearly twice as long.
        let rb = if is_own {
            fork.run_own(self)
        } else {
            let rb = fork.take_result();
            rb.unwrap_or_else(|payload| unwind::resume(payload))
        };
        (ra, rb)
    }

    /// Whether the next fork may be private: if joins are not deep, or a beat has come and found
    /// nothing private, from where levels count anew. Else what is private is promoted if a beat
    /// has come, and the gate closed.
    #[inline]
    fn may_keep_one_more(&self) -> bool {
        let (beat, private) = (&self.seat.beat, &self.joins.private);
        if !private.is_deep() {
            return true;
        }
        if beat.is_raised() {
            if private.is_empty() {
                private.rebase();
                return true;
            }
            self.promote();
        }
        beat.close();
        false
    }

    /// If a beat has come, shares what is private. True if there is nothing private, nor on offer:
    /// the caller should split its own work instead.
    #[inline]
    pub(crate) fn poll_beat(&self) -> bool {
        self.seat.beat.is_raised() && self.share()
    }

    #[cold]
    fn share(&self) -> bool {
        if self.joins.private.is_empty() {
            let has_others = !self.joins.forks.is_empty() && !self.seat.hidden.is_set();
            if has_others {
                // Whoever wants something finds it there.
                self.seat.beat.answer();
                // Pairs with the fence in `search_end`: whoever has left the search with the last
                // of them sees the beat answered, or it is seen here that there is none.
                fence(Ordering::SeqCst);
                if self.joins.forks.is_empty() {
                    self.seat.beat.raise();
                }
            }
            return !has_others;
        }
        self.promote();
        false
    }

    /// Lets a beat pass by, for there is too little to share. A thread that waits for work just now
    /// still wants what comes next; else somebody must stay awake to raise the next beat.
    #[cold]
    pub(crate) fn decline_beat(&self) {
        if self.team().sleep.searchers() == 0 {
            self.seat.beat.answer();
            if self.has_room_after_a_beat() {
                self.tell(News::within_a_beat(self.lane()));
            }
        }
    }

    /// Whether one more thread may do what this one shares, asked after it has answered its beat.
    fn has_room_after_a_beat(&self) -> bool {
        let has_room = || self.team().occupancy.admits(self.lane());
        has_room() || {
            // Pairs with the fence in `needs_watch`: either a thread that leaves the count, and
            // raises the beats then, sees this one answered, or this look sees its place free.
            fence(Ordering::SeqCst);
            has_room()
        }
    }

    /// Offers every private job, the oldest first.
    #[inline]
    pub(crate) fn promote_all(&self) {
        while !self.joins.private.is_empty() {
            self.promote_oldest();
        }
    }

    /// After a beat: puts the private jobs where others can take them, if there is room for one
    /// more thread to do so, or one that waits for this one. All of them, though the oldest is
    /// likely to be the longest: the next beat may be seen much later, and that one may be over
    /// soon.
    #[cold]
    fn promote(&self) {
        self.seat.beat.answer();
        self.seat.core.take();
        let has_waiter = self.seat.beat.take_waiter();
        let has_use = has_waiter || self.has_room_after_a_beat();
        if has_use && self.seat.hidden.is_over() {
            self.promote_all();
        }
    }

    #[cold]
    fn promote_oldest(&self) {
        if let Some(half) = self.joins.private.take_oldest() {
            note::note(|| What::Promoted { job: half.number() });
            // First, so that a thief that looks just now takes it for no other lane's.
            self.seat.set_fork_lane(self.lane());
            // SAFETY: `join` has queued it, and keeps it until it has ended the offer.
            unsafe { self.offer(half) };
            self.seat.counters.promotions[self.lane().index()].bump();
            self.announce_forks();
        }
    }
}

/// Runs `a` and `b`, possibly in parallel, and gives both results.
///
/// A fork costs about as much as a function call; it is offered to other threads once a beat, by
/// the next fork of its thread. So where `a` blocks until `b` has begun, `b` may never do: what
/// waits for each other belongs into a [`scope`](crate::scope()) or into
/// [`Worker::join_offered`]. In no pool at all, the two run one after the other. The interface is
/// rayon's.
///
/// # Panics
///
/// As [`Worker::join`].
///
/// ```
/// fn sum(numbers: &[u64]) -> u64 {
///     match numbers {
///         [] => 0,
///         [one] => *one,
///         _ => {
///             let (left, right) = numbers.split_at(numbers.len() / 2);
///             let (left, right) = heartbeat_pool::join(|| sum(left), || sum(right));
///             left + right
///         }
///     }
/// }
/// let pool = heartbeat_pool::ThreadPool::builder().num_threads(2).build().unwrap();
/// let numbers: Vec<u64> = (0..1000).collect();
/// assert_eq!(pool.with_worker(|_| sum(&numbers)), 499_500);
/// ```
#[inline]
pub fn join<A, B, RA: Send, RB: Send>(a: A, b: B) -> (RA, RB)
where
    A: FnOnce() -> RA + Send,
    B: FnOnce() -> RB + Send,
{
    Worker::with_current(|worker| match worker {
        Some(worker) => worker.join(|_| a(), |_| b()),
        None => (a(), b()),
    })
}

#[cfg(all(test, not(heartbeat_loom)))]
mod tests {
    use super::*;
    use crate::parker::Parker;
    use crate::pool::ThreadPool;
    use crate::queue::forks::Offered;
    use crate::seat::Seat;
    use crate::sync::{Arc, Instant};
    use crate::verbs::yield_now::Yield;
    use heartbeat_record::Lane;
    use std::time::Duration;

    struct PanicsOnDrop;

    impl Drop for PanicsOnDrop {
        fn drop(&mut self) {
            unwind::resume(Box::new("its destructor"));
        }
    }

    #[test]
    fn no_level_is_lost_where_a_result_panics_as_it_is_dropped() {
        let pool = ThreadPool::builder().num_threads(0).build().unwrap();
        pool.with_worker(|worker| {
            for _ in 0..100 {
                let second = |_: &Worker| -> u32 { unwind::resume(Box::new("b")) };
                let join = || worker.join(|_| PanicsOnDrop, second).1;
                let payload = unwind::catch(join).unwrap_err();
                assert_eq!(payload.downcast_ref(), Some(&"b"));
            }
            assert!(!worker.joins.private.is_deep());
        });
    }

    /// The gate that they have closed is open again.
    #[test]
    fn joins_that_are_not_deep_are_found_by_a_yield_whatever_was_deep_before() {
        fn deep(worker: &Worker, levels: u32) {
            if levels > 0 {
                worker.join(|worker| deep(worker, levels - 1), |_| ());
            }
        }
        let pool = ThreadPool::builder().num_threads(0).build().unwrap();
        pool.with_worker(|worker| {
            for _ in 0..3 {
                deep(worker, 10);
                let (yielded, ()) = worker.join(Worker::yield_local, |_| ());
                assert_eq!(yielded, Yield::Executed);
            }
        });
    }

    /// Else others would take it as work of whatever lane the thread has worked for before.
    #[test]
    fn what_is_on_offer_counts_for_the_lane_that_its_thread_works_for() {
        let pool = ThreadPool::builder().num_threads(0).build().unwrap();
        pool.with_worker(|worker| {
            worker.seat.set_fork_lane(Lane::Io);
            let lane = |worker: &Worker| worker.seat.fork_lane();
            assert_eq!(worker.join_offered(lane, |_| ()).0, worker.lane());
        });
    }

    /// Also while what runs now is deeper than what is kept private, and nothing else is left.
    #[test]
    fn a_beat_shares_what_is_private_and_then_what_comes_however_deep() {
        fn below(worker: &Worker, levels: u32, deep: fn(&Worker)) {
            if levels == 0 {
                return deep(worker);
            }
            worker.join(|worker| below(worker, levels - 1, deep), |_| ());
        }
        let pool = ThreadPool::builder().num_threads(0).build().unwrap();
        pool.with_worker(|worker| {
            worker.seat.beat.answer();
            below(worker, 10, |worker| {
                let (beat, joins) = (&worker.seat.beat, &worker.joins);
                assert!(joins.forks.is_empty() && !joins.private.is_empty());
                beat.raise_for_waiter();
                worker.join(|_| (), |_| ());
                assert!(!joins.forks.is_empty() && joins.private.is_empty());
                assert!(!beat.is_raised());
                beat.raise_for_waiter();
                let before = joins.forks.len();
                let is_shared = |worker: &Worker| worker.joins.forks.len() > before;
                assert!(worker.join(is_shared, |_| ()).0);
            });
        });
    }

    #[test]
    fn a_loop_is_split_unless_others_find_something_of_its_thread() {
        let pool = ThreadPool::builder().num_threads(0).build().unwrap();
        pool.with_worker(|worker| {
            let Seat { beat, hidden, .. } = &*worker.seat;
            worker.joins.forks.push(Offered::nothing());
            beat.raise();
            hidden.hide(Instant::now() + Duration::from_secs(3600));
            assert!(worker.poll_beat(), "others may not take it");
            hidden.show();
            assert!(!worker.poll_beat() && !beat.is_raised());
            worker.joins.forks.pop();
            assert!(!worker.poll_beat(), "it was answered");
            beat.raise();
            assert!(worker.poll_beat());
        });
    }

    #[test]
    fn a_beat_that_is_let_pass_has_somebody_watch_for_the_next_one() {
        let pool = ThreadPool::builder().num_threads(0).build().unwrap();
        pool.with_worker(|worker| {
            let (beat, sleep) = (&worker.seat.beat, &worker.team().sleep);
            let idle = Arc::new(Parker::new());
            // As many as there would be room for.
            worker.team().occupancy.set_target(2);
            beat.raise();
            sleep.search_begin();
            worker.decline_beat();
            assert!(beat.is_raised(), "who searches wants what comes next");
            sleep.park_begin(&idle);
            worker.decline_beat();
            assert!(!beat.is_raised() && idle.has_token());
            assert!(!sleep.park_cancel(&idle) && sleep.search_end());
            worker.team().occupancy.set_target(0);
        });
    }
}
