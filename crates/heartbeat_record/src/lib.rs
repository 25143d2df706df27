//! What each thread did, event by event, in a `ring` that it alone writes.
//!
//! `heartbeat_pool` notes here what its threads do, and has this crate as its module `record`; a
//! program reads it by the [`Recorder`]. `event` says what can happen, `words` how that lies in a
//! ring, `threads` which rings there are, `names` keeps the names that a program gives to what it
//! does, [`note`] is what a pool calls where something happens, and `clock` is what it is timed by.
//! It knows nothing of a pool but its [lanes](Lane).
//!
//! Off, an event costs one relaxed load. The private half of a join is no event: nobody but its
//! owner knows of it until it is promoted, and it costs less than a look at the clock.

mod clock;
mod event;
mod lane;
mod names;
pub mod note;
mod recorder;
mod ring;
mod snapshot;
mod threads;
mod words;

pub use event::{Event, Place, Role, Wait, What, Work};
pub use lane::Lane;
pub use names::Name;
pub use recorder::Recorder;
pub use snapshot::{Cursor, Snapshot, ThreadEvents};
