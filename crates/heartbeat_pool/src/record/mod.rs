//! The recorder: what each thread did, event by event, in a `ring` that it alone writes.
//!
//! `event` says what can happen, `words` how that lies in a ring, `threads` which rings there are,
//! `clock` reads the clocks, `names` keeps the names that a program gives to what it does, and
//! `note` is what the pool's rooms call. It imports nothing but `sync` and the lanes, so that every
//! room may note what happens there. [`Recorder`] is the way in.
//!
//! Off, an event costs one relaxed load. The private half of a join is no event: nobody but its
//! owner knows of it until it is promoted, and it costs less than a look at the clock.

mod event;
pub(crate) mod note;
#[cfg(not(heartbeat_sim))]
pub(crate) mod ring;

#[cfg(not(any(heartbeat_loom, heartbeat_sim)))]
mod clock;
#[cfg(not(any(heartbeat_loom, heartbeat_sim)))]
mod recorder;
#[cfg(not(any(heartbeat_loom, heartbeat_sim)))]
mod snapshot;
#[cfg(not(any(heartbeat_loom, heartbeat_sim)))]
mod words;
// In a model nothing is recorded, and nothing has a name.
#[cfg_attr(any(heartbeat_loom, heartbeat_sim), path = "no_names.rs")]
mod names;
#[cfg_attr(any(heartbeat_loom, heartbeat_sim), path = "off.rs")]
mod threads;

pub use event::{Event, Need, Place, Role, Wait, What, Work};
pub use names::Name;
#[cfg(not(any(heartbeat_loom, heartbeat_sim)))]
pub use recorder::Recorder;
#[cfg(not(any(heartbeat_loom, heartbeat_sim)))]
pub use snapshot::{Cursor, Snapshot, ThreadEvents};
