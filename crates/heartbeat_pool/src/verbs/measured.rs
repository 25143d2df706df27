//! `join_measured`: a join that is shared only where that has been paying.

use crate::cost::measured::{self, Call};
use crate::schedule::News;
use crate::sync::Instant;
use crate::verbs::fork;
use crate::worker::Worker;

/// The outermost measured join of a thread, until this is dropped, also by a panic: what it took is
/// told then.
struct Outermost<'a> {
    worker: &'a Worker,
    kind: usize,
    call: Call,
    /// Whether one more thread might have helped when it began.
    had_room: bool,
    start: Instant,
}

impl Drop for Outermost<'_> {
    fn drop(&mut self) {
        let (seat, joins) = (&self.worker.seat, &self.worker.joins);
        joins.is_measured.set(false);
        if seat.hidden.is_set() {
            seat.hidden.show();
            if !joins.forks.is_empty() {
                // Those of joins around this one, which it has put on offer.
                self.worker.announce_forks();
            }
        }
        let nobody_was_free = !self.had_room && !joins.were_taken.get();
        measured::end(self.kind, self.call, self.start.elapsed(), nobody_was_free);
    }
}

impl Worker {
    /// As [`join_offered`](Self::join_offered), but the outermost of such joins is offered to
    /// others only if that has been paying for calls of the same code, or if it takes much longer
    /// than these did. For drop-ins whose callers don't know whether sharing pays.
    ///
    /// # Panics
    ///
    /// With `a`'s panic or else `b`'s, if one panics. Both are run in any case, as rayon's are.
    ///
    /// ```
    /// let pool = heartbeat_pool::ThreadPool::builder().num_threads(2).build().unwrap();
    /// let sum = pool.with_worker(|worker| worker.join_measured(|_| 1, |_| 2));
    /// assert_eq!(sum, (1, 2));
    /// ```
    #[inline]
    pub fn join_measured<A, B, RA: Send, RB: Send>(&self, a: A, b: B) -> (RA, RB)
    where
        A: FnOnce(&Self) -> RA + Send,
        B: FnOnce(&Self) -> RB + Send,
    {
        if self.joins.is_measured.get() {
            return self.join_on_offer::<true, _, _, _, _>(a, b);
        }
        self.join_outermost(a, b)
    }

    #[inline(never)]
    fn join_outermost<A, B, RA: Send, RB: Send>(&self, a: A, b: B) -> (RA, RB)
    where
        A: FnOnce(&Self) -> RA + Send,
        B: FnOnce(&Self) -> RB + Send,
    {
        if self.team_size() <= 1 || !self.joins.forks.is_empty() {
            return self.join_on_offer::<true, _, _, _, _>(a, b);
        }
        let kind = fork::kind::<B, RB>();
        let call = measured::begin(kind);
        if call.is_watched {
            // Before the clock: else a wake-up that is dear makes the call a surprise itself, after
            // which the next ones are watched.
            self.tell(News::to_watch_within_a_beat());
        }
        let had_room = call.kept_for.is_some() || self.team().occupancy.admits(self.lane());
        self.joins.were_taken.set(false);
        self.joins.is_measured.set(true);
        let outermost = Outermost {
            worker: self,
            kind,
            call,
            had_room,
            start: Instant::now(),
        };
        if let Some(kept_for) = call.kept_for {
            self.seat.hidden.hide(outermost.start + kept_for);
        }
        self.joins.helpers_wanted.set(usize::from(call.is_long));
        self.join_on_offer::<true, _, _, _, _>(a, b)
    }
}

#[cfg(all(test, not(heartbeat_loom)))]
mod tests {
    use super::*;
    use crate::parker::Parker;
    use crate::pool::ThreadPool;
    use crate::queue::forks::Offered;
    use crate::sync::{Arc, AtomicBool, Ordering, thread};
    use crate::unwind;
    use heartbeat_record::{Lane, note};
    use std::time::Duration;

    fn kind_of<B: FnOnce(&Worker) -> R + Send, R: Send>(_: &B) -> usize {
        fork::kind::<B, R>()
    }

    #[test]
    #[cfg_attr(miri, ignore = "an interpreter gives one function several addresses")]
    fn a_shared_call_counts_where_somebody_was_free_or_has_helped() {
        let pool = ThreadPool::builder().num_threads(2).build().unwrap();
        pool.with_worker(|worker| {
            let occupancy = &worker.team().occupancy;
            let fill = || (0..2).for_each(|_| occupancy.enter(Lane::Frame));
            let leave = || (0..2).for_each(|_| occupancy.leave(Lane::Frame));
            let own = note::this_thread();
            let short = |_: &Worker| note::this_thread();
            let kind = kind_of(&short);
            fill();
            let was_taken = (0..100).any(|_| worker.join_measured(|_| 1, short).1 != own);
            // Relief lets a thread in where this takes long, as in an interpreter.
            assert!(was_taken || measured::usual(kind).is_infinite());
            leave();
            (0..100).for_each(|_| _ = worker.join_measured(|_| 1, short));
            assert!(measured::usual(kind).is_finite());

            let is_taken = AtomicBool::new(false);
            let taken = |_: &Worker| is_taken.store(true, Ordering::Relaxed);
            let kind = kind_of(&taken);
            fill();
            worker.join_measured(
                |worker| {
                    leave();
                    while !is_taken.load(Ordering::Relaxed) {
                        worker.tell(News::at_once(Lane::Frame));
                        thread::yield_now();
                    }
                },
                taken,
            );
            assert!(measured::usual(kind).is_finite());
        });
    }

    /// Else a trial in which each call panics never ends.
    #[test]
    #[cfg_attr(miri, ignore = "an interpreter gives one function several addresses")]
    fn a_call_that_panics_is_told_as_any_other() {
        let pool = ThreadPool::builder().num_threads(2).build().unwrap();
        pool.with_worker(|worker| {
            let quiet = |_: &Worker| -> u32 { unwind::resume(Box::new("a")) };
            let second = |_: &Worker| 2u64;
            let kind = kind_of(&second);
            let call = || worker.join_measured(quiet, second);
            // Some may be alone, beside whatever else the pool's threads do as it begins.
            assert!((0..100).all(|_| unwind::catch(call).is_err()));
            assert!(measured::usual(kind).is_finite());
        });
    }

    #[test]
    fn older_forks_are_announced_once_a_kept_join_is_over() {
        let pool = ThreadPool::builder().num_threads(0).build().unwrap();
        pool.with_worker(|worker| {
            let sleep = &worker.team().sleep;
            let idle = Arc::new(Parker::new());
            sleep.search_begin();
            sleep.park_begin(&idle);
            assert!(sleep.sentinel_begin(), "it sleeps for long");
            let hour = Duration::from_secs(3600);
            worker.seat.hidden.hide(Instant::now() + hour);
            let outermost = Outermost {
                worker,
                kind: 0,
                call: measured::begin(0),
                had_room: true,
                start: Instant::now(),
            };
            worker.joins.forks.push(Offered::nothing());
            worker.announce_forks();
            assert!(!idle.has_token(), "others may not take it yet");
            drop(outermost);
            assert!(idle.has_token());
            worker.joins.forks.pop();
            sleep.sentinel_end();
            sleep.park_cancel(&idle);
            assert!(sleep.search_end());
        });
    }
}
