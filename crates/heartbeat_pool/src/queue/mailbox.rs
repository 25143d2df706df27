//! Work for one thread: a queue that anyone may fill and only its owner empties.

use crate::active::{ActiveTasks, Tracked, Tracks};
use crate::job::{Job, LocalTask};
use crate::late;
use crate::parker::Parker;
use crate::sync::Arc;
use crate::threads::this_thread::{self, Stranger};
use crate::trace;
use crate::unwind::{self, Payload};
use async_task::{Runnable, Task};
use concurrent_queue::ConcurrentQueue;
use event_listener::{Event, EventListener};
use heartbeat_record::{Lane, Place, Work, note};
use std::fmt;
use std::future::Future;
use std::mem;
use std::thread::{self, ThreadId};

/// The mailbox of a thread, which closes with it.
struct Own(Arc<Mailbox>);

impl Drop for Own {
    fn drop(&mut self) {
        self.0.close();
    }
}

thread_local! {
    static OWN: Own = Own(Arc::new(Mailbox::new()));
}

/// A queue of work that must run on the thread that made the mailbox.
///
/// It runs when its owner calls [`try_tick`](Self::try_tick), or waits in a scope that was given
/// the mailbox. The idea is the thread executor of Bevy's main-thread systems.
///
/// ```
/// use heartbeat_pool::Mailbox;
/// use std::sync::Arc;
///
/// let mailbox = Arc::new(Mailbox::new());
/// let here = std::thread::current().id();
/// let sender = mailbox.clone();
/// let task = std::thread::spawn(move || sender.spawn(async { std::thread::current().id() }))
///     .join()
///     .unwrap();
/// assert!(mailbox.try_tick());
/// assert_eq!(heartbeat_pool::block_on(task), here);
/// ```
pub struct Mailbox {
    queue: ConcurrentQueue<Job>,
    owner: ThreadId,
    parker: Arc<Parker>,
    arrival: Event,
    active: ActiveTasks,
}

impl Tracks for Mailbox {
    fn active(&self) -> Option<&ActiveTasks> {
        Some(&self.active)
    }

    /// Left to the panic hook: a mailbox has no handler.
    fn panicked(&self, payload: Payload) -> Payload {
        payload
    }
}

impl Mailbox {
    /// A mailbox of the calling thread, beside its [own](Self::of_this_thread).
    #[must_use]
    pub fn new() -> Self {
        Self {
            queue: ConcurrentQueue::unbounded(),
            owner: thread::current().id(),
            parker: this_thread::parker(),
            arrival: Event::new(),
            active: ActiveTasks::new(),
        }
    }

    /// The calling thread's own mailbox, the same at every call. A pool's threads empty theirs
    /// between jobs, so this is how work stays on one of them; it closes when the thread ends. In a
    /// thread-local's destructor it may be a new one.
    #[must_use]
    pub fn of_this_thread() -> Arc<Self> {
        let own = OWN.try_with(|own| own.0.clone());
        own.unwrap_or_else(|_| Arc::new(Self::new()))
    }

    /// Whether the calling thread owns this mailbox.
    #[must_use]
    pub fn is_mine(&self) -> bool {
        thread::current().id() == self.owner
    }

    /// Whether nothing waits in it, a moment ago.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }

    /// Whether tasks of it wait, which end with its owner.
    pub(crate) fn has_tasks(&self) -> bool {
        !self.active.is_empty()
    }

    pub(crate) fn len(&self) -> usize {
        self.queue.len()
    }

    /// Spawns a future that is polled on the owner thread alone.
    ///
    /// Dropping the task cancels it; a panic in the future reaches whoever awaits it. After
    /// [`close`](Self::close) the future is dropped, and awaiting the task panics.
    pub fn spawn<T>(self: &Arc<Self>, future: impl Future<Output = T> + Send + 'static) -> Task<T>
    where
        T: Send + 'static,
    {
        // SAFETY: the future borrows nothing, so it may end late and elsewhere.
        unsafe { self.spawn_or(late::drop_elsewhere, future) }
    }

    /// As [`spawn`](Self::spawn), for a future that borrows.
    ///
    /// # Safety
    ///
    /// The future must be dropped (run to its end, or cancelled and then dropped by the owner's
    /// [`try_tick`](Self::try_tick) or by [`close`](Self::close)) before anything it borrows ends.
    /// One that is woken as the mailbox closes may be leaked in place of that.
    pub unsafe fn spawn_unchecked<'a, T: Send + 'a>(
        self: &Arc<Self>,
        future: impl Future<Output = T> + Send + 'a,
    ) -> Task<T> {
        // SAFETY: the caller's promise; what comes late is not touched again.
        unsafe { self.spawn_or(mem::forget, future) }
    }

    /// Spawns a future that `late` gets if it is woken before the end and queued after it.
    ///
    /// # Safety
    ///
    /// That of [`spawn_unchecked`](Self::spawn_unchecked), and `late` may drop the future.
    unsafe fn spawn_or<'a, T: Send + 'a>(
        self: &Arc<Self>,
        late: fn(Job),
        future: impl Future<Output = T> + Send + 'a,
    ) -> Task<T> {
        let schedule = self.schedule(Job::new, late);
        let builder = async_task::Builder::new().propagate_panic(true);
        // SAFETY: `schedule` holds a count of the owner.
        let future = unsafe { Tracked::new(future, self) };
        // SAFETY: the future is `Send`; the schedule function is `Send`, `Sync` and 'static; the
        // caller promises that what the future borrows outlives it.
        let (runnable, task) = unsafe { builder.spawn_unchecked(|()| future, schedule) };
        // A closed mailbox drops it, which cancels it.
        drop(self.push_job(Job::new(runnable)));
        task
    }

    /// Spawns a future that need not be `Send`; only the owner may call this.
    ///
    /// # Panics
    ///
    /// When called from another thread than the owner; later, when the task is dropped or
    /// awaited elsewhere (see [`async_task::spawn_local`]).
    pub fn spawn_local<T: 'static>(
        self: &Arc<Self>,
        future: impl Future<Output = T> + 'static,
    ) -> Task<T> {
        assert!(self.is_mine(), "spawn_local on another thread's mailbox");
        let local = |runnable| Job::new(LocalTask(runnable));
        let schedule = self.schedule(local, mem::forget);
        let builder = async_task::Builder::new().propagate_panic(true);
        // SAFETY: `schedule` holds a count of the owner.
        let future = unsafe { Tracked::new(future, self) };
        let (runnable, task) = builder.spawn_local(move |()| future, schedule);
        drop(self.push_job(local(runnable)));
        task
    }

    /// What a task's wake-up does. One that began before the end and comes after it may be under a
    /// lock that the future's drop wants, so it must not drop it: `late` gets it.
    pub(crate) fn schedule(
        self: &Arc<Self>,
        job: impl Fn(Runnable) -> Job + Send + Sync + 'static,
        late: fn(Job),
    ) -> impl Fn(Runnable) + Send + Sync + 'static {
        let mailbox = self.clone();
        move |runnable| {
            if let Err(refused) = mailbox.push_job(job(runnable)) {
                late(refused);
            }
        }
    }

    /// Whether what is queued here unparks this `parker`. A thread has another one while its
    /// thread-locals are dropped.
    pub(crate) fn unparks(&self, parker: &Arc<Parker>) -> bool {
        Arc::ptr_eq(&self.parker, parker)
    }

    /// Queues `job`, or gives it back if the mailbox is closed.
    pub(crate) fn push_job(&self, job: Job) -> Result<(), Job> {
        note::queued(job.number(), Lane::Frame, Place::Mailbox);
        self.queue
            .push(job)
            .map_err(concurrent_queue::PushError::into_inner)?;
        // First, for the waker of a listener may panic.
        self.parker.unpark();
        self.arrival.notify(1);
        Ok(())
    }

    /// Runs one piece of work, if there is one. Tells whether it did.
    ///
    /// # Panics
    ///
    /// When called from another thread than the owner.
    pub fn try_tick(&self) -> bool {
        assert!(
            self.is_mine(),
            "a mailbox can only be emptied by the thread that made it"
        );
        match self.queue.pop() {
            Ok(job) => {
                let _stranger = Stranger::begin();
                trace::job(Work::Mailbox, Lane::Frame, job.number(), || job.run());
                true
            }
            Err(_) => false,
        }
    }

    /// A listener for the next arrival; check [`is_empty`](Self::is_empty) after making it.
    #[must_use]
    pub fn listen(&self) -> EventListener {
        self.arrival.listen()
    }

    /// Refuses all further work, cancels every task and drops what is queued. For the owner's
    /// exit: without it, tasks that wait in a mailbox would keep it alive. A task that another
    /// thread is just waking ends on a thread of its own; if it borrows or is not `Send`, it is
    /// leaked, as async-executor does. So are tasks that are not `Send` where another thread calls
    /// this.
    pub fn close(&self) {
        self.active.close();
        self.queue.close();
        let is_mine = self.is_mine();
        while let Ok(job) = self.queue.pop() {
            if job.is_local() && !is_mine {
                mem::forget(job);
                continue;
            }
            // Its panic would keep the others, or end the process if the thread ends here.
            unwind::discard(job);
        }
    }
}

impl Default for Mailbox {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Mailbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mailbox")
            .field("owner", &self.owner)
            .field("queued", &self.queue.len())
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closing_cancels_what_is_queued_and_refuses_more() {
        let mailbox = Arc::new(Mailbox::new());
        let token = Arc::new(());
        for _ in 0..2 {
            let held = token.clone();
            mailbox.spawn(async move { drop(held) }).detach();
            mailbox.close();
        }
        assert_eq!(Arc::strong_count(&token), 1);
        assert!(!mailbox.try_tick());
    }

    #[test]
    fn tasks_that_are_not_send_are_leaked_where_another_thread_closes() {
        let mailbox = Arc::new(Mailbox::new());
        let (local, sent) = (std::rc::Rc::new(()), Arc::new(()));
        let (held, held_too) = (local.clone(), sent.clone());
        // By its waker what is left stays in sight of a search for leaks.
        static WAKERS: std::sync::Mutex<Vec<std::task::Waker>> = std::sync::Mutex::new(Vec::new());
        let waits = || {
            std::future::poll_fn(|context| {
                WAKERS.lock().unwrap().push(context.waker().clone());
                std::task::Poll::<()>::Pending
            })
        };
        let mut tasks = vec![mailbox.spawn_local(async move {
            let _held = held;
            waits().await;
        })];
        tasks.push(mailbox.spawn(async move {
            let _held = held_too;
            waits().await;
        }));
        assert!(mailbox.try_tick());
        let other = mailbox.clone();
        thread::spawn(move || other.close()).join().unwrap();
        assert_eq!(std::rc::Rc::strong_count(&local), 2);
        assert_eq!(Arc::strong_count(&sent), 1);
    }

    #[test]
    fn only_the_owner_may_tick() {
        let mailbox = Arc::new(Mailbox::new());
        let other = mailbox.clone();
        assert!(!thread::spawn(move || other.is_mine()).join().unwrap());
        assert!(mailbox.is_mine());
    }

    #[test]
    fn the_mailbox_of_a_thread_closes_with_it() {
        let held = Arc::new(());
        let waits = |held: Arc<()>| async move {
            let _held = held;
            std::future::pending::<()>().await;
        };
        let first = waits(held.clone());
        let thread = thread::spawn(move || {
            let mailbox = Mailbox::of_this_thread();
            mailbox.spawn(first).detach();
            assert!(mailbox.try_tick());
            mailbox
        });
        let mailbox = thread.join().unwrap();
        assert_eq!(Arc::strong_count(&held), 1, "what waited is dropped");
        mailbox.spawn(waits(held.clone())).detach();
        assert_eq!(Arc::strong_count(&held), 1, "what comes is dropped");
    }

    #[test]
    fn the_owner_is_woken_though_a_listeners_waker_panics() {
        struct Panics;
        impl std::task::Wake for Panics {
            fn wake(self: Arc<Self>) {
                unwind::resume(Box::new("a waker"));
            }
        }
        // Kept in sight of a search for leaks: its end would miss what the panic has kept undone.
        static LISTENER: std::sync::Mutex<Option<EventListener>> = std::sync::Mutex::new(None);
        let mailbox = Arc::new(Mailbox::new());
        let mut listener = mailbox.listen();
        let waker = Arc::new(Panics).into();
        let mut context = std::task::Context::from_waker(&waker);
        let polled = std::pin::Pin::new(&mut listener).poll(&mut context);
        assert!(polled.is_pending());
        *LISTENER.lock().unwrap() = Some(listener);
        mailbox.parker.drop_token();
        assert!(unwind::catch(|| mailbox.spawn(async {}).detach()).is_err());
        assert!(mailbox.parker.has_token() && mailbox.try_tick());
    }

    #[test]
    fn what_it_runs_is_no_part_of_what_its_owner_does() {
        let strangers = this_thread::strangers();
        let strangers = || strangers.load(std::sync::atomic::Ordering::Relaxed);
        let before = strangers();
        let mailbox = Arc::new(Mailbox::new());
        let inside = async { this_thread::strangers().load(std::sync::atomic::Ordering::Relaxed) };
        let task = mailbox.spawn(inside);
        assert!(mailbox.try_tick());
        assert_eq!(crate::verbs::block_on::block_on(task), before + 1);
        assert_eq!(strangers(), before);
    }
}
