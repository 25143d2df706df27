//! The component.

use super::error::{JobError, JobOutcome};
use super::progress::Progress;
use super::shared::{AnyJob, Shared};
use bevy_ecs::component::Component;
use std::fmt;
use std::sync::Arc;

/// Work that runs beside the frames, held by its entity.
///
/// [`spawn_job`](crate::SpawnJob::spawn_job) makes it. To remove it, to despawn its entity or to
/// drop it cancels the job, unless it is [detached](Self::detach): its future is dropped where it
/// runs, at its next await.
///
/// ```
/// use bevy_app::{App, Startup, Update};
/// use bevy_ecs::prelude::*;
/// use bevy_heartbeat::prelude::*;
///
/// #[derive(Resource, Default)]
/// struct Sums(Vec<u64>);
///
/// fn start(mut commands: Commands) {
///     commands.spawn_job(Lane::Background, |_| async { (1..=10).sum::<u64>() });
/// }
///
/// fn finish(mut commands: Commands, mut jobs: Query<(Entity, &mut Job<u64>)>, mut sums: ResMut<Sums>) {
///     for (entity, mut job) in &mut jobs {
///         if let Some(outcome) = job.poll() {
///             sums.0.extend(outcome);
///             commands.entity(entity).despawn();
///         }
///     }
/// }
///
/// let mut app = App::new();
/// app.add_plugins(HeartbeatPlugin::default()).init_resource::<Sums>();
/// app.add_systems(Startup, start).add_systems(Update, finish);
/// while app.world().resource::<Sums>().0.is_empty() {
///     app.update();
/// }
/// assert_eq!(app.world().resource::<Sums>().0, [55]);
/// ```
#[derive(Component)]
pub struct Job<T: Send + 'static> {
    pub(super) shared: Arc<Shared<T>>,
}

impl<T: Send + 'static> Job<T> {
    /// `None` while it runs; then its outcome, once; then `None` again.
    ///
    /// An observer of [`JobDone`](crate::JobDone) or a [`then`](crate::JobBuilder::then) may come
    /// first and take it. While observers are told, the event has the outcome, so this gives
    /// `None`; what they leave can be polled afterwards.
    pub fn poll(&mut self) -> Option<JobOutcome<T>> {
        self.shared.take()
    }

    /// Whether it has ended, with a result or without.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.shared.core.has_ended()
    }

    /// How far it is, by what it has [said](crate::JobContext::progress): one that says nothing is one
    /// step, and one that has ended is through with all of them.
    #[must_use]
    pub fn progress(&self) -> Progress {
        self.shared.core.progress()
    }

    /// What it was [named](crate::JobBuilder::named), or else the type of its code.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.shared.core.name
    }

    /// Ends it, unless it has ended: whoever polls gets [`JobError::Cancelled`]. A loop that never
    /// awaits runs on until it asks [`is_cancelled`](crate::JobContext::is_cancelled).
    pub fn cancel(&self) {
        self.shared.clone().end(JobError::Cancelled);
    }

    /// Lets it run on when this component goes. An entity that was made for the job goes when the
    /// job has ended and observers have been told; if they have been told before, it stays. It also
    /// stays if it then has another job in this one's place, or one of another type whose end is
    /// still to be told.
    pub fn detach(&self) {
        self.shared.detach();
    }
}

impl<T: Send + 'static> Drop for Job<T> {
    fn drop(&mut self) {
        self.shared.abandon();
    }
}

impl<T: Send + 'static> fmt::Debug for Job<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Job")
            .field("name", &self.name())
            .field("is_finished", &self.is_finished())
            .field("progress", &self.progress())
            .finish_non_exhaustive()
    }
}
