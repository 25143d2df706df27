//! What most games use of this crate: `use bevy_heartbeat::prelude::*`.

pub use crate::{
    HeartbeatMetrics, HeartbeatPlugin, Job, JobContext, JobDone, JobError, JobOptions, JobOutcome,
    Jobs, Lane, ParQuery, Progress, SpawnJob, WorldAccessBudget, WorldError,
};
#[cfg(feature = "state")]
pub use crate::{StateJobs, jobs_done};
