//! `join`: two calls, the second of which another thread may take.
//!
//! The second call waits in the worker's private queue. If a beat comes first it is promoted to
//! where others see it; else its own thread runs it, at about the cost of a function call. The
//! scheme is heartbeat scheduling (Acar et al., PLDI 2018), as in the libraries spice and chili.

use crate::queue::private::StackPtr;
use crate::record::{self, What, note};
use crate::schedule::News;
use crate::seat::Promotion;
use crate::sync::Arc;
use crate::unwind::{self, Payload};
use crate::worker::Worker;
use crate::worker::wait::Wait;
use std::any::Any;
use std::cell::UnsafeCell;

/// The second half of a join, on its owner's stack.
struct StackJob<F, R> {
    f: UnsafeCell<Option<F>>,
    result: UnsafeCell<Option<Result<R, Payload>>>,
}

impl<F: FnOnce(&Worker) -> R + Send, R: Send> StackJob<F, R> {
    fn new(f: F) -> Self {
        Self {
            f: UnsafeCell::new(Some(f)),
            result: UnsafeCell::new(None),
        }
    }

    fn as_ptr(&self) -> StackPtr {
        unsafe fn run<F: FnOnce(&Worker) -> R + Send, R: Send>(data: *const (), thief: &dyn Any) {
            let thief = Worker::of(thief);
            // SAFETY: `data` is the job that `as_ptr` erased; its owner keeps it until the claim
            // is finished.
            let job = unsafe { &*data.cast::<StackJob<F, R>>() };
            // SAFETY: the thief that won the claim is the only one to touch the cell until then.
            let f = unsafe { &mut *job.f.get() }.take();
            if let Some(f) = f {
                let result = unwind::catch(|| f(thief));
                // SAFETY: as above; the owner reads it after the claim is finished.
                unsafe { *job.result.get() = Some(result) };
            }
        }
        StackPtr {
            data: std::ptr::from_ref(self).cast(),
            run: run::<F, R>,
        }
    }
}

/// The wait for a thief.
struct Stolen<'a>(&'a Promotion);

impl Wait for Stolen<'_> {
    fn is_done(&self) -> bool {
        self.0.claim.is_done()
    }

    fn step(&self, worker: &Worker) -> bool {
        // What the thief promoted meanwhile is part of what is waited for.
        let Some(descendant) = self.0.take_descendant() else {
            self.0.ask();
            return false;
        };
        worker.seat().counters.steal();
        if let Some(from) = self.0.thief_thread() {
            note::note(|| What::Stolen { from });
        }
        worker.run_promotion(&descendant);
        true
    }

    fn is_ready(&self) -> bool {
        self.0.has_descendant()
    }

    fn set_asleep(&self, _: bool) {}

    fn kind(&self) -> record::Wait {
        record::Wait::Join
    }
}

impl Worker {
    /// Runs `a` and `b`, possibly in parallel, and gives both results. Each gets the worker that
    /// it runs on, so that a join inside of it need not look that up: this is the fastest form.
    /// See [`join`](crate::join()).
    ///
    /// ```
    /// use heartbeat_pool::Worker;
    ///
    /// fn fib(worker: &Worker, n: u64) -> u64 {
    ///     if n < 2 {
    ///         return n;
    ///     }
    ///     let (a, b) = worker.join(|w| fib(w, n - 1), |w| fib(w, n - 2));
    ///     a + b
    /// }
    /// let pool = heartbeat_pool::ThreadPool::builder().num_threads(2).build().unwrap();
    /// assert_eq!(pool.with_worker(|worker| fib(worker, 20)), 6765);
    /// ```
    ///
    /// # Panics
    ///
    /// With the payload of `a` or `b` if one panics, `a`'s if both do; the other one is over by
    /// then, or has not been started and never will be.
    #[inline]
    pub fn join<A, B, RA, RB>(&self, a: A, b: B) -> (RA, RB)
    where
        A: FnOnce(&Self) -> RA + Send,
        B: FnOnce(&Self) -> RB + Send,
        RA: Send,
        RB: Send,
    {
        if self.seat().beat.is_closed() {
            return (a(self), b(self));
        }
        self.join_queued(a, b)
    }

    /// A join that may be shared.
    #[inline(never)]
    fn join_queued<A, B, RA, RB>(&self, a: A, b: B) -> (RA, RB)
    where
        A: FnOnce(&Self) -> RA + Send,
        B: FnOnce(&Self) -> RB + Send,
        RA: Send,
        RB: Send,
    {
        if !self.may_queue() {
            return (a(self), b(self));
        }
        let private = &self.joins().private;
        let job = StackJob::new(b);
        let index = self.queue(job.as_ptr());
        let results = match unwind::catch(|| a(self)) {
            Ok(ra) => {
                let rb = if private.pop(index) {
                    job.f.into_inner().map(|b| unwind::catch(|| b(self)))
                } else {
                    self.join_promoted(index, &job)
                };
                match rb {
                    Some(rb) => rb.map(|rb| (ra, rb)),
                    None => unreachable!("a join's second half runs exactly once"),
                }
            }
            Err(payload) => {
                if !private.pop(index) {
                    self.end_promoted(index);
                }
                Err(payload)
            }
        };
        private.end();
        self.seat().beat.open();
        match results {
            Ok(results) => results,
            Err(payload) => unwind::resume(payload),
        }
    }

    /// Whether there is room for one more private job. If not, a beat that has come is answered.
    #[inline]
    fn may_queue(&self) -> bool {
        let (beat, private) = (&self.seat().beat, &self.joins().private);
        if !private.is_deep() {
            return true;
        }
        if beat.is_raised() {
            if private.is_empty() {
                private.rebase();
                return true;
            }
            self.promote();
        }
        beat.close();
        false
    }

    /// Begins a join: queues its second half, and gives its index.
    #[inline]
    fn queue(&self, job: StackPtr) -> usize {
        let (beat, private) = (&self.seat().beat, &self.joins().private);
        let index = private.push(job);
        if beat.is_raised() {
            self.promote();
        }
        if private.is_deep() {
            beat.close();
        }
        index
    }

    /// Shares the oldest private job if a beat has come; true if there is none, so that the caller
    /// should split its own work instead.
    #[inline]
    pub(crate) fn poll_beat(&self) -> bool {
        self.seat().beat.is_raised() && self.share()
    }

    #[cold]
    fn share(&self) -> bool {
        if self.joins().private.is_empty() {
            let has_others = !self.joins().forks.is_empty() && !self.seat().hides_forks();
            if has_others {
                // Whoever wants something finds it there.
                self.seat().beat.lower();
            }
            return !has_others;
        }
        self.promote();
        false
    }

    /// Lets a beat pass by, for there is too little to share. A thread that waits for work just now
    /// still wants what comes next; else somebody must stay awake to raise the next beat.
    #[cold]
    pub(crate) fn decline_beat(&self) {
        let registry = self.registry();
        if registry.sleep.searchers() == 0 {
            self.seat().beat.lower();
            if registry.occupancy.admits(self.lane()) {
                registry.tell(News::within_a_beat(self.lane()));
            }
        }
    }

    /// Offers every private job, for their owner is about to wait.
    pub(crate) fn promote_all(&self) {
        while !self.joins().private.is_empty() {
            self.promote_oldest();
        }
    }

    /// After a beat: puts the oldest private job where others can take it, if there is room for
    /// one more thread to do so, or one that waits for this one.
    #[cold]
    fn promote(&self) {
        self.seat().beat.lower();
        self.seat().core.take();
        let wanted = self.seat().beat.take_wanted();
        if wanted || self.registry().occupancy.admits(self.lane()) {
            // Jobs of the frames that a panic would end are queued.
            unwind::AbortOnUnwind::guard(|| self.promote_oldest());
        }
    }

    fn promote_oldest(&self) {
        let Some((index, job)) = self.joins().private.take_oldest() else {
            return;
        };
        let promotion = Arc::new(Promotion::new(
            job,
            self.lane(),
            self.parker().clone(),
            self.seat().strangers(),
        ));
        self.joins()
            .promoted
            .borrow_mut()
            .push((index, promotion.clone()));
        self.seat().offer(index, promotion);
        self.seat().counters.promotion();
        note::note(|| What::Promoted { job: job.number() });
        self.announce();
    }

    /// Tells of a fork that was offered.
    pub(crate) fn announce(&self) {
        let news = match self.joins().wants_help_now.take() {
            true => News::at_once(self.lane()),
            false => News::within_a_beat(self.lane()),
        };
        self.registry().tell(news);
    }

    /// Ends the join whose job was promoted, by running the job or by its thief's result.
    #[cold]
    fn join_promoted<F: FnOnce(&Self) -> R + Send, R: Send>(
        &self,
        index: usize,
        job: &StackJob<F, R>,
    ) -> Option<Result<R, Payload>> {
        if self.end_promoted(index) {
            // SAFETY: the claim was recovered, so no thief touches the cell.
            let b = unsafe { &mut *job.f.get() }.take();
            return b.map(|b| unwind::catch(|| b(self)));
        }
        // SAFETY: the thief has finished, and `is_done` acquired what it wrote.
        unsafe { &mut *job.result.get() }.take()
    }

    /// Recovers the promoted job (true), or waits until its thief is done with it.
    #[cold]
    fn end_promoted(&self, index: usize) -> bool {
        let last = self.joins().promoted.borrow_mut().pop();
        let Some((promoted, promotion)) = last else {
            unreachable!("a promoted job is listed until its join ends");
        };
        debug_assert_eq!(promoted, index);
        if promotion.claim.try_recover() {
            self.seat().withdraw(&promotion);
            return true;
        }
        self.wait(&Stolen(&promotion));
        false
    }
}

/// Runs `a` and `b`, possibly in parallel, and gives both results.
///
/// A fork costs about as much as a function call; it is offered to other threads once a beat. In
/// no pool at all, the two run one after the other. The interface is rayon's.
///
/// # Panics
///
/// As [`Worker::join`].
///
/// ```
/// fn sum(numbers: &[u64]) -> u64 {
///     match numbers {
///         [] => 0,
///         [one] => *one,
///         _ => {
///             let (left, right) = numbers.split_at(numbers.len() / 2);
///             let (left, right) = heartbeat_pool::join(|| sum(left), || sum(right));
///             left + right
///         }
///     }
/// }
/// let pool = heartbeat_pool::ThreadPool::builder().num_threads(2).build().unwrap();
/// let numbers: Vec<u64> = (0..1000).collect();
/// assert_eq!(pool.with_worker(|_| sum(&numbers)), 499_500);
/// ```
#[inline]
pub fn join<A, B, RA, RB>(a: A, b: B) -> (RA, RB)
where
    A: FnOnce() -> RA + Send,
    B: FnOnce() -> RB + Send,
    RA: Send,
    RB: Send,
{
    Worker::with_current(|worker| match worker {
        Some(worker) => worker.join(|_| a(), |_| b()),
        None => (a(), b()),
    })
}
