//! The event that a job has ended, and what is run with its outcome.

use super::entity_jobs::EntityJobs;
use super::error::{JobError, JobOutcome};
use super::job::Job;
use super::shared::{AnyJob, Core, Delivered, Owner, Shared, Then, discard, drop_quietly, lock};
use bevy_ecs::error::{ErrorContext, FallbackErrorHandler};
use bevy_ecs::prelude::*;
use bevy_ecs::system::{IntoSystem, RunSystemError, RunSystemOnce};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Mutex};

/// A job of this entity has ended. Observers are told the next time that
/// [`run_jobs`](crate::run_jobs) runs, once a frame in `PreUpdate`; `T` is the type of the job's
/// result, to the letter: for `async { 42 }` it is `i32`. An observer's panic is the app's.
///
/// The event has the outcome while observers are told: they [`take`](Self::take) it from there, and
/// [`Job::poll`] gives them `None`. What they leave can be polled afterwards.
///
/// ```
/// use bevy_app::App;
/// use bevy_ecs::prelude::*;
/// use bevy_heartbeat::prelude::*;
///
/// #[derive(Resource)]
/// struct Answer(u32);
///
/// let mut app = App::new();
/// app.add_plugins(HeartbeatPlugin::default());
/// app.world_mut()
///     .spawn_job(Lane::Background, |_| async { 42_u32 })
///     .observe(|done: On<JobDone<u32>>, mut commands: Commands| {
///         if let Some(Ok(answer)) = done.take() {
///             commands.insert_resource(Answer(answer));
///         }
///         commands.entity(done.entity).despawn();
///     });
/// while !app.world().contains_resource::<Answer>() {
///     app.update();
/// }
/// assert_eq!(app.world().resource::<Answer>().0, 42);
/// ```
#[derive(EntityEvent)]
pub struct JobDone<T: Send + 'static> {
    /// Whose job it is.
    pub entity: Entity,
    outcome: Mutex<Option<JobOutcome<T>>>,
}

impl<T: Send + 'static> JobDone<T> {
    /// The outcome, for the first that asks; `None` once it was taken or
    /// [polled](crate::Job::poll). What nobody takes can be polled later.
    #[must_use]
    pub fn take(&self) -> Option<JobOutcome<T>> {
        lock(&self.outcome).take()
    }

    /// Calls `f` with the outcome, and leaves it for others; `None` as for [`take`](Self::take).
    /// Until `f` returns there is none to take.
    pub fn inspect<R>(&self, f: impl FnOnce(&JobOutcome<T>) -> R) -> Option<R> {
        let taken = Taken {
            outcome: self.take(),
            from: &self.outcome,
        };
        taken.outcome.as_ref().map(f)
    }
}

/// An outcome that is put back.
struct Taken<'a, T> {
    outcome: Option<JobOutcome<T>>,
    from: &'a Mutex<Option<JobOutcome<T>>>,
}

impl<T> Drop for Taken<'_, T> {
    fn drop(&mut self) {
        if self.outcome.is_some() {
            *lock(self.from) = self.outcome.take();
        }
    }
}

impl<T: Send + 'static> fmt::Debug for JobDone<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JobDone")
            .field("entity", &self.entity)
            .finish_non_exhaustive()
    }
}

/// What observers are told, of which the job gets back what they leave, should one panic too.
struct Heard<'a, T: Send + 'static>(&'a Shared<T>, JobDone<T>);

impl<T: Send + 'static> Drop for Heard<'_, T> {
    fn drop(&mut self) {
        self.0.put_back(self.1.take());
    }
}

/// Makes a [`Then`] of a system.
pub(super) fn then<T, S, M>(system: S) -> Then<T>
where
    T: Send + 'static,
    S: IntoSystem<In<JobOutcome<T>>, (), M> + Send + 'static,
{
    Box::new(move |world, job, outcome| {
        match world.run_system_once_with(system, outcome) {
            Ok(()) => {}
            // What a system asks for by its parameters is no error.
            Err(error @ RunSystemError::Skipped(_)) => {
                log::debug!("bevy_heartbeat: the `then` of job `{job}` was skipped: {error}");
            }
            Err(RunSystemError::Failed(error)) => {
                let name = format!("the `then` of job `{job}`");
                match world.get_resource::<FallbackErrorHandler>() {
                    Some(handler) => handler.0(error, in_system(name, world)),
                    None => log::error!("bevy_heartbeat: {name} failed: {error}"),
                }
            }
        }
    })
}

fn in_system(name: String, world: &World) -> ErrorContext {
    ErrorContext::System {
        name: name.into(),
        last_run: world.read_change_tick(),
    }
}

/// Whether the entity's job is this one, and no later one in its place.
fn is_held<T: Send + 'static>(shared: &Arc<Shared<T>>, world: &World, entity: Entity) -> bool {
    let job = world.get::<Job<T>>(entity);
    job.is_some_and(|job| Arc::ptr_eq(&job.shared, shared))
}

/// Whether the entity is still this job's, and no other job needs it.
fn is_last<T: Send + 'static>(shared: &Arc<Shared<T>>, world: &World, entity: Entity) -> bool {
    match world.get::<EntityJobs>(entity) {
        Some(jobs) => jobs.is_last(shared),
        None => is_held(shared, world, entity),
    }
}

/// Whether anybody observes the end of such jobs.
fn is_heard<T: Send + 'static>(world: &World) -> bool {
    let key = world.event_key::<JobDone<T>>();
    key.is_some_and(|key| world.observers().try_get_observers(key).is_some())
}

impl<T: Send + 'static> AnyJob for Shared<T> {
    fn core(&self) -> &Core {
        &self.core
    }

    fn end(self: Arc<Self>, error: JobError) {
        self.stop(error);
    }

    fn deliver(self: Arc<Self>, world: &mut World) {
        let _delivered = Delivered(&self.core);
        let Owner::Entity(entity, was_made) = self.core.owner else {
            return;
        };
        let (then, is_detached) = self.take_then();
        let is_heard = is_heard::<T>(world);
        // Most jobs are polled.
        if then.is_none() && !is_detached && !is_heard {
            return;
        }
        if !is_held(&self, world, entity) && !is_detached {
            return;
        }
        // After a panic of an observer's `then` runs all the same, and after one of either the
        // entity goes.
        let mut panics = Vec::new();
        if is_heard && is_held(&self, world, entity) {
            let outcome = Mutex::new(self.take());
            let done = JobDone { entity, outcome };
            let mut heard = Heard(&self, done);
            let told = catch_unwind(AssertUnwindSafe(|| {
                world.trigger_ref(&mut heard.1);
                // What observers have queued comes before the next job's.
                world.flush();
            }));
            panics.extend(told.err());
        }
        // An observer may have detached it.
        let is_over = then.is_some() || self.is_detached();
        if let Some(then) = then
            && (is_held(&self, world, entity) || self.is_detached())
            && let Some(outcome) = self.take()
        {
            let ran = catch_unwind(AssertUnwindSafe(|| {
                then(world, &self.core.name, outcome);
            }));
            panics.extend(ran.err());
        }
        if !is_held(&self, world, entity) {
            // Nobody can ask for it any more.
            drop_quietly(self.take());
        }
        if is_over && was_made && is_last(&self, world, entity) {
            world.despawn(entity);
        }
        let mut panics = panics.into_iter();
        if let Some(first) = panics.next() {
            panics.for_each(discard);
            resume_unwind(first);
        }
    }
}
