//! `join`: two calls, the second of which another thread may take.

use crate::home;
use heartbeat_pool::Worker;
use std::marker::PhantomData;

/// What [`join_context`] tells each of its closures.
#[derive(Debug)]
pub struct FnContext {
    migrated: bool,
    /// Neither `Send` nor `Sync`, as in rayon.
    _marker: PhantomData<*mut ()>,
}

impl FnContext {
    fn new(migrated: bool) -> Self {
        Self {
            migrated,
            _marker: PhantomData,
        }
    }

    /// Whether the closure runs on another thread than the one that called [`join_context`].
    #[inline]
    #[must_use]
    pub fn migrated(&self) -> bool {
        self.migrated
    }
}

/// Runs `oper_a` and `oper_b`, possibly in parallel, and gives both results.
///
/// The calling thread begins with `oper_a`; `oper_b` is offered to the pool's other threads, at
/// once or, where sharing has not paid for the same code, [after a while](crate), and run by the
/// calling one if none takes it. While it waits for a thread that did, it runs nothing but what
/// descends from these two calls, unless [nobody else could](crate). From outside of any pool, both
/// run in the global pool.
///
/// # Panics
///
/// With the payload of `oper_a`, or else of `oper_b`, if one panics. Both are over by then.
///
/// ```
/// fn sum(numbers: &[u64]) -> u64 {
///     if numbers.len() < 1000 {
///         return numbers.iter().sum();
///     }
///     let (left, right) = numbers.split_at(numbers.len() / 2);
///     let (left, right) = rayon_core::join(|| sum(left), || sum(right));
///     left + right
/// }
/// let numbers: Vec<u64> = (0..100_000).collect();
/// assert_eq!(sum(&numbers), 4_999_950_000);
/// ```
#[inline]
pub fn join<A, B, RA: Send, RB: Send>(oper_a: A, oper_b: B) -> (RA, RB)
where
    A: FnOnce() -> RA + Send,
    B: FnOnce() -> RB + Send,
{
    home::in_worker(|worker, _| worker.join_measured(|_| oper_a(), |_| oper_b()))
}

/// As [`join`], and tells each closure whether it runs on another thread than the calling one.
///
/// # Panics
///
/// As [`join`].
///
/// ```
/// let pool = rayon_core::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
/// // The only thread has nobody to give anything to.
/// let migrated = pool.install(|| rayon_core::join_context(|a| a.migrated(), |b| b.migrated()));
/// assert_eq!(migrated, (false, false));
/// ```
#[inline]
pub fn join_context<A, B, RA: Send, RB: Send>(oper_a: A, oper_b: B) -> (RA, RB)
where
    A: FnOnce(FnContext) -> RA + Send,
    B: FnOnce(FnContext) -> RB + Send,
{
    home::in_worker(|worker, injected| {
        let owner = home::key(worker);
        let a = || oper_a(FnContext::new(injected));
        let b = |thief: &Worker| oper_b(FnContext::new(injected || home::key(thief) != owner));
        worker.join_measured(|_| a(), b)
    })
}
