//! The world from a job: requests, and how much of a frame they get.

use super::error::WorldError;
use super::hub::Hub;
use super::params::WorldFn;
use super::shared::{AnyJob, drop_quietly, lock};
use crate::stopwatch::Stopwatch;
use bevy_ecs::prelude::*;
use bevy_ecs::system::{SystemParam, SystemState};
use bevy_platform::collections::HashMap;
use bevy_reflect::Reflect;
use bevy_reflect::std_traits::ReflectDefault;
use futures_channel::oneshot;
use std::any::{Any, TypeId, type_name};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::time::Duration;

/// How long jobs' requests for the world may take each time that [`run_jobs`](crate::run_jobs)
/// runs, once a frame unless it was added elsewhere too: a millisecond by default. The request that
/// is running when the time is over is finished, and the rest waits for the next time, in the order
/// asked for. However small the budget, one request runs each time, if any waits that is still
/// wanted. A job may ask several times within the budget, so one that asks again at once each time
/// makes the frame longer by all of it. The ends of jobs, with their observers and `then`s, have no
/// budget: all of a frame's are told of at once.
///
/// ```
/// use bevy_ecs::prelude::*;
/// use bevy_heartbeat::WorldAccessBudget;
/// use std::time::Duration;
///
/// fn on_the_loading_screen(mut budget: ResMut<WorldAccessBudget>) {
///     budget.0 = Duration::from_millis(10);
/// }
/// # let mut world = World::new();
/// # world.init_resource::<WorldAccessBudget>();
/// # bevy_ecs::system::RunSystemOnce::run_system_once(&mut world, on_the_loading_screen).unwrap();
/// # assert_eq!(world.resource::<WorldAccessBudget>().0.as_millis(), 10);
/// ```
#[derive(Resource, Reflect, Clone, Copy, Debug, PartialEq, Eq)]
#[reflect(Resource, Default)]
pub struct WorldAccessBudget(pub Duration);

impl Default for WorldAccessBudget {
    fn default() -> Self {
        Self(Duration::from_millis(1))
    }
}

/// What is kept of a job's closures that have run: what their parameters have prepared, by the
/// closure's type. Each job has its own, as if its closures were systems of its own. None once the
/// job's code is over.
pub(super) struct Prepared(Mutex<Option<HashMap<TypeId, Box<dyn Any + Send + Sync>>>>);

impl Default for Prepared {
    fn default() -> Self {
        Self(Mutex::new(Some(HashMap::new())))
    }
}

impl Prepared {
    /// Drops it all, and what a request that runs just now would keep.
    pub(super) fn close(&self) {
        let prepared = lock(&self.0).take();
        drop(prepared);
    }

    fn take<S: 'static>(&self, key: TypeId) -> Option<Box<S>> {
        let known = lock(&self.0).as_mut()?.remove(&key);
        known?.downcast().ok()
    }

    fn keep(&self, key: TypeId, state: Box<dyn Any + Send + Sync>) {
        let mut prepared = lock(&self.0);
        let unwanted = match &mut *prepared {
            // There is one if the same code has run within this one.
            Some(prepared) => prepared.insert(key, state),
            None => Some(state),
        };
        drop(prepared);
        drop(unwanted);
    }
}

/// A job's request for the world, as the app has it. Whoever still waits as it is dropped is told
/// that nothing will come of it.
pub(super) struct Request(Arc<dyn Ask>);

impl Request {
    /// Whether it ran: it doesn't if it was given up, or its job has ended.
    fn run(self, world: &mut World) -> bool {
        self.0.run(world)
    }
}

impl Drop for Request {
    fn drop(&mut self) {
        self.0.let_go();
    }
}

/// What a request shares with whoever waits for it.
trait Ask: Send + Sync {
    fn run(&self, world: &mut World) -> bool;
    /// Nobody waits for it any more. What it would have done is dropped here, and not by the app,
    /// which has frames to do. Whether there was anything.
    fn give_up(&self) -> bool;
    /// Nothing will come of it. What it would have done is left for whoever waits.
    fn let_go(&self);
}

struct ToDo<F, R> {
    job: Arc<dyn AnyJob>,
    f: F,
    answer: Option<oneshot::Sender<Answer<R>>>,
}

/// None once it has run, or was given up.
struct Asked<F, R>(Mutex<Option<ToDo<F, R>>>);

impl<F, R> Ask for Asked<F, R>
where
    F: FnOnce(&mut World) -> Result<R, WorldError> + Send,
    R: Send,
{
    fn run(&self, world: &mut World) -> bool {
        let is_to_run = |to_do: &mut ToDo<F, R>| !to_do.job.core().has_ended();
        let to_do = lock(&self.0).take_if(is_to_run);
        let Some(ToDo { job, f, answer }) = to_do else {
            return false;
        };
        // The panic goes on in the job.
        let result = catch_unwind(AssertUnwindSafe(|| f(world)));
        let unheard = answer.map(|answer| answer.send(result));
        drop_quietly((unheard, job));
        true
    }

    fn give_up(&self) -> bool {
        let to_do = lock(&self.0).take();
        let any = to_do.is_some();
        drop_quietly(to_do);
        any
    }

    fn let_go(&self) {
        let answer = lock(&self.0).as_mut().and_then(|to_do| to_do.answer.take());
        drop(answer);
    }
}

/// Runs `f` with its parameters, as a system does.
fn run_params<M, F: WorldFn<M>>(
    f: F,
    world: &mut World,
    prepared: &Prepared,
) -> Result<F::Out, WorldError>
where
    F::Param: SystemParam,
{
    let key = TypeId::of::<F>();
    let known = prepared.take::<SystemState<F::Param>>(key);
    // A request may have put another world in the place of this one.
    let known = known.filter(|known| known.matches_world(world.id()));
    let mut state = known.unwrap_or_else(|| Box::new(SystemState::new(world)));
    let result = match state.get_mut(world) {
        Ok(params) => Ok(f.call(params)),
        Err(source) => Err(WorldError::Params {
            params: type_name::<F::Param>(),
            source,
        }),
    };
    state.apply(world);
    prepared.keep(key, state);
    result
}

/// A panic, or what came of a request.
type Answer<R> = std::thread::Result<Result<R, WorldError>>;

/// A request for the world, to be awaited. It is asked for at the first poll. If it is dropped
/// before its turn, its closure never runs and is dropped as well; of a panic of that drop only the
/// panic hook hears.
#[must_use = "it is asked for when it is awaited"]
pub struct WorldRequest<R> {
    job: Arc<dyn AnyJob>,
    request: Arc<dyn Ask>,
    /// Of the request in the hub, once it is asked for.
    number: Option<u64>,
    answer: oneshot::Receiver<Answer<R>>,
}

impl<R: Send + 'static> WorldRequest<R> {
    /// No type of `f` is in the request's, for a closure's parameters have lifetimes of which the
    /// compiler can't see that they may cross an await.
    fn new(
        job: &Arc<dyn AnyJob>,
        f: impl FnOnce(&mut World) -> Result<R, WorldError> + Send + 'static,
    ) -> Self {
        let (sender, answer) = oneshot::channel();
        let to_do = ToDo {
            job: job.clone(),
            f,
            answer: Some(sender),
        };
        Self {
            job: job.clone(),
            request: Arc::new(Asked(Mutex::new(Some(to_do)))),
            number: None,
            answer,
        }
    }

    /// A request for a closure of parameters.
    pub(super) fn with<M, F>(job: &Arc<dyn AnyJob>, f: F) -> Self
    where
        F: WorldFn<M, Out = R>,
    {
        let own = job.clone();
        Self::new(job, move |world| run_params(f, world, &own.core().prepared))
    }

    /// A request for the world itself.
    pub(super) fn world(
        job: &Arc<dyn AnyJob>,
        f: impl FnOnce(&mut World) -> R + Send + 'static,
    ) -> Self {
        Self::new(job, |world| {
            let result = f(world);
            world.flush();
            Ok(result)
        })
    }
}

impl<R> Future for WorldRequest<R> {
    type Output = Result<R, WorldError>;

    /// # Panics
    ///
    /// As the closure did.
    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        if self.number.is_none() {
            let request = Request(self.request.clone());
            self.number = Some(self.job.core().hub.push_request(request));
        }
        Pin::new(&mut self.answer)
            .poll(context)
            .map(|answer| match answer {
                Ok(Ok(result)) => result,
                Ok(Err(payload)) => resume_unwind(payload),
                Err(_) => Err(why(&self.job)),
            })
    }
}

impl<R> Drop for WorldRequest<R> {
    fn drop(&mut self) {
        if self.request.give_up()
            && let Some(number) = self.number
        {
            self.job.core().hub.take_back(number);
        }
    }
}

impl<R> fmt::Debug for WorldRequest<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WorldRequest")
            .field("job", &self.job.core().name)
            .field("is_asked", &self.number.is_some())
            .finish_non_exhaustive()
    }
}

/// Why a job that waited for the app was let go.
pub(super) fn why(job: &Arc<dyn AnyJob>) -> WorldError {
    if job.core().hub.is_closed() {
        WorldError::AppGone
    } else {
        WorldError::Cancelled
    }
}

/// Runs what was asked for, within the budget.
pub(super) fn run_requests(world: &mut World, hub: &Hub) {
    // Those of jobs that have ended don't run, and there may be ever more of them.
    let mut known = hub.requests();
    let budget = world.get_resource::<WorldAccessBudget>();
    let budget = budget.copied().unwrap_or_default().0;
    let start = Stopwatch::start();
    let mut has_run = false;
    while let Some(request) = hub.pop_request() {
        has_run |= request.run(world);
        known = known.saturating_sub(1);
        if (has_run || known == 0) && start.elapsed() >= budget {
            break;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bevy_ecs::system::Local;

    /// A request may run while its job's code ends.
    #[test]
    fn nothing_is_kept_for_a_job_that_is_over() {
        let mut world = World::new();
        let prepared = Prepared::default();
        let held = Arc::new(());
        let mut run = || {
            let held = held.clone();
            let code = move |mut local: Local<Option<Arc<()>>>| *local = Some(held);
            run_params(code, &mut world, &prepared).unwrap();
        };
        run();
        assert_eq!(Arc::strong_count(&held), 2, "for the next run");
        prepared.close();
        assert_eq!(Arc::strong_count(&held), 1);
        run();
        assert_eq!(Arc::strong_count(&held), 1);
    }
}
