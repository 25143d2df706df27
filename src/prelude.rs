//! What most games use of this crate: `use bevy_heartbeat::prelude::*`.

pub use crate::{
    AppWaker, EntityJobs, HeartbeatMetrics, HeartbeatPlugin, Job, JobContext, JobDone, JobError,
    JobId, JobOptions, JobOutcome, Jobs, Lane, ParQuery, Progress, SpawnJob, WorldAccessBudget,
    WorldError,
};
#[cfg(feature = "state")]
pub use crate::{StateJobs, jobs_done};
