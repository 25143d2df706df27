//! What a job's own code asks for.

use super::access::{WorldRequest, why};
use super::error::WorldError;
use super::params::WorldFn;
use super::part::{self, Part};
use super::progress::ProgressMeter;
use super::shared::{AnyJob, Owner};
use super::start::pool;
use bevy_ecs::entity::Entity;
use bevy_ecs::system::Commands;
use bevy_ecs::world::World;
use bevy_tasks::ConditionalSendFuture;
use heartbeat_pool::Lane;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// What a job is given: `|cx| async move { .. }`. Clones are the same job's.
///
/// Calls that wait for the app give an error when the app is gone. Those that ask for the world
/// give one also when the job has ended or was cancelled, for clones may outlive it. What is asked
/// for runs on the app's own thread, between systems: over that await hold no lock that the
/// closure or a system takes.
///
/// On the web all of this works too, on the page's one thread: jobs run in turns of its event loop,
/// between frames. [`blocking`](Self::blocking) and [`join`](Self::join) call what they are given
/// here and now, and futures of a [`scope`](Self::scope) may wait for each other: to wait there for
/// anything else is a panic. Panics can't be caught on the web: one ends the turn that it is in, as
/// an error of the page's; its job, and others that were due in that turn, end by their timeouts or
/// not at all.
#[derive(Clone)]
pub struct JobContext {
    job: Arc<dyn AnyJob>,
}

impl JobContext {
    pub(super) fn new(job: Arc<dyn AnyJob>) -> Self {
        Self { job }
    }

    /// The job's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.job.core().name
    }

    /// The entity that holds the job; none for those of [`Jobs`](crate::Jobs).
    #[must_use]
    pub fn entity(&self) -> Option<Entity> {
        match self.job.core().owner {
            Owner::Entity(entity, _) => Some(entity),
            Owner::List(..) => None,
        }
    }

    /// Whether nobody wants the result any more: the job was cancelled, timed out, or the app is
    /// gone. For loops that never await.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.job.core().error().is_some() || self.job.core().hub.is_closed()
    }

    /// Where the job says how far it is.
    #[must_use]
    pub fn progress(&self) -> &ProgressMeter {
        &self.job.core().progress
    }

    /// Calls `f` with system parameters, as if it were a system of this job's own, when
    /// [`run_jobs`](crate::run_jobs) runs, in the order asked for: mostly in this frame or the
    /// next, and later if more is asked for than [`WorldAccessBudget`](crate::WorldAccessBudget)
    /// lets through. What a `Local` holds, which messages were read and which changes seen is kept
    /// from one call of the same closure to the next, as long as the job lasts. A panic in `f` is
    /// the job's.
    ///
    /// # Errors
    ///
    /// When the app is gone, the job has ended or was cancelled, or a parameter is not there.
    ///
    /// ```
    /// use bevy_app::App;
    /// use bevy_ecs::prelude::*;
    /// use bevy_heartbeat::prelude::*;
    ///
    /// #[derive(Resource)]
    /// struct Names(Vec<String>);
    ///
    /// let mut app = App::new();
    /// app.add_plugins(HeartbeatPlugin::default()).insert_resource(Names(Vec::new()));
    /// app.world_mut().spawn_job(Lane::Background, |cx| async move {
    ///     let name = String::from("Ada");
    ///     cx.with(move |mut names: ResMut<Names>| names.0.push(name)).await
    /// });
    /// while app.world().resource::<Names>().0.is_empty() {
    ///     app.update();
    /// }
    /// ```
    pub fn with<M, F, R>(&self, f: F) -> WorldRequest<R>
    where
        F: WorldFn<M, Out = R>,
        R: Send + 'static,
    {
        WorldRequest::with(&self.job, f)
    }

    /// Calls `f` with the world, as [`with`](Self::with) does with parameters.
    ///
    /// # Errors
    ///
    /// When the app is gone, or the job has ended or was cancelled.
    ///
    /// ```
    /// use bevy_heartbeat::{JobContext, WorldError};
    ///
    /// async fn population(cx: JobContext) -> Result<u32, WorldError> {
    ///     cx.world(|world| world.entities().count_spawned()).await
    /// }
    /// # let _ = population;
    /// ```
    pub fn world<R: Send + 'static>(
        &self,
        f: impl FnOnce(&mut World) -> R + Send + 'static,
    ) -> WorldRequest<R> {
        WorldRequest::world(&self.job, f)
    }

    /// Calls `f` with commands, which are applied when it returns, as [`with`](Self::with) does.
    ///
    /// # Errors
    ///
    /// When the app is gone, or the job has ended or was cancelled.
    ///
    /// ```
    /// use bevy_ecs::prelude::*;
    /// use bevy_heartbeat::{JobContext, WorldError};
    ///
    /// #[derive(Component)]
    /// struct Tree(u32);
    ///
    /// async fn plant(cx: JobContext) -> Result<Entity, WorldError> {
    ///     cx.commands(|mut commands| commands.spawn(Tree(7)).id()).await
    /// }
    /// # let _ = plant;
    /// ```
    pub fn commands<R: Send + 'static>(
        &self,
        f: impl FnOnce(Commands) -> R + Send + 'static,
    ) -> WorldRequest<R> {
        self.world(|world| f(world.commands()))
    }

    /// Waits until [`run_jobs`](crate::run_jobs) runs once more. It works after the job's end, too.
    ///
    /// # Errors
    ///
    /// When the app is gone.
    pub async fn next_frame(&self) -> Result<(), WorldError> {
        let frame = self.job.core().hub.next_frame();
        frame.await.map_err(|_| why(&self.job))
    }

    /// Waits until the app's clock, `Time<Virtual>`, is `duration` further than in this frame.
    /// While the game is paused that clock stands still, and so does the wait; it is shorter where
    /// the game runs faster. It works after the job's end, too.
    ///
    /// # Errors
    ///
    /// When the app is gone.
    ///
    /// ```
    /// use bevy_heartbeat::{JobContext, WorldError};
    /// use std::time::Duration;
    ///
    /// /// Counts down, a step a second of the game's.
    /// async fn count_down(cx: JobContext) -> Result<(), WorldError> {
    ///     for left in (1..=3).rev() {
    ///         println!("{left}");
    ///         cx.sleep(Duration::from_secs(1)).await?;
    ///     }
    ///     Ok(())
    /// }
    /// # let _ = count_down;
    /// ```
    pub async fn sleep(&self, duration: Duration) -> Result<(), WorldError> {
        let time = self.job.core().hub.sleep(duration);
        time.await.map_err(|_| why(&self.job))
    }

    /// Runs `f`, which may block, on a thread beyond the pool's own, and waits for its result: for
    /// calls that wait, on a file or a socket. There are 512 such threads at most: more calls wait
    /// for one of these. A panic in `f` is the job's. If the job is cancelled, a call that has
    /// begun runs to its end, unless the process ends before that. On the web it runs here and now.
    ///
    /// ```
    /// use bevy_heartbeat::JobContext;
    ///
    /// async fn read(cx: JobContext) -> std::io::Result<String> {
    ///     cx.blocking(|| std::fs::read_to_string("save.ron")).await
    /// }
    /// # let _ = read;
    /// ```
    pub async fn blocking<R: Send + 'static>(&self, f: impl FnOnce() -> R + Send + 'static) -> R {
        #[cfg(not(target_arch = "wasm32"))]
        return part::go_on(
            heartbeat_pool::global()
                .spawn_blocking(|| part::call(f))
                .await,
        );
        #[cfg(target_arch = "wasm32")]
        return f();
    }

    /// Calls both and gives both results, as [`join`](crate::join()) does: the next join or loop
    /// inside of `a` offers `b` to other threads. Two long calls without these may run one after
    /// the other, and `a` must not wait for `b`: both belong into a [`scope`](Self::scope). On the
    /// web, one after the other.
    ///
    /// # Panics
    ///
    /// With the payload of `a` or `b` if one panics, `a`'s if both do.
    pub fn join<A, B, RA: Send, RB: Send>(&self, a: A, b: B) -> (RA, RB)
    where
        A: FnOnce() -> RA + Send,
        B: FnOnce() -> RB + Send,
    {
        crate::join(a, b)
    }

    /// Runs futures that borrow, in the lane of the caller, and returns their results in the order
    /// of spawning, as [`TaskPool::scope`](bevy_tasks::TaskPool::scope) does.
    ///
    /// # Panics
    ///
    /// With the payload of `f` or of a future that panics. On the web also when a future waits for
    /// anything but another one of the scope.
    ///
    /// ```
    /// use bevy_heartbeat::JobContext;
    ///
    /// fn squares(cx: &JobContext, numbers: &[u64]) -> Vec<u64> {
    ///     cx.scope(|scope| {
    ///         for number in numbers {
    ///             scope.spawn(async move { number * number });
    ///         }
    ///     })
    /// }
    /// ```
    pub fn scope<'env, T: Send + 'static>(
        &self,
        f: impl for<'scope> FnOnce(&'scope bevy_tasks::Scope<'scope, 'env, T>),
    ) -> Vec<T> {
        // In the caller's lane, whichever pool this is.
        pool(Lane::Frame).scope(|scope| f(scope))
    }

    /// Runs a part of the job on another lane, and waits for its result. A panic in it is the
    /// job's, and it is cancelled with the job.
    ///
    /// ```
    /// use bevy_heartbeat::{JobContext, Lane};
    ///
    /// /// A job of the io lane, which leaves computing to the background's.
    /// async fn sum_of_file(cx: JobContext) -> std::io::Result<u64> {
    ///     let bytes = cx.blocking(|| std::fs::read("height.map")).await?;
    ///     let sum = async move { bytes.iter().map(|byte| u64::from(*byte)).sum() };
    ///     Ok(cx.lane(Lane::Background, sum).await)
    /// }
    /// # let _ = sum_of_file;
    /// ```
    pub async fn lane<R: Send + 'static>(
        &self,
        lane: Lane,
        part: impl ConditionalSendFuture<Output = R> + 'static,
    ) -> R {
        part::go_on(pool(lane).spawn(Part { future: part }).await)
    }
}

impl fmt::Debug for JobContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JobContext")
            .field("name", &self.name())
            .field("entity", &self.entity())
            .finish_non_exhaustive()
    }
}
