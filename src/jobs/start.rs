//! The options of a job, and how it is started.

use super::code::Code;
use super::context::JobContext;
use super::hub::Hub;
use super::shared::{AnyJob, Core, Owner, Shared, Then};
use bevy_tasks::{
    AsyncComputeTaskPool, ComputeTaskPool, ConditionalSendFuture, IoTaskPool, TaskPool,
    TaskPoolBuilder,
};
use heartbeat_pool::Lane;
use std::any::type_name;
use std::borrow::Cow;
use std::sync::{Arc, Weak};
use std::time::Duration;

/// The code of a job: `|cx| async move { .. }`.
///
/// Its future must be `Send`, except on the web, where it may await the page's promises.
pub trait JobFn: FnOnce(JobContext) -> Self::Future + Send + 'static {
    /// What it returns.
    type Future: ConditionalSendFuture<Output = Self::Out> + 'static;
    /// The job's result.
    type Out: Send + 'static;
}

impl<F, Fut> JobFn for F
where
    F: FnOnce(JobContext) -> Fut + Send + 'static,
    Fut: ConditionalSendFuture + 'static,
    Fut::Output: Send + 'static,
{
    type Future = Fut;
    type Out = Fut::Output;
}

/// A job's name and timeout, for [`Jobs::start_with`](crate::Jobs::start_with).
///
/// ```
/// use bevy_heartbeat::JobOptions;
/// use std::time::Duration;
/// let options = JobOptions::default().named("path").timeout(Duration::from_secs(2));
/// # let _ = options;
/// ```
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct JobOptions {
    pub(super) name: Option<Cow<'static, str>>,
    pub(super) timeout: Option<Duration>,
}

impl JobOptions {
    /// The name by which logs, panics and traces call the job; by default the type of its code.
    pub fn named(mut self, name: impl Into<Cow<'static, str>>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// How much real time it may take, as [`JobBuilder::timeout`](crate::JobBuilder::timeout) says.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }
}

/// The engine's pool of `lane`.
pub(crate) fn pool(lane: Lane) -> &'static TaskPool {
    let build = || TaskPoolBuilder::new().build();
    match lane {
        Lane::Frame => ComputeTaskPool::get_or_init(build),
        Lane::Io => IoTaskPool::get_or_init(build),
        Lane::Background => AsyncComputeTaskPool::get_or_init(build),
    }
}

/// How a job is started, and for whom.
pub(super) struct Start<T> {
    pub(super) options: JobOptions,
    pub(super) then: Option<Then<T>>,
    pub(super) is_detached: bool,
    pub(super) lane: Lane,
}

impl<T: Send + 'static> Start<T> {
    pub(super) fn start<F: JobFn<Out = T>>(
        self,
        hub: Arc<Hub>,
        owner: Owner,
        f: F,
    ) -> Arc<Shared<T>> {
        let JobOptions { name, timeout } = self.options;
        let is_named = name.is_some();
        let name = name.unwrap_or(Cow::Borrowed(type_name::<F>()));
        let core = Core::new(name, owner, hub);
        let shared = Arc::new(Shared::new(core, self.then, self.is_detached));
        if let Some(timeout) = timeout {
            let job: Weak<Shared<T>> = Arc::downgrade(&shared);
            let job: Weak<dyn AnyJob> = job;
            shared.core.hub.time_out(job, timeout);
        }
        let code = Code::new(shared.clone(), f);
        shared.keep(spawn(code, self.lane, &shared.core.name, is_named));
        shared
    }
}

#[cfg(feature = "tracing")]
fn spawn(
    code: impl ConditionalSendFuture<Output = ()> + 'static,
    lane: Lane,
    name: &str,
    is_named: bool,
) -> bevy_tasks::Task<()> {
    use tracing::Instrument;
    if is_named {
        pool(lane).spawn(code.instrument(tracing::info_span!("job", name)))
    } else {
        pool(lane).spawn(code)
    }
}

#[cfg(not(feature = "tracing"))]
fn spawn(
    code: impl ConditionalSendFuture<Output = ()> + 'static,
    lane: Lane,
    _: &str,
    _: bool,
) -> bevy_tasks::Task<()> {
    pool(lane).spawn(code)
}
