//! What a job and its holders share, and how it ends, once.

use super::access::Prepared;
use super::error::{JobError, JobOutcome};
use super::hub::Hub;
use super::list::{JobId, Mailbox};
use super::progress::{Progress, ProgressMeter};
use bevy_ecs::entity::Entity;
use bevy_ecs::world::World;
use bevy_tasks::Task;
use std::any::Any;
use std::borrow::Cow;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// Locks. No code of a user's runs under these locks, so what a panic left is whole.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Who hears of a job's end.
pub(super) enum Owner {
    /// An entity, and whether it was made for the job.
    Entity(Entity, bool),
    /// A system's list.
    List(JobId, Arc<Mailbox>),
}

/// What is known of a job whatever its type.
pub(super) struct Core {
    pub(super) name: Cow<'static, str>,
    pub(super) owner: Owner,
    pub(super) hub: Arc<Hub>,
    pub(super) progress: ProgressMeter,
    pub(super) prepared: Prepared,
    /// Once it has ended: why there is no result, if so. Boxed, for few jobs fail.
    ended: OnceLock<Option<Box<JobError>>>,
    /// Whether those in the world that wait for its end have been told.
    is_delivered: AtomicBool,
}

/// Drops what a panic has left, and leaks what that panics with in turn.
pub(super) fn discard(payload: Box<dyn Any + Send>) {
    if let Err(payload) = catch_unwind(AssertUnwindSafe(|| drop(payload))) {
        mem::forget(payload);
    }
}

/// Drops `item`, of whose destructor's panic only the panic hook tells: it finds no job to go on
/// in, and must not end a despawn, which the engine would leave half done.
pub(super) fn drop_quietly<A>(item: A) {
    catch_unwind(AssertUnwindSafe(|| drop(item))).unwrap_or_else(discard);
}

/// Notes that all have been told, when it is dropped.
pub(super) struct Delivered<'a>(pub(super) &'a Core);

impl Drop for Delivered<'_> {
    fn drop(&mut self) {
        // Relaxed: who asks is a system, which runs before or after those who deliver.
        self.0.is_delivered.store(true, Ordering::Relaxed);
    }
}

impl Core {
    pub(super) fn new(name: Cow<'static, str>, owner: Owner, hub: Arc<Hub>) -> Self {
        Self {
            name,
            owner,
            hub,
            progress: ProgressMeter::default(),
            prepared: Prepared::default(),
            ended: OnceLock::new(),
            is_delivered: AtomicBool::new(false),
        }
    }

    pub(super) fn is_delivered(&self) -> bool {
        // Where the app's end of it is gone, nobody will be told.
        self.is_delivered.load(Ordering::Relaxed) || (self.has_ended() && self.hub.is_closed())
    }

    pub(super) fn has_ended(&self) -> bool {
        self.ended.get().is_some()
    }

    pub(super) fn error(&self) -> Option<&JobError> {
        self.ended.get()?.as_deref()
    }

    /// What it said, or all of it once it has ended.
    pub(super) fn progress(&self) -> Progress {
        let mut progress = self.progress.get();
        progress.total = progress.total.max(1);
        progress.done = progress.done.min(progress.total);
        if self.has_ended() {
            progress.done = progress.total;
        }
        progress
    }
}

/// A job, whatever its type.
pub(super) trait AnyJob: Send + Sync {
    fn core(&self) -> &Core;
    /// Ends it without a result, unless it has ended: its future is dropped at its next await.
    fn end(self: Arc<Self>, error: JobError);
    /// Hands the outcome to those who wait for it in the world.
    fn deliver(self: Arc<Self>, world: &mut World);
}

/// What is run with a job's outcome.
pub(super) type Then<T> = Box<dyn FnOnce(&mut World, &str, JobOutcome<T>) + Send>;

struct State<T> {
    /// Whether it has ended and nobody took the outcome.
    is_to_take: bool,
    /// The outcome's, where there is one; otherwise the core has the error.
    result: Option<T>,
    task: Option<Task<()>>,
    then: Option<Then<T>>,
    is_detached: bool,
}

/// What a job and its holders share.
pub(super) struct Shared<T> {
    pub(super) core: Core,
    state: Mutex<State<T>>,
}

impl<T: Send + 'static> Shared<T> {
    pub(super) fn new(core: Core, then: Option<Then<T>>, is_detached: bool) -> Self {
        let state = State {
            is_to_take: false,
            result: None,
            task: None,
            then,
            is_detached,
        };
        Self {
            core,
            state: Mutex::new(state),
        }
    }

    /// Takes what cancels the job.
    pub(super) fn keep(&self, task: Task<()>) {
        let mut state = lock(&self.state);
        // It may have ended, which the task's drop takes well.
        let late = if self.core.has_ended() {
            Some(task)
        } else {
            state.task.replace(task)
        };
        drop(state);
        drop(late);
    }

    /// Ends the job from its own code, unless it has ended, and tells its owner. What cancels it is
    /// left for whoever drops the job, most often the thread that has allocated it.
    pub(super) fn finish(self: &Arc<Self>, outcome: JobOutcome<T>) -> bool {
        let (result, error) = match outcome {
            Ok(result) => (Some(result), None),
            Err(error) => (None, Some(Box::new(error))),
        };
        let mut state = lock(&self.state);
        if self.core.ended.set(error).is_err() {
            drop(state);
            drop_quietly(result);
            return false;
        }
        state.is_to_take = true;
        state.result = result;
        drop(state);
        match &self.core.owner {
            Owner::Entity(..) => self.core.hub.push_ended(self.clone()),
            Owner::List(id, mailbox) => mailbox.push(*id),
        }
        self.core.hub.call_app();
        true
    }

    /// Ends the job without a result, unless it has ended, and cancels what runs of it.
    pub(super) fn stop(self: &Arc<Self>, error: JobError) {
        if !self.core.has_ended() && self.finish(Err(error)) {
            let task = lock(&self.state).task.take();
            // After the outcome is there, for this may drop the future.
            drop(task);
        }
    }

    /// The outcome, once.
    pub(super) fn take(&self) -> Option<JobOutcome<T>> {
        let error = self.core.ended.get()?;
        let mut state = lock(&self.state);
        let is_to_take = mem::take(&mut state.is_to_take);
        let (result, task) = (state.result.take(), state.task.take());
        drop(state);
        drop(task);
        if !is_to_take {
            return None;
        }
        match error {
            Some(error) => Some(Err(JobError::clone(error))),
            None => result.map(Ok),
        }
    }

    /// Whoever held it is gone: so are the job, unless it is detached, and its result, unless
    /// somebody is yet to run with it.
    pub(super) fn abandon(self: &Arc<Self>) {
        let mut state = lock(&self.state);
        let has_ended = self.core.has_ended();
        if state.is_detached && (!has_ended || state.then.is_some()) {
            return;
        }
        if !has_ended {
            drop(state);
            self.stop(JobError::Cancelled);
            state = lock(&self.state);
        }
        state.is_to_take = false;
        let (result, then, task) = (state.result.take(), state.then.take(), state.task.take());
        drop(state);
        // One by one: of two that panic together the second would end the process.
        drop_quietly(result);
        drop_quietly(then);
        drop_quietly(task);
    }

    pub(super) fn detach(&self) {
        lock(&self.state).is_detached = true;
    }

    pub(super) fn is_detached(&self) -> bool {
        lock(&self.state).is_detached
    }

    /// For whoever delivers: what is to be run with the outcome, and whether the job is detached.
    pub(super) fn take_then(&self) -> (Option<Then<T>>, bool) {
        let mut state = lock(&self.state);
        (state.then.take(), state.is_detached)
    }

    /// What was taken and nobody wanted.
    pub(super) fn put_back(&self, outcome: Option<JobOutcome<T>>) {
        let mut state = lock(&self.state);
        state.is_to_take = outcome.is_some();
        state.result = outcome.and_then(Result::ok);
    }
}
