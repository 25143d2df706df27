//! Who is told of what was queued.
//!
//! Whoever queues anything says so by one [`News`], and whoever leaves the count offers its room;
//! whether a thread is woken or started for that is decided here.

use crate::idle::sleep::Wake;
use crate::lanes::priority;
use crate::placement;
use crate::registry::Registry;
use crate::registry::look::Look;
use crate::registry::team::{Rank, Team};
use crate::sync::Arc;
use heartbeat_record::Lane;
use std::rc::Rc;

#[derive(Clone, Copy)]
enum When {
    /// Now: somebody must be searching.
    AtOnce,
    /// Within a beat: an alert sentinel will do.
    WithinABeat,
    /// At some time: any sentinel will do.
    Sometime,
}

/// Of which lane work is, how soon it is wanted, and what its queuer does next.
#[derive(Clone, Copy)]
pub(crate) struct News {
    /// Of what lane it is, for whoever that has room for; none for what needs no room.
    lane: Option<Lane>,
    when: When,
    /// Where whoever is woken may run: beside a queuer that goes on.
    wake: Wake,
    /// How many are to search for it, if so many sleep.
    searchers: usize,
}

/// How many search at once for work that is long and more than one thread's: sixteen threads come
/// one by one in half a millisecond, by four in less than half of that.
const CROWD: usize = 4;

impl News {
    const fn of(lane: Option<Lane>, when: When) -> Self {
        Self {
            lane,
            when,
            wake: Wake::Anywhere,
            searchers: 1,
        }
    }

    pub(crate) const fn at_once(lane: Lane) -> Self {
        Self::of(Some(lane), When::AtOnce)
    }

    /// Work of `lane` that may wait a beat, for example as its queuer may come to it before that.
    pub(crate) const fn within_a_beat(lane: Lane) -> Self {
        Self::of(Some(lane), When::WithinABeat)
    }

    pub(crate) const fn blocking() -> Self {
        Self::of(None, When::AtOnce)
    }

    /// What somebody must be there to see to some time: forks that others may take later, if they
    /// are there still, or the next beat.
    pub(crate) const fn to_watch() -> Self {
        Self::of(None, When::Sometime).by(Wake::Elsewhere)
    }

    /// The same within a beat: many of those forks are likely to be there still.
    pub(crate) const fn to_watch_within_a_beat() -> Self {
        Self::of(None, When::WithinABeat).by(Wake::Elsewhere)
    }

    /// Work of `lane` that its queuer will not do.
    pub(crate) const fn for_others(lane: Lane) -> Self {
        Self::at_once(lane).by(Wake::OffThisCore)
    }

    /// The same of long work that so many threads can do at a time.
    pub(crate) fn for_many(self, threads: usize) -> Self {
        Self {
            searchers: threads.clamp(1, CROWD),
            ..self
        }
    }

    /// The same from a thread that goes on.
    pub(crate) const fn by(self, wake: Wake) -> Self {
        Self { wake, ..self }
    }
}

/// Whether one more thread of `team` could do something about work of `lane`.
fn has_use_for_one_more(team: &Team, lane: Lane) -> bool {
    // Threadless: a caller of `block_on` may sleep. If it isn't admitted, the woken thread
    // becomes the sentinel, which relieves a pool whose running jobs block on queued ones.
    let threadless = team.occupancy.target() == 0;
    threadless || team.occupancy.admits(lane) || !team.sleep.finds_sentinel()
}

impl Registry {
    /// After something was queued: wakes somebody of `team` for it, or starts a thread, unless a
    /// thread that is awake will find it in time.
    #[inline]
    pub(crate) fn tell(self: &Arc<Self>, team: &Team, news: News) {
        let is_needed = match news.when {
            When::AtOnce => team.sleep.needs_searcher() || self.wants_more_searchers(team, news),
            When::WithinABeat => team.sleep.needs_watch(),
            When::Sometime => team.sleep.needs_watch() && !team.sleep.finds_sentinel(),
        };
        if is_needed
            && news
                .lane
                .is_none_or(|lane| has_use_for_one_more(team, lane))
        {
            self.wake(team, news.wake);
        }
        if news.searchers > 1 {
            self.wake_crowd(team, news);
        }
    }

    /// Wakes idle threads until so many search as the news say, as far as there is room, and cores
    /// beside the caller's. None is started for that, and none that waits is woken.
    #[cold]
    fn wake_crowd(&self, team: &Team, news: News) {
        let Some(lane) = news.lane else { return };
        let most = news.searchers.min(placement::cores() - 1);
        let wants_more = || team.sleep.searchers() < most.min(team.occupancy.room(lane));
        while wants_more() && team.sleep.wake_worker(news.wake) {}
    }

    /// After room was made in `team`: it goes to whoever can use it.
    pub(crate) fn offer_room(self: &Arc<Self>, team: &Team) {
        if team.sleep.needs_watch() {
            let seats = Rc::new(team.seats.listed());
            self.fill_room(team, &Look::new(self, team, seats));
        }
    }

    /// The same, where nobody is there to find it soon enough, as far as `look` tells.
    pub(crate) fn fill_room(self: &Arc<Self>, team: &Team, look: &Look<'_>) {
        let lane = look.best_lane_for_one_more();
        let has_use = lane.is_some_and(|lane| has_use_for_one_more(team, lane));
        if !has_use && !look.has_blocking() {
            if !team.occupancy.is_quiet() {
                // Forks found no room before: the next one looks again.
                look.raise_beats(None);
            }
            return;
        }
        self.call_one(team);
    }

    /// Wakes somebody of `team`, or starts a thread, for what is queued there.
    pub(crate) fn call_one(self: &Arc<Self>, team: &Team) {
        let (sleep, occupancy) = (&team.sleep, &team.occupancy);
        // One that waits is no use while others run: it would go on waiting, and its place be
        // offered to the next one, without end.
        let is_woken = if occupancy.needs_waiters() {
            sleep.wake_one(Wake::Anywhere)
        } else {
            sleep.wake_worker(Wake::Anywhere)
        };
        if !is_woken && occupancy.target() > 0 {
            self.spawn_spare(team);
        }
    }

    /// Whether more is queued from outside than the searchers will take, there is room for one
    /// more, and the queuer goes on. Lower work is in no such hurry.
    fn wants_more_searchers(&self, team: &Team, news: News) -> bool {
        if news.lane != Some(Lane::Frame) || news.wake == Wake::Anywhere {
            return false;
        }
        let searchers = team.sleep.searchers();
        searchers < team.occupancy.room(Lane::Frame)
            && self
                .injector(team, Lane::Frame)
                .is_some_and(|jobs| searchers < jobs.len())
    }

    /// Wakes an idle thread of `team`, or starts one.
    fn wake(self: &Arc<Self>, team: &Team, wake: Wake) {
        // A thread that gives way doesn't go on once a frame's has woken.
        let is_anywhere = team.rank == Rank::Lower || priority::gives_way();
        let wake = if is_anywhere { Wake::Anywhere } else { wake };
        if team.sleep.wake_one(wake) {
            return;
        }
        if team.occupancy.target() > 0 {
            self.spawn_spare(team);
        } else {
            // It may have none for the system has refused them.
            self.ask_again(team);
        }
    }
}
