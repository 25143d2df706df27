//! Jobs: background work that a game holds, watches and cancels, and that hands its result back.
//!
//! | file | what is in it |
//! | --- | --- |
//! | `error` | why a job has no result, or no world |
//! | `progress` | how far a job is |
//! | `shared` | what a job and its holders share, and how it ends, once |
//! | `hub` | what jobs leave for the app: results, requests, waits for a frame or a time |
//! | `waker` | what has an app that waits for input run a frame |
//! | `clock` | the app's time and the real one, as of this frame |
//! | `context` | what a job's own code asks for |
//! | `access` | the world from a job |
//! | `params` | closures of system parameters |
//! | `part` | a part of a job on another thread |
//! | `run` | the one system of each frame |
//! | `job` | the component |
//! | `done` | the event and `then` |
//! | `code` | a job's code as the pool runs it |
//! | `start` | the options of a job, and how it is started |
//! | `builder` | `spawn_job` on commands, entities and worlds |
//! | `entity_jobs` | all jobs of an entity, whatever their type |
//! | `list` | `Jobs`, for systems that want no entity |
//! | `state` | all jobs of a state |
//!
//! Nothing is polled: a job that ends, asks or waits puts itself in the hub, and a frame looks at
//! what lies there. So a job that waits for something else costs a frame nothing.

mod access;
mod builder;
mod clock;
mod code;
mod context;
mod done;
mod entity_jobs;
mod error;
mod hub;
mod job;
mod list;
mod params;
mod part;
mod progress;
mod run;
mod shared;
mod start;
#[cfg(feature = "state")]
mod state;
mod waker;

pub use access::{WorldAccessBudget, WorldRequest};
pub use builder::{JobBuilder, JobTarget, SpawnJob};
pub use context::JobContext;
pub use done::JobDone;
pub use entity_jobs::{EntityJobs, JobStatus};
pub use error::{JobError, JobOutcome, JobPanic, WorldError};
pub use job::Job;
pub use list::{JobId, JobList, Jobs};
pub use params::WorldFn;
pub use progress::{Progress, ProgressMeter};
pub use run::{JobSystems, run_jobs};
pub use start::{JobFn, JobOptions};
#[cfg(feature = "state")]
pub use state::{StateJobs, jobs_done};
pub use waker::AppWaker;

pub(crate) use run::build;
pub(crate) use start::pool;
