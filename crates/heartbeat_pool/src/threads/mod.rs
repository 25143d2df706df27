//! A pool's operating-system threads: which of them live and when one may end (`live`), whether the
//! system has refused one (`spares`), and the `builder` by which a program may start one itself.
//! `numbers` gives them small numbers for drop-ins. `this_thread` is what each thread, a pool's or
//! not, keeps for itself.

#[cfg(not(heartbeat_loom))]
pub(crate) mod builder;
pub(crate) mod live;
#[cfg(not(heartbeat_loom))]
pub(crate) mod numbers;
pub(crate) mod spares;
#[cfg(not(heartbeat_loom))]
pub(crate) mod this_thread;
