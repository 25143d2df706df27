//! Whether helping pays, by each stretch of work between two searches: see `heartbeat/README.md`.

use super::ladder::ENOUGH;
use crate::cost;
use crate::seat::Seat;
use crate::sync::{Arc, Instant};
use std::cell::{Cell, RefCell};
use std::time::Duration;

/// Jobs before a stretch is judged while it lasts.
const PROBE: u32 = 8;

/// Whose work a worker does.
enum Helped {
    /// Nobody's: without this worker it would not be done.
    Needed,
    /// This one's, which had come so far when the help began.
    Seat(Arc<Seat>, u64),
    /// That of the others who empty the injectors, and had taken so much when the help began.
    Takers(u64),
}

pub(crate) struct Stretch {
    start: Cell<Instant>,
    jobs: Cell<u32>,
    helped: RefCell<Helped>,
    /// The number of jobs at which the stretch is judged next.
    probe: Cell<u32>,
    wasted: Cell<bool>,
    strikes: Cell<u32>,
    joined: Cell<bool>,
}

impl Stretch {
    pub(super) fn new() -> Self {
        Self {
            start: Cell::new(Instant::now()),
            jobs: Cell::new(0),
            helped: RefCell::new(Helped::Needed),
            probe: Cell::new(PROBE),
            wasted: Cell::new(false),
            strikes: Cell::new(0),
            joined: Cell::new(false),
        }
    }

    /// The first piece of work was found.
    pub(super) fn begin(&self) {
        self.start.set(Instant::now());
    }

    /// When the stretch began, if the piece of work that was counted last is its first.
    pub(crate) fn start_of_first(&self) -> Option<Instant> {
        (self.jobs.get() == 1).then(|| self.start.get())
    }

    pub(super) fn count_job(&self) {
        // A stretch has no end while there is work.
        self.jobs.set(self.jobs.get().saturating_add(1));
    }

    /// Whether the next piece of work is half of a join.
    pub(super) fn set_joined(&self, joined: bool) {
        self.joined.set(joined);
    }

    /// Whether more of the same kind may be queued soon; halves of joins come only if asked for.
    pub(super) fn may_go_on(&self) -> bool {
        !self.joined.get()
    }

    /// The next jobs are for this thread, or from a queue that nobody else empties now.
    pub(super) fn set_needed(&self) {
        *self.helped.borrow_mut() = Helped::Needed;
    }

    /// The next jobs are help for this one.
    pub(crate) fn set_helped(&self, seat: &Arc<Seat>) {
        let mut helped = self.helped.borrow_mut();
        if !matches!(&*helped, Helped::Seat(other, _) if Arc::ptr_eq(other, seat)) {
            *helped = Helped::Seat(seat.clone(), seat.counters.activity());
        }
    }

    /// The next jobs are help for the others who empty the injectors.
    pub(super) fn set_helped_takers(&self, taken: impl FnOnce() -> u64) {
        let mut helped = self.helped.borrow_mut();
        if !matches!(*helped, Helped::Takers(_)) {
            *helped = Helped::Takers(taken());
        }
    }

    fn pays(&self, elapsed: Duration) -> bool {
        cost::is_worth_taking(self.jobs.get(), elapsed)
    }

    /// Whether the worker should stop helping: the jobs are too short, and those who are helped are
    /// at them as well. Once true, it stays so until the stretch ends. `taken` is what the others
    /// have taken from the injectors.
    pub(crate) fn is_wasted(&self, taken: impl FnOnce() -> u64) -> bool {
        let jobs = self.jobs.get();
        if jobs >= self.probe.get() && !self.wasted.get() {
            self.probe.set(jobs.saturating_add(PROBE));
            // Half as many: the helped thread gets on without this one.
            let has_come_on =
                |now: u64, before: u64| now.saturating_sub(before) > u64::from(PROBE) / 2;
            let pays = || self.pays(self.start.get().elapsed());
            self.wasted.set(match &*self.helped.borrow() {
                Helped::Needed => false,
                Helped::Seat(seat, before) => {
                    has_come_on(seat.counters.activity(), *before) && !pays()
                }
                // The clock first: the look takes a cache line from each of the others.
                Helped::Takers(before) => !pays() && has_come_on(taken(), *before),
            });
        }
        self.wasted.get()
    }

    /// Judges the stretch, for nothing more was found. `taken` is what the others have taken from
    /// the injectors.
    pub(super) fn end(&self, taken: impl FnOnce() -> u64) {
        let helped = self.helped.replace(Helped::Needed);
        let elapsed = self.start.get().elapsed();
        let pays = || cost::is_worth_coming(elapsed) && self.pays(elapsed);
        let is_needed = || match helped {
            Helped::Needed => true,
            Helped::Seat(..) => false,
            // They run something else, or are inside of a call.
            Helped::Takers(before) => taken() == before,
        };
        let strikes = if self.wasted.take() {
            ENOUGH
        } else if pays() || is_needed() {
            0
        } else {
            self.strikes.get() + 1
        };
        self.strikes.set(strikes.min(ENOUGH));
        self.jobs.set(0);
        self.probe.set(PROBE);
    }

    pub(super) fn is_shy(&self) -> bool {
        self.strikes.get() >= ENOUGH
    }

    /// Whether the worker is shy, once: it is again after one more stretch that did not pay.
    pub(super) fn take_shyness(&self) -> bool {
        let shy = self.is_shy();
        if shy {
            self.strikes.set(ENOUGH - 1);
        }
        shy
    }
}

#[cfg(all(test, not(heartbeat_loom)))]
mod tests {
    use super::*;

    /// Whether a helper is shy after some stretches of one job each, in which the others have taken
    /// `more`.
    fn is_shy(more: u64) -> bool {
        let stretch = Stretch::new();
        for _ in 0..ENOUGH {
            stretch.set_helped_takers(|| 5);
            stretch.begin();
            stretch.count_job();
            stretch.end(|| 5 + more);
        }
        stretch.is_shy()
    }

    #[test]
    #[cfg_attr(miri, ignore = "there each stretch takes longer than help costs")]
    fn only_who_others_would_have_spared_the_work_gets_shy() {
        // A stretch that takes longer than help costs, as on a busy machine, has paid.
        assert!((0..100).any(|_| is_shy(1)));
        assert!((0..100).all(|_| !is_shy(0)));
    }
}
