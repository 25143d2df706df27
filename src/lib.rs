#![doc = include_str!("../README.md")]
//!
//! Links to files, and the pictures, lead into the repository and not into these pages: the fields
//! of the plugin are at [`HeartbeatPlugin`], what is recorded at [`record`].

mod calls;
mod config;
mod diagnostics;
mod executor;
mod jobs;
mod options;
mod patch;
mod plugin;
pub mod prelude;
mod query;
pub mod record;
mod schedules;
mod settings;
mod stopwatch;

pub use calls::{join, spawn_blocking};
pub use config::{ConfigError, THREADS_VARIABLE, ThreadCount};
pub use diagnostics::HeartbeatMetrics;
pub use executor::AdaptiveExecutor;
pub use heartbeat_pool::{Lane, LowerPriority, PoolMetrics, WorkerMetrics};
pub use jobs::{
    AppWaker, EntityJobs, Job, JobBuilder, JobContext, JobDone, JobError, JobFn, JobId, JobList,
    JobOptions, JobOutcome, JobPanic, JobStatus, JobSystems, JobTarget, Jobs, Progress,
    ProgressMeter, SpawnJob, WorldAccessBudget, WorldError, WorldFn, WorldRequest, run_jobs,
};
#[cfg(feature = "state")]
pub use jobs::{StateJobs, jobs_done};
pub use plugin::HeartbeatPlugin;
pub use query::{ParColumns, ParIter, ParQuery};
pub use settings::HeartbeatSettings;
