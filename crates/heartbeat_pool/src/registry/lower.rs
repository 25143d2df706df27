//! Threads of lower system priority for the lower lanes.
//!
//! A job that runs can't be interrupted from user space, but by the operating system: it takes a
//! core from an image that is decoded as soon as a frame's thread wakes (bevy#18163).
//!
//! Most systems don't let a thread raise its priority again, so these threads are others than the
//! frame's: the pool's second team, which has no threads before there is a job for them.

use crate::lanes::lane::Lane;
use crate::lanes::priority::LowerPriority;
use crate::registry::Registry;
use crate::registry::team::{Rank, Team};
use crate::sync::mpsc::{self, Sender};
use crate::sync::{Arc, AtomicBool, Mutex, Ordering, fence, lock, thread};
use std::io;

/// What a pool knows of its lower threads.
#[derive(Default)]
pub(crate) struct Lower {
    /// Set once they were started, or the pool ends.
    started: AtomicBool,
    starter: Mutex<Starter>,
    /// Whether the lower lanes have threads of their own.
    is_on: AtomicBool,
    /// Whether these get no more than what others leave of the cores.
    has_leftovers: AtomicBool,
}

/// The thread that starts the frame team's spares for lower threads: a thread inherits its
/// starter's priority.
#[derive(Default)]
enum Starter {
    /// No lower thread was asked for yet.
    #[default]
    Unasked,
    /// One if the system has granted it, and until the pool ends.
    Asked(Option<Sender<Arc<Registry>>>),
}

impl Lower {
    /// Whether the lower lanes have threads of their own.
    pub(crate) fn is_on(&self) -> bool {
        // Relaxed: who queues has fenced in `inject`, who sleeps in `Sleep::park_begin`.
        self.is_on.load(Ordering::Relaxed)
    }

    /// How readily the system is to run the lower threads.
    pub(crate) fn priority(&self) -> LowerPriority {
        // Relaxed: nothing rests on the flag.
        if self.has_leftovers.load(Ordering::Relaxed) {
            LowerPriority::Leftovers
        } else {
            LowerPriority::LongTurns
        }
    }

    /// Has a spare thread of the frame's team of `registry`, whose part this is, started by a
    /// thread of usual priority. False if there is none.
    pub(crate) fn start_spare(&self, registry: &Arc<Registry>) -> bool {
        let is_told = |starter: &Sender<_>| starter.send(registry.clone()).is_ok();
        match &*lock(&self.starter) {
            Starter::Asked(Some(starter)) => is_told(starter),
            Starter::Asked(None) | Starter::Unasked => false,
        }
    }

    /// No lower threads are asked for from now on.
    pub(crate) fn close(&self) {
        // The starter's thread ends.
        *lock(&self.starter) = Starter::Asked(None);
        // Whoever waits in the pool does what lies in lower lanes itself from now on. Release pairs
        // with the load in `has_started`.
        self.started.store(true, Ordering::Release);
    }

    fn has_started(&self) -> bool {
        // Acquire pairs with the stores in `call_lower` and `close`: who sees it set sees the team
        // sized.
        self.started.load(Ordering::Acquire)
    }

    /// For the first caller, who starts the lower threads: what `size` gives, which sizes their team.
    /// Who comes at the same time waits for that: a team that is sized between the jobs of two has
    /// one run on either team.
    fn begin<T>(&self, size: impl FnOnce() -> T) -> Option<T> {
        let mut present = lock(&self.starter);
        let is_first = matches!(*present, Starter::Unasked);
        is_first.then(|| {
            *present = Starter::Asked(starter());
            size()
        })
    }
}

/// Bytes of a thread's name that Linux shows.
const SHOWN: usize = 15;

/// The name of the lower thread beside the frame's one with `name`: without that where it would be
/// cut, for what is cut is the index.
pub(crate) fn name(name: &str, index: usize) -> String {
    let lower = format!("low {name}");
    if lower.len() <= SHOWN {
        lower
    } else {
        format!("low ({index})")
    }
}

/// A thread that starts spare ones of the frame's team; none if the system refuses it.
fn starter() -> Option<Sender<Arc<Registry>>> {
    let (starter, wanted) = mpsc::channel::<Arc<Registry>>();
    let start = |registry: Arc<Registry>| registry.start_spare(registry.frame());
    let thread = thread::Builder::new().name("heartbeat starter".to_owned());
    let thread = thread.spawn(move || wanted.into_iter().for_each(start));
    thread.is_ok().then_some(starter)
}

impl Registry {
    /// The teams that may have threads or work: the lower one once its threads were started for the
    /// first job for it, or the pool ends.
    pub(crate) fn started(&self) -> impl Iterator<Item = &Team> {
        self.teams
            .iter()
            .take(1 + usize::from(self.lower.has_started()))
    }

    /// The team that does what is queued of `lane`: for a lower lane the frame's as well, where no
    /// lower thread is to be had.
    ///
    /// Who queues asks after that, and who changes the answer [rouses](Self::rouse) both.
    #[inline]
    pub(crate) fn team_of(&self, lane: Lane) -> &Team {
        let lower = self.team(Rank::Lower);
        // Of a team that has ended the other one takes nothing over, for it ends next.
        let is_lower = lane != Lane::Frame
            && self.lower.is_on()
            && (lower.occupancy.target() > 0 || lower.has_ended());
        if is_lower { lower } else { self.frame() }
    }

    /// Sees to it that there are lower threads for a job of `lane` that is about to be queued, if
    /// the pool is to have some. Those that the system refuses are asked for again as they are
    /// missed.
    pub(crate) fn call_lower(self: &Arc<Self>, lane: Lane) {
        let is_for_lower = lane != Lane::Frame && self.lower.is_on();
        if is_for_lower && self.frame().occupancy.target() > 0 {
            let lower = self.team(Rank::Lower);
            let size = || self.size_team(lower, Some(self.frame().occupancy.target()));
            if !self.lower.has_started()
                && let Some(sized) = self.lower.begin(size)
            {
                // No lock is held as the threads start: what names or starts them may queue a job.
                _ = self.start_sized(lower, sized);
                // Only now: who waits would take a team that begins for one without threads, and
                // its jobs for such as are left to whoever waits. Release pairs with the load in
                // `has_started`; for the order of this and the change of a size see `size_lower`.
                self.lower.started.store(true, Ordering::Release);
                _ = self.size_lower();
            }
            self.ask_again(self.team(Rank::Lower));
        }
    }

    /// After a change of the frame's size: gives the lower team the same, once it was started.
    pub(crate) fn size_lower(self: &Arc<Self>) -> io::Result<()> {
        // Pairs with itself: either this sees the lower team begun, or who has begun it sees the
        // change.
        fence(Ordering::SeqCst);
        let frame = &self.frame().occupancy;
        for lower in self.started().skip(1) {
            // Others may change the size at the same time: who is the last to size the lower team
            // sees here what the others have made of the frame's.
            loop {
                let threads = frame.target();
                let resized = self.resize_team(lower, Some(threads));
                if threads == frame.target() {
                    resized?;
                    break;
                }
            }
        }
        Ok(())
    }

    /// Whether there are lower threads from now on, and how readily the system runs those that are
    /// started from now on.
    pub(crate) fn set_lower(self: &Arc<Self>, is_on: bool, priority: LowerPriority) {
        let (lower, has_leftovers) = (&self.lower, priority == LowerPriority::Leftovers);
        // Relaxed: `rouse` fences.
        lower.has_leftovers.store(has_leftovers, Ordering::Relaxed);
        lower.is_on.store(is_on, Ordering::Relaxed);
        self.rouse();
    }

    /// After a change of what each team is to do: has the idle threads see whether they are still
    /// wanted, the waiting ones whether there is anybody left but them, and somebody find what is
    /// queued already.
    pub(crate) fn rouse(self: &Arc<Self>) {
        // Pairs with the fence in `inject`: either this sees the job, or its queuer the change.
        fence(Ordering::SeqCst);
        self.teams.iter().for_each(|team| team.sleep.wake_all());
        self.waiters.wake_all();
        self.started().for_each(|team| self.offer_seat(team));
    }
}
