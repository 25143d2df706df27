//! A thread's workers, one for each team of a pool that it has been in, and which it is now.

use super::Worker;
use crate::registry::Registry;
use crate::registry::team::Team;
use crate::sync::Arc;
use std::any::Any;
use std::cell::{Cell, RefCell};
use std::mem;
use std::ptr::{self, NonNull};
use std::rc::Rc;

struct Workers {
    /// One a team, kept between calls so that entering a pool again costs a look-up.
    all: RefCell<Vec<Rc<Worker>>>,
    /// What makes a thread that had a life before one of a pool's own.
    enrolled: RefCell<Option<Box<dyn Any>>>,
}

impl Drop for Workers {
    fn drop(&mut self) {
        // An enrolled thread's worker is one of these.
        CURRENT.set(ptr::null());
        // Where the thread ends the process in the middle of a job, it goes on: others may still
        // see what it has forked, which lies on its stack and points to its worker.
        let all = self.all.get_mut().drain(..);
        all.filter(|worker| worker.count.charge.get().is_some())
            .for_each(mem::forget);
    }
}

thread_local! {
    static WORKERS: Workers = const {
        Workers {
            all: RefCell::new(Vec::new()),
            enrolled: RefCell::new(None),
        }
    };
    /// The worker whose pool the thread is now inside of; null outside of all.
    static CURRENT: Cell<*const Worker> = const { Cell::new(ptr::null()) };
}

/// The calling thread's worker in `team`, one of `registry`'s, made now if it has none.
pub(crate) fn worker_in(registry: &Arc<Registry>, team: &Team) -> Rc<Worker> {
    let kept = WORKERS.try_with(|workers| {
        let mut all = workers.all.borrow_mut();
        if let Some(worker) = all.iter().find(|worker| worker.is_in(team)) {
            return worker.clone();
        }
        // Pools that ended need none any more, but for that of a thread of their own.
        let ended = |worker: &mut Rc<Worker>| worker.team().has_ended() && !worker.is_member();
        let gone: Vec<_> = all.extract_if(.., ended).collect();
        drop(all);
        // Outside of the borrow: they may be the last to hold a pool's handlers.
        drop(gone);
        let worker = Rc::new(Worker::new(registry, team.rank, None));
        workers.all.borrow_mut().push(worker.clone());
        worker
    });
    // While the thread's locals are destroyed, one for this call alone.
    kept.unwrap_or_else(|_| Rc::new(Worker::new(registry, team.rank, None)))
}

/// As [`worker_in`], in the team that the thread works for if it is inside of this pool, else in
/// the frame's.
pub(crate) fn nearest_worker_in(registry: &Arc<Registry>) -> Rc<Worker> {
    peek(|worker| match worker {
        Some(worker) if worker.is_of(registry) => worker_in(registry, worker.team()),
        _ => worker_in(registry, registry.frame()),
    })
}

/// Keeps a pool thread's own worker where [`worker_in`] finds it.
pub(crate) fn keep_worker(worker: Rc<Worker>) {
    // First, whatever pools its handlers have entered.
    WORKERS.with(|workers| workers.all.borrow_mut().insert(0, worker));
}

/// The calling thread's worker in its own pool, if that has no spare threads, or can't have more.
pub(crate) fn lone_member() -> Option<Rc<Worker>> {
    member().filter(|worker| worker.is_left_alone())
}

/// Makes the calling thread, which had a life before, one of a pool's own, with `worker` and
/// `thread`, until it ends.
pub(crate) fn enroll(worker: Rc<Worker>, thread: Box<dyn Any>) {
    WORKERS.with(|workers| {
        // Not before this is known to live: it keeps the worker.
        CURRENT.set(Rc::as_ptr(&worker));
        workers.all.borrow_mut().insert(0, worker);
        *workers.enrolled.borrow_mut() = Some(thread);
    });
}

/// Drops all, when a pool thread ends, but those of pools that the thread is still inside of.
pub(crate) fn drop_workers() {
    // Taken out first: a worker's end may run a job's destructor, which may look for one.
    let is_unused = |worker: &mut Rc<Worker>| Rc::strong_count(worker) == 1;
    let unused: Vec<_> =
        WORKERS.with(|workers| workers.all.borrow_mut().extract_if(.., is_unused).collect());
    drop(unused);
}

/// The calling thread's worker in the pool whose own thread it is.
pub(crate) fn member() -> Option<Rc<Worker>> {
    let first = |workers: &Workers| workers.all.borrow().first().cloned();
    let first = WORKERS.try_with(first).ok().flatten();
    first.filter(|worker| worker.is_member())
}

/// Runs one job that only the calling thread may run, inside of its own pool, whichever it is
/// inside of now.
pub(crate) fn run_pinned() -> bool {
    let called = member().filter(|worker| worker.has_pinned());
    called.is_some_and(|worker| worker.visit_only_here(Worker::run_pinned))
}

pub(crate) fn has_pinned() -> bool {
    member().is_some_and(|worker| worker.has_pinned())
}

pub(crate) fn for_each_worker(mut f: impl FnMut(&Rc<Worker>)) {
    // Cloned, for `f` may make one; most threads have none, and then this allocates nothing.
    let all = WORKERS.try_with(|workers| workers.all.borrow().clone());
    // While the thread's locals are destroyed, the one that it is inside of is known alone.
    let all = all.unwrap_or_else(|_| current().into_iter().collect());
    all.iter().for_each(&mut f);
}

/// Makes `worker` the current one until the guard is dropped.
pub(crate) struct Entered {
    previous: *const Worker,
    worker: Rc<Worker>,
}

impl Entered {
    pub(crate) fn new(worker: Rc<Worker>) -> Self {
        let previous = CURRENT.replace(Rc::as_ptr(&worker));
        Self { previous, worker }
    }
}

impl Drop for Entered {
    fn drop(&mut self) {
        // A thread that was enrolled in a pool meanwhile is inside of that one.
        if ptr::eq(CURRENT.get(), Rc::as_ptr(&self.worker)) {
            CURRENT.set(self.previous);
        }
    }
}

fn current() -> Option<Rc<Worker>> {
    let current = NonNull::new(CURRENT.get().cast_mut())?;
    // SAFETY: it comes from `Rc::as_ptr` of one that is alive, as in `peek`.
    unsafe { Rc::increment_strong_count(current.as_ptr()) };
    // SAFETY: the same, and the count is one that was just added.
    Some(unsafe { Rc::from_raw(current.as_ptr()) })
}

/// Calls `f` with the worker whose pool the thread is inside of, which is not counted as running
/// for that.
#[inline]
pub(crate) fn peek<R>(f: impl FnOnce(Option<&Worker>) -> R) -> R {
    let current = CURRENT.get();
    // SAFETY: non-null only while an `Entered` of this thread, which are dropped in the reverse
    // order of their making, or an enrolled thread's own state holds the worker alive, so it
    // outlives this call.
    f(unsafe { current.as_ref() })
}

#[cfg(all(test, not(heartbeat_loom)))]
mod tests {
    use super::*;
    use crate::pool::ThreadPool;

    #[test]
    fn a_thread_keeps_no_workers_of_pools_that_have_ended() {
        for _ in 0..10 {
            let pool = ThreadPool::builder().num_threads(0).build().unwrap();
            pool.with_worker(|_| ());
            let mut kept = 0;
            for_each_worker(|_| kept += 1);
            assert_eq!(kept, 1);
        }
    }
}
