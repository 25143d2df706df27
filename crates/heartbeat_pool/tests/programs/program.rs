//! What a program may consist of.

use heartbeat_pool::{Lane, Order};
use std::sync::Arc;
use std::time::Duration;

/// A pool and what is done with it.
#[derive(Clone, Debug)]
pub struct Program {
    pub pool: Shape,
    /// The steps of threads from outside, at the same time.
    pub outside: Vec<Body>,
    /// Whether the pool is left to become idle before it is dropped.
    pub settles: bool,
    /// Whether some of its work goes on until other work has run.
    #[cfg_attr(not(heartbeat_sim), allow(dead_code, reason = "no scheduler"))]
    pub is_endless: bool,
    /// Where its threads stand still now and then, in the scheduler: a file, or none.
    #[cfg_attr(not(heartbeat_sim), allow(dead_code, reason = "no scheduler"))]
    pub freezes_at: String,
}

#[derive(Clone, Debug)]
pub struct Shape {
    pub threads: usize,
    /// Of what its threads have spawned.
    pub order: Order,
    pub spares: bool,
    pub lower: bool,
    pub brisk: bool,
    /// Starts of threads that are refused, by number.
    pub refused: Vec<usize>,
    /// More of these.
    pub shortage: Option<Shortage>,
    /// Whether its size changes.
    pub resizes: bool,
    /// How many microseconds after the program's handler has taken them its threads begin, if it
    /// has such a handler.
    pub late: Option<u64>,
    /// Whether there is another one like it, which has threads.
    pub is_twofold: bool,
}

/// All starts of threads are refused from one on, by its number, until a time.
#[derive(Clone, Copy, Debug)]
pub struct Shortage {
    pub from: usize,
    pub until: Duration,
}

impl Shape {
    /// The second pool's.
    pub fn second(&self) -> Option<Self> {
        self.is_twofold.then(|| Self {
            threads: self.threads.max(1),
            resizes: false,
            ..self.clone()
        })
    }

    /// Whether it may have fewer threads than it asks for.
    pub fn lacks_threads(&self) -> bool {
        !self.refused.is_empty() || self.shortage.is_some()
    }

    /// Whether it may have fewer than `threads` from the beginning.
    pub fn may_not_begin(&self) -> bool {
        let mut starts = self.refused.iter().copied();
        let from = self.shortage.map(|shortage| shortage.from);
        starts.any(|start| start < self.threads) || from.is_some_and(|from| from < self.threads)
    }

    /// Whether a wait may have to run what nobody else would.
    pub fn is_lenient(&self) -> bool {
        self.threads == 0 || !self.spares || self.resizes || self.lacks_threads()
    }

    /// Whether the pool has threads all the time.
    pub fn keeps_threads(&self) -> bool {
        self.threads > 0 && !self.resizes
    }

    /// Whether each thread of the pool is there all the time.
    pub fn is_steady(&self) -> bool {
        self.keeps_threads() && !self.lacks_threads()
    }
}

pub const fn order(is_newest_first: bool) -> Order {
    if is_newest_first {
        Order::NewestFirst
    } else {
        Order::OldestFirst
    }
}

/// Steps of one job, one after the other.
#[derive(Clone, Debug, Default)]
pub struct Body {
    pub steps: Arc<[Step]>,
    /// Whether it ends by a panic.
    pub panics: bool,
}

#[derive(Clone, Copy, Debug)]
pub enum Join {
    Plain,
    Offered,
    Measured,
}

/// Who brings an event about.
#[derive(Clone, Copy, Debug)]
pub enum By {
    Lane(Lane),
    Blocking,
    /// A thread from outside, after so many microseconds.
    Thread(u64),
}

/// What kind of work a job is that spawns itself.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    Lane(Lane),
    Blocking,
    /// Of the pool's first thread.
    Pinned,
}

/// An event.
#[derive(Clone, Copy, Debug)]
pub struct Happens {
    pub by: By,
    pub way: Way,
}

/// How who waits for an event is woken.
#[derive(Clone, Copy, Debug, Default)]
pub struct Way {
    /// By the event, under its lock.
    pub under_lock: bool,
    /// By itself, again and again.
    pub spins: bool,
}

/// What becomes of a spawned task.
#[derive(Clone, Debug)]
pub enum Fate {
    Awaited,
    Detached,
    /// Awaited after other steps.
    Later(Body),
    Dropped,
    /// Dropped after other steps.
    DroppedLater(Body),
    /// Cancelled, and the end of that awaited.
    Cancelled,
}

#[derive(Clone, Debug)]
pub enum Step {
    /// So many microseconds of it.
    Work(u64),
    Join(Join, Body, Body),
    Scope(Vec<Scoped>, Body),
    Spawn(Lane, Body),
    /// As `Spawn`, of a job that holds the pool; from outside only.
    SpawnHolder(Lane, Body),
    Future(Lane, Parts, Fate),
    BlockOn(Happens),
    /// Waits for an event by a poll that also does other things.
    BlockOnTwo(Happens, Body),
    Yield,
    YieldLocal,
    /// Yields until an event has come, and to the thread's own jobs in between if so told.
    YieldUntil(Happens, bool),
    /// A job that spawns itself until an event has come.
    Again(Kind, Happens),
    Broadcast(Body),
    SpawnOnEach(Body),
    SpawnOn(usize, Body),
    Blocking(Body),
    BlockInPlace(Body),
    Install(Body),
    /// On the second pool.
    Elsewhere(Body),
    ForEach(usize, Body),
    Visit(Body),
    Resize(usize),
}

/// A job of a scope.
#[derive(Clone, Debug)]
pub enum Scoped {
    /// A closure, and what it adds to the scope.
    Closure(Body, Vec<Scoped>),
    Future(Parts),
    On(usize, Body),
    /// Work that goes on until another job of the scope has run: a job that spawns itself, or a
    /// future that wakes itself.
    Again(Sibling),
}

/// The other job.
#[derive(Clone, Copy, Debug)]
pub struct Sibling {
    pub is_first: bool,
    /// Whether the work that waits for it is a future.
    pub of_future: bool,
}

/// What a future does.
pub type Parts = Arc<[Part]>;

#[derive(Clone, Debug)]
pub enum Part {
    Do(Body),
    Yield,
    Event(Happens),
    Task(Lane, Parts),
}

/// Whether a future of these ends by a panic.
pub fn panics(parts: &[Part]) -> bool {
    parts.iter().any(|part| match part {
        Part::Do(body) => body.panics,
        Part::Task(_, parts) => panics(parts),
        Part::Yield | Part::Event(_) => false,
    })
}

/// Whether a scope of these ends by a panic.
pub fn any_panics(jobs: &[Scoped]) -> bool {
    jobs.iter().any(|job| match job {
        Scoped::Closure(body, more) => body.panics || any_panics(more),
        Scoped::Future(parts) => panics(parts),
        Scoped::On(_, body) => body.panics,
        Scoped::Again(_) => false,
    })
}
