//! A heartbeat-scheduled thread pool: a fork-join scheduler and an async executor on one set of
//! threads.
//!
//! | verb | for |
//! | --- | --- |
//! | [`join`](join()) | two calls, maybe in parallel, at about the cost of a function call |
//! | [`scope`](scope()) | closures and futures that borrow from outside |
//! | [`spawn`](spawn()), [`spawn_future`], [`spawn_async`] | work that nobody waits for in place |
//! | [`spawn_on`], [`spawn_broadcast`], [`broadcast`](broadcast()) | work for one given thread, or for each |
//! | [`block_on`](block_on()) | waiting for a future |
//! | [`spawn_blocking`], [`block_in_place`] | calls that block |
//! | [`for_each`](for_each()), [`for_each_piece`], [`fold_pieces`] | loops |
//! | [`yield_now`](yield_now()), [`yield_local`], [`yield_task`] | letting other work have the thread |
//!
//! Each is also a method of [`ThreadPool`], for threads from outside, and of [`Worker`]. For drop-ins for
//! other libraries there are, besides: [`Worker::join_offered`], whose second half others may take at
//! once, [`Worker::join_measured`], [`ThreadPool::install`], [`ThreadBuilder::enroll`] and
//! [`Worker::slot`].
//!
//! What it holds to:
//!
//! - A fork of `join` is private to its worker until a beat; anything spawned can be taken by
//!   another worker at once.
//! - A thread that waits runs what it waits for and nothing else. Its seat goes to a spare thread
//!   meanwhile, so no core is lost and nothing that is waited for can starve.
//! - An idle pool sleeps without a timer.
//! - Panics reach their owner, and no worker dies of one.
//! - All work is placed by its [`Lane`]: frame work first, io and background work within budgets.
//!
//! A process that forks (`fork(2)`) has no threads of the pool in the child; don't use it there.
//!
//! The modules lie in layers, each importing only lower ones: `sync` (under `heartbeat_sim` over `sim`); `parker` and `unwind`; `latch`,
//! `claim`, `tickets`, `hidden`, `returned`, `slots`, `job` and `late`; the queues (`injector`, `private`, `pinned`,
//! `mailbox`, `blocking`); `occupancy`, with `relief` and `live`, which read it; `sleep` and the beat; `seat`, `look`
//! and `registry` with its `threads`, their `spares`, its `waiters` and its `lower` kin; `worker`;
//! the verbs, a file each; [`ThreadPool`]. (`private`, `seat` and `thread_state` name the [`Worker`] that jobs run on.)

// The models use the lower layers alone, and not all of each.
#![cfg_attr(heartbeat_loom, allow(dead_code, unused_imports))]

mod sync;

#[cfg(heartbeat_sim)]
pub mod sim;

mod parker;

mod claim;
mod cores;
mod hidden;
mod injector;
mod lane;
mod latch;
mod live;
mod occupancy;
mod relief;
mod returned;
mod signal;
mod sleep;
mod spares;
mod spmc;
mod tickets;
mod waiters;

#[cfg(not(heartbeat_loom))]
mod active;
mod alarm;
#[cfg(not(heartbeat_loom))]
mod block_on;
#[cfg(not(heartbeat_loom))]
mod blocking;
#[cfg(not(heartbeat_loom))]
mod broadcast;
#[cfg(not(heartbeat_loom))]
mod builder;
#[cfg(not(heartbeat_loom))]
mod config;
#[cfg(not(heartbeat_loom))]
mod deque;
#[cfg(not(heartbeat_loom))]
mod for_each;
#[cfg(not(heartbeat_loom))]
mod fork;
#[cfg(not(heartbeat_loom))]
mod forks;
mod heartbeat;
#[cfg(not(heartbeat_loom))]
mod install;
#[cfg(not(heartbeat_loom))]
mod job;
#[cfg(not(heartbeat_loom))]
mod join;
#[cfg(not(heartbeat_loom))]
mod late;
#[cfg(not(heartbeat_loom))]
mod lease;
#[cfg(not(heartbeat_loom))]
mod look;
#[cfg(not(heartbeat_loom))]
mod loop_cost;
#[cfg(not(heartbeat_loom))]
mod lower;
#[cfg(not(heartbeat_loom))]
mod mailbox;
#[cfg(not(heartbeat_loom))]
mod measured;
#[cfg(not(heartbeat_loom))]
mod metrics;
#[cfg(not(heartbeat_loom))]
mod pinned;
#[cfg(not(heartbeat_loom))]
mod place;
#[cfg(not(heartbeat_loom))]
mod pool;
#[cfg(not(heartbeat_loom))]
mod priority;
#[cfg(not(heartbeat_loom))]
mod private;
#[cfg(not(heartbeat_loom))]
mod process;
#[cfg(not(heartbeat_loom))]
mod registry;
#[cfg(not(heartbeat_loom))]
mod resize;
#[cfg(not(heartbeat_loom))]
mod scope;
#[cfg(not(heartbeat_loom))]
mod seat;
#[cfg(not(heartbeat_loom))]
mod slots;
#[cfg(not(heartbeat_loom))]
mod small_fn;
#[cfg(not(heartbeat_loom))]
mod spawn;
#[cfg(not(heartbeat_loom))]
mod spin;
#[cfg(not(heartbeat_loom))]
mod thread_bound;
#[cfg(not(heartbeat_loom))]
mod thread_builder;
#[cfg(not(heartbeat_loom))]
mod thread_state;
#[cfg(not(heartbeat_loom))]
mod threads;
#[cfg(not(heartbeat_loom))]
mod trace;
#[cfg(not(heartbeat_loom))]
mod unwind;
#[cfg(not(heartbeat_loom))]
mod wait;
#[cfg(not(heartbeat_loom))]
mod worker;
#[cfg(not(heartbeat_loom))]
mod yield_now;

#[cfg(not(heartbeat_loom))]
pub use async_task::Task;
#[cfg(not(heartbeat_loom))]
pub use block_on::block_on;
#[cfg(not(heartbeat_loom))]
pub use blocking::{block_in_place, spawn_blocking};
#[cfg(not(heartbeat_loom))]
pub use broadcast::{BroadcastContext, broadcast, spawn_broadcast, spawn_on};
#[cfg(not(heartbeat_loom))]
pub use builder::{BuildError, ThreadPoolBuilder};
#[cfg(not(heartbeat_loom))]
pub use for_each::{Split, fold_pieces, for_each, for_each_piece};
#[cfg(not(heartbeat_loom))]
pub use job::BoxedJob;
#[cfg(not(heartbeat_loom))]
pub use join::join;
pub use lane::Lane;
#[cfg(not(heartbeat_loom))]
pub use lease::Lease;
#[cfg(not(heartbeat_loom))]
pub use mailbox::Mailbox;
#[cfg(not(heartbeat_loom))]
pub use metrics::{PoolMetrics, WorkerMetrics};
#[cfg(not(heartbeat_loom))]
pub use pool::ThreadPool;
#[cfg(not(heartbeat_loom))]
pub use priority::LowerPriority;
#[cfg(not(heartbeat_loom))]
pub use process::{HAS_RAYON, global};
#[cfg(not(heartbeat_loom))]
pub use scope::{Scope, scope};
#[cfg(not(heartbeat_loom))]
pub use spawn::{spawn, spawn_async, spawn_future};
#[cfg(not(heartbeat_loom))]
pub use thread_builder::ThreadBuilder;
#[cfg(not(heartbeat_loom))]
pub use worker::Worker;
#[cfg(not(heartbeat_loom))]
pub use yield_now::{Yield, YieldTask, yield_local, yield_now, yield_task};

#[cfg(all(heartbeat_loom, test))]
mod models;
