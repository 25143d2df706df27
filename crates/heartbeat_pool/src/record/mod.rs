//! The recorder: what each thread did, event by event, in a `ring` that it alone writes.
//!
//! `event` says what can happen, `words` how that lies in a ring, `threads` which rings there are,
//! `names` keeps the names that a program gives to what it does, and `note` is what the pool's
//! rooms call. It imports primitives and the lanes alone, so that every room may note what happens
//! there. [`Recorder`] is the way in.
//!
//! Off, an event costs one relaxed load. The private half of a join is no event: nobody but its
//! owner knows of it until it is promoted, and it costs less than a look at the clock.

mod event;
mod names;
pub(crate) mod note;
mod recorder;
pub(crate) mod ring;
mod snapshot;
mod threads;
mod words;

pub use event::{Event, Place, Role, Wait, What, Work};
pub use names::Name;
pub use recorder::Recorder;
pub use snapshot::{Cursor, Snapshot, ThreadEvents};
