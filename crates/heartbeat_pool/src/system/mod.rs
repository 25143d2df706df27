//! What is asked of the operating system beyond what the standard library can: the times of threads,
//! and their priority. A file a system, each with the same in it; `none` is for those that are not
//! asked, and for the models and Miri, where nobody is.
//!
//! It imports nothing of the pool's. Which core a thread runs on is `placement`'s.

#[cfg(not(any(miri, heartbeat_loom, heartbeat_sim)))]
#[cfg_attr(any(target_os = "linux", target_os = "android"), path = "linux.rs")]
#[cfg_attr(windows, path = "windows.rs")]
#[cfg_attr(target_vendor = "apple", path = "apple.rs")]
mod none;
#[cfg(any(miri, heartbeat_loom, heartbeat_sim))]
mod none;

pub(crate) use none::*;
