//! `join_measured`: a join that is shared only where that has been paying.

use crate::cost::measured::Calls;
use crate::sync::Instant;
use crate::verbs::fork;
use crate::worker::Worker;

/// The outermost measured join of a thread, until this is dropped.
struct Outermost<'a>(&'a Worker);

impl Drop for Outermost<'_> {
    fn drop(&mut self) {
        self.0.seat().show_forks();
        self.0.joins().is_measured.set(false);
    }
}

impl Worker {
    /// As [`join_offered`](Self::join_offered), but the outermost of such joins is offered to
    /// others only if that has been paying for calls of the same code, or if it takes much longer
    /// than these did. For drop-ins whose callers don't know whether sharing pays.
    ///
    /// # Panics
    ///
    /// As [`join`](Self::join).
    ///
    /// ```
    /// let pool = heartbeat_pool::ThreadPool::builder().num_threads(2).build().unwrap();
    /// let sum = pool.with_worker(|worker| worker.join_measured(|_| 1, |_| 2));
    /// assert_eq!(sum, (1, 2));
    /// ```
    #[inline]
    pub fn join_measured<A, B, RA, RB>(&self, a: A, b: B) -> (RA, RB)
    where
        A: FnOnce(&Self) -> RA + Send,
        B: FnOnce(&Self) -> RB + Send,
        RA: Send,
        RB: Send,
    {
        if self.joins().is_measured.get() {
            return self.join_offered(a, b);
        }
        self.join_outermost(a, b)
    }

    #[inline(never)]
    fn join_outermost<A, B, RA, RB>(&self, a: A, b: B) -> (RA, RB)
    where
        A: FnOnce(&Self) -> RA + Send,
        B: FnOnce(&Self) -> RB + Send,
        RA: Send,
        RB: Send,
    {
        if self.num_threads() <= 1 || !self.joins().forks.is_empty() {
            return self.join_offered(a, b);
        }
        let calls = Calls::of(fork::kind::<B, RB>());
        let call = calls.begin();
        let start = Instant::now();
        self.joins().is_measured.set(true);
        let outermost = Outermost(self);
        if let Some(kept_for) = call.kept_for {
            self.seat().hide_forks(start + kept_for);
        }
        self.joins().wants_help_now.set(call.is_long);
        let results = self.join_offered(a, b);
        drop(outermost);
        calls.end(call, start.elapsed());
        results
    }
}
