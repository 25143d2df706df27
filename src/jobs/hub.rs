//! What jobs leave for the app: results, requests, waits for a frame or a time.

use super::access::Request;
use super::clock::Now;
use super::error::JobError;
use super::shared::{AnyJob, discard, drop_quietly, lock};
use crate::stopwatch::Stopwatch;
use bevy_ecs::resource::Resource;
use bevy_ecs::world::{FromWorld, World};
use futures_channel::oneshot;
use std::collections::BTreeMap;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, OnceLock, Weak};
use std::time::Duration;

/// The world's end of the hub. When it goes, jobs that wait for the app are told.
#[derive(Resource)]
pub(super) struct JobHub(pub(super) Arc<Hub>);

impl FromWorld for JobHub {
    /// With the world's time, from which sleeps count that are asked for before a frame's is known.
    fn from_world(world: &mut World) -> Self {
        let start = Stopwatch::start();
        let inbox = Inbox {
            now: Now::in_world(world, start),
            ..Inbox::default()
        };
        Self(Arc::new(Hub {
            start,
            closed: OnceLock::new(),
            waker: OnceLock::new(),
            inbox: Mutex::new(inbox),
        }))
    }
}

impl Drop for JobHub {
    fn drop(&mut self) {
        self.0.close();
    }
}

/// What is due at some time, by that and by when it was asked for.
struct Timers<A> {
    of: BTreeMap<(Duration, u64), A>,
    asked: u64,
}

impl<A> Default for Timers<A> {
    fn default() -> Self {
        Self {
            of: BTreeMap::new(),
            asked: 0,
        }
    }
}

impl<A> Timers<A> {
    fn push(&mut self, at: Duration, what: A) {
        self.of.insert((at, self.asked), what);
        self.asked += 1;
    }

    fn len(&self) -> usize {
        self.of.len()
    }

    fn extract(&mut self, is_unwanted: impl Fn(&A) -> bool) -> impl Iterator<Item = A> {
        let unwanted = self.of.extract_if(.., move |_, what| is_unwanted(what));
        unwanted.map(|(_, what)| what)
    }

    fn is_due(&self, now: Duration) -> bool {
        let first = self.of.first_key_value();
        first.is_some_and(|((at, _), _)| *at <= now)
    }

    fn take_due(&mut self, now: Duration) -> Vec<A> {
        let later = self.of.split_off(&(now, u64::MAX));
        let due = mem::replace(&mut self.of, later);
        due.into_values().collect()
    }
}

/// What wakes the app.
type Call = Arc<dyn Fn() + Send + Sync>;

/// A job whose time runs from `start` on.
struct ToTime {
    start: Stopwatch,
    after: Duration,
    job: Weak<dyn AnyJob>,
}

#[derive(Default)]
struct Inbox {
    now: Now,
    /// Whether the app's waker was called since a frame has looked here.
    is_called: bool,
    ended: Vec<Arc<dyn AnyJob>>,
    /// By their numbers, in the order asked for.
    requests: BTreeMap<u64, Request>,
    asked: u64,
    frames: Vec<oneshot::Sender<()>>,
    sleeps: Timers<oneshot::Sender<()>>,
    timeouts: Timers<Weak<dyn AnyJob>>,
    to_time: Vec<ToTime>,
    /// How many waits were left when those were dropped last that are over.
    left: usize,
}

/// What tells those that wait for a frame or a time. It is dropped outside of the inbox's lock, for
/// it may wake one that gives up just now.
type Told = Vec<oneshot::Sender<()>>;

impl Inbox {
    fn len(&self) -> usize {
        self.frames.len() + self.sleeps.len() + self.timeouts.len() + self.to_time.len()
    }

    /// Takes out waits for a frame or a time that are over, and drops timers of jobs that are, once
    /// there are many.
    #[must_use]
    fn sweep(&mut self) -> Told {
        if self.len() <= 2 * self.left + 64 {
            return Vec::new();
        }
        let frames = self.frames.extract_if(.., |waiting| waiting.is_canceled());
        let sleeps = self.sleeps.extract(oneshot::Sender::is_canceled);
        let over = frames.chain(sleeps).collect();
        let is_over = |job: &Weak<dyn AnyJob>| job.strong_count() == 0;
        self.timeouts.extract(is_over).for_each(drop);
        self.to_time.retain(|timer| !is_over(&timer.job));
        self.left = self.len();
        over
    }

    /// Takes note of a frame's time, by which the timeouts are that were asked for since the last
    /// one, perhaps long after that.
    fn note(&mut self, now: Now) {
        self.now = now;
        self.is_called = false;
        for ToTime { start, after, job } in self.to_time.drain(..) {
            let at = now.real.saturating_add(after);
            self.timeouts.push(at.saturating_sub(start.elapsed()), job);
        }
    }
}

/// Where jobs and the app meet. Nothing of a user's is run or dropped under its lock. It lies on
/// cache lines of its own, for threads of the pool write to it while the app's writes to the count
/// of those who hold it.
#[repr(align(128))]
pub(super) struct Hub {
    pub(super) start: Stopwatch,
    /// Set under the inbox's lock, so nothing comes in after it was emptied.
    closed: OnceLock<()>,
    /// Gone with the app.
    waker: OnceLock<Mutex<Option<Call>>>,
    inbox: Mutex<Inbox>,
}

impl Hub {
    pub(super) fn is_closed(&self) -> bool {
        self.closed.get().is_some()
    }

    fn close(&self) {
        let mut inbox = lock(&self.inbox);
        let _ = self.closed.set(());
        let left = mem::take(&mut *inbox);
        drop(inbox);
        self.drop_waker();
        // Drops what would have told those that wait, and so tells them.
        drop(left);
    }

    /// Calls `f` with the inbox; gives `item` up once the app is gone.
    fn put<A>(&self, item: A, f: impl FnOnce(&mut Inbox, A)) {
        let mut inbox = lock(&self.inbox);
        if self.is_closed() {
            drop(inbox);
            drop(item);
        } else {
            f(&mut inbox, item);
            let over = inbox.sweep();
            drop(inbox);
            drop(over);
        }
    }

    /// Whether there was no waker of the app before.
    pub(super) fn set_waker(&self, waker: Call) -> bool {
        let is_first = self.waker.set(Mutex::new(Some(waker))).is_ok();
        if self.is_closed() {
            self.drop_waker();
        }
        is_first
    }

    fn drop_waker(&self) {
        let waker = self.waker.get().and_then(|waker| lock(waker).take());
        drop_quietly(waker);
    }

    pub(super) fn has_waker(&self) -> bool {
        self.waker.get().is_some()
    }

    /// There is something for the app, which may wait for input: it is told once until a frame has
    /// looked.
    pub(super) fn call_app(&self) {
        let Some(waker) = self.waker.get() else {
            return;
        };
        let mut inbox = lock(&self.inbox);
        let is_called = mem::replace(&mut inbox.is_called, true);
        drop(inbox);
        if is_called {
            return;
        }
        let Some(waker) = lock(waker).clone() else {
            return;
        };
        // Which may be the last that holds it.
        if let Err(payload) = catch_unwind(AssertUnwindSafe(move || waker())) {
            // It has perhaps told nobody.
            lock(&self.inbox).is_called = false;
            discard(payload);
        }
    }

    pub(super) fn push_ended(&self, job: Arc<dyn AnyJob>) {
        self.put(job, |inbox, job| inbox.ended.push(job));
    }

    /// Queues a request. Gives its number.
    pub(super) fn push_request(&self, request: Request) -> u64 {
        let mut number = 0;
        self.put(request, |inbox, request| {
            number = inbox.asked;
            inbox.asked += 1;
            inbox.requests.insert(number, request);
        });
        self.call_app();
        number
    }

    /// Takes back the request of this `number`, if it is still queued.
    pub(super) fn take_back(&self, number: u64) {
        let request = lock(&self.inbox).requests.remove(&number);
        drop(request);
    }

    pub(super) fn next_frame(&self) -> oneshot::Receiver<()> {
        let (sender, receiver) = oneshot::channel();
        self.put(sender, |inbox, sender| inbox.frames.push(sender));
        receiver
    }

    pub(super) fn sleep(&self, duration: Duration) -> oneshot::Receiver<()> {
        let (sender, receiver) = oneshot::channel();
        self.put(sender, |inbox, sender| {
            let at = inbox.now.app.saturating_add(duration);
            inbox.sleeps.push(at, sender);
        });
        receiver
    }

    pub(super) fn time_out(&self, job: Weak<dyn AnyJob>, after: Duration) {
        self.put(job, |inbox, job| {
            let start = Stopwatch::start();
            inbox.to_time.push(ToTime { start, after, job });
        });
    }

    /// Takes note of the time. Whether there is anything to do then.
    pub(super) fn has_work(&self, now: Now) -> bool {
        let mut inbox = lock(&self.inbox);
        inbox.note(now);
        !inbox.ended.is_empty()
            || !inbox.requests.is_empty()
            || !inbox.frames.is_empty()
            || inbox.sleeps.is_due(now.app)
            || inbox.timeouts.is_due(now.real)
    }

    /// Wakes those that wait for this frame, and ends those whose time is over.
    pub(super) fn wake(&self, now: Now) {
        let mut inbox = lock(&self.inbox);
        inbox.note(now);
        let frames = mem::take(&mut inbox.frames);
        let sleeps = inbox.sleeps.take_due(now.app);
        let timeouts = inbox.timeouts.take_due(now.real);
        drop(inbox);
        for waiting in frames.into_iter().chain(sleeps) {
            // Whoever was cancelled doesn't listen.
            let _ = waiting.send(());
        }
        for job in timeouts.iter().filter_map(Weak::upgrade) {
            job.end(JobError::TimedOut);
        }
    }

    /// How many requests are queued.
    pub(super) fn requests(&self) -> usize {
        lock(&self.inbox).requests.len()
    }

    pub(super) fn pop_request(&self) -> Option<Request> {
        let first = lock(&self.inbox).requests.pop_first();
        first.map(|(_, request)| request)
    }

    pub(super) fn take_ended(&self) -> Vec<Arc<dyn AnyJob>> {
        mem::take(&mut lock(&self.inbox).ended)
    }

    /// Those that an unwinding delivery didn't come to.
    pub(super) fn put_back(&self, mut left: Vec<Arc<dyn AnyJob>>) {
        let mut inbox = lock(&self.inbox);
        left.append(&mut inbox.ended);
        inbox.ended = left;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jobs::shared::Shared;
    use std::future::Future;
    use std::mem::ManuallyDrop;
    use std::pin::Pin;
    use std::sync::mpsc;
    use std::task::{Context, Wake, Waker};
    use std::thread;

    /// Asks for a frame as it is woken.
    struct AsksAgain(Arc<Hub>);

    impl Wake for AsksAgain {
        fn wake(self: Arc<Self>) {
            drop(self.0.next_frame());
        }
    }

    #[test]
    fn two_sleeps_may_end_at_the_same_time() {
        let app = JobHub::from_world(&mut World::new());
        let hour = Duration::from_hours(1);
        let sleeps = [(); 2].map(|()| app.0.sleep(hour));
        app.0.wake(Now {
            app: 2 * hour,
            ..Now::default()
        });
        for mut sleep in sleeps {
            assert!(matches!(sleep.try_recv(), Ok(Some(()))), "each is told");
        }
    }

    /// A wait that is being given up may be swept before it has let go of its waker.
    #[test]
    fn who_is_woken_by_a_sweep_may_ask_for_more() {
        // Not dropped where its lock is held for good.
        let app = ManuallyDrop::new(JobHub::from_world(&mut World::new()));
        let hub = app.0.clone();
        let waker = Waker::from(Arc::new(AsksAgain(hub.clone())));
        let mut waits = [hub.next_frame(), hub.sleep(Duration::MAX)];
        for wait in &mut waits {
            let mut context = Context::from_waker(&waker);
            assert!(Pin::new(&mut *wait).poll(&mut context).is_pending());
            wait.close();
        }
        let (tells, told) = mpsc::channel();
        thread::spawn(move || {
            (0..1000).for_each(|_| drop(hub.next_frame()));
            tells.send(lock(&hub.inbox).len()).unwrap();
        });
        let len = told.recv_timeout(Duration::from_secs(60)).unwrap();
        assert!(len < 100, "{len} waits are kept");
        drop(ManuallyDrop::into_inner(app));
        // They hold their waker, and so the hub, until then.
        drop(waits);
    }

    /// Jobs may start jobs while no frame runs.
    #[test]
    fn timeouts_of_jobs_that_are_gone_are_not_kept() {
        let app = JobHub::from_world(&mut World::new());
        let gone = Weak::<Shared<()>>::new();
        (0..1000).for_each(|_| app.0.time_out(gone.clone(), Duration::MAX));
        let len = lock(&app.0.inbox).len();
        assert!(len < 100, "{len} are kept");
        // Nor those that a frame has looked at.
        for _ in 0..1000 {
            app.0.time_out(gone.clone(), Duration::MAX);
            app.0.has_work(Now::default());
        }
        let len = lock(&app.0.inbox).len();
        assert!(len < 100, "{len} are kept");
    }

    #[test]
    fn a_timeout_counts_from_where_it_was_asked_for() {
        let app = JobHub::from_world(&mut World::new());
        let job = Weak::<Shared<()>>::new();
        app.0.time_out(job, Duration::from_hours(1));
        let passed = Duration::from_millis(5);
        thread::sleep(passed);
        let now = Now {
            real: Duration::from_hours(1),
            ..Now::default()
        };
        app.0.has_work(now);
        let inbox = lock(&app.0.inbox);
        let ((at, _), _) = inbox.timeouts.of.first_key_value().unwrap();
        assert!(*at <= Duration::from_hours(2) - passed, "{at:?}");
    }
}
