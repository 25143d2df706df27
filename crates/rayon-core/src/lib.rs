//! A drop-in for `rayon-core` 1.13 on a heartbeat-scheduled pool.
//!
//! Games use crates that use rayon, and rayon then starts a second pool that fights the first. With
//! one more line in an application's root manifest, all of them run on the game's one pool:
//!
//! ```toml
//! [patch.crates-io]
//! rayon-core = { path = "../bevy_heartbeat/crates/rayon-core" }
//! ```
//!
//! It must come from the same source as the plugin, a path for both or one revision of a
//! repository, or it has a pool of its own, and the plugin warns.
//!
//! | a call from | runs on |
//! | --- | --- |
//! | inside of the [`install`](ThreadPool::install) of a pool that a [`ThreadPoolBuilder`] built, or a thread of it that is inside of no other pool | that pool |
//! | inside of any other heartbeat pool, such as a Bevy system or task on the app's pool, whatever the thread | that pool, in the lane of the caller; what is spawned there, in the frame's, so that the caller may wait for it whatever the budget of its own |
//! | elsewhere | the process's one pool, which is started if it doesn't run yet; the caller helps |
//! | elsewhere, after [`build_global`](ThreadPoolBuilder::build_global) and before that pool runs | the global pool that was asked for |
//!
//! Once that pool runs, [`build_global`](ThreadPoolBuilder::build_global) fails as stock rayon's
//! does where there is a global pool already.
//!
//! A pool that is built explicitly is one of its own: exactly as many threads as it was asked for,
//! with their names, stacks and handlers.
//!
//! On the web everything runs on the calling thread, and to build a pool with threads is an error,
//! as with rayon's own.
//!
//! # What is different
//!
//! - In the process's one pool a thread that waits in [`join`], [`scope`] or
//!   [`install`](ThreadPool::install) runs what it waits for and nothing else, so a lock that
//!   is held over the wait can't be wanted by what runs there (rayon#592, rayon#1174), and the
//!   stack grows with the program's own nesting alone.
//! - A pool that a [`ThreadPoolBuilder`] built has no spare threads, so a waiting thread runs other
//!   work, too, in three cases; hold no lock over a wait there. (1) All threads of the pool wait:
//!   without that, two pools that wait for each other would never end. (2) For 64 ms, or up to a
//!   second if nothing was queued before, the others, blocked or busy, have taken nothing that is
//!   queued.
//!   What they queued themselves, and parts of what they wait for, don't count. Until one is free,
//!   the thread runs what the pool's threads have spawned, on scopes as well, then what is left of
//!   their joins, then what comes from outside. (3) The thread is about to help with joins of the
//!   half that it waits for: it first runs what that half has spawned before them, and what it has
//!   spawned itself since its join began.
//! - A job that blocks on a channel or a lock until another job of its pool has run can wait for
//!   ever: it needs another thread that is free for that job. Others take a thread's oldest first,
//!   be it a job, a scope's or half of a join, as rayon's do. But rayon's threads also run what
//!   they have spawned in a first half before they begin the second, and in a scope, or in its
//!   jobs, before that is over. These threads do not.
//! - A call from outside to the process's pool is begun by the calling thread, on its own stack, as
//!   a call from one of that pool's threads is: a short one wakes nobody, and needn't wait for a
//!   thread to wake. Where calls are to run on threads with bigger stacks, or that a handler has
//!   prepared, build a pool that has them.
//! - [`join`]'s second closure is usually open to other threads at once. Where calls of the same
//!   code have been about as fast on one thread, it is first kept from them, for a few times as
//!   long as these took. If no thread is awake then, some 40 milliseconds more may pass.
//! - As a thread that waits runs only what it waits for, where scopes are nested in one thread, a
//!   wait for the inner one runs none of the outer one's jobs. Within each scope, and among spawned
//!   jobs, a thread's order is rayon's: newest first for `spawn`, oldest first for `spawn_fifo`. In
//!   the process's pool it takes one of another thread's, or its own oldest, after some of its own,
//!   so that no jobs wait for an endless run of others. In a built pool its own come first, as
//!   they do in rayon's, and what comes from outside is last: either may wait for what is before
//!   it.
//! - In the process's one pool, [`spawn`]ed jobs run oldest first, their panics go to that pool's
//!   handler, if it has one, and end nothing but the job, and [`current_thread_index`] numbers the
//!   threads that run, spare ones and those from outside too. Frame threads and those of io and
//!   background jobs are numbered apart, so one of each may have the same number; a thread beyond
//!   the pool's number of threads has none.
//! - A level of calls in each other takes more stack, in a release build some 0.7 KiB for [`join`]
//!   and 1 KiB for [`scope`], where rayon's take 0.2 and 0.3. Threads have as much as the standard
//!   library gives them, or the builder is asked for.
//! - [`breadth_first`](ThreadPoolBuilder::breadth_first), deprecated, has no effect.
//! - Threads of built pools without a chosen name are called `rayon (0)` and so on.

mod broadcast;
mod builder;
mod configuration;
mod error;
mod home;
mod join;
#[cfg(doctest)]
mod must_not_compile;
mod pool;
mod scope;
mod spawn;
mod threads;
mod unwind;
mod yields;

pub use broadcast::{BroadcastContext, broadcast, spawn_broadcast};
pub use builder::{ThreadPoolBuilder, max_num_threads};
#[allow(deprecated)]
pub use configuration::{Configuration, initialize};
pub use error::ThreadPoolBuildError;
pub use join::{FnContext, join, join_context};
pub use pool::{ThreadPool, current_thread_index};
pub use scope::{Scope, ScopeFifo, in_place_scope, in_place_scope_fifo, scope, scope_fifo};
pub use spawn::{spawn, spawn_fifo};
pub use threads::ThreadBuilder;
pub use yields::{Yield, current_thread_has_pending_tasks, yield_local, yield_now};

/// How many threads the pool that the calling thread's rayon calls go to has.
///
/// ```
/// let pool = rayon_core::ThreadPoolBuilder::new().num_threads(5).build().unwrap();
/// assert_eq!(pool.install(rayon_core::current_num_threads), 5);
/// ```
pub fn current_num_threads() -> usize {
    home::Home::current().num_threads()
}
