//! Threads of the lower lanes' own: the pool's second team, as large as the first.
//!
//! A job that runs can't be interrupted from user space, but by the operating system, which shares
//! a core between the thread that decodes an image and a frame's (bevy#18163). It can be told that
//! the first is to give way; most systems don't let a thread raise its priority again.

use crate::lanes::priority::{self, LowerPriority};
use crate::registry::Registry;
use crate::registry::team::{Rank, Team};
use crate::sync::mpsc::{self, Sender};
use crate::sync::{Arc, AtomicBool, Mutex, Ordering, fence, lock, thread};
use heartbeat_record::Lane;
use std::io;

#[derive(Default)]
pub(crate) struct Lower {
    /// The thread that starts the frame team's spares for lower threads that give way, for a thread
    /// inherits its starter's priority: one if the system has granted it, and until the pool ends.
    starter: Mutex<Option<Sender<Arc<Registry>>>>,
    /// Held while the pool's size changes.
    sizing: Mutex<()>,
    /// Whether the lower lanes have threads of their own.
    is_on: AtomicBool,
    /// Whether these get no more than what others leave of the cores.
    has_leftovers: AtomicBool,
}

impl Lower {
    pub(crate) fn is_on(&self) -> bool {
        // Relaxed: a thread that queues has fenced in `inject`, one that sleeps in
        // `Sleep::park_begin`.
        self.is_on.load(Ordering::Relaxed)
    }

    pub(crate) fn priority(&self) -> LowerPriority {
        // Relaxed: nothing rests on the flag.
        if self.has_leftovers.load(Ordering::Relaxed) {
            LowerPriority::Leftovers
        } else {
            LowerPriority::Usual
        }
    }

    /// Has a spare thread of the frame's team of `registry`, whose part this is, started by a
    /// thread of usual priority. False if there is none.
    pub(crate) fn start_spare(&self, registry: &Arc<Registry>) -> bool {
        let starter = lock(&self.starter);
        let is_told = |starter: &Sender<_>| starter.send(registry.clone()).is_ok();
        starter.as_ref().is_some_and(is_told)
    }

    /// The starter's thread ends.
    pub(crate) fn close(&self) {
        *lock(&self.starter) = None;
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
    /// The teams that may have threads or work: the lower one if it is to have some, or has ended,
    /// when whoever waits in the pool does what lies in lower lanes.
    pub(crate) fn started(&self) -> impl Iterator<Item = &Team> {
        let has_lower = self.lower.is_on() || self.team(Rank::Lower).has_ended();
        self.teams.iter().take(1 + usize::from(has_lower))
    }

    /// Whether a lower thread runs that may keep one of the frame's, which works or was woken, from
    /// a core.
    pub(crate) fn shares_cores(&self) -> bool {
        let [frame, lower] = &self.teams;
        !lower.occupancy.is_quiet()
            && !self.lower.priority().gives_way()
            && (!frame.occupancy.is_quiet() || frame.sleep.searchers() > 0)
    }

    /// The team that does what is queued of `lane`: for a lower lane the frame's as well, where no
    /// lower thread is to be had.
    ///
    /// A thread that queues asks after that, and one that changes the answer [rouses](Self::rouse)
    /// both.
    #[inline]
    pub(crate) fn team_of(&self, lane: Lane) -> &Team {
        let lower = self.team(Rank::Lower);
        // Of a team that has ended the other one takes nothing over, for it ends next.
        let is_lower = lane != Lane::Frame
            && self.lower.is_on()
            && (lower.occupancy.target() > 0 || lower.has_ended());
        if is_lower { lower } else { self.frame() }
    }

    /// How many threads of their own the lower lanes have, if they are to have any.
    pub(crate) fn num_lower_threads(&self) -> Option<usize> {
        let target = || self.team(Rank::Lower).occupancy.target();
        self.lower.is_on().then(target)
    }

    /// Before a job of `lane` is queued: asks again for lower threads that the system has refused.
    #[inline]
    pub(crate) fn call_lower(self: &Arc<Self>, lane: Lane) {
        if lane != Lane::Frame && self.lower.is_on() {
            self.ask_again(self.team(Rank::Lower));
        }
    }

    /// Sets the number of threads, of the lower ones if there are to be some as well. Tells whether
    /// the system has refused one of the frame's.
    pub(crate) fn resize(self: &Arc<Self>, threads: usize) -> io::Result<()> {
        let [frame, lower] = self.teams.each_ref();
        let (of_lower, missing) = {
            // Both before anybody else changes either; a thread that has turned them on or off
            // sizes them after that.
            let _sizing = lock(&self.lower.sizing);
            let of_lower = if self.lower.is_on() { threads } else { 0 };
            let frames = self.size_team(frame, Some(threads));
            (of_lower, (frames, self.size_team(lower, Some(of_lower))))
        };
        // No lock is held as the threads start: what names or starts them may queue a job. Jobs of
        // lower threads that the system refuses run on those that there are.
        let started = self.start_missing(frame, missing.0);
        _ = self.start_missing(lower, missing.1);
        if of_lower > 0 && self.lower.priority().gives_way() && !frame.has_ended() {
            let mut present = lock(&self.lower.starter);
            // None that gives way itself.
            let starter = || (!priority::gives_way()).then(starter)?;
            *present = present.take().or_else(starter);
        }
        started
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
        self.wake_idle();
        self.started().for_each(|team| self.offer_room(team));
    }

    /// The part of [`rouse`](Self::rouse) that starts no thread.
    pub(super) fn wake_idle(&self) {
        // Pairs with the fence in `inject`: either those who wake see the job, or its queuer the
        // change.
        fence(Ordering::SeqCst);
        self.teams.iter().for_each(|team| team.sleep.wake_all());
        self.waiters.wake_all();
    }
}
