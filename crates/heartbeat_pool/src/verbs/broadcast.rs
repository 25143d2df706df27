//! Work for given threads: `try_spawn_on` for one, `broadcast` for each.

use crate::job::Job;
use crate::lanes::untaken::FOR_LONG;
use crate::registry::team::Team;
use crate::sync::{Instant, Mutex, lock};
use crate::threads::this_thread;
use crate::worker::{Worker, current};
use std::sync::PoisonError;

/// Which of a broadcast's calls this is.
///
/// See [`broadcast`](crate::broadcast()).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BroadcastContext {
    index: usize,
    num_threads: usize,
}

impl BroadcastContext {
    /// The index of the pool's thread that the call is made on.
    #[must_use]
    pub fn index(&self) -> usize {
        self.index
    }

    /// How many threads the broadcast is for.
    #[must_use]
    pub fn num_threads(&self) -> usize {
        self.num_threads
    }
}

/// Has the calling thread run what it has spawned itself, unless that has no end: in a pool where
/// nobody else might, as in rayon's. Not inside of a wait, where that is a stranger's work.
fn run_what_it_has_spawned() {
    let Some(own) = current::member().filter(|own| !own.registry.config.have_turns()) else {
        return;
    };
    let begun = Instant::now();
    let may_go_on =
        || !this_thread::is_waiting() && begun.elapsed() < FOR_LONG && !own.team().has_ended();
    own.visit(|own| while may_go_on() && own.run_spawned() {});
}

fn contexts(num_threads: usize) -> impl Iterator<Item = BroadcastContext> {
    (0..num_threads).map(move |index| BroadcastContext { index, num_threads })
}

impl Team {
    /// Gives `job` to the thread of `index`. Gives it back if there is no such thread.
    pub(crate) fn pin(&self, index: usize, job: Job) -> Result<(), Job> {
        match self.threads.pinned(index) {
            Some(pinned) if index < self.occupancy.target() => pinned.push(job),
            _ => Err(job),
        }
    }
}

impl Worker {
    /// Calls `f` once on each of the pool's threads, and waits for all of it. See
    /// [`broadcast`](crate::broadcast()).
    ///
    /// # Panics
    ///
    /// With the first payload that a call of `f` has panicked with, after all of them are over.
    pub fn broadcast<R: Send>(&self, f: impl Fn(BroadcastContext) -> R + Sync) -> Vec<R> {
        let num_threads = self.registry.frame().occupancy.target();
        if num_threads == 0 {
            run_what_it_has_spawned();
            return contexts(1).map(f).collect();
        }
        let results: Vec<Mutex<Option<R>>> =
            contexts(num_threads).map(|_| Mutex::new(None)).collect();
        self.scope(|scope| {
            for (context, result) in contexts(num_threads).zip(&results) {
                let f = &f;
                // A thread that the system refused, or that ends just now, misses its call.
                scope.try_spawn_on(context.index, move || {
                    let value = f(context);
                    *lock(result) = Some(value);
                });
            }
            // This thread makes its call as it waits for the others', so what it has spawned comes
            // before that; and after all calls are queued, for it may wait for one of them.
            run_what_it_has_spawned();
        });
        let take = |result: Mutex<_>| result.into_inner().unwrap_or_else(PoisonError::into_inner);
        results.into_iter().filter_map(take).collect()
    }

    /// As [`ThreadPool::spawn_on`](crate::ThreadPool::spawn_on), and no panic: false, with `f`
    /// dropped, if there is no such thread, for instance as the system has refused it. If the
    /// system refuses it after that, or the thread ends, `f` is dropped. A panic in `f` goes to the
    /// pool's panic handler.
    pub fn try_spawn_on(&self, index: usize, f: impl FnOnce() + Send + 'static) -> bool {
        let job = self.registry.reported(f);
        self.registry.frame().pin(index, job).is_ok()
    }
}

/// Calls `f` once on each of the threads of the pool that the calling thread is inside of, waits
/// for all of it, and gives the results in the order of the threads.
///
/// Each thread makes its call between two jobs or while it waits; a thread that runs one long job
/// delays the whole. Where threads run their [newest first](crate::Order::NewestFirst), they call
/// not before what they have queued themselves, if that ends within 64 ms. The caller does so only
/// in a pool without [spare threads](crate::ThreadPoolBuilder::spare_threads): hold no lock there.
///
/// Only the pool's [own threads](crate::ThreadPool::num_threads) are called, no spare or lower ones;
/// a pool without threads calls `f` once, on the calling thread. The idea and the interface are
/// rayon's.
///
/// # Panics
///
/// As [`Worker::broadcast`], and outside of any pool.
///
/// ```
/// let pool = heartbeat_pool::ThreadPool::builder().num_threads(3).build().unwrap();
/// let indices = pool.with_worker(|_| heartbeat_pool::broadcast(|context| context.index()));
/// assert_eq!(indices, [0, 1, 2]);
/// ```
pub fn broadcast<R: Send>(f: impl Fn(BroadcastContext) -> R + Sync) -> Vec<R> {
    Worker::current_for("broadcast", |worker| worker.broadcast(f))
}
