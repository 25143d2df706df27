//! What `heartbeat_pool` asks of the operating system beyond what the standard library can: the
//! times of threads, their priority, the cores that they may use, and sleeps of less than a tick.
//!
//! Most of it lies in a file a system, each with the same in it; `none` is for those that are not
//! asked, and for the models and Miri, where nobody is. All calls that may be refused say so by a
//! result, and what is refused is done without.

#[cfg(not(any(miri, heartbeat_loom, heartbeat_sim)))]
#[cfg_attr(any(target_os = "linux", target_os = "android"), path = "linux.rs")]
#[cfg_attr(windows, path = "windows.rs")]
#[cfg_attr(target_vendor = "apple", path = "apple.rs")]
mod none;
#[cfg(any(miri, heartbeat_loom, heartbeat_sim))]
mod none;

pub mod affinity;
mod alarm;
mod clock;
mod cores;
mod this_thread;

pub use alarm::Alarm;
pub use clock::{CLOCK_AGE, ThreadClock};
pub use cores::cores;
pub use none::{HAS_LEFTOVERS, take_leftovers};
pub use this_thread::{delayed, ran};
