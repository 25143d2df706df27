//! A look at all queues that a team works on: is there work, and how does it get on?
//!
//! Looks belong to the sleep protocol: whoever takes one before it sleeps has fenced, and so sees
//! what was pushed by those who did not see it sleep.

use crate::job::Job;
use crate::lanes::stuck::Sight;
use crate::lanes::untaken::Taken;
use crate::metrics::Counters;
use crate::queue::injector::Injector;
use crate::registry::Registry;
use crate::registry::seats::SeatList;
use crate::registry::team::{Rank, Team};
use crate::seat::Seat;
use crate::sync::Arc;
use heartbeat_record::{Lane, What, note};
use std::rc::Rc;
use std::time::Duration;

/// One look, by one reading of the seats.
pub(crate) struct Look<'a> {
    registry: &'a Registry,
    team: &'a Team,
    seats: Rc<SeatList>,
}

impl<'a> Look<'a> {
    pub(crate) fn new(registry: &'a Registry, team: &'a Team, seats: Rc<SeatList>) -> Self {
        Self {
            registry,
            team,
            seats,
        }
    }

    pub(crate) fn has_work(&self, lane: Lane) -> bool {
        self.has_injected(lane, |injector| !injector.is_empty())
            || self.has_shared(lane)
            || (lane == Lane::Frame && self.has_spawned())
    }

    fn has_injected(&self, lane: Lane, has: impl FnOnce(&Injector<Job>) -> bool) -> bool {
        self.registry.injector(self.team, lane).is_some_and(has)
    }

    fn has_spawned(&self) -> bool {
        self.seats.iter().any(|seat| seat.has_jobs())
    }

    fn has_shared(&self, lane: Lane) -> bool {
        self.seats.iter().any(|seat| seat.has_shared(lane))
    }

    pub(crate) fn best_lane(&self) -> Option<Lane> {
        Lane::ALL.into_iter().find(|lane| self.has_work(*lane))
    }

    /// The best lane that has work for any one more thread; without one,
    /// [`best_lane`](Self::best_lane).
    pub(crate) fn best_lane_for_one_more(&self) -> Option<Lane> {
        self.admissible_lane().or_else(|| self.best_lane())
    }

    fn admissible_lane(&self) -> Option<Lane> {
        let is_admissible = |lane: &Lane| self.team.occupancy.admits(*lane) && self.has_work(*lane);
        Lane::ALL.into_iter().find(is_admissible)
    }

    /// What is to be seen of each lane in which something is queued that running jobs may block on:
    /// all frame work, and of any lane the parts of what runs, which are scopes and forks.
    /// Other jobs of the lower lanes may wait for those that run for as long as these take.
    pub(crate) fn work_of_running_jobs(&self) -> [Option<Sight>; 3] {
        let mut blocked = None;
        Lane::ALL.map(|lane| {
            let has_jobs = match lane {
                Lane::Frame => {
                    self.has_injected(lane, |injector| !injector.is_empty()) || self.has_spawned()
                }
                Lane::Io | Lane::Background => self.has_injected(lane, Injector::has_parts),
            };
            if !has_jobs && !self.has_shared(lane) {
                return None;
            }
            // Once, for the system is asked for each thread's time.
            let all = || self.seats.iter().filter_map(|seat| seat.blocked());
            let blocked = *blocked.get_or_insert_with(|| all().max().unwrap_or_default());
            Some(self.sight_of(lane, has_jobs, blocked))
        })
    }

    fn sight_of(&self, lane: Lane, has_jobs: bool, blocked: Duration) -> Sight {
        let come = |counters: &Counters| counters.come(lane);
        let have_forks = self.seats.iter().filter(|seat| seat.fork_lane() == lane);
        Sight {
            progress: (
                self.sum(come),
                have_forks.map(|seat| seat.forks.len()).sum(),
            ),
            taken: self.sum_of_members(|counters| counters.taken_of(lane)),
            blocked,
            has_jobs,
        }
    }

    /// Whether a call that blocks is queued, and may be made: it holds no core, so the frame's team
    /// makes them all.
    pub(crate) fn has_blocking(&self) -> bool {
        self.team.rank == Rank::Frame && self.registry.blocking.is_ready()
    }

    pub(crate) fn has_any_work(&self) -> bool {
        self.best_lane().is_some() || self.has_blocking()
    }

    /// Whether a worker that now looks would find work and be let in.
    pub(crate) fn has_admissible_work(&self) -> bool {
        self.admissible_lane().is_some() || self.has_blocking()
    }

    /// Raises the beat of every seat but the caller's `own`: the next `join` on each promotes.
    pub(crate) fn raise_beats(&self, own: Option<&Arc<Seat>>) {
        let others = |seat: &&Arc<Seat>| own.is_none_or(|own| !Arc::ptr_eq(own, seat));
        for seat in self.seats.iter().filter(others) {
            seat.beat.raise();
        }
        note::note(|| What::Beat);
    }

    /// Whether the beat of some seat but the caller's `own` was answered since it was raised: there
    /// is private work.
    pub(crate) fn any_beat_answered(&self, own: &Arc<Seat>) -> bool {
        let answered = |seat: &Arc<Seat>| !Arc::ptr_eq(own, seat) && !seat.beat.is_raised();
        self.seats.iter().any(answered)
    }

    /// Whether there are forks that others may take some time later, if they are there still.
    pub(crate) fn has_hidden_forks(&self) -> bool {
        let hidden = |seat: &Arc<Seat>| !seat.forks.is_empty() && !seat.hidden.is_over();
        self.seats.iter().any(hidden)
    }

    /// The number of jobs run so far, to tell a calm pool from a busy one.
    pub(crate) fn progress(&self) -> u64 {
        self.sum(Counters::progress)
    }

    /// Whether work is queued of the frame, of the lane in which the caller has a place, or of
    /// another that has room beside the caller, which is counted so or will be: those that wait do
    /// it where nobody else comes.
    pub(crate) fn has_work_to_leave(&self, charge: Option<Lane>) -> bool {
        let own = charge.unwrap_or(Lane::Frame);
        let is_let_in = |lane| lane == own || self.team.occupancy.admits_beside(lane, charge);
        self.has_work(Lane::Frame)
            || Lane::ALL
                .into_iter()
                .any(|lane| is_let_in(lane) && self.has_work(lane))
    }

    /// How much of [such work](Self::has_work_to_leave), and of calls that block, the pool's
    /// threads have taken so far, and of which: from the injectors if any lies there, for that is
    /// last, else from other seats. Their own, and parts of what they wait for, don't count, for
    /// these may have no end.
    pub(crate) fn taken_of_queued(&self, charge: Option<Lane>) -> Option<Taken> {
        let has_frames = self.has_work(Lane::Frame);
        if !has_frames || self.has_injected(Lane::Frame, |injector| !injector.is_empty()) {
            let taken = || Taken::OfAny(self.sum_of_members(Counters::taken_of_any));
            let is_some = self.has_work_to_leave(charge) || self.has_blocking();
            return is_some.then(taken);
        }
        let stolen = |counters: &Counters| counters.steals[Lane::Frame.index()].get();
        Some(Taken::OfSeats(self.sum_of_members(stolen)))
    }

    fn sum(&self, count: impl Fn(&Counters) -> u64) -> u64 {
        self.seats.iter().map(|seat| count(&seat.counters)).sum()
    }

    fn sum_of_members(&self, count: impl Fn(&Counters) -> u64) -> u64 {
        // What threads from outside have taken comes and goes with them.
        let members = self.seats.iter();
        let members = members.filter(|seat| !seat.presence.is_outsiders());
        members.map(|seat| count(&seat.counters)).sum()
    }

    pub(crate) fn queued_jobs(&self) -> usize {
        let injectors = Lane::ALL.into_iter();
        let injectors = injectors.filter_map(|lane| self.registry.injector(self.team, lane));
        let deques = self.seats.iter().map(|seat| seat.queued_jobs());
        injectors.map(Injector::len).chain(deques).sum()
    }

    /// How many jobs were taken from the queues, but for those that threads took from their own.
    pub(crate) fn taken(&self) -> u64 {
        self.sum(Counters::taken_or_stolen)
    }

    /// How many jobs others than `own` have taken from the injectors.
    pub(crate) fn taken_by_others(&self, own: &Seat) -> u64 {
        let taken = self.sum(|counters| counters.taken.get());
        taken.saturating_sub(own.counters.taken.get())
    }
}
