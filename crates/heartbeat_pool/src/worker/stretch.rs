//! Whether helping pays: what a worker takes from another one costs both a hand-over between cores,
//! and jobs shorter than that are done sooner by whoever has them at hand.
//!
//! A worker measures each stretch of work between two searches. After stretches that did not pay it
//! is *shy*: it no longer waits for work at the others' elbows but looks once a beat.

use crate::seat::Seat;
use crate::sync::Arc;
use std::cell::{Cell, RefCell};
use std::time::{Duration, Instant};

/// What a stretch must take to pay: about ten times what promoting, waking and waiting cost.
const WORTH_COMING: Duration = Duration::from_micros(5);
/// What each of its jobs must take, the hand-over included.
const WORTH_TAKING: Duration = Duration::from_nanos(500);
/// Jobs before a stretch is judged while it lasts.
const PROBE: u32 = 8;
/// Stretches in a row that did not pay, after which the worker is shy.
const PATIENCE: u32 = 2;

pub(crate) struct Stretch {
    start: Cell<Instant>,
    jobs: Cell<u32>,
    /// Jobs that nobody else would have done: from outside, or for this thread.
    needed: Cell<u32>,
    /// Who was helped last, and how far that one had come by then.
    helped: RefCell<Option<(Arc<Seat>, u64)>>,
    /// The number of jobs at which the stretch is judged next.
    probe: Cell<u32>,
    wasted: Cell<bool>,
    strikes: Cell<u32>,
    paid: Cell<bool>,
}

impl Stretch {
    pub(super) fn new() -> Self {
        Self {
            start: Cell::new(Instant::now()),
            jobs: Cell::new(0),
            needed: Cell::new(0),
            helped: RefCell::new(None),
            probe: Cell::new(PROBE),
            wasted: Cell::new(false),
            strikes: Cell::new(0),
            paid: Cell::new(true),
        }
    }

    /// The first piece of work was found, and maybe counted.
    pub(super) fn begin(&self) {
        self.start.set(Instant::now());
    }

    pub(super) fn count_job(&self) {
        self.jobs.set(self.jobs.get() + 1);
    }

    /// Counts work that nobody else would have done.
    pub(super) fn count_needed(&self) {
        self.needed.set(self.needed.get() + 1);
    }

    /// What was counted as needed is help after all.
    pub(crate) fn count_help(&self, helped: &Arc<Seat>) {
        self.needed.set(self.needed.get().saturating_sub(1));
        self.helps(helped);
    }

    /// The next jobs are help for this one.
    pub(super) fn helps(&self, seat: &Arc<Seat>) {
        let mut helped = self.helped.borrow_mut();
        if !helped
            .as_ref()
            .is_some_and(|(other, _)| Arc::ptr_eq(other, seat))
        {
            *helped = Some((seat.clone(), seat.counters.activity()));
        }
    }

    fn pays(&self, elapsed: Duration) -> bool {
        elapsed >= WORTH_TAKING * self.jobs.get()
    }

    /// Whether the worker should stop helping: the jobs are too short, and the one who is helped
    /// is at them as well. Once true, it stays so till the stretch ends.
    pub(crate) fn is_wasted(&self) -> bool {
        let jobs = self.jobs.get();
        if jobs >= self.probe.get() && !self.wasted.get() {
            self.probe.set(jobs + PROBE);
            self.wasted
                .set(self.needed.get() == 0 && self.is_in_the_way());
        }
        self.wasted.get()
    }

    fn is_in_the_way(&self) -> bool {
        let helped = self.helped.borrow();
        let is_active = |(seat, before): &(Arc<Seat>, u64)| {
            seat.counters.activity() > before + u64::from(PROBE / 2)
        };
        helped.as_ref().is_some_and(is_active) && !self.pays(self.start.get().elapsed())
    }

    /// Judges the stretch, for nothing more was found.
    pub(super) fn end(&self) {
        let needed = self.needed.take() > 0;
        let elapsed = self.start.get().elapsed();
        let paid = !needed && elapsed >= WORTH_COMING && self.pays(elapsed);
        self.paid.set(paid);
        self.strikes.set(match () {
            () if self.wasted.take() => PATIENCE,
            () if paid || needed => 0,
            () => self.strikes.get() + 1,
        });
        self.jobs.set(0);
        self.probe.set(PROBE);
        self.helped.take();
    }

    /// Whether the last stretch was help and paid.
    pub(super) fn has_paid(&self) -> bool {
        self.paid.get()
    }

    pub(super) fn is_shy(&self) -> bool {
        self.strikes.get() >= PATIENCE
    }

    /// Whether the worker is shy, once: it is again after one more stretch that did not pay.
    pub(super) fn take_shyness(&self) -> bool {
        let shy = self.is_shy();
        if shy {
            self.strikes.set(PATIENCE - 1);
        }
        shy
    }
}
