//! A push against a change of who does what is queued.
//!
//! [`Lane::push`] stands for `inject` and `tell`, [`Lane::change`] for `set_lower` and `rouse`, and
//! [`Lane::takes`] for `has_admissible_work` by `team_of`, of the team that is to do it from then
//! on.

use super::check;
use crate::idle::sleep::{Sleep, Wake};
use crate::parker::Parker;
use crate::sync::{Arc, AtomicBool, AtomicUsize, Ordering, fence};
use loom::thread;

/// A lane's jobs, and the one idle thread of the team that gets them.
struct Lane {
    jobs: AtomicUsize,
    is_its: AtomicBool,
    sleep: Sleep,
}

impl Lane {
    fn new() -> Arc<Self> {
        let sleep = Sleep::default();
        sleep.search_begin();
        Arc::new(Self {
            jobs: AtomicUsize::new(0),
            is_its: AtomicBool::new(false),
            sleep,
        })
    }

    fn takes(&self) -> bool {
        self.is_its.load(Ordering::Relaxed) && self.jobs.load(Ordering::Relaxed) > 0
    }

    /// Whom the job is for is asked after it was queued.
    fn push(&self, order: impl FnOnce()) {
        self.jobs.fetch_add(1, Ordering::Relaxed);
        order();
        if self.is_its.load(Ordering::Relaxed) && self.sleep.needs_searcher() {
            let _ = self.sleep.wake_one(Wake::Anywhere);
        }
    }

    /// The jobs are for this team from now on.
    fn change(&self) {
        self.is_its.store(true, Ordering::Relaxed);
        fence(Ordering::SeqCst);
        self.sleep.wake_all();
        if self.sleep.needs_watch() && self.takes() {
            let _ = self.sleep.wake_one(Wake::Anywhere);
        }
    }

    /// The team's thread goes to sleep. True if it finds a job at its last look.
    fn doze(&self, parker: &Arc<Parker>) -> bool {
        self.sleep.park_begin(parker);
        self.takes()
    }
}

/// One pushes, one changes whose job it is, and the one whose it is then may be anywhere before its
/// sleep. At most three preemptions.
fn push_and_change(order: fn()) {
    check(3, move || {
        let lane = Lane::new();
        let parker = Arc::new(Parker::new());
        let worker = {
            let (lane, parker) = (lane.clone(), parker.clone());
            thread::spawn(move || lane.doze(&parker))
        };
        let changes = {
            let lane = lane.clone();
            thread::spawn(move || lane.change())
        };
        lane.push(order);
        changes.join().unwrap();
        let found = worker.join().unwrap();
        assert!(found || parker.has_token(), "lost wake-up");
    });
}

#[test]
fn a_job_is_found_by_whoever_is_to_do_it() {
    push_and_change(|| fence(Ordering::SeqCst));
}

/// Without the queuer's fence before it asks whose the job is, either may miss the other; loom must
/// find that.
#[test]
#[should_panic(expected = "lost wake-up")]
fn who_asks_too_early_leaves_a_job_behind() {
    push_and_change(|| ());
}
