//! A thread's place in a pool, as the other threads see it.

use crate::claim::Claim;
use crate::heartbeat::Beat;
use crate::job::Job;
use crate::lanes::lane::Lane;
use crate::metrics::{Counters, WorkerMetrics};
use crate::parker::Parker;
use crate::placement::Core;
use crate::queue::deque::Stealer;
use crate::queue::forks::ForkPtr;
use crate::queue::hidden::Hidden;
use crate::queue::private::StackPtr;
use crate::queue::returned::Returned;
use crate::record::note;
use crate::sync::{Arc, AtomicBool, AtomicUsize, Instant, Mutex, OnceLock, Ordering, lock};
use crossbeam_utils::CachePadded;
use std::any::Any;
use std::collections::VecDeque;

/// A job of `join` that was put where others can take it.
pub(crate) struct Promotion {
    pub(crate) claim: Claim,
    pub(crate) lane: Lane,
    job: StackPtr,
    /// The parker of the thread that waits for it. Kept here, not on that thread's stack, so that
    /// it can still be unparked after `claim` says that the job is done.
    owner: Arc<Parker>,
    /// Who took it, how deep that thread's private jobs lay then, and how many strangers' jobs it
    /// was inside of: what it promotes of those above, inside of no more, descends from this job,
    /// so the owner may run it while it waits.
    thief: OnceLock<(Arc<Seat>, usize, usize)>,
    /// How many strangers' jobs the owner was inside of.
    strangers: usize,
}

// SAFETY: `job` points to a stack job whose closure and result are `Send` (checked where `join`
// makes it), and `claim` hands it to one thread.
unsafe impl Send for Promotion {}
// SAFETY: as above; every other field is `Sync`.
unsafe impl Sync for Promotion {}

impl Promotion {
    pub(crate) fn new(job: StackPtr, lane: Lane, owner: Arc<Parker>, strangers: usize) -> Self {
        Self {
            strangers,
            claim: Claim::new(),
            lane,
            job,
            owner,
            thief: OnceLock::new(),
        }
    }

    /// A number that tells it from other work.
    pub(crate) fn number(&self) -> u64 {
        self.job.number()
    }

    /// Runs the job on the worker `thief`, of `seat`, which has claimed it and has so many private
    /// jobs.
    pub(crate) fn run_taken(&self, thief: &dyn Any, seat: &Arc<Seat>, depth: usize) {
        let _ = self.thief.set((seat.clone(), depth, seat.strangers()));
        // SAFETY: the claim was won, so this is the only run, and the owner waits until `finish`.
        unsafe { (self.job.run)(self.job.data, thief) };
        self.claim.finish();
        self.owner.unpark();
    }

    /// The number of the thread that took it.
    pub(crate) fn thief_thread(&self) -> Option<u32> {
        self.thief.get().map(|(seat, ..)| seat.thread)
    }

    /// Whether [`take_descendant`](Self::take_descendant) would find something.
    pub(crate) fn has_descendant(&self) -> bool {
        self.thief.get().is_some_and(|(seat, depth, strangers)| {
            let own = |index, of: &Self| {
                index >= *depth && of.lane == self.lane && of.strangers == *strangers
            };
            seat.has_promoted_one(own)
        })
    }

    /// Asks the thief to share what is left of it with the owner.
    pub(crate) fn ask(&self) {
        if let Some((seat, ..)) = self.thief.get()
            && !self.claim.is_done()
        {
            seat.beat.want();
        }
    }

    /// A job that this one's thief promoted while it ran it: work that the owner waits for.
    pub(crate) fn take_descendant(&self) -> Option<Arc<Self>> {
        let (seat, depth, strangers) = self.thief.get()?;
        // Once the thief is done with this job, what it promotes is a stranger's.
        let own = |index, of: &Self| {
            index >= *depth
                && of.lane == self.lane
                && of.strangers == *strangers
                && !self.claim.is_done()
        };
        seat.take_promoted(own)
    }
}

/// Promoted jobs with their indices among the owner's private jobs.
type Promoted = VecDeque<(usize, Arc<Promotion>)>;

/// The shared side of a worker; its own side is [`Worker`](crate::Worker).
pub(crate) struct Seat {
    pub(crate) name: String,
    /// The number of its thread, by which the recorder knows it.
    pub(crate) thread: u32,
    /// Where its owner runs.
    pub(crate) core: CachePadded<Core>,
    pub(crate) beat: CachePadded<Beat>,
    pub(crate) stealer: Stealer<Job>,
    /// Whether its thread waits, perhaps for what lies there.
    waits: AtomicBool,
    /// The second halves of its offered joins.
    pub(crate) forks: Stealer<ForkPtr>,
    /// The lane that they are of, by [`Lane::index`]. A thread has forks of several only if it does
    /// work of a pool without threads on top of its own.
    fork_lane: AtomicUsize,
    /// Until when they are its own.
    forks_hidden: Hidden,
    pub(crate) counters: CachePadded<Counters>,
    /// Forks that were stolen by mistake.
    returned: Returned<ForkPtr>,
    strangers: Arc<AtomicUsize>,
    promoted: Mutex<Promoted>,
    /// The length of `promoted`, read without the lock.
    promoted_count: AtomicUsize,
}

impl Seat {
    /// A seat of the calling thread.
    pub(crate) fn new(
        name: String,
        stealer: Stealer<Job>,
        forks: Stealer<ForkPtr>,
        owner: Arc<Parker>,
        strangers: Arc<AtomicUsize>,
        is_lower: bool,
    ) -> Self {
        Self {
            name,
            thread: note::this_thread(),
            core: CachePadded::new(Core::none(is_lower)),
            beat: CachePadded::new(Beat::new()),
            stealer,
            waits: AtomicBool::new(false),
            forks,
            fork_lane: AtomicUsize::new(0),
            forks_hidden: Hidden::new(),
            returned: Returned::new(owner),
            strangers,
            counters: CachePadded::new(Counters::default()),
            promoted: Mutex::new(VecDeque::new()),
            promoted_count: AtomicUsize::new(0),
        }
    }

    /// Tells whether the thread waits from now on.
    pub(crate) fn set_waiting(&self, waits: bool) {
        // Relaxed, here and below: a thief that sees an old one takes something else first.
        self.waits.store(waits, Ordering::Relaxed);
    }

    /// Whether its thread waits, and perhaps for what it has spawned.
    pub(crate) fn waits_for_jobs(&self) -> bool {
        self.waits.load(Ordering::Relaxed) && !self.stealer.is_empty()
    }

    pub(crate) fn metrics(&self) -> WorkerMetrics {
        let mut metrics = self.counters.read(&self.name);
        let forked = self.forks.len() + self.promoted_count.load(Ordering::Relaxed);
        metrics.queued = self.stealer.len() + forked;
        metrics
    }

    /// Puts a promoted job, of `index` among the owner's private ones, where others look.
    pub(crate) fn offer(&self, index: usize, promotion: Arc<Promotion>) {
        let mut promoted = lock(&self.promoted);
        promoted.push_back((index, promotion));
        self.promoted_count.store(promoted.len(), Ordering::Relaxed);
    }

    /// Takes the recovered `promotion` off the list.
    pub(crate) fn withdraw(&self, promotion: &Arc<Promotion>) {
        let mut promoted = lock(&self.promoted);
        promoted.retain(|(_, other)| !Arc::ptr_eq(other, promotion));
        self.promoted_count.store(promoted.len(), Ordering::Relaxed);
    }

    /// Claims the oldest promoted job that `wanted` accepts.
    pub(crate) fn take_promoted(
        &self,
        wanted: impl Fn(usize, &Promotion) -> bool,
    ) -> Option<Arc<Promotion>> {
        // Relaxed: under the fences of the sleep protocol, as every look at a queue.
        if self.promoted_count.load(Ordering::Relaxed) == 0 {
            return None;
        }
        let mut promoted = lock(&self.promoted);
        let place = promoted
            .iter()
            .position(|(index, job)| wanted(*index, job) && job.claim.try_take())?;
        let (_, job) = promoted.remove(place)?;
        self.promoted_count.store(promoted.len(), Ordering::Relaxed);
        Some(job)
    }

    /// Takes back a fork of this seat that was stolen by mistake, and wakes its owner.
    pub(crate) fn give_back(&self, fork: ForkPtr) {
        self.returned.give_back(fork);
    }

    /// Takes the oldest fork, if others may: for threads that wait for nothing.
    pub(crate) fn steal_fork(&self) -> Option<ForkPtr> {
        if !self.has_forks() {
            return None;
        }
        self.steal_own_fork()
    }

    /// Takes the oldest fork, whether others may or not: for the seat's own thread.
    pub(crate) fn steal_own_fork(&self) -> Option<ForkPtr> {
        self.take_returned(|_| true).or_else(|| self.forks.steal())
    }

    /// Whether a fork was given back that `wanted` accepts.
    pub(crate) fn has_returned_one(&self, wanted: impl Fn(&ForkPtr) -> bool) -> bool {
        self.returned.has(wanted)
    }

    /// A fork that was given back, and that `wanted` accepts.
    pub(crate) fn take_returned(&self, wanted: impl Fn(&ForkPtr) -> bool) -> Option<ForkPtr> {
        self.returned.take(wanted)
    }

    /// Keeps forks from others until `end`.
    pub(crate) fn hide_forks(&self, end: Instant) {
        self.forks_hidden.hide(end);
    }

    /// Lets others take forks.
    pub(crate) fn show_forks(&self) {
        self.forks_hidden.show();
    }

    /// Whether forks are kept from others, or were till just now.
    #[inline]
    pub(crate) fn hides_forks(&self) -> bool {
        self.forks_hidden.is_set()
    }

    /// Whether others may take forks.
    pub(crate) fn shows_forks(&self) -> bool {
        self.forks_hidden.is_over()
    }

    /// Whether there are forks that others may take.
    pub(crate) fn has_forks(&self) -> bool {
        self.returned.has_any() || (!self.forks.is_empty() && self.shows_forks())
    }

    /// Whether there is a second half of a join of `lane` that others may take.
    pub(crate) fn has_shared(&self, lane: Lane) -> bool {
        self.has_promoted_one(|_, job| job.lane == lane)
            || (self.has_forks() && self.fork_lane() == lane)
    }

    /// Tells the lane of the forks, before others are told of the first one.
    pub(crate) fn set_fork_lane(&self, lane: Lane) {
        // Relaxed, here and below: under the fences of the sleep protocol, as every look at a
        // queue. Who takes a fork by an old one counts as of another lane meanwhile.
        self.fork_lane.store(lane.index(), Ordering::Relaxed);
    }

    pub(crate) fn fork_lane(&self) -> Lane {
        Lane::ALL[self.fork_lane.load(Ordering::Relaxed)]
    }

    /// Whether a promoted job waits that `wanted` accepts.
    fn has_promoted_one(&self, wanted: impl Fn(usize, &Promotion) -> bool) -> bool {
        self.promoted_count.load(Ordering::Relaxed) != 0
            && lock(&self.promoted)
                .iter()
                .any(|(index, job)| wanted(*index, job))
    }

    /// How many jobs its thread is inside of that are no part of those below them.
    pub(crate) fn strangers(&self) -> usize {
        // Relaxed: who has taken a fork sees what came before that was pushed.
        self.strangers.load(Ordering::Relaxed)
    }
}

#[cfg(all(test, not(heartbeat_loom)))]
mod tests {
    use super::*;
    use crate::pool::ThreadPool;

    /// What a thread had forked before it took a job, as in a yield, and promotes while it runs
    /// that.
    #[test]
    fn what_lay_below_a_taken_job_is_no_part_of_it() {
        const NOTHING: StackPtr = StackPtr {
            data: std::ptr::null(),
            run: |_, _| {},
        };
        let pool = ThreadPool::builder().num_threads(0).build().unwrap();
        pool.with_worker(|worker| {
            let new = || {
                Arc::new(Promotion::new(
                    NOTHING,
                    Lane::Frame,
                    worker.parker().clone(),
                    0,
                ))
            };
            let index = worker.joins().private.push(NOTHING);
            let taken = new();
            let (seat, depth) = (worker.seat().clone(), worker.joins().private.depth());
            taken.thief.set((seat, depth, 0)).ok().unwrap();
            worker.seat().offer(index, new());
            assert!(!taken.has_descendant() && taken.take_descendant().is_none());
            worker.seat().offer(depth, new());
            assert!(taken.has_descendant() && taken.take_descendant().is_some());
            assert!(worker.joins().private.pop(index));
            worker.joins().private.end();
        });
    }
}
