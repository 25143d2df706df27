//! `join_offered`: two calls, the second of which another thread may take at once.
//!
//! That costs a fence where [`join`](crate::join()) costs none, but needs no poll of their owner's
//! for the second calls to be taken, as in rayon and Cilk.

use super::fork::Fork;
use crate::unwind;
use crate::worker::Worker;
use heartbeat_record::{What, note};

impl Worker {
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
    pub fn join_offered<A, B, RA, RB>(&self, a: A, b: B) -> (RA, RB)
    where
        A: FnOnce(&Self) -> RA + Send,
        B: FnOnce(&Self) -> RB + Send,
        RA: Send,
        RB: Send,
    {
        // Private halves are older than `b`: others are to find them first.
        self.promote_all();
        let fork = Fork::new(b);
        let half = fork.as_ptr();
        note::note(|| What::Forked { job: half.number() });
        // SAFETY: it is kept until `end_offer` below.
        let is_news = unsafe { self.offer(half) };
        // A thief that comes for older forks finds this one too, unless they are hidden.
        if is_news || self.seat.hidden.is_set() {
            self.announce_forks();
        }
        let ra = unwind::catch(|| a(self));
        // SAFETY: what `a` has offered is over.
        let is_own = unsafe { self.end_offer(half.data) };
        let ra = ra.unwrap_or_else(|payload| unwind::resume(payload));
        // Called here, not caught: with a landing pad small joins take nearly twice as long.
        let rb = if is_own {
            fork.run_own(self)
        } else {
            let rb = fork.into_result();
            rb.unwrap_or_else(|payload| unwind::resume(payload))
        };
        (ra, rb)
    }
}
