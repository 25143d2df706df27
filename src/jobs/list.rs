//! `Jobs`, for systems that want no entity.

use super::error::{JobError, JobOutcome};
use super::hub::{Hub, JobHub};
use super::progress::Progress;
use super::shared::{AnyJob, Owner, Shared, lock};
use super::start::{JobFn, JobOptions, Start};
use bevy_ecs::change_detection::Res;
use bevy_ecs::system::{Local, SystemParam};
use bevy_ecs::world::{FromWorld, World};
use heartbeat_pool::Lane;
use std::collections::HashMap;
use std::fmt;
use std::mem;
use std::sync::{Arc, Mutex};

/// One of the jobs of a [`Jobs`], by its place in that list: those of different lists may be equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct JobId(u64);

/// Where jobs of a list tell that they have ended.
#[derive(Default)]
pub(super) struct Mailbox(Mutex<Vec<JobId>>);

impl Mailbox {
    pub(super) fn push(&self, id: JobId) {
        lock(&self.0).push(id);
    }
}

/// The jobs of one system. When they go, with the system, the jobs are cancelled.
pub struct JobList<T: Send + 'static> {
    jobs: HashMap<JobId, Arc<Shared<T>>>,
    mailbox: Arc<Mailbox>,
    started: u64,
}

impl<T: Send + 'static> Default for JobList<T> {
    fn default() -> Self {
        Self {
            jobs: HashMap::new(),
            mailbox: Arc::default(),
            started: 0,
        }
    }
}

impl<T: Send + 'static> JobList<T> {
    /// Forgets the ends of jobs that were polled or cancelled by their ids, once they are many:
    /// perhaps nobody [polls them all](Jobs::iter_poll).
    fn forget_polled(&self) {
        let mut ended = lock(&self.mailbox.0);
        if ended.len() > 2 * self.jobs.len() + 16 {
            ended.retain(|id| self.jobs.contains_key(id));
        }
    }
}

impl<T: Send + 'static> Drop for JobList<T> {
    fn drop(&mut self) {
        self.jobs.values().for_each(Shared::abandon);
    }
}

impl<T: Send + 'static> fmt::Debug for JobList<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JobList")
            .field("len", &self.jobs.len())
            .field("ends", &lock(&self.mailbox.0).len())
            .finish_non_exhaustive()
    }
}

/// A system's own jobs, without entities. Each such parameter of each system is a list of its own.
///
/// They are cancelled when the system goes: at once where it runs but once, as by
/// `run_system_once`, in `.then(..)` or in a job's `cx.with(..)`. What such a system starts is to be an
/// entity's, by [`spawn_job`](crate::SpawnJob::spawn_job).
///
/// ```
/// use bevy_app::{App, Update};
/// use bevy_ecs::prelude::*;
/// use bevy_heartbeat::prelude::*;
///
/// #[derive(Resource, Default)]
/// struct Sum(u64);
///
/// fn work(mut jobs: Jobs<u64>, mut sum: ResMut<Sum>) {
///     if jobs.is_empty() && sum.0 == 0 {
///         for n in 1..=4 {
///             jobs.start(Lane::Background, move |_| async move { n });
///         }
///     }
///     for (_, outcome) in jobs.iter_poll() {
///         sum.0 += outcome.unwrap_or_default();
///     }
/// }
///
/// let mut app = App::new();
/// app.add_plugins(HeartbeatPlugin::default()).init_resource::<Sum>();
/// app.add_systems(Update, work);
/// while app.world().resource::<Sum>().0 < 10 {
///     app.update();
/// }
/// ```
#[derive(SystemParam)]
pub struct Jobs<'w, 's, T: Send + 'static> {
    hub: Option<Res<'w, JobHub>>,
    /// Where the world's is gone.
    own: Local<'s, OwnHub>,
    list: Local<'s, JobList<T>>,
}

/// The hub of the system's world as the system was made, which has one from then on.
struct OwnHub(Arc<Hub>);

impl FromWorld for OwnHub {
    fn from_world(world: &mut World) -> Self {
        Self(world.get_resource_or_init::<JobHub>().0.clone())
    }
}

impl<T: Send + 'static> Jobs<'_, '_, T> {
    /// Starts a job on `lane` of the pool.
    pub fn start<F: JobFn<Out = T>>(&mut self, lane: Lane, f: F) -> JobId {
        self.start_with(JobOptions::default(), lane, f)
    }

    /// Starts a job that has a name or a timeout.
    pub fn start_with<F: JobFn<Out = T>>(
        &mut self,
        options: JobOptions,
        lane: Lane,
        f: F,
    ) -> JobId {
        let id = JobId(self.list.started);
        self.list.started += 1;
        self.list.forget_polled();
        let start = Start {
            options,
            then: None,
            is_detached: false,
            lane,
        };
        let owner = Owner::List(id, self.list.mailbox.clone());
        let hub = self.hub.as_ref().map_or(&self.own.0, |hub| &hub.0);
        let shared = start.start(hub.clone(), owner, f);
        self.list.jobs.insert(id, shared);
        id
    }

    /// The job's outcome, once it has one; then the list forgets it.
    pub fn poll(&mut self, id: JobId) -> Option<JobOutcome<T>> {
        let outcome = self.list.jobs.get(&id)?.take()?;
        self.list.jobs.remove(&id);
        Some(outcome)
    }

    /// The outcomes of all jobs that have ended, in the order of their ends. Those that run cost
    /// nothing. What the loop leaves is there the next time.
    pub fn iter_poll(&mut self) -> impl Iterator<Item = (JobId, JobOutcome<T>)> {
        let list = &mut *self.list;
        let ended = mem::take(&mut *lock(&list.mailbox.0));
        let left = Left {
            ids: ended.into_iter(),
            list,
        };
        // One that was polled or cancelled by its id is not there.
        left.filter_map(|(id, job)| Some((id, job?.take()?)))
    }

    /// Cancels a job; nothing more is heard of it.
    pub fn cancel(&mut self, id: JobId) {
        if let Some(job) = self.list.jobs.remove(&id) {
            job.abandon();
        }
    }

    /// How far a job is, as [`Job::progress`](crate::Job::progress); `None` once its outcome was
    /// taken.
    #[must_use]
    pub fn progress(&self, id: JobId) -> Option<Progress> {
        let job = self.list.jobs.get(&id)?;
        Some(job.core.progress())
    }

    /// Why a job has no result, if it has ended so and its outcome is still to be taken.
    #[must_use]
    pub fn error(&self, id: JobId) -> Option<JobError> {
        self.list.jobs.get(&id)?.core().error().cloned()
    }

    /// How many jobs there are whose outcome was not taken.
    #[must_use]
    pub fn len(&self) -> usize {
        self.list.jobs.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.list.jobs.is_empty()
    }
}

impl<T: Send + 'static> fmt::Debug for Jobs<'_, '_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Jobs").field("list", &*self.list).finish()
    }
}

/// The jobs that have ended, and puts those back that nobody looked at.
struct Left<'a, T: Send + 'static> {
    list: &'a mut JobList<T>,
    ids: std::vec::IntoIter<JobId>,
}

impl<T: Send + 'static> Iterator for Left<'_, T> {
    type Item = (JobId, Option<Arc<Shared<T>>>);

    fn next(&mut self) -> Option<Self::Item> {
        let id = self.ids.next()?;
        Some((id, self.list.jobs.remove(&id)))
    }
}

impl<T: Send + 'static> Drop for Left<'_, T> {
    fn drop(&mut self) {
        let mut mailbox = lock(&self.list.mailbox.0);
        mailbox.splice(..0, self.ids.by_ref());
    }
}
