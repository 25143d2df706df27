//! The jobs of an entity, whatever their type.

use super::error::JobError;
use super::progress::Progress;
use super::shared::{AnyJob, Shared};
use bevy_ecs::component::Component;
use std::any::TypeId;
use std::fmt;
use std::ptr;
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

    pub(super) fn is_delivered(&self) -> bool {
        self.0.core().is_delivered()
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

/// The jobs of an entity: the last one of each type of result, also if it has ended. The entity's
/// first job inserts it.
#[derive(Component, Debug)]
pub struct EntityJobs {
    /// Most entities have one, which takes no allocation.
    first: Typed,
    more: Vec<Typed>,
}

/// A job, and the type of its result.
#[derive(Debug)]
struct Typed(TypeId, JobStatus);

impl Typed {
    fn new<T: Send + 'static>(job: Arc<Shared<T>>) -> Self {
        Self(TypeId::of::<T>(), JobStatus(job))
    }
}

impl EntityJobs {
    pub(super) fn new<T: Send + 'static>(first: Arc<Shared<T>>) -> Self {
        let (first, more) = (Typed::new(first), Vec::new());
        Self { first, more }
    }

    /// Adds `job`, in the place of the last one of its type.
    pub(super) fn push<T: Send + 'static>(&mut self, job: Arc<Shared<T>>) {
        let job = Typed::new(job);
        self.more.retain(|other| other.0 != job.0);
        if self.first.0 != job.0 {
            self.more.push(job);
        } else if self.more.is_empty() {
            self.first = job;
        } else {
            self.first = self.more.remove(0);
            self.more.push(job);
        }
    }

    /// Whether `job` is one of them, and all who wait for the ends of the others have been told.
    pub(super) fn is_last<T: Send + 'static>(&self, job: &Arc<Shared<T>>) -> bool {
        let is_it = |other: &JobStatus| ptr::addr_eq(Arc::as_ptr(&other.0), Arc::as_ptr(job));
        let is_over = |other: &JobStatus| is_it(other) || other.is_delivered();
        self.iter().any(is_it) && self.iter().all(is_over)
    }

    /// Each of them, in the order of their start.
    pub fn iter(&self) -> impl Iterator<Item = &JobStatus> {
        let all = std::iter::once(&self.first).chain(&self.more);
        all.map(|Typed(_, job)| job)
    }
}
