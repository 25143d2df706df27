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
use crate::registry::team::{Rank, Team};
use crate::seat::Seat;
use crate::sync::Arc;
use std::ops::Deref;

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

    /// Whether one more thread of `team` could do something about it.
    fn has_use_for_one_more(self, team: &Team) -> bool {
        let Self::Of(lane) = self else {
            return true;
        };
        // Threadless: a caller of `block_on` may sleep. Not admitted, who is woken becomes the
        // sentinel, which relieves a pool whose running jobs block on queued ones.
        let threadless = team.occupancy.target() == 0;
        threadless || team.occupancy.admits(lane) || !team.sleep.has_sentinel()
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
    /// It keeps its core for a while, and does something else there.
    GoesOnForNow,
    /// It keeps its core, beside whoever is woken, for as long as there is work for both.
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

    /// Work of `lane` that its queuer will not do.
    pub(crate) const fn for_others(lane: Lane) -> Self {
        Self::at_once(lane).by(Teller::GoesOnForNow)
    }

    /// The same from a thread that goes on so.
    pub(crate) const fn by(self, teller: Teller) -> Self {
        Self { teller, ..self }
    }
}

impl Registry {
    /// After something was queued: wakes somebody of `team` for it, or starts a thread, unless it
    /// will be found by then.
    #[inline]
    pub(crate) fn tell(self: &Arc<Self>, team: &Team, news: News) {
        let is_needed = match news.when {
            When::AtOnce => team.sleep.needs_searcher() || self.wants_more_searchers(team, news),
            When::WithinABeat => team.sleep.needs_watch(),
            When::Sometime => team.sleep.needs_watch() && !team.sleep.has_sentinel(),
        };
        if is_needed && news.work.has_use_for_one_more(team) {
            self.wake(team, news.work.need(), news.teller);
        }
    }

    /// After the calling thread left the count of `team`: its place goes to whoever can use it.
    pub(crate) fn offer_seat(self: &Arc<Self>, team: &Team) {
        if team.sleep.needs_watch() {
            let seats = team.seats.all();
            self.fill_seat(team, Look::new(self, team, seats.as_slice()));
        }
    }

    /// The same, where nobody watches, as far as `look` tells.
    pub(crate) fn fill_seat<S>(self: &Arc<Self>, team: &Team, look: Look<'_, S>)
    where
        S: Deref<Target = [Arc<Seat>]>,
    {
        let lane = look.work_for_one_more();
        let need = if lane.is_some_and(|lane| Work::Of(lane).has_use_for_one_more(team)) {
            Need::Seat
        } else if look.has_blocking() {
            Need::Blocking
        } else {
            if !team.occupancy.is_quiet() {
                // Forks found no room before: the next one looks again.
                look.raise_beats(None);
            }
            return;
        };
        // A thread may be started next, by code of the program's own, which looks as well.
        drop(look);
        self.wake(team, need, Teller::MayStop);
    }

    /// Whether more is queued from outside than the searchers will take, there is room for one
    /// more, and the queuer goes on. Lower work is in no such hurry.
    fn wants_more_searchers(&self, team: &Team, news: News) -> bool {
        let Work::Of(Lane::Frame) = news.work else {
            return false;
        };
        let searchers = team.sleep.searchers();
        news.teller != Teller::MayStop
            && searchers < team.occupancy.room()
            && self
                .injector(team, Lane::Frame)
                .is_some_and(|jobs| searchers < jobs.len())
    }

    /// Wakes an idle thread of `team`, or starts one.
    fn wake(self: &Arc<Self>, team: &Team, need: Need, teller: Teller) {
        note::note(|| What::Called { need });
        let wake = match teller {
            // A thread that gives way doesn't go on once a frame's has woken.
            _ if team.rank == Rank::Lower || priority::gives_way() => Wake::Anywhere,
            Teller::MayStop => Wake::Anywhere,
            Teller::GoesOnForNow => Wake::OffThisCore,
            Teller::GoesOn => Wake::Elsewhere,
        };
        if !team.sleep.wake_one(wake) && team.occupancy.target() > 0 {
            self.spawn_spare(team);
        }
    }
}
