//! The builder of owned pools, in rayon's words.

use crate::config::Config;
use crate::lanes::priority::LowerPriority;
use crate::placement;
use crate::pool::MOST_THREADS;
use crate::pool::ThreadPool;
use crate::pool::budgets;
use crate::queue::deque::Order;
use crate::sync::{Arc, lock, thread};
use crate::threads::builder::ThreadBuilder;
use heartbeat_record::Lane;
use std::any::Any;
use std::fmt;
use std::io;
use std::time::Duration;

/// The smallest [stack](ThreadPoolBuilder::stack_size) of a thread, in bytes: the scheduler's own
/// frames take a few KiB, the rest is for jobs.
pub const LEAST_STACK: usize = 16 << 10;

/// Builds an owned [`ThreadPool`].
///
/// ```
/// use heartbeat_pool::{Lane, ThreadPool};
///
/// let pool = ThreadPool::builder()
///     .num_threads(2)
///     .thread_name(|index| format!("worker {index}"))
///     .budget(Lane::Background, 1)
///     .build()
///     .unwrap();
/// assert_eq!(pool.num_threads(), 2);
/// ```
#[must_use]
#[derive(Default)]
pub struct ThreadPoolBuilder {
    num_threads: Option<usize>,
    budgets: [Option<usize>; 3],
    has_lower: bool,
    lower_priority: LowerPriority,
    config: Config,
}

/// Why a pool could not be built.
#[derive(Debug)]
#[non_exhaustive]
pub enum BuildError {
    /// The system refused a thread.
    Spawn {
        /// How many threads were asked for.
        wanted: usize,
        /// How many there are.
        started: usize,
        /// The system's reason.
        source: io::Error,
    },
    /// The beat is zero, or so long that nothing would ever be shared.
    Beat(Duration),
    /// More threads than a pool can count.
    Threads(usize),
    /// The stack is too small to run anything on.
    StackSize(usize),
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Spawn {
                wanted,
                started,
                source,
            } if source.kind() == io::ErrorKind::InvalidInput => write!(
                f,
                "{started} of the pool's {wanted} threads have started, and the next can't be \
                 started as it is set up: see that thread_name gives no NUL, that stack_size is \
                 one that the system takes, and that a spawn_handler asks for nothing that it \
                 refuses"
            ),
            Self::Spawn {
                wanted, started, ..
            } => write!(
                f,
                "the system has started {started} of the pool's {wanted} threads and refused the \
                 next: ask for fewer, for a smaller stack_size, or raise the process's thread limit"
            ),
            Self::Beat(beat) => write!(
                f,
                "a beat of {beat:?} can't be kept: choose one from 1 microsecond to 1 second \
                 (the default is 100 microseconds)"
            ),
            Self::Threads(threads) => write!(
                f,
                "a pool can't have {threads} threads: ask for {MOST_THREADS} at most (the default is \
                 one for each core)"
            ),
            Self::StackSize(bytes) => write!(
                f,
                "a stack of {bytes} bytes is too small for a thread: give stack_size at least \
                 {LEAST_STACK} (without it, the system's default is taken)"
            ),
        }
    }
}

impl std::error::Error for BuildError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Spawn { source, .. } => Some(source),
            Self::Beat(_) | Self::Threads(_) | Self::StackSize(_) => None,
        }
    }
}

impl ThreadPoolBuilder {
    /// How many threads run at once, 16,384 at most; as many as the machine runs in parallel by
    /// default. Zero is allowed: then callers do the work.
    pub fn num_threads(mut self, num_threads: usize) -> Self {
        self.num_threads = Some(num_threads);
        self
    }

    /// Names each thread by its index; `heartbeat (0)` and so on by default. Threads for io and
    /// background jobs have `low ` before it, or, where that is longer than the 15 bytes that
    /// Linux shows, are `low (0)` and so on, as by default.
    pub fn thread_name(mut self, name: impl Fn(usize) -> String + Send + Sync + 'static) -> Self {
        self.config.handlers.name = Some(Arc::new(name));
        self
    }

    /// Each thread's stack, in bytes, 16 KiB at least; the system's default otherwise.
    pub fn stack_size(mut self, bytes: usize) -> Self {
        self.config.stack_size = Some(bytes);
        self
    }

    /// How often private work is offered to idle threads, from a microsecond to a second; 100
    /// microseconds by default.
    ///
    /// The sleeps that keep the beat last about half a millisecond on Windows (10, version 1803, or
    /// later; before, up to 15.6 milliseconds): there forked work is offered that late where nobody
    /// is awake to ask for it.
    pub fn beat(mut self, beat: Duration) -> Self {
        self.config.beat = beat;
        self
    }

    /// The most jobs of `lane` that run at once, at least one. By default the frame's is without
    /// limit, and the others' is half of the threads, so that frames find cores, though no more
    /// than four or half of the cores, whichever is greater; or without limit where they have
    /// [threads of their own](Self::lower_threads) with [what others
    /// leave](LowerPriority::Leftovers) on a system that knows such a thing.
    pub fn budget(mut self, lane: Lane, budget: usize) -> Self {
        self.budgets[lane.index()] = Some(budget);
        self
    }

    /// Gives the io and the background lane as many threads of their own: the system shares the
    /// cores between their jobs and the frame's, as [`lower_priority`](Self::lower_priority) says,
    /// where on the pool's other threads a frame waits for such a job's end. Where the system
    /// refuses them all, such jobs run on the other threads. Off by default.
    ///
    /// ```
    /// use heartbeat_pool::{Lane, ThreadPool};
    ///
    /// let pool = ThreadPool::builder().num_threads(1).lower_threads(true).build().unwrap();
    /// let name = || async { std::thread::current().name().map(str::to_owned) };
    /// let name = pool.block_on(pool.spawn_future(Lane::Background, name()));
    /// assert!(name.unwrap().starts_with("low ("));
    /// ```
    pub fn lower_threads(mut self, lower_threads: bool) -> Self {
        self.has_lower = lower_threads;
        self
    }

    /// How readily the system runs the [lower threads](Self::lower_threads).
    pub fn lower_priority(mut self, priority: LowerPriority) -> Self {
        self.lower_priority = priority;
        self
    }

    /// Whether spare threads run in the place of threads that wait, beyond
    /// [`num_threads`](Self::num_threads); they do by default.
    ///
    /// Without them the pool has never more threads than it was given, and each keeps its index. A
    /// thread's core then idles while it waits for another; and once all of them wait, one of them
    /// does whatever the pool has queued, on top of its wait, for nobody else could. Where the
    /// others, which may be blocked in ways of their own, take nothing for 64 ms, it does what is
    /// queued for the frame, or in a lane that has room, until one is free. It makes blocking
    /// calls, too, but where another thread runs only after a second. A `block_on` whose future
    /// wakes itself without end does the same now and then. What is done so may want a lock which
    /// is held over the wait below it, an async one over an `.await`, say, and then neither ends:
    /// hold none over waits in such a pool. So it goes, too, where the system refuses spare
    /// threads.
    ///
    /// ```
    /// use heartbeat_pool::{Lane, ThreadPool};
    ///
    /// let pool = ThreadPool::builder().num_threads(1).spare_threads(false).build().unwrap();
    /// // A thread that waits for a task of its own pool, which has no other.
    /// let sum = pool.install(|worker| {
    ///     let task = heartbeat_pool::spawn_future(Lane::Frame, async { 1 + 1 });
    ///     worker.block_on(task)
    /// });
    /// assert_eq!(sum, 2);
    /// ```
    pub fn spare_threads(mut self, spare_threads: bool) -> Self {
        self.config.has_spares = spare_threads;
        self
    }

    /// In which order each of the pool's threads runs the frame jobs that it has spawned itself:
    /// the oldest first by default. What comes from outside, and what others have spawned, is taken
    /// oldest first in any case, and now and then before own jobs.
    ///
    /// ```
    /// use heartbeat_pool::{Lane, Order, ThreadPool};
    ///
    /// let pool = ThreadPool::builder().num_threads(1).order(Order::NewestFirst).build().unwrap();
    /// let (sender, receiver) = std::sync::mpsc::channel();
    /// pool.install(move |worker| {
    ///     for i in 0..3 {
    ///         let sender = sender.clone();
    ///         worker.spawn(Lane::Frame, move || sender.send(i).unwrap());
    ///     }
    /// });
    /// assert_eq!(receiver.iter().collect::<Vec<_>>(), [2, 1, 0]);
    /// ```
    pub fn order(mut self, order: Order) -> Self {
        self.config.order = order;
        self
    }

    /// Called on each thread as it starts, with its index. A spare thread's index is
    /// [`num_threads`](Self::num_threads) or more, or that of a thread that has ended. It may wait
    /// for work of the pool, but not for that of all its threads, nor on a spare one.
    pub fn start_handler(mut self, handler: impl Fn(usize) + Send + Sync + 'static) -> Self {
        self.config.handlers.start = Some(Arc::new(handler));
        self
    }

    /// Called on each thread as it ends, with its index.
    pub fn exit_handler(mut self, handler: impl Fn(usize) + Send + Sync + 'static) -> Self {
        self.config.handlers.exit = Some(Arc::new(handler));
        self
    }

    /// Called with the payload of each panic of spawned work, on the thread where it happened,
    /// until the pool has ended. By default nothing is done beyond what the process's panic hook
    /// does.
    pub fn panic_handler(
        mut self,
        handler: impl Fn(&(dyn Any + Send)) + Send + Sync + 'static,
    ) -> Self {
        self.config.handlers.panic = Some(Arc::new(handler));
        self
    }

    /// Starts the pool's threads, spare ones included, in place of [`std::thread::Builder`]: with a
    /// priority or an affinity, say. The handler must have [`ThreadBuilder::run`] called on a new
    /// thread, or give the error that kept it from doing so, with the builder dropped: a pool
    /// counts on every thread whose builder is kept. It must not wait for work of a thread of this
    /// pool that is not started yet.
    ///
    /// ```
    /// use heartbeat_pool::ThreadPool;
    ///
    /// let pool = ThreadPool::builder()
    ///     .num_threads(2)
    ///     .spawn_handler(|thread| {
    ///         let name = format!("custom {}", thread.index());
    ///         std::thread::Builder::new().name(name).spawn(|| thread.run()).map(drop)
    ///     })
    ///     .build()
    ///     .unwrap();
    /// let name = pool.block_on(pool.spawn_future(heartbeat_pool::Lane::Frame, async {
    ///     std::thread::current().name().map(str::to_owned)
    /// }));
    /// assert!(name.unwrap().starts_with("custom"));
    /// ```
    pub fn spawn_handler(
        mut self,
        handler: impl Fn(ThreadBuilder) -> io::Result<()> + Send + Sync + 'static,
    ) -> Self {
        self.config.handlers.spawn = Some(Arc::new(handler));
        self
    }

    fn check(&self) -> Result<(), BuildError> {
        let beat = self.config.beat;
        if beat < Duration::from_micros(1) || beat > Duration::from_secs(1) {
            return Err(BuildError::Beat(beat));
        }
        match (self.num_threads, self.config.stack_size) {
            (Some(threads), _) if threads > MOST_THREADS => {
                return Err(BuildError::Threads(threads));
            }
            (_, Some(bytes)) if bytes < LEAST_STACK => return Err(BuildError::StackSize(bytes)),
            _ => {}
        }
        Ok(())
    }

    /// Builds the pool and starts its threads.
    ///
    /// # Errors
    ///
    /// [`BuildError`] says what to change. A pool of which the system refused a thread is ended
    /// again.
    pub fn build(self) -> Result<ThreadPool, BuildError> {
        self.check()?;
        let pool = ThreadPool::new();
        self.apply(&pool)?;
        Ok(pool)
    }

    /// Applies the settings to a static pool: threads, budgets and whether there are [lower
    /// threads](Self::lower_threads) always, and their priority if they don't run yet, the rest if
    /// nothing has used the pool yet. Tells whether the rest was applied. One call waits for
    /// another, so the pool's own handlers must not do this.
    ///
    /// # Errors
    ///
    /// As [`build`](Self::build); the static pool then runs with the threads that did start, and
    /// asks for the others again when something waits.
    pub fn build_static(self, pool: &'static ThreadPool) -> Result<bool, BuildError> {
        self.check()?;
        let _one_at_a_time = lock(&pool.building);
        self.apply(pool)
    }

    /// As [`build_static`](Self::build_static), for a pool whose number of threads nobody has
    /// [chosen](ThreadPool::is_sized), and tells whether it is one; another one is left as it is,
    /// also while another thread still starts its threads. The pool's own handlers may do this.
    ///
    /// For libraries that run on a pool which an application may set up, before them or later.
    ///
    /// ```
    /// use heartbeat_pool::ThreadPool;
    ///
    /// static POOL: ThreadPool = ThreadPool::new();
    /// let of = |threads| ThreadPool::builder().num_threads(threads);
    /// assert!(of(1).build_static_if_unsized(&POOL).unwrap());
    /// assert!(!of(2).build_static_if_unsized(&POOL).unwrap());
    /// assert_eq!(POOL.num_threads(), 1);
    /// ```
    ///
    /// # Errors
    ///
    /// As [`build_static`](Self::build_static).
    pub fn build_static_if_unsized(self, pool: &'static ThreadPool) -> Result<bool, BuildError> {
        self.check()?;
        // Before the lock, too, for a handler may ask as the pool's threads are started under it.
        let one_at_a_time = (!pool.is_sized()).then(|| lock(&pool.building));
        if one_at_a_time.is_none() || pool.is_sized() {
            return Ok(false);
        }
        self.apply(pool).map(|_| true)
    }

    /// Applies the settings, and tells whether all were.
    fn apply(self, pool: &ThreadPool) -> Result<bool, BuildError> {
        let fresh = pool.configure(self.config);
        let registry = pool.registry();
        registry.set_lower(self.has_lower, self.lower_priority);
        let default = || thread::available_parallelism().map_or(1, usize::from);
        let wanted = self.num_threads.unwrap_or_else(default);
        let is_unlimited = registry.lower.is_on() && registry.lower.priority().gives_way();
        for lane in Lane::ALL {
            let default = if lane == Lane::Frame || is_unlimited {
                usize::MAX
            } else {
                budgets::default(wanted, placement::cores())
            };
            pool.set_budget(lane, self.budgets[lane.index()].unwrap_or(default));
        }
        let resized = pool.resize_to(wanted);
        let started = || lock(&registry.frame().threads.slots).live.iter().count();
        resized.map_err(|source| BuildError::Spawn {
            wanted,
            started: started().min(wanted),
            source,
        })?;
        Ok(fresh)
    }
}

impl fmt::Debug for ThreadPoolBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ThreadPoolBuilder")
            .field("num_threads", &self.num_threads)
            .field("budgets", &self.budgets)
            .field("stack_size", &self.config.stack_size)
            .field("beat", &self.config.beat)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_messages_say_that_one_may_choose_can_be_chosen() {
        let builder = ThreadPool::builder;
        for beat in [Duration::from_micros(1), Duration::from_secs(1)] {
            assert!(builder().beat(beat).check().is_ok(), "{beat:?}");
        }
        assert!(builder().num_threads(MOST_THREADS).check().is_ok());
        assert!(builder().stack_size(LEAST_STACK).check().is_ok());
        let error = builder().stack_size(LEAST_STACK - 1).check();
        assert!(matches!(error, Err(BuildError::StackSize(_))));
        let error = builder().num_threads(MOST_THREADS + 1).check();
        assert!(matches!(error, Err(BuildError::Threads(_))));
    }
}
