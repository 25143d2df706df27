//! Who is idle, and how a thread without work waits: it looks again for a moment (`spin`), then is
//! listed as idle, with the count of those that search (`sleep`); threads in waits are listed apart
//! (`waiters`).
//!
//! Why no wake-up is lost is in the `README.md` beside this file. Nothing here knows what work is.

pub(crate) mod sleep;
#[cfg(not(heartbeat_loom))]
pub(crate) mod spin;
pub(crate) mod waiters;
