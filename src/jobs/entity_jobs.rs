//! All jobs of an entity, whatever their type.

use super::error::JobError;
use super::progress::Progress;
use super::shared::AnyJob;
use bevy_ecs::component::Component;
use std::fmt;
use std::sync::Arc;

/// A look at a job, whatever its type. It keeps nothing running.
#[derive(Clone)]
pub struct JobStatus(pub(super) Arc<dyn AnyJob>);

impl JobStatus {
    /// The job's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.0.core().name
    }

    /// Whether it has ended, with a result or without.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.0.core().has_ended()
    }

    /// Why it has no result, if it has ended so.
    #[must_use]
    pub fn error(&self) -> Option<&JobError> {
        self.0.core().error()
    }

    /// How far it is, as one step if it says nothing; all of it once it has ended.
    #[must_use]
    pub fn progress(&self) -> Progress {
        self.0.core().progress()
    }
}

impl fmt::Debug for JobStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JobStatus")
            .field("name", &self.name())
            .field("progress", &self.progress())
            .field("error", &self.error())
            .finish()
    }
}

/// All jobs that an entity was given, whatever their type, those that have ended too. It comes with
/// the first one.
#[derive(Component, Debug)]
pub struct EntityJobs {
    /// Most entities have one, which takes no allocation.
    first: JobStatus,
    more: Vec<JobStatus>,
}

impl EntityJobs {
    pub(super) fn new(first: JobStatus) -> Self {
        let more = Vec::new();
        Self { first, more }
    }

    pub(super) fn push(&mut self, job: JobStatus) {
        self.more.push(job);
    }

    /// Each of them, in the order of their start.
    pub fn iter(&self) -> impl Iterator<Item = &JobStatus> {
        std::iter::once(&self.first).chain(&self.more)
    }
}
