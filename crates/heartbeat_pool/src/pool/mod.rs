//! `ThreadPool`: the face of it all. How one is made (`builder`), and the one of the whole process
//! (`process`).

mod budgets;
pub(crate) mod builder;
pub(crate) mod process;

use crate::config::Config;
use crate::metrics::PoolMetrics;
use crate::pool::builder::ThreadPoolBuilder;
use crate::queue::deque::Order;
use crate::queue::mailbox::Mailbox;
use crate::queue_times::WaitWatch;
use crate::registry::Registry;
use crate::sync::{Arc, Mutex, OnceLock};
use crate::verbs::block_on::drive;
use crate::verbs::broadcast::BroadcastContext;
use crate::verbs::scope::Scope;
use crate::verbs::split::Split;
use crate::worker::Worker;
use crate::worker::current;
use async_task::Task;
use heartbeat_record::Lane;
use std::fmt;
use std::future::Future;
use std::io;
use std::rc::Rc;

/// The most threads that a pool can be given. Its counts are packed in 21 bits each: what is left
/// is for spare threads, and for those from outside.
pub const MOST_THREADS: usize = 1 << 14;

/// A pool of threads that share all work: fork-join, scopes, tasks, in three [lanes](Lane).
///
/// A pool is either `static`, with no threads until it is [resized](Self::resize_to), or owned,
/// from a [builder](Self::builder). Dropping an owned pool ends its threads after the job each of
/// them runs, and drops what is still queued, which cancels tasks: at once when the threads are
/// gone, or while jobs that wait for it, or are just long, still run. It waits for the threads,
/// unless one of them drops it. So two pools whose jobs drop each other's last handle at the same
/// time never end. On Windows, neither does a pool that a thread-local's destructor drops: there no
/// other thread ends meanwhile.
///
/// With no threads it works too: whoever calls [`scope`](Self::scope),
/// [`block_on`](Self::block_on) or [`tick`](Self::tick) does the work.
///
/// ```
/// use heartbeat_pool::ThreadPool;
///
/// static POOL: ThreadPool = ThreadPool::new();
/// POOL.resize_to(2).unwrap();
///
/// let mut squares = vec![0; 4];
/// POOL.scope(|scope| {
///     for (i, square) in squares.iter_mut().enumerate() {
///         scope.spawn(move || *square = i * i);
///     }
/// });
/// assert_eq!(squares, [0, 1, 4, 9]);
/// ```
pub struct ThreadPool {
    registry: OnceLock<Arc<Registry>>,
    /// Held while the settings of a static pool are applied, so that who comes second sees whether
    /// it was the second.
    building: Mutex<()>,
}

impl ThreadPool {
    /// A pool with no threads yet, for a `static`.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            registry: OnceLock::new(),
            building: Mutex::new(()),
        }
    }

    /// A builder of an owned pool.
    pub fn builder() -> ThreadPoolBuilder {
        ThreadPoolBuilder::default()
    }

    /// Settles the pool's configuration, if nothing has used it yet.
    pub(crate) fn configure(&self, config: Config) -> bool {
        self.registry.set(Registry::new(config)).is_ok()
    }

    pub(crate) fn registry(&self) -> &Arc<Registry> {
        self.registry
            .get_or_init(|| Registry::new(Config::default()))
    }

    fn worker(&self) -> Rc<Worker> {
        current::nearest_worker_in(self.registry())
    }

    /// Whether the calling thread is inside of this pool, and of no other one since.
    ///
    /// ```
    /// let pool = heartbeat_pool::ThreadPool::builder().num_threads(1).build().unwrap();
    /// assert!(!pool.is_current());
    /// assert!(pool.install(|_| pool.is_current()));
    /// ```
    #[must_use]
    pub fn is_current(&self) -> bool {
        let is_its = |worker: &Worker| worker.is_of(self.registry());
        current::peek(|worker| worker.is_some_and(is_its))
    }

    /// How many threads are meant to run at once. Spare threads, which run in the place of waiting
    /// ones, come on top.
    #[must_use]
    pub fn num_threads(&self) -> usize {
        self.registry().frame().occupancy.target()
    }

    /// How many threads [of their own](ThreadPoolBuilder::lower_threads) the io and background
    /// lanes have: as many as [`num_threads`](Self::num_threads), or fewer where the system refuses
    /// some. With none, their jobs run on the frame's threads. None if they are not to have any.
    ///
    /// ```
    /// let builder = heartbeat_pool::ThreadPool::builder().num_threads(2);
    /// let pool = builder.lower_threads(true).build().unwrap();
    /// assert_eq!(pool.num_lower_threads(), Some(2));
    /// ```
    #[must_use]
    pub fn num_lower_threads(&self) -> Option<usize> {
        self.registry().num_lower_threads()
    }

    /// Whether anyone has chosen the number of threads yet, be it zero.
    #[must_use]
    pub fn is_sized(&self) -> bool {
        // Not asked of a pool that is made for it: that would settle its other settings.
        self.registry
            .get()
            .is_some_and(|registry| registry.frame().threads.is_sized())
    }

    /// Changes the number of threads, also while work runs: new ones start at once, surplus ones
    /// end as they go idle, what is queued stays queued, and budgets stay as they are. With none
    /// left, whoever waits does the work. Not for a thread with
    /// [`LowerPriority::Leftovers`](crate::LowerPriority): what it starts has the same, for good.
    ///
    /// # Errors
    ///
    /// When `threads` is more than 16,384, with nothing changed; when the system refuses a thread.
    /// Then the pool runs with those that it has got, with none if there are none, and asks for the
    /// others again when something waits.
    pub fn resize_to(&self, threads: usize) -> io::Result<()> {
        if threads > MOST_THREADS {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                format!("a pool can't have {threads} threads: ask for {MOST_THREADS} at most"),
            ));
        }
        self.registry().resize(threads)
    }

    /// The most jobs of `lane` that run at once; one always may.
    #[must_use]
    pub fn budget(&self, lane: Lane) -> usize {
        self.registry().frame().occupancy.budget(lane)
    }

    /// Sets the most jobs of `lane` that run at once, at least one.
    pub fn set_budget(&self, lane: Lane, budget: usize) {
        let registry = self.registry();
        for team in &registry.teams {
            team.occupancy.set_budget(lane, budget);
            registry.offer_room(team);
        }
    }

    /// Calls `f` with the calling thread's worker, counting the thread as one of the running ones
    /// meanwhile. Entering is cheap and never waits, however many threads are inside.
    pub fn with_worker<R>(&self, f: impl FnOnce(&Worker) -> R) -> R {
        Worker::with_current(|worker| match worker {
            // It has entered already.
            Some(worker) if worker.is_of(self.registry()) => f(worker),
            _ => self.worker().visit(f),
        })
    }

    /// Runs `a` and `b`, possibly in parallel. See [`join`](crate::join()).
    pub fn join<A, B, RA: Send, RB: Send>(&self, a: A, b: B) -> (RA, RB)
    where
        A: FnOnce() -> RA + Send,
        B: FnOnce() -> RB + Send,
    {
        self.with_worker(|worker| worker.join(|_| a(), |_| b()))
    }

    /// Runs `f` on one of the pool's own threads, and waits for it; on such a thread, here and now.
    /// In a pool without threads the caller runs it.
    ///
    /// For what belongs to the pool's threads, such as thread-locals and big stacks: the other
    /// verbs let a thread from outside work itself. The interface is rayon's.
    ///
    /// ```
    /// let pool = heartbeat_pool::ThreadPool::builder().num_threads(2).build().unwrap();
    /// let mut text = String::from("run by ");
    /// pool.install(|_| text += std::thread::current().name().unwrap());
    /// assert!(text.starts_with("run by heartbeat"));
    /// ```
    ///
    /// # Panics
    ///
    /// With the payload that `f` panics with, and when the pool ends before it has run `f`.
    pub fn install<R: Send>(&self, f: impl FnOnce(&Worker) -> R + Send) -> R {
        self.registry().install(f)
    }

    /// Calls `f` on every item, splitting the slice between threads as they come free. See
    /// [`for_each`](crate::for_each()).
    pub fn for_each<T: Send>(&self, items: &mut [T], f: impl Fn(&mut T) + Sync) {
        self.with_worker(|worker| worker.for_each(items, f));
    }

    /// Folds pieces of `work` until there is nothing left of it, and combines the results in order.
    /// See [`fold_pieces`](crate::fold_pieces()).
    pub fn fold_pieces<W: Split, S, R: Send>(
        &self,
        work: W,
        init: impl Fn() -> S + Sync,
        fold: impl Fn(&mut S, W) + Sync,
        finish: impl Fn(S) -> R + Sync,
        combine: impl Fn(R, R) -> R + Sync,
    ) -> R {
        self.with_worker(|worker| worker.fold_pieces(work, init, fold, finish, combine))
    }

    /// Calls `f` with a scope, and waits until everything spawned on it is over. The calling thread
    /// helps, with this scope's work alone. See [`scope`](crate::scope()).
    ///
    /// # Panics
    ///
    /// With `f`'s payload, or else with the first of what was spawned and panicked.
    pub fn scope<'env, R>(
        &self,
        f: impl for<'scope> FnOnce(&'scope Scope<'scope, 'env>) -> R,
    ) -> R {
        self.with_worker(|worker| worker.scope(f))
    }

    /// As [`Worker::scope_in_order`], but the calling thread only waits: everything spawned is left
    /// to the pool's threads, unless there are none. `f` runs on the calling thread, which need not
    /// enter the pool for that.
    ///
    /// For what belongs to the pool's threads, as [`install`](Self::install). The interface is
    /// rayon's `in_place_scope`.
    ///
    /// # Panics
    ///
    /// As [`Worker::scope`].
    ///
    /// ```
    /// let pool = heartbeat_pool::ThreadPool::builder().num_threads(2).build().unwrap();
    /// let own = std::thread::current().id();
    /// pool.scope_elsewhere(heartbeat_pool::Order::OldestFirst, |scope| {
    ///     assert_eq!(std::thread::current().id(), own);
    ///     scope.spawn(move || assert_ne!(std::thread::current().id(), own));
    /// });
    /// ```
    pub fn scope_elsewhere<'env, R>(
        &self,
        order: Order,
        f: impl for<'scope> FnOnce(&'scope Scope<'scope, 'env>) -> R,
    ) -> R {
        self.registry().scope_elsewhere(order, f)
    }

    /// As [`scope`](Self::scope); while it waits, the calling thread also ticks `mailboxes`, which
    /// must be its own.
    ///
    /// # Panics
    ///
    /// As [`Worker::scope`], and when a mailbox is another thread's.
    pub fn scope_with_mailboxes<'env, R>(
        &self,
        mailboxes: &[&Arc<Mailbox>],
        f: impl for<'scope> FnOnce(&'scope Scope<'scope, 'env>) -> R,
    ) -> R {
        assert!(
            mailboxes.iter().all(|mailbox| mailbox.is_mine()),
            "a scope can only tick mailboxes of the thread that waits in it"
        );
        self.with_worker(|worker| worker.scope_of(Order::OldestFirst, mailboxes, f))
    }

    /// Spawns a closure on `lane`: queued, never run inline, with one allocation. A panic in it
    /// goes to the pool's panic handler.
    pub fn spawn(&self, lane: Lane, f: impl FnOnce() + Send + 'static) {
        self.registry().spawn(lane, f);
    }

    /// Spawns a future on `lane`. Dropping the task cancels it, detaching lets it run on.
    ///
    /// A panic in it is shown to the pool's panic handler and resumed by whoever awaits the task.
    /// A panic while an output is dropped that nobody took ends the process, as in async-task.
    pub fn spawn_future<F>(&self, lane: Lane, future: F) -> Task<F::Output>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        self.registry().spawn_future(lane, future)
    }

    /// Runs `f`, which may block, on a thread of the pool that holds no core meanwhile. See
    /// [`spawn_blocking`](crate::spawn_blocking()).
    pub fn spawn_blocking<R>(&self, f: impl FnOnce() -> R + Send + 'static) -> Task<R>
    where
        R: Send + 'static,
    {
        self.registry().spawn_blocking(f)
    }

    /// Spawns a closure on the pool's thread of `index`, one of
    /// [`num_threads`](Self::num_threads), which runs it between two jobs, or while it waits. A
    /// panic in `f` goes to the pool's panic handler.
    ///
    /// # Panics
    ///
    /// When the pool has no such thread.
    ///
    /// ```
    /// let pool = heartbeat_pool::ThreadPool::builder().num_threads(2).build().unwrap();
    /// let (sender, receiver) = std::sync::mpsc::channel();
    /// pool.spawn_on(1, move || {
    ///     let index = heartbeat_pool::Worker::with_current(|worker| worker.unwrap().index());
    ///     sender.send(index).unwrap();
    /// });
    /// assert_eq!(receiver.recv(), Ok(Some(1)));
    /// ```
    pub fn spawn_on(&self, index: usize, f: impl FnOnce() + Send + 'static) {
        let registry = self.registry();
        let team = registry.frame();
        let pinned = team.pin(index, registry.reported(f));
        assert!(
            pinned.is_ok(),
            "spawn_on: the pool has no thread {index}; it has {}",
            team.occupancy.target()
        );
    }

    /// Calls `f` once on each of the pool's threads, and waits for all of it. See
    /// [`broadcast`](crate::broadcast()).
    pub fn broadcast<R: Send>(&self, f: impl Fn(BroadcastContext) -> R + Sync) -> Vec<R> {
        self.with_worker(|worker| worker.broadcast(f))
    }

    /// Waits for `future` on the calling thread. A spare thread runs in its place meanwhile; in a
    /// pool without threads, the caller does the pool's work.
    pub fn block_on<F: Future>(&self, future: F) -> F::Output {
        drive(future, Some(self.registry()))
    }

    /// Runs one queued job of any lane on the calling thread, if there is one: how a pool without
    /// threads gets on between frames.
    pub fn tick(&self) -> bool {
        self.worker().visit(Worker::tick)
    }

    /// What the pool has done so far.
    #[must_use]
    pub fn metrics(&self) -> PoolMetrics {
        self.registry().metrics()
    }

    /// Has the pool time how long its queued jobs wait, for as long as what this gives lives. It
    /// costs a look at a clock for each job that is queued; nothing while nobody watches.
    #[must_use]
    pub fn watch_waits(&self) -> WaitWatch {
        WaitWatch::new(&self.registry().queue_times)
    }
}

impl Default for ThreadPool {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for ThreadPool {
    fn drop(&mut self) {
        if let Some(registry) = self.registry.get() {
            registry.terminate();
        }
    }
}

impl fmt::Debug for ThreadPool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ThreadPool")
            .field("num_threads", &self.num_threads())
            .finish_non_exhaustive()
    }
}
