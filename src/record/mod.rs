//! Why was this frame late? The pool's recorder, with frames, schedules and systems in it, and what
//! comes of that.
//!
//! | file | what is in it |
//! | --- | --- |
//! | `flight` | the resource: frames' begins and ends, late ones, panics |
//! | `kept` | what `Record::Always` keeps |
//! | `systems`, `order` | systems' names; what a schedule says of who may run beside whom |
//! | `trace`, `row`, `flow` | what was recorded, thread by thread, and what led to what |
//! | `restore` | a late frame whose begin was overwritten |
//! | `clocks` | for how long a thread ran, and had no core |
//! | `path` | a frame's critical path |
//! | `idle`, `conflict` | where each thread's time went, by cause |
//! | `forecast`, `model`, `simulate`, `costs` | what more threads would give |
//! | `span` | parallel loops and jobs say what they are |
//! | `chrome`, `page`, `report`, `save` | the outputs |
//! | `json`, `slices` | what two of them are written in; what a flow in Chrome's format lies in |
//! | `live` | diagnostics, frame by frame |

mod chrome;
mod clocks;
mod conflict;
mod costs;
mod flight;
mod flow;
mod forecast;
mod idle;
mod json;
mod kept;
mod live;
#[cfg(test)]
mod made;
mod model;
mod order;
mod page;
mod path;
mod report;
mod restore;
mod row;
mod save;
mod simulate;
mod slices;
mod span;
mod systems;
mod trace;

pub use flight::FlightRecorder;
pub use forecast::{Forecast, Gain, Limit};
pub use idle::{Account, Cause};
pub use live::HeartbeatDiagnosticsPlugin;
pub use save::SaveError;
pub use trace::Trace;

pub(crate) use flight::set_up;
pub(crate) use row::SCHEDULE;
pub(crate) use span::Span;
pub(crate) use systems::name_systems;

use bevy_reflect::Reflect;
use std::time::Duration;

/// What is recorded of an app, and when it is written.
///
/// It is a field of [`HeartbeatPlugin`](crate::HeartbeatPlugin). Anything but [`Record::Off`] gives
/// systems their names in the recording, which costs a call through a pointer each; files go to the
/// plugin's folder for them. The process has one recorder, which several apps share; each has its
/// own frames and files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Reflect)]
pub enum Record {
    /// Nothing is recorded.
    #[default]
    Off,
    /// The last frames are kept in memory, and written when one is late, and on the process's first
    /// panic: as `.html`, `.json` and `.txt`. The first frame is never late; sixteen at most are
    /// written in a run, and none of the `keep` frames after one that was.
    LateFrames {
        /// How long a frame may take: one run of the app's `Main` schedule, without extraction and
        /// rendering.
        over: Duration,
        /// How many frames before the late one are written with it.
        keep: usize,
    },
    /// All frames are kept, up to 4,194,304 events (128 MiB), and written when the app is dropped,
    /// so not after `std::process::exit`. To write so many takes some 1 GiB of memory and fifteen
    /// seconds. On the process's first panic the last frames are written.
    Always,
}
