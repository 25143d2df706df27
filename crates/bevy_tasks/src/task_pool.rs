//! `TaskPool`: a lane of the process's one pool, or a pool of its own.

use crate::Task;
use crate::batches;
use crate::executor;
use crate::process_pool::{self, Callback, LaneSettings};
use crate::scope::{Scope, ScopeState};
use crate::thread_executor::ThreadExecutor;
use core::fmt;
use core::future::Future;
use core::panic::Location;
use core::ptr;
use heartbeat_pool::{LEAST_STACK, Lane, ThreadPool};
use std::cell::Cell;
use std::sync::Arc;

thread_local! {
    static THREAD_EXECUTOR: Arc<ThreadExecutor<'static>> = Arc::new(ThreadExecutor::new());
    /// Whether the thread does the tasks of pools without threads.
    static TICKS: Cell<bool> = const { Cell::new(false) };
    /// The lane whose global pool is being initialized on this thread.
    static LANE: Cell<Option<Lane>> = const { Cell::new(None) };
}

/// Calls `f`; a pool that is built meanwhile is the process's one, in `lane`.
pub(crate) fn with_lane<R>(lane: Lane, f: impl FnOnce() -> R) -> R {
    struct Restore(Option<Lane>);
    impl Drop for Restore {
        fn drop(&mut self) {
            LANE.set(self.0);
        }
    }
    let _restore = Restore(LANE.replace(Some(lane)));
    f()
}

/// Where the process's pool has no threads, runs one of its jobs here. Tells whether it did.
pub(crate) fn tick_global_pool_if_threadless() -> bool {
    // Not before it runs: a tick must not start it, with settings still to come.
    process_pool::is_running() && {
        let pool = process_pool::running();
        pool.num_threads() == 0 && pool.tick()
    }
}

/// Builds a [`TaskPool`].
///
/// Inside of a global pool's `get_or_init`, the pool that it builds is a lane of the process's
/// one pool, and the settings are the lane's: `num_threads` is its budget (the frame lane always
/// has all threads, and more than there are cores if told so); callbacks run on every thread, for
/// every thread serves every lane; names are not used. If the process's pool runs already, a
/// budget is still applied and the rest is not, which a warning says; if an app or a library has
/// set that pool up by other means, its own settings hold.
///
/// Anywhere else it builds an independent pool with threads of its own.
///
/// ```
/// let pool = bevy_tasks::TaskPoolBuilder::new()
///     .num_threads(2)
///     .thread_name("Pathfinding".to_string())
///     .build();
/// assert_eq!(pool.thread_num(), 2);
/// ```
#[derive(Default)]
#[must_use]
pub struct TaskPoolBuilder {
    thread_name: Option<String>,
    settings: LaneSettings,
}

impl TaskPoolBuilder {
    /// A builder with the defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// How many threads run at once; by default as many as the machine runs in parallel. A pool
    /// without any does its tasks in whoever waits in it, or ends a scope.
    ///
    /// While one waits, in [`block_on`](crate::block_on()) or a scope, a spare thread has its
    /// place, and one may be started as well for what is queued before the first ones run. So a
    /// pool of one may have several threads, one after the other or while others wait, each with a
    /// name and its calls of [`on_thread_spawn`](Self::on_thread_spawn): what must stay on one
    /// thread belongs into [`spawn_local`](TaskPool::spawn_local), or on a thread of its own.
    ///
    /// The global compute pool has at least that default, also where 1 is asked for: its threads
    /// are all three pools', and the others' budgets are what fewer is for.
    pub fn num_threads(mut self, num_threads: usize) -> Self {
        self.settings.num_threads = Some(num_threads);
        self
    }

    /// Each thread's stack, in bytes, 16 KiB at least; the system's default otherwise.
    pub fn stack_size(mut self, stack_size: usize) -> Self {
        self.settings.stack_size = Some(stack_size.max(LEAST_STACK));
        self
    }

    /// What the threads are named, each with its index behind: `name (0)`.
    pub fn thread_name(mut self, thread_name: String) -> Self {
        self.thread_name = Some(thread_name);
        self
    }

    /// Called on each thread as it starts, spare ones too, before it runs anything.
    pub fn on_thread_spawn(mut self, f: impl Fn() + Send + Sync + 'static) -> Self {
        self.settings.on_thread_spawn = Some(Arc::new(f) as Callback);
        self
    }

    /// Called on each thread as it ends.
    pub fn on_thread_destroy(mut self, f: impl Fn() + Send + Sync + 'static) -> Self {
        self.settings.on_thread_destroy = Some(Arc::new(f) as Callback);
        self
    }

    /// Where the process's pool lies that the engine's three are lanes of. The plugin compares it
    /// with its own: another one is that of another copy of `heartbeat_pool`.
    #[doc(hidden)]
    #[must_use]
    pub fn heartbeat_pool(&self) -> *const () {
        ptr::from_ref(heartbeat_pool::global()).cast()
    }

    /// Builds the pool and starts its threads.
    ///
    /// # Panics
    ///
    /// When the system refuses a thread, and for more than 16,384 threads.
    pub fn build(self) -> TaskPool {
        if let Some(lane) = LANE.get() {
            process_pool::gather(lane, self.settings);
            return TaskPool { own: None, lane };
        }
        let name = self.thread_name.unwrap_or_else(|| "TaskPool".to_owned());
        let mut builder = ThreadPool::builder().thread_name(move |i| format!("{name} ({i})"));
        let settings = self.settings;
        if let Some(num_threads) = settings.num_threads {
            builder = builder.num_threads(num_threads);
        }
        if let Some(stack_size) = settings.stack_size {
            builder = builder.stack_size(stack_size);
        }
        if let Some(callback) = settings.on_thread_spawn {
            builder = builder.start_handler(move |_| callback());
        }
        if let Some(callback) = settings.on_thread_destroy {
            builder = builder.exit_handler(move |_| callback());
        }
        match builder.build() {
            Ok(pool) => TaskPool {
                own: Some(pool),
                lane: Lane::Frame,
            },
            Err(error) => {
                let reason = process_pool::reason(&error);
                panic!("the thread pool could not be started: {error}{reason}")
            }
        }
    }
}

/// Runs tasks: futures that the pool drives on its threads.
///
/// The engine's three global pools are lanes of one pool; any other is independent, and dropping
/// it ends its threads. The interface is that of Bevy's own crate.
pub struct TaskPool {
    /// None for a lane of the process's pool.
    own: Option<ThreadPool>,
    lane: Lane,
}

impl TaskPool {
    /// The calling thread's executor, the same at every call.
    pub fn get_thread_executor() -> Arc<ThreadExecutor<'static>> {
        THREAD_EXECUTOR.with(Arc::clone)
    }

    /// A pool with the default settings. See [`TaskPoolBuilder`].
    pub fn new() -> Self {
        TaskPoolBuilder::new().build()
    }

    fn pool(&self) -> &ThreadPool {
        match &self.own {
            Some(pool) => pool,
            None => process_pool::running(),
        }
    }

    /// How many of this pool's tasks run at once: its threads, or its lane's budget if less.
    ///
    /// The engine's own parallel iteration, which makes as many batches, is told a number that fits
    /// what it iterated over before: 1 where that is too little to share, else several a thread.
    #[track_caller]
    pub fn thread_num(&self) -> usize {
        let pool = self.pool();
        // Of the process's pool without threads the main thread is one: the engine divides by that.
        let least = usize::from(self.own.is_none());
        let threads = pool.num_threads().min(pool.budget(self.lane)).max(least);
        if batches::is_iteration(Location::caller()) {
            batches::note();
            batches::number(threads)
        } else {
            threads
        }
    }

    /// Calls `f` with a scope, waits until everything spawned on it is over, and gives the results
    /// in the order of spawning. Tasks may borrow from outside of the scope, and spawn on it
    /// themselves; what these give comes in no certain order.
    ///
    /// The calling thread helps, but runs nothing that is not of this scope. Tasks run in the lane
    /// that this thread works in, whichever of the engine's pools this is: its caller waits for
    /// them.
    ///
    /// # Panics
    ///
    /// When `f` or a task panics, with its payload. The other tasks are cancelled, and over by
    /// then.
    ///
    /// ```
    /// let pool = bevy_tasks::TaskPool::new();
    /// let mut best = 0;
    /// let squares = pool.scope(|scope| {
    ///     for i in 0..3 {
    ///         scope.spawn(async move { i * i });
    ///     }
    ///     scope.spawn(async {
    ///         best = 7;
    ///         best
    ///     });
    /// });
    /// assert_eq!(squares, [0, 1, 4, 7]);
    /// assert_eq!(best, 7);
    /// ```
    ///
    /// What is borrowed must live outside of the closure:
    ///
    /// ```compile_fail
    /// let pool = bevy_tasks::TaskPool::new();
    /// pool.scope(|scope| {
    ///     let inside = 1;
    ///     let borrowed = &inside;
    ///     scope.spawn(async move { assert_eq!(*borrowed, 1) });
    /// });
    /// ```
    ///
    /// and the scope can't leave it:
    ///
    /// ```compile_fail
    /// let pool = bevy_tasks::TaskPool::new();
    /// let boxed = Box::new(1);
    /// pool.scope(|scope| {
    ///     std::thread::spawn(move || scope.spawn(async move { assert_eq!(*boxed, 1) }));
    /// });
    /// ```
    pub fn scope<'env, F, T>(&self, f: F) -> Vec<T>
    where
        F: for<'scope> FnOnce(&'scope Scope<'scope, 'env, T>),
        T: Send + 'static,
    {
        let run = |expected| ScopeState::run(self.pool(), None, expected, f);
        let results = batches::measure::<F, _>(run);
        self.tick_if_threadless();
        results
    }

    /// As [`scope`](Self::scope), where [`Scope::spawn_on_external`] spawns onto
    /// `external_executor`. While it waits, the calling thread also ticks that one, if it is its
    /// own.
    ///
    /// `tick_task_pool_executor` has no effect: the caller always helps with its scope, and never
    /// with other work of the pool.
    ///
    /// # Panics
    ///
    /// As [`scope`](Self::scope).
    pub fn scope_with_executor<'env, F, T>(
        &self,
        tick_task_pool_executor: bool,
        external_executor: Option<&ThreadExecutor>,
        f: F,
    ) -> Vec<T>
    where
        F: for<'scope> FnOnce(&'scope Scope<'scope, 'env, T>),
        T: Send + 'static,
    {
        let _ = tick_task_pool_executor;
        let (results, _) = ScopeState::run(self.pool(), external_executor, None, f);
        self.tick_if_threadless();
        results
    }

    /// Whoever has opened a scope in a pool of its own without threads does what tasks are queued
    /// there, once each: nobody else would. Not in such a task, of whichever pool, for each would
    /// nest in the one before.
    fn tick_if_threadless(&self) {
        struct Ticks;
        impl Drop for Ticks {
            fn drop(&mut self) {
                TICKS.set(false);
            }
        }
        if let Some(pool) = &self.own
            && pool.num_threads() == 0
            && !TICKS.replace(true)
        {
            let _ticks = Ticks;
            let queued: usize = pool.metrics().queued.iter().sum();
            for _ in 0..queued {
                pool.tick();
            }
        }
    }

    /// What `f` makes of each item, in order. A few items are a task each, which others can take
    /// before it is known how long one is. More of them may be short ones: these are a loop, whose
    /// pieces threads take as they come free.
    pub(crate) fn map_each<T: Send, R: Send>(
        &self,
        items: impl Iterator<Item = T>,
        f: impl Fn(T) -> R + Sync,
    ) -> Vec<R> {
        let mut pairs: Vec<_> = items.map(|item| (Some(item), None)).collect();
        let run = |(item, result): &mut (Option<T>, Option<R>)| *result = item.take().map(&f);
        let most = batches::MOST_A_THREAD * self.pool().num_threads();
        if (2..=most).contains(&pairs.len()) {
            let run = &run;
            self.scope(|scope| {
                let spawn = |pair| scope.spawn(async move { run(pair) });
                pairs.iter_mut().for_each(spawn);
            });
        } else {
            self.pool()
                .with_worker(|worker| worker.for_each(&mut pairs, run));
        }
        pairs.into_iter().filter_map(|(_, result)| result).collect()
    }

    /// Spawns a future onto the pool. Dropping the [`Task`] cancels it, `detach` lets it run on;
    /// either way the pool drives it without anyone awaiting it. A panic in it reaches the
    /// awaiter.
    pub fn spawn<T>(&self, future: impl Future<Output = T> + Send + 'static) -> Task<T>
    where
        T: Send + 'static,
    {
        self.pool().spawn_future(self.lane, future)
    }

    /// Spawns a future that stays on the calling thread, so that it need not be `Send`. A pool's
    /// thread runs it between jobs; the main thread when the app ticks it (see
    /// [`tick_global_task_pools_on_main_thread`](crate::tick_global_task_pools_on_main_thread)).
    pub fn spawn_local<T>(&self, future: impl Future<Output = T> + 'static) -> Task<T>
    where
        T: 'static,
    {
        executor::spawn_local(future)
    }

    /// Calls `f` with the calling thread's local executor, for instance to tick it.
    ///
    /// ```
    /// let pool = bevy_tasks::TaskPool::new();
    /// let task = pool.spawn_local(async { 3 });
    /// pool.with_local_executor(|executor| while executor.try_tick() {});
    /// assert!(task.is_finished());
    /// ```
    pub fn with_local_executor<F, R>(&self, f: F) -> R
    where
        F: FnOnce(&executor::LocalExecutor) -> R,
    {
        executor::with_driven_executor(f)
    }
}

impl Default for TaskPool {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for TaskPool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TaskPool")
            .field("lane", &self.lane)
            .field("own", &self.own)
            .finish()
    }
}
