//! Which core a running thread has, and how another one leaves it.
//!
//! Linux may wake a helper on the core of the very thread that it is to help. Why that is, and what
//! is done about it and where, is in `heartbeat/README.md`.

use crate::sync::real::{AtomicBool, AtomicI32, AtomicUsize, Ordering};
use heartbeat_system::affinity;
use std::iter;
use std::sync::OnceLock;

pub(crate) use affinity::{Thread, this_thread};

/// From so many cores on the system itself finds an idle one, and sooner.
const MANY_CORES: usize = 4;

/// Whether anything here has an effect.
static IS_ON: AtomicBool = AtomicBool::new(true);

/// Whether pools have a say in which cores their threads run on, for the whole process; they have
/// unless this is told otherwise.
///
/// On Linux on x86-64 a thread of a pool that wakes another one goes on beside it where that is
/// possible: on a machine of two or three cores, or beside io and background jobs, the other one
/// may not use the waker's for the moment of the wake-up. A thread that waits while such jobs and
/// frames' work run sleeps a few times for a moment first: the system looks for a thread to move to
/// each core that falls idle. An app that sets its threads' affinities itself while they work, or a
/// system whose scheduler knows better, turns that off; then nothing here asks for a thread's core
/// or changes what it may use, and waits sleep until they are woken. Elsewhere it turns nothing
/// off.
///
/// ```
/// heartbeat_pool::place_threads(false);
/// let pool = heartbeat_pool::ThreadPool::builder().num_threads(2).build().unwrap();
/// assert_eq!(pool.join(|| 1, || 2), (1, 2));
/// # heartbeat_pool::place_threads(true);
/// ```
pub fn place_threads(is_on: bool) {
    // Relaxed, here and below: a thread that goes by the old one moves, or does not, once more.
    IS_ON.store(is_on, Ordering::Relaxed);
}

pub(crate) fn is_on() -> bool {
    affinity::MOVES_THREADS && IS_ON.load(Ordering::Relaxed)
}

/// Whether threads are moved: where the process has so few cores that the system may find no other
/// idle one, or lower threads run, for it takes their cores for busy ones.
pub(crate) fn moves_threads() -> bool {
    let has_few = || cfg!(any(heartbeat_loom, heartbeat_sim)) || cores() < MANY_CORES;
    is_on() && (has_few() || LOWER_RUNNING.load(Ordering::Relaxed) > 0)
}

/// How many cores the process has, as of the first call; many in a model.
pub(crate) fn cores() -> usize {
    static CORES: OnceLock<usize> = OnceLock::new();
    if cfg!(any(heartbeat_loom, heartbeat_sim)) {
        return 16;
    }
    *CORES.get_or_init(heartbeat_system::cores)
}

/// The calling thread's core, where that is known and matters.
fn here() -> Option<usize> {
    if is_on() { affinity::current() } else { None }
}

/// The core that a thread has, told by that thread.
pub(crate) struct Core {
    /// Plus one; zero while it has none.
    core: AtomicUsize,
    /// Whether it gives way to any other thread.
    is_lower: bool,
}

impl Core {
    pub(crate) const fn none(is_lower: bool) -> Self {
        Self {
            core: AtomicUsize::new(0),
            is_lower,
        }
    }

    /// Tells the core that the calling thread has now.
    pub(crate) fn take(&self) {
        self.set(here());
    }

    pub(crate) fn give_back(&self) {
        self.set(None);
    }

    fn set(&self, core: Option<usize>) {
        let before = self.get();
        if core == before {
            return;
        }
        // Relaxed, here and below: a thread that goes by an old one moves, or sleeps, in vain.
        self.core
            .store(core.map_or(0, |core| core + 1), Ordering::Relaxed);
        if self.is_lower {
            for (core, more) in [(before, -1), (core, 1)] {
                if let Some(core) = core {
                    LOWER.count(core, more);
                    LOWER_RUNNING.fetch_add(more, Ordering::Relaxed);
                }
            }
        }
    }

    pub(crate) fn get(&self) -> Option<usize> {
        self.core.load(Ordering::Relaxed).checked_sub(1)
    }
}

impl Drop for Core {
    fn drop(&mut self) {
        self.give_back();
    }
}

/// A count for each core. Those beyond the last are not counted, and so left as they are.
struct Counts([AtomicI32; 512]);

impl Counts {
    const fn new() -> Self {
        Self([const { AtomicI32::new(0) }; 512])
    }

    fn count(&self, core: usize, more: i32) {
        if let Some(count) = self.0.get(core) {
            count.fetch_add(more, Ordering::Relaxed);
        }
    }

    fn of(&self, core: usize) -> i32 {
        self.0[core].load(Ordering::Relaxed)
    }

    fn any_here(&self) -> bool {
        let count = here().and_then(|core| self.0.get(core));
        count.is_some_and(|count| count.load(Ordering::Relaxed) > 0)
    }
}

/// How many were woken on each core and don't run yet.
static CLAIMED: Counts = Counts::new();
/// How many lower threads run on each core, or would: as of when each last began a stretch of work.
/// One that has moved since costs a spin in vain, or one left out.
static LOWER: Counts = Counts::new();
/// How many these are on all cores.
static LOWER_RUNNING: AtomicI32 = AtomicI32::new(0);

/// The calling thread's core; 0 where that can't be known.
pub(crate) fn current() -> usize {
    here().unwrap_or(0)
}

/// So many `more` are woken that sleep on `core`, or are fewer, for they run now.
pub(crate) fn claim(core: usize, more: i32) {
    CLAIMED.count(core, more);
}

/// Whether a thread was woken that is likely to wait for the calling thread's core.
pub(crate) fn is_claimed() -> bool {
    CLAIMED.any_here()
}

/// Whether one of `others` has the calling thread's core, or had it until just now: where there are
/// few, the system lets a thread that was woken have the core of who has woken it.
pub(crate) fn is_kept_from(mut others: impl Iterator<Item = Option<usize>>) -> bool {
    moves_threads() && here().is_some_and(|core| others.any(|other| other == Some(core)))
}

/// Whether a lower thread is in the midst of something on the calling thread's core, which it gets
/// once the calling thread, another one, sleeps.
pub(crate) fn keeps_lower() -> bool {
    LOWER.any_here()
}

/// Calls `wake`, which wakes `thread`, while this must not use `core`, if it may use any other that
/// nobody is about to begin on. It has slept on `slept_on`, which is claimed for it.
pub(crate) fn keep_off(thread: Thread, core: usize, slept_on: usize, wake: impl FnOnce()) {
    // It would wait for that one as well.
    let others = |core: &usize| CLAIMED.of(*core) > i32::from(*core == slept_on);
    let claimed = (0..CLAIMED.0.len()).filter(others);
    let confined = affinity::avoid(thread, iter::once(core).chain(claimed));
    wake();
    // Its place is chosen; where it may go later is as before.
    if let Some(confined) = confined {
        affinity::end(thread, &confined);
    }
}

/// Moves the calling thread to a core that is none of `others`, if it has one of those and may use
/// others.
pub(crate) fn leave<I: Iterator<Item = usize>>(others: impl Fn() -> I) {
    if moves_threads() && here().is_some_and(|core| others().any(|other| other == core)) {
        // It has moved; where it may go later is as before.
        let thread = this_thread();
        if let Some(confined) = affinity::avoid(thread, others()) {
            affinity::end(thread, &confined);
        }
    }
}

#[cfg(all(
    test,
    target_os = "linux",
    target_arch = "x86_64",
    not(any(miri, heartbeat_loom, heartbeat_sim))
))]
pub(crate) mod tests {
    use super::*;
    use crate::sync::{Mutex, MutexGuard, lock};
    use rustix::thread::sched_getaffinity;

    /// Held by each test that rests on placement, for one of them turns it off.
    static ONE: Mutex<()> = Mutex::new(());

    pub(crate) fn alone() -> MutexGuard<'static, ()> {
        lock(&ONE)
    }

    /// The system may move the thread as well at any moment, but not each time.
    const TRIES: usize = 20;

    #[test]
    fn a_thread_leaves_a_core_and_may_go_there_later() {
        let _alone = alone();
        let allowed = sched_getaffinity(None).unwrap();
        if allowed.count() < 2 || !moves_threads() {
            return;
        }
        let leaves = |_| {
            let core = affinity::current().unwrap();
            leave(|| iter::once(core));
            affinity::current() != Some(core)
        };
        assert!((0..TRIES).any(leaves));
        assert!(sched_getaffinity(None).unwrap() == allowed);
    }

    #[test]
    fn a_core_keeps_a_lower_thread_until_that_has_given_it_back() {
        let _alone = alone();
        let keeps = |core: &Core| {
            core.take();
            keeps_lower()
        };
        assert!((0..TRIES).any(|_| keeps(&Core::none(true))));
        assert!(!(0..TRIES).any(|_| keeps(&Core::none(false))));
    }

    #[test]
    fn nothing_moves_and_no_core_is_known_where_that_is_turned_off() {
        let _alone = alone();
        place_threads(false);
        assert!(!is_on() && here().is_none() && !is_claimed() && !keeps_lower());
        let core = Core::none(true);
        core.take();
        assert_eq!(core.get(), None);
        place_threads(true);
        assert!(here().is_some());
    }

    #[test]
    fn a_core_is_claimed_from_the_wake_up_until_the_sleeper_runs() {
        let _alone = alone();
        let claimed = |_| {
            let core = current();
            claim(core, 1);
            let is_claimed = is_claimed();
            claim(core, -1);
            is_claimed
        };
        assert!((0..TRIES).any(claimed));
    }
}
