//! Who is idle, who searches: the protocol by which no wake-up is lost.
//!
//! A pusher queues its job, fences, and reads the number of searchers; a searcher that found
//! nothing leaves the count, fences, and looks at the queues once more before it parks. The two
//! fences are in one total order, so either the pusher sees that nobody searches and wakes
//! somebody, or the searcher sees the job.

use crate::parker::Parker;
use crate::sync::{Arc, AtomicBool, AtomicUsize, Mutex, Ordering, fence, lock};
use std::mem;

/// The idle threads of a pool, and the number that look for work.
#[derive(Debug)]
pub(crate) struct Sleep {
    searching: AtomicUsize,
    idle: Mutex<Vec<Arc<Parker>>>,
    /// The length of `idle`, read without the lock.
    idle_count: AtomicUsize,
    /// Whether an idle worker keeps the beat.
    sentinel: AtomicBool,
}

impl Sleep {
    pub(crate) fn new() -> Self {
        Self {
            searching: AtomicUsize::new(0),
            idle: Mutex::new(Vec::new()),
            idle_count: AtomicUsize::new(0),
            sentinel: AtomicBool::new(false),
        }
    }

    /// The pusher's half of the protocol, after its job is queued. Tells whether nobody looks for
    /// work, so that somebody must be woken.
    #[must_use]
    pub(crate) fn pushed(&self) -> bool {
        // Pairs with the fence in `park_begin`: either the load below sees the searcher gone, or
        // the searcher's last look sees the job.
        fence(Ordering::SeqCst);
        self.searching.load(Ordering::Relaxed) == 0
    }

    /// Counts the caller among those that look for work.
    pub(crate) fn search_begin(&self) {
        self.searching.fetch_add(1, Ordering::SeqCst);
    }

    /// Takes the caller off that count, for it found work. True for the last one, which must wake
    /// another thread if there is more: pushers have relied on it.
    #[must_use]
    pub(crate) fn search_end(&self) -> bool {
        let last = self.searching.fetch_sub(1, Ordering::SeqCst) == 1;
        // Pairs with the fence in `pushed`: a pusher that still saw the caller search has its job
        // seen by the caller's next look.
        fence(Ordering::SeqCst);
        last
    }

    /// The searcher's half: lists the caller as idle and takes it off the count of searchers.
    /// The caller must look at the queues once more, then either park or `park_cancel`.
    pub(crate) fn park_begin(&self, parker: &Arc<Parker>) {
        {
            let mut idle = lock(&self.idle);
            idle.push(parker.clone());
            // Relaxed: read under the fences of `pushed` and below.
            self.idle_count.store(idle.len(), Ordering::Relaxed);
        }
        self.searching.fetch_sub(1, Ordering::SeqCst);
        // Pairs with the fence in `pushed`.
        fence(Ordering::SeqCst);
    }

    /// Takes the caller off the idle list, back among the searchers. False if a waker was first:
    /// it has counted the caller as a searcher already.
    pub(crate) fn park_cancel(&self, parker: &Arc<Parker>) -> bool {
        let mut idle = lock(&self.idle);
        let Some(place) = idle.iter().position(|other| Arc::ptr_eq(other, parker)) else {
            return false;
        };
        idle.remove(place);
        self.idle_count.store(idle.len(), Ordering::Relaxed);
        // Under the lock, so that no waker can find nobody idle and nobody searching.
        self.searching.fetch_add(1, Ordering::SeqCst);
        true
    }

    /// Wakes the thread that went idle last, whose caches are warmest. False if none is idle.
    #[must_use]
    pub(crate) fn wake_one(&self) -> bool {
        let woken = {
            let mut idle = lock(&self.idle);
            let Some(parker) = idle.pop() else {
                return false;
            };
            self.idle_count.store(idle.len(), Ordering::Relaxed);
            // On the sleeper's behalf, so that the next pusher doesn't wake a second one.
            self.searching.fetch_add(1, Ordering::SeqCst);
            parker
        };
        woken.unpark();
        true
    }

    /// Wakes every thread that is idle now, for a shutdown or a change of size.
    pub(crate) fn wake_all(&self) {
        let woken = {
            let mut idle = lock(&self.idle);
            self.idle_count.store(0, Ordering::Relaxed);
            // On the sleepers' behalf, as in `wake_one`.
            self.searching.fetch_add(idle.len(), Ordering::SeqCst);
            mem::take(&mut *idle)
        };
        for parker in woken {
            parker.unpark();
        }
    }

    /// The number of idle threads, a moment ago.
    pub(crate) fn idle_count(&self) -> usize {
        self.idle_count.load(Ordering::Relaxed)
    }

    /// Makes the caller the sentinel, unless there is one.
    #[must_use]
    pub(crate) fn sentinel_begin(&self) -> bool {
        // SeqCst: in the order of `has_sentinel`'s reader, which fences before it reads.
        !self.sentinel.swap(true, Ordering::SeqCst)
    }

    /// Ends the caller's turn as the sentinel. It must look for running work once more.
    pub(crate) fn sentinel_end(&self) {
        self.sentinel.store(false, Ordering::SeqCst);
        // Pairs with the fence in `has_sentinel`: either the worker that starts work sees no
        // sentinel, or the caller's next look sees that worker counted.
        fence(Ordering::SeqCst);
    }

    /// Whether somebody keeps the beat, asked after work was started.
    pub(crate) fn has_sentinel(&self) -> bool {
        // Pairs with the fence in `sentinel_end`.
        fence(Ordering::SeqCst);
        self.sentinel.load(Ordering::Relaxed)
    }
}
