//! Who is idle, and who looks for work: the protocol that the `README.md` explains.

use crate::parker::Parker;
pub(crate) use crate::parker::Wake;
use crate::sync::{Arc, AtomicUsize, Mutex, Ordering, fence, lock};
use std::collections::VecDeque;
use std::mem;

/// Who watches the queues: searchers, and perhaps an alert sentinel.
type Watch = usize;
/// The bit that says that a sentinel looks at the queues within a beat.
const ALERT: Watch = 1;
const SEARCHER: Watch = 2;

/// The bits of `posts`: somebody is the sentinel, somebody is the lookout, and somebody asked for
/// either since the lookout asked last.
type Post = usize;
const SENTINEL: Post = 1;
const LOOKOUT: Post = 2;
const ASKED: Post = 4;

/// The threads that may be woken for work.
#[derive(Default)]
struct Idle {
    /// The one that went idle last comes last, and is woken first.
    workers: Vec<Arc<Parker>>,
    /// Those that wait for something and can do some work alone: they are woken last.
    waiting: VecDeque<Arc<Parker>>,
}

impl Idle {
    fn len(&self) -> usize {
        self.workers.len() + self.waiting.len()
    }

    fn remove(&mut self, parker: &Arc<Parker>) -> bool {
        let mut workers = self.workers.iter();
        let place = workers.position(|other| Arc::ptr_eq(other, parker));
        place.map(|place| self.workers.remove(place)).is_some()
    }
}

#[derive(Default)]
pub(crate) struct Sleep {
    /// The number of searchers, and whether the sentinel is alert. The fences of pushers and of
    /// those who go idle order their looks at it and at the queues; that it changes by `SeqCst` is
    /// more than these need.
    watch: AtomicUsize,
    idle: Mutex<Idle>,
    posts: AtomicUsize,
}

impl Sleep {
    /// The pusher's half of the protocol, after its job is queued: whether nobody searches.
    #[must_use]
    #[inline]
    pub(crate) fn needs_searcher(&self) -> bool {
        // Pairs with the fences in `park_begin`, `wait_begin` and `search_end`: either the load
        // below sees the searcher gone, or the searcher's last look sees the job.
        fence(Ordering::SeqCst);
        self.watch.load(Ordering::Relaxed) < SEARCHER
    }

    /// As [`needs_searcher`](Self::needs_searcher), but an alert sentinel will do.
    #[must_use]
    #[inline]
    pub(crate) fn needs_watch(&self) -> bool {
        // Pairs with the fences in `park_begin`, `wait_begin`, `search_end` and `alert_end`.
        fence(Ordering::SeqCst);
        self.watch.load(Ordering::Relaxed) == 0
    }

    pub(crate) fn search_begin(&self) {
        self.watch.fetch_add(SEARCHER, Ordering::SeqCst);
    }

    /// True for the last searcher, which must wake another thread if there is more work.
    #[must_use]
    pub(crate) fn search_end(&self) -> bool {
        let last = self.watch.fetch_sub(SEARCHER, Ordering::SeqCst) < 2 * SEARCHER;
        // Pairs with the fences in `needs_searcher` and `needs_watch`: a pusher that still saw the
        // caller search has its job seen by the caller's next look.
        fence(Ordering::SeqCst);
        last
    }

    /// Whether somebody looks at the queues, as far as the caller has seen.
    pub(crate) fn has_watch(&self) -> bool {
        self.watch.load(Ordering::Relaxed) > 0
    }

    pub(crate) fn searchers(&self) -> usize {
        self.watch.load(Ordering::Relaxed) / SEARCHER
    }

    /// The searcher's half. The caller must look at the queues once more, then park or
    /// `park_cancel`. Gives the number of idle threads, the caller among them.
    pub(crate) fn park_begin(&self, parker: &Arc<Parker>) -> usize {
        let count = {
            let mut idle = lock(&self.idle);
            idle.workers.push(parker.clone());
            idle.len()
        };
        self.watch.fetch_sub(SEARCHER, Ordering::SeqCst);
        // Pairs with the fences in `needs_searcher` and `needs_watch`.
        fence(Ordering::SeqCst);
        count
    }

    /// The caller must look at the queues once more, park, and call [`wait_end`](Self::wait_end).
    pub(crate) fn wait_begin(&self, parker: &Arc<Parker>) {
        lock(&self.idle).waiting.push_back(parker.clone());
        // Pairs with the fences in `needs_searcher` and `needs_watch`.
        fence(Ordering::SeqCst);
    }

    /// True if a waker was first, and nobody searches now: the caller must see to what is queued.
    #[must_use]
    pub(crate) fn wait_end(&self, parker: &Arc<Parker>) -> bool {
        let is_listed = {
            let waiting = &mut lock(&self.idle).waiting;
            let place = waiting.iter().position(|other| Arc::ptr_eq(other, parker));
            place.and_then(|place| waiting.remove(place)).is_some()
        };
        !is_listed && self.search_end()
    }

    /// False if a waker was first: it has counted the caller as a searcher already.
    pub(crate) fn park_cancel(&self, parker: &Arc<Parker>) -> bool {
        let mut idle = lock(&self.idle);
        if !idle.remove(parker) {
            return false;
        }
        // Under the lock, so that no waker can find nobody idle and nobody searching.
        self.watch.fetch_add(SEARCHER, Ordering::SeqCst);
        true
    }

    /// Wakes the thread that went idle last, whose caches are warmest. False if none is idle.
    #[must_use]
    pub(crate) fn wake_one(&self, wake: Wake) -> bool {
        let pop = |idle: &mut Idle| idle.workers.pop().or_else(|| idle.waiting.pop_front());
        self.wake_popped(pop, wake)
    }

    /// Whether a thread is idle, which is woken then, or looks for work.
    pub(crate) fn wakes_or_searches(&self) -> bool {
        // Under the lock, so that none is missed that goes from one to the other just now.
        let idle = lock(&self.idle);
        let any_idle = !idle.workers.is_empty();
        let searches = self.watch.load(Ordering::Acquire) >= SEARCHER;
        drop(idle);
        if any_idle && !searches {
            // Where another waker was first, that one's searches.
            _ = self.wake_worker(Wake::Anywhere);
        }
        any_idle || searches
    }

    /// As [`wake_one`](Self::wake_one), but none that waits.
    #[must_use]
    pub(crate) fn wake_worker(&self, wake: Wake) -> bool {
        self.wake_popped(|idle| idle.workers.pop(), wake)
    }

    fn wake_popped(&self, pop: impl FnOnce(&mut Idle) -> Option<Arc<Parker>>, wake: Wake) -> bool {
        let woken = {
            let mut idle = lock(&self.idle);
            let Some(parker) = pop(&mut idle) else {
                return false;
            };
            // On the sleeper's behalf, so that the next pusher doesn't wake a second one.
            self.watch.fetch_add(SEARCHER, Ordering::SeqCst);
            parker
        };
        woken.unpark_by(wake);
        true
    }

    /// Wakes every thread that is idle now, for a shutdown or a change of size.
    pub(crate) fn wake_all(&self) {
        let woken = {
            let mut idle = lock(&self.idle);
            // On the sleepers' behalf, as in `wake_one`.
            self.watch
                .fetch_add(idle.len() * SEARCHER, Ordering::SeqCst);
            mem::take(&mut *idle)
        };
        for parker in woken.workers.into_iter().chain(woken.waiting) {
            parker.unpark();
        }
    }

    /// Takes `post`, unless somebody has it.
    fn take_post(&self, post: Post) -> bool {
        // SeqCst: as `watch`; a thread that misses it in `finds_sentinel` wakes somebody in vain.
        self.posts.fetch_or(post, Ordering::SeqCst) & post == 0
    }

    /// Leaves `post`. The caller must look for running work once more.
    fn leave_post(&self, post: Post) {
        self.posts.fetch_and(!post, Ordering::SeqCst);
        // Pairs with the fence in `needs_watch` or `needs_searcher`: either the worker that starts
        // work sees nobody there, or the caller's next look sees that worker counted.
        fence(Ordering::SeqCst);
    }

    #[must_use]
    pub(crate) fn sentinel_begin(&self) -> bool {
        self.take_post(SENTINEL)
    }

    pub(crate) fn sentinel_end(&self) {
        self.leave_post(SENTINEL);
    }

    /// Whether somebody is the sentinel or the lookout, asked after work was started and after
    /// [`needs_watch`](Self::needs_watch) or [`needs_searcher`](Self::needs_searcher).
    pub(crate) fn finds_sentinel(&self) -> bool {
        // Relaxed: the fence in either pairs with that in `leave_post`.
        let posts = self.posts.load(Ordering::Relaxed);
        if posts & ASKED == 0 {
            // Relaxed: a lookout that misses it leaves too early, which costs a wake-up.
            self.posts.fetch_or(ASKED, Ordering::Relaxed);
        }
        posts & (SENTINEL | LOOKOUT) != 0
    }

    /// Whether anybody has asked that since this was called last.
    pub(crate) fn take_asked(&self) -> bool {
        // Relaxed: as in `finds_sentinel`.
        let asked = self.posts.load(Ordering::Relaxed) & ASKED != 0;
        if asked {
            self.posts.fetch_and(!ASKED, Ordering::Relaxed);
        }
        asked
    }

    /// The caller, which is listed as idle, is woken after all others from then on, so it can stay.
    #[must_use]
    pub(crate) fn lookout_begin(&self, parker: &Arc<Parker>) -> bool {
        if !self.take_post(LOOKOUT) {
            return false;
        }
        let mut idle = lock(&self.idle);
        if idle.remove(parker) {
            idle.workers.insert(0, parker.clone());
        }
        true
    }

    pub(crate) fn lookout_end(&self) {
        self.leave_post(LOOKOUT);
    }

    /// The caller, a sentinel or a napper, promises to look at the queues within a beat.
    pub(crate) fn alert_begin(&self) {
        self.watch.fetch_or(ALERT, Ordering::SeqCst);
    }

    /// Ends the promise. The caller must look at the queues once more.
    pub(crate) fn alert_end(&self) {
        self.watch.fetch_and(!ALERT, Ordering::SeqCst);
        // Pairs with the fence in `needs_watch`.
        fence(Ordering::SeqCst);
    }
}

#[cfg(all(test, not(heartbeat_loom)))]
mod tests {
    use super::*;

    /// Two that are idle, the second of which is the lookout, and two that wait for something.
    fn four_asleep(sleep: &Sleep) -> [Arc<Parker>; 4] {
        let parkers = [(); 4].map(|()| Arc::new(Parker::new()));
        for idle in &parkers[..2] {
            sleep.search_begin();
            sleep.park_begin(idle);
        }
        assert!(sleep.lookout_begin(&parkers[1]));
        parkers[2..]
            .iter()
            .for_each(|parker| sleep.wait_begin(parker));
        parkers
    }

    #[test]
    fn the_lookout_is_woken_after_all_that_are_idle_and_then_who_has_waited_longest() {
        let sleep = Sleep::default();
        let parkers = four_asleep(&sleep);
        for woken in 1..=parkers.len() {
            assert!(sleep.wake_one(Wake::Anywhere));
            let have_tokens = parkers.iter().take_while(|parker| parker.has_token());
            assert_eq!(have_tokens.count(), woken);
            assert_eq!(sleep.searchers(), woken);
        }
        assert!(!sleep.wake_one(Wake::Anywhere));
    }

    #[test]
    fn whoever_sleeps_is_woken_for_a_change_of_size() {
        let sleep = Sleep::default();
        let parkers = four_asleep(&sleep);
        sleep.wake_all();
        assert!(parkers.iter().all(|parker| parker.has_token()));
        assert_eq!(sleep.searchers(), parkers.len());
    }
}
