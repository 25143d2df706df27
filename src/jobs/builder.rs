//! `spawn_job` on commands, entities and worlds.

use super::done;
use super::entity_jobs::EntityJobs;
use super::error::JobOutcome;
use super::hub::JobHub;
use super::job::Job;
use super::shared::Owner;
use super::start::{JobFn, JobOptions, Start};
use bevy_ecs::observer::IntoEntityObserver;
use bevy_ecs::prelude::*;
use bevy_ecs::system::{EntityCommands, IntoSystem};
use heartbeat_pool::Lane;
use std::any::type_name;
use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

/// An entity that can be given a job: [`EntityCommands`], [`EntityWorldMut`].
pub trait JobTarget {
    /// The entity.
    fn id(&self) -> Entity;
    /// Runs `f` with the entity, now or when commands are applied; with none if it is gone.
    fn apply(&mut self, f: impl FnOnce(Option<EntityWorldMut>) + Send + 'static);
}

impl JobTarget for EntityCommands<'_> {
    fn id(&self) -> Entity {
        self.id()
    }

    fn apply(&mut self, f: impl FnOnce(Option<EntityWorldMut>) + Send + 'static) {
        let id = self.id();
        let run = move |world: &mut World| f(world.get_entity_mut(id).ok());
        self.commands().queue(run);
    }
}

impl JobTarget for EntityWorldMut<'_> {
    fn id(&self) -> Entity {
        self.id()
    }

    fn apply(&mut self, f: impl FnOnce(Option<EntityWorldMut>) + Send + 'static) {
        let id = self.id();
        self.world_scope(|world| f(world.get_entity_mut(id).ok()));
    }
}

impl JobTarget for &mut EntityWorldMut<'_> {
    fn id(&self) -> Entity {
        EntityWorldMut::id(self)
    }

    fn apply(&mut self, f: impl FnOnce(Option<EntityWorldMut>) + Send + 'static) {
        JobTarget::apply(*self, f);
    }
}

/// `spawn_job`, on [`Commands`], [`EntityCommands`], [`World`] and [`EntityWorldMut`].
pub trait SpawnJob {
    /// What the entity is reached by.
    type Target<'a>: JobTarget
    where
        Self: 'a;

    /// Starts a job on `lane` of the pool: on a new entity, or on this one, where it takes the
    /// place of one with a result of the same type and cancels that. On a [`World`] or an
    /// [`EntityWorldMut`] it starts when the builder is dropped; on [`Commands`] and
    /// [`EntityCommands`] when the commands are applied, at the next sync point. [`Job`] is what
    /// holds it, [`JobDone`](crate::JobDone) tells of its end.
    ///
    /// `Lane::Io` is for loading: short steps between waits. `Lane::Background` is for computing
    /// that may last for many frames. `Lane::Frame` is for short work that is wanted soon: such a
    /// job takes threads from systems, and no frame waits for it. What this very frame needs
    /// belongs into a scope of the engine's `ComputeTaskPool`. Io and background jobs begin about
    /// in the order in which they were started. A budget counts jobs that run just now, not those
    /// that await something.
    ///
    /// A new entity stays after the job's end, so that the outcome can be polled or observed, until
    /// somebody despawns it. With `.then(..)` or `.detach()` it goes by itself.
    ///
    /// ```
    /// use bevy_ecs::prelude::*;
    /// use bevy_heartbeat::prelude::*;
    /// use std::time::Duration;
    ///
    /// fn load(mut commands: Commands) {
    ///     commands
    ///         .spawn_job(Lane::Io, |cx| async move {
    ///             cx.blocking(|| std::fs::read("save.dat")).await
    ///         })
    ///         .named("save file")
    ///         .timeout(Duration::from_secs(10))
    ///         .then(|In(outcome): In<JobOutcome<std::io::Result<Vec<u8>>>>| match outcome {
    ///             Ok(Ok(bytes)) => println!("{} bytes", bytes.len()),
    ///             Ok(Err(error)) => println!("no save: {error}"),
    ///             Err(error) => println!("{error}"),
    ///         });
    /// }
    /// ```
    fn spawn_job<F: JobFn>(&mut self, lane: Lane, f: F) -> JobBuilder<Self::Target<'_>, F>;
}

impl SpawnJob for Commands<'_, '_> {
    type Target<'a>
        = EntityCommands<'a>
    where
        Self: 'a;

    fn spawn_job<F: JobFn>(&mut self, lane: Lane, f: F) -> JobBuilder<EntityCommands<'_>, F> {
        JobBuilder::new(self.spawn_empty(), true, lane, f)
    }
}

impl SpawnJob for EntityCommands<'_> {
    type Target<'a>
        = EntityCommands<'a>
    where
        Self: 'a;

    fn spawn_job<F: JobFn>(&mut self, lane: Lane, f: F) -> JobBuilder<EntityCommands<'_>, F> {
        JobBuilder::new(self.reborrow(), false, lane, f)
    }
}

impl SpawnJob for World {
    type Target<'a> = EntityWorldMut<'a>;

    fn spawn_job<F: JobFn>(&mut self, lane: Lane, f: F) -> JobBuilder<EntityWorldMut<'_>, F> {
        JobBuilder::new(self.spawn_empty(), true, lane, f)
    }
}

impl<'w> SpawnJob for EntityWorldMut<'w> {
    type Target<'a>
        = &'a mut EntityWorldMut<'w>
    where
        Self: 'a;

    fn spawn_job<F: JobFn>(&mut self, lane: Lane, f: F) -> JobBuilder<&mut Self, F> {
        JobBuilder::new(self, false, lane, f)
    }
}

/// A job that [`spawn_job`](SpawnJob::spawn_job) starts, once this is dropped.
pub struct JobBuilder<E: JobTarget, F: JobFn> {
    entity: E,
    was_made: bool,
    /// There until it is dropped.
    start: Option<(Start<F::Out>, F)>,
}

impl<E: JobTarget, F: JobFn> JobBuilder<E, F> {
    fn new(entity: E, was_made: bool, lane: Lane, f: F) -> Self {
        let start = Start {
            options: JobOptions::default(),
            then: None,
            is_detached: false,
            lane,
        };
        Self {
            entity,
            was_made,
            start: Some((start, f)),
        }
    }

    fn change(mut self, f: impl FnOnce(&mut Start<F::Out>)) -> Self {
        if let Some((start, _)) = &mut self.start {
            f(start);
        }
        self
    }

    /// The name by which logs, panics and traces call the job; by default the type of its code.
    pub fn named(self, name: impl Into<Cow<'static, str>>) -> Self {
        self.change(|start| start.options.name = Some(name.into()))
    }

    /// How much real time it may take from its start on, the wait in its lane's queue included. It
    /// is looked at once a frame. Then the job ends with
    /// [`JobError::TimedOut`](crate::JobError::TimedOut), and its future is dropped at its next
    /// await: a loop that never awaits runs on, and so does a call in `cx.blocking`.
    pub fn timeout(self, timeout: Duration) -> Self {
        self.change(|start| start.options.timeout = Some(timeout))
    }

    /// Lets the job run on when its entity goes. An entity that was made for the job goes when the
    /// job has ended and observers have been told. It stays if it then has another job in this
    /// one's place, or one of another type whose end is still to be told.
    ///
    /// If the entity is gone before the job starts, it never does, and a warning says so. The
    /// process doesn't wait for it: a detached job that still runs when `main` returns is cut off.
    /// To finish a save, run the app until its outcome is there.
    pub fn detach(self) -> Self {
        self.change(|start| start.is_detached = true)
    }

    /// Runs `system` with the outcome, in the frame that hears of it, unless somebody took the
    /// outcome before: an observer of [`JobDone`](crate::JobDone), or a system by
    /// [`Job::poll`]. An entity that was made for the job goes then; it stays where another job has
    /// it, as for [`detach`](Self::detach). If the entity goes before that, be it by an observer,
    /// the system never runs, unless the job is detached.
    ///
    /// The system runs once, and its `Local`s go with it, [`Jobs`](crate::Jobs) too: what it starts
    /// is to be [an entity's](SpawnJob::spawn_job). An error that it gives goes to the app's
    /// [handler](bevy_ecs::error::FallbackErrorHandler), and is logged if the app has set none. So
    /// it goes if one of its parameters is not there, and then the outcome is lost. It is lost,
    /// too, with a message at DEBUG, if a parameter skips the system, as `Single` does. A panic of
    /// the system is the app's.
    pub fn then<M>(
        self,
        system: impl IntoSystem<In<JobOutcome<F::Out>>, (), M> + Send + 'static,
    ) -> Self {
        self.change(|start| start.then = Some(done::then(system)))
    }

    /// Adds an observer to the entity, for instance of [`JobDone`](crate::JobDone). It stays as
    /// long as the entity: on one that is given jobs again and again, add it once, not with each
    /// job. A panic of the observer is the app's.
    pub fn observe<M: 'static>(mut self, observer: impl IntoEntityObserver<M> + 'static) -> Self {
        let observe = |mut entity: EntityWorldMut| _ = entity.observe(observer);
        self.entity.apply(|entity| entity.map_or((), observe));
        self
    }

    /// Adds components to the entity, for instance `DespawnOnExit`.
    pub fn insert(mut self, bundle: impl Bundle) -> Self {
        let insert = |mut entity: EntityWorldMut| _ = entity.insert(bundle);
        self.entity.apply(|entity| entity.map_or((), insert));
        self
    }

    /// The entity that holds the job.
    pub fn id(&self) -> Entity {
        self.entity.id()
    }
}

/// Starts the job and gives it to the entity.
fn give<F: JobFn>(mut entity: EntityWorldMut, was_made: bool, start: Start<F::Out>, f: F) {
    let hub = match entity.world().get_resource::<JobHub>() {
        Some(hub) => hub.0.clone(),
        None => entity.world_scope(|world| world.get_resource_or_init::<JobHub>().0.clone()),
    };
    let owner = Owner::Entity(entity.id(), was_made);
    let shared = start.start(hub, owner, f);
    let job = Job {
        shared: shared.clone(),
    };
    match entity.get_mut::<EntityJobs>() {
        Some(mut jobs) => {
            jobs.push(shared);
            entity.insert(job);
        }
        None => _ = entity.insert((job, EntityJobs::new(shared))),
    }
}

impl<E: JobTarget, F: JobFn> Drop for JobBuilder<E, F> {
    fn drop(&mut self) {
        let was_made = self.was_made;
        if let Some((start, f)) = self.start.take() {
            let id = self.entity.id();
            self.entity.apply(move |entity| match entity {
                Some(entity) => give(entity, was_made, start, f),
                None => {
                    let name = start.options.name.as_deref().unwrap_or(type_name::<F>());
                    log::warn!(
                        "bevy_heartbeat: job `{name}` never starts: its entity {id} is gone"
                    );
                }
            });
        }
    }
}

impl<E: JobTarget, F: JobFn> fmt::Debug for JobBuilder<E, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JobBuilder")
            .field("entity", &self.id())
            .finish_non_exhaustive()
    }
}
