//! A heartbeat-scheduled thread pool: a fork-join scheduler and an async executor on one set of
//! threads.
//!
//! ```
//! let pool = heartbeat_pool::ThreadPool::builder().num_threads(2).build().unwrap();
//! let mut numbers = [1, 2, 3, 4];
//! pool.for_each(&mut numbers, |number| *number *= 10);
//! let (left, right) = numbers.split_at(2);
//! let sums = pool.join(|| left.iter().sum::<i32>(), || right.iter().sum::<i32>());
//! assert_eq!(sums, (30, 70));
//! ```
//!
//! | verb | for |
//! | --- | --- |
//! | [`join`](join()) | two calls, maybe in parallel, at about the cost of a function call |
//! | [`scope`](scope()) | closures and futures that borrow from outside |
//! | [`spawn`](spawn()), [`spawn_future`] | work that nobody waits for in place |
//! | [`spawn_on`](ThreadPool::spawn_on), [`broadcast`](broadcast()) | work for one given thread, or for each |
//! | [`block_on`](block_on()) | waiting for a future |
//! | [`spawn_blocking`], [`block_in_place`] | calls that block |
//! | [`for_each`](for_each()), [`fold_pieces`] | loops |
//! | [`yield_now`](yield_now()), [`yield_task`] | letting other work have the thread |
//!
//! Most are also methods of [`ThreadPool`], for threads from outside, and of [`Worker`];
//! [`block_in_place`] and [`yield_task`] need neither. For drop-ins for other libraries there are,
//! besides: [`Worker::join_offered`], whose second half others may take at once,
//! [`Worker::join_measured`], [`ThreadPool::install`], [`ThreadPool::scope_elsewhere`],
//! [`ThreadBuilder::enroll`], [`Worker::slot`], [`Worker::yield_local`], and the [`Order`] of a
//! thread's own jobs; and [`TwoWays`], for work that comes again and again where sharing may pay or
//! not.
//!
//! What it holds to:
//!
//! - A fork of `join` is private to its worker until a beat; anything spawned can be taken by
//!   another worker at once.
//! - A thread that waits runs what it waits for and nothing else, but for what was spawned on this
//!   very thread, and, in a pool without threads or without spare ones, what nobody else could run
//!   ([`block_on`](block_on())). A spare thread runs in its place meanwhile, so no core is lost and
//!   nothing that is waited for can starve.
//! - An idle pool sleeps without a timer.
//! - Panics reach their owner, and no worker dies of one.
//! - All work is placed by its [`Lane`]: frame work first, io and background work within budgets.
//!
//! A process that forks (`fork(2)`) has no threads of the pool in the child; don't use it there.
//!
//! # Words
//!
//! | word | meaning |
//! | --- | --- |
//! | worker | a thread's own side of its place in a pool |
//! | seat | the side of that place which others see |
//! | member, spare | a thread of the pool; one of those that come for waiting threads, and go |
//! | lower thread | a thread of the pool's own for io and background jobs, beside which the system runs the frame's |
//! | job | any piece of work whose type nobody needs to know |
//! | fork | the second half of a join |
//! | beat | the period at which idle threads ask the others to share; and the flag on a seat by which they do: *raised* by them, *answered* by its owner |
//! | promote | to put a private fork where others can take it |
//! | searcher | a thread that looks for work |
//! | sentinel | of each team the one idle thread that keeps the beat |
//! | nap | a sleep of one beat |
//! | lookout | a sentinel whose duty is over, and that stays for a while with a longer timer |
//! | shy | of a worker whose help has not paid of late: it naps for a beat before it looks again |
//! | lane | a rank of work: frame, io, background |
//! | deque | a queue that one worker fills and that others may steal from |
//! | injector | the queue for work from outside and of the lower lanes |
//! | mailbox, pinned | the queues for work that one thread must do |
//! | latch | how those who wait are told that work is over |
//! | parker | where a thread sleeps |
//! | registry | what the workers of a pool share |
//! | team | a pool's threads of one priority, the frame's or the lower ones: counted, woken and started apart |
//! | target | how many threads of a team are to run at once |
//! | occupancy, charge | how many threads of a team run, lane by lane; the lane that a thread is counted under |
//! | admit, leave | to let a thread into that count, if there is room (a place below the target that nobody has); to take it off |
//! | stuck, relief | said of a lane whose work comes no further; letting a thread run it beyond the target |
//! | duty | work that a waiting thread must do, for nobody else could |
//! | ticket | a job that stands for a scope in the pool's queues; at most one of a scope is queued at a time |
//! | stranger | a job that a thread runs on top of another one, of which it is no part |
//! | stretch | a thread's work between two searches |
//! | part | a fork or a scope's job that something which runs may wait for |
//! | hidden fork | one that its owner keeps from others for a while |
//! | age | which of two things one thread has queued first |
//!
//! # Rooms
//!
//! Each imports only those above it, and says at its head what is in it. Below all lie two crates:
//! `heartbeat_system`, which asks the operating system, and `heartbeat_record`, the recorder.
//!
//! | room | what is in it |
//! | --- | --- |
//! | `sync`, `unwind`, `age`, `stopwatch` | atomics and locks, panics, what was queued first, the time |
//! | `job`, `active`, `late`, `tickets` | a piece of work; tasks that wait; what is dropped elsewhere; the ticket of a scope |
//! | `placement` | which core a thread runs on |
//! | `lanes` | who may run what |
//! | `parker`, `latch`, `signal` | where a thread sleeps, and how it is told |
//! | `trace`, `metrics`, `queue_times` | what was done |
//! | `idle`, `heartbeat` | who is idle, and how forks come to be shared |
//! | `cost` | what was measured of work like that which comes |
//! | `threads` | the operating system's threads |
//! | `queue` | where work lies |
//! | `config`, `presence`, `seat` | what a pool is made with, and a thread's place in it |
//! | `registry` | what the workers of a pool share |
//! | `schedule` | who is told of what was queued |
//! | `worker` | how a thread finds work, runs it, and waits |
//! | `verbs` | what a program asks for |
//! | `pool` | the [`ThreadPool`] |
//! | `models` | loom's models, the whole pool in a scheduler of its own, and what counts transfers of cache lines |

// The models use the lower layers alone, and not all of each.
#![cfg_attr(heartbeat_loom, allow(dead_code, unused_imports))]

mod sync;

#[cfg(any(all(heartbeat_loom, test), heartbeat_sim, heartbeat_transfers))]
mod models;

mod age;
mod latch;
mod parker;
mod presence;
mod queue_times;
mod signal;
mod stopwatch;
mod tickets;

mod idle;
mod lanes;
mod placement;
mod queue;
mod threads;

mod heartbeat;

mod active;
#[cfg(not(heartbeat_loom))]
mod config;
#[cfg(not(heartbeat_loom))]
mod cost;
mod job;
#[cfg(not(heartbeat_loom))]
mod late;
mod metrics;
#[cfg(not(heartbeat_loom))]
mod pool;
#[cfg(not(heartbeat_loom))]
mod registry;
#[cfg(not(heartbeat_loom))]
mod schedule;
#[cfg(not(heartbeat_loom))]
mod seat;
mod trace;
mod unwind;
#[cfg(not(heartbeat_loom))]
mod verbs;
#[cfg(not(heartbeat_loom))]
mod worker;

/// What happened, event by event: the crate `heartbeat_record`.
#[doc(inline)]
pub use heartbeat_record as record;
/// All lanes share the threads of the pool, or, with
/// [lower threads](crate::ThreadPoolBuilder::lower_threads), the frame has its own and the others
/// theirs.
///
/// Budgets cap how many jobs of a lane run at once, so that work which may be long (`Io` and
/// `Background`) leaves cores to the frame, and each lane always has at least one running where
/// it has work, so that none starves.
///
/// Frame jobs that block on queued frame jobs, in ways that the pool can't see (a channel, a lock),
/// are relieved: others run in their place, whatever the number of threads. Of the other lanes only
/// the scopes and joins of what runs are let in beyond the budget, no queued jobs: there, wait by
/// [`block_on`](crate::block_on()), or say so by [`block_in_place`](crate::block_in_place()).
///
/// ```
/// use heartbeat_pool::{Lane, ThreadPool};
///
/// let pool = ThreadPool::builder().num_threads(2).build().unwrap();
/// let answer = pool.block_on(pool.spawn_future(Lane::Background, async { 6 * 7 }));
/// assert_eq!(answer, 42);
/// ```
#[doc(inline)]
pub use heartbeat_record::Lane;
#[cfg(heartbeat_sim)]
pub use models::sim;
#[cfg(heartbeat_transfers)]
#[doc(hidden)]
pub use models::transfers;
pub use placement::place_threads;

#[cfg(not(heartbeat_loom))]
pub use {
    async_task::Task,
    cost::two_ways::{Round, TwoWays, Way},
    lanes::priority::LowerPriority,
    metrics::{PoolMetrics, WorkerMetrics},
    pool::process::{HAS_RAYON, global},
    pool::{
        MOST_THREADS, ThreadPool,
        builder::{BuildError, LEAST_STACK, ThreadPoolBuilder},
    },
    queue::{deque::Order, mailbox::Mailbox},
    queue_times::WaitWatch,
    threads::builder::ThreadBuilder,
    verbs::block_on::block_on,
    verbs::blocking::{block_in_place, spawn_blocking},
    verbs::broadcast::{BroadcastContext, broadcast},
    verbs::for_each::{fold_pieces, for_each},
    verbs::join::join,
    verbs::scope::{Scope, scope},
    verbs::spawn::{spawn, spawn_future},
    verbs::split::Split,
    verbs::yield_now::{Yield, yield_now, yield_task},
    worker::Worker,
};
