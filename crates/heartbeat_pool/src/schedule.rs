//! Who is told of what was queued.
//!
//! Whoever queues anything, or makes room, says so by one [`News`]; what comes of it is decided
//! here alone.

use crate::idle::sleep::Wake;
use crate::lanes::lane::Lane;
use crate::lanes::priority;
use crate::record::{Need, What, note};
use crate::registry::Registry;
use crate::registry::look::Look;
use crate::sync::Arc;

/// What somebody may be woken for.
#[derive(Clone, Copy)]
enum Work {
    /// Work of a lane, for whoever that has room for.
    Of(Lane),
    /// Calls that block, which need no room.
    Blocking,
    /// Forks that are kept from others for now.
    Kept,
}

impl Work {
    /// The same, as the recorder has it.
    const fn need(self) -> Need {
        match self {
            Self::Of(Lane::Frame) => Need::Frame,
            Self::Of(Lane::Io) => Need::Io,
            Self::Of(Lane::Background) => Need::Background,
            Self::Blocking => Need::Blocking,
            Self::Kept => Need::Kept,
        }
    }
}

/// How soon somebody must look.
#[derive(Clone, Copy)]
enum When {
    /// Now: somebody must be searching.
    AtOnce,
    /// Within a beat: an alert sentinel will do.
    WithinABeat,
    /// At some time: any sentinel will do.
    Sometime,
}

/// What becomes of the thread that tells.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Teller {
    /// It may be about to sleep, and whoever is woken may as well have its core.
    MayStop,
    /// It keeps its core, beside whoever is woken.
    GoesOn,
}

/// Where work lies, how soon it is wanted, and what its queuer does next.
#[derive(Clone, Copy)]
pub(crate) struct News {
    work: Work,
    when: When,
    teller: Teller,
}

impl News {
    const fn new(work: Work, when: When) -> Self {
        let teller = Teller::MayStop;
        Self { work, when, teller }
    }

    /// Work of `lane` that is to begin now.
    pub(crate) const fn at_once(lane: Lane) -> Self {
        Self::new(Work::Of(lane), When::AtOnce)
    }

    /// Work of `lane` that may wait a beat, for example as its queuer may come to it before that.
    pub(crate) const fn within_a_beat(lane: Lane) -> Self {
        Self::new(Work::Of(lane), When::WithinABeat)
    }

    /// A call that blocks.
    pub(crate) const fn blocking() -> Self {
        Self::new(Work::Blocking, When::AtOnce)
    }

    /// Forks that others may take later, if they are there still.
    pub(crate) const fn kept() -> Self {
        Self::new(Work::Kept, When::Sometime).by(Teller::GoesOn)
    }

    /// The same, of which many are likely to be there still.
    pub(crate) const fn kept_for_a_beat() -> Self {
        Self::new(Work::Kept, When::WithinABeat).by(Teller::GoesOn)
    }

    /// The same from a thread that goes on so.
    pub(crate) const fn by(self, teller: Teller) -> Self {
        Self { teller, ..self }
    }
}

impl Registry {
    /// After something was queued: wakes somebody for it, or starts a thread, unless it will be
    /// found by then.
    #[inline]
    pub(crate) fn tell(self: &Arc<Self>, news: News) {
        let is_needed = match news.when {
            When::AtOnce => self.sleep.needs_searcher() || self.wants_more_searchers(news),
            When::WithinABeat => self.sleep.needs_watch(),
            When::Sometime => self.sleep.needs_watch() && !self.sleep.has_sentinel(),
        };
        if is_needed && self.has_use_for(news.work) {
            self.wake(news.work.need(), news.teller);
        }
    }

    /// After the calling thread left the count: its place goes to whoever can use it.
    pub(crate) fn offer_seat(self: &Arc<Self>) {
        if !self.sleep.needs_watch() {
            return;
        }
        let seats = self.seats.all();
        let look = Look::new(self, seats.as_slice());
        let lane = look.work_for_one_more();
        if lane.is_some_and(|lane| self.has_use_for(Work::Of(lane))) {
            self.wake(Need::Seat, Teller::MayStop);
        } else if self.blocking.is_ready() {
            self.wake(Need::Blocking, Teller::MayStop);
        } else if !self.occupancy.is_quiet() {
            // Forks found no room before: the next one looks again.
            look.raise_beats(None);
        }
    }

    /// Whether more is queued from outside than the searchers will take, there is room for one
    /// more, and the queuer goes on. Lower work is in no such hurry.
    fn wants_more_searchers(&self, news: News) -> bool {
        let Work::Of(Lane::Frame) = news.work else {
            return false;
        };
        let searchers = self.sleep.searchers();
        news.teller == Teller::GoesOn
            && searchers < self.occupancy.room()
            && searchers < self.injected(Lane::Frame)
    }

    /// Whether one more thread could do something about `work`.
    fn has_use_for(&self, work: Work) -> bool {
        let Work::Of(lane) = work else {
            return true;
        };
        // Threadless: a caller of `block_on` may sleep. Not admitted, who is woken becomes the
        // sentinel, which relieves a pool whose running jobs block on queued ones.
        let threadless = self.occupancy.target() == 0;
        threadless || self.occupancy.admits(lane) || !self.sleep.has_sentinel()
    }

    /// Wakes an idle thread, or starts one.
    fn wake(self: &Arc<Self>, need: Need, teller: Teller) {
        note::note(|| What::Called { need });
        let wake = match teller {
            // A thread that gives way doesn't go on once a frame's has woken.
            _ if self.kin.is_lower() || priority::gives_way() => Wake::Anywhere,
            Teller::MayStop => Wake::Anywhere,
            Teller::GoesOn => Wake::Elsewhere,
        };
        if !self.sleep.wake_one(wake) && self.occupancy.target() > 0 {
            self.threads.spawn_spare(self);
        }
    }
}
