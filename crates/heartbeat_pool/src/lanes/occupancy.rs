//! How many threads run what: the packed word that admission to a lane is decided on.
//!
//! | bits  | field      | counts                 |
//! | ----- | ---------- | ---------------------- |
//! | 0-20  | frame      | threads for frames     |
//! | 21-41 | io         | threads for io         |
//! | 42-62 | background | threads for background |
//!
//! Those run a job of the lane, or, for frames, they are inside of a pool call and run no job: a
//! thread from outside, or a pool's own in a handler or a call that blocks.
//!
//! A thread that waits is counted nowhere, which is how a spare thread has room in its place.

use crate::sync::{AtomicU64, AtomicUsize, Ordering};
use crossbeam_utils::CachePadded;
use heartbeat_record::Lane;

/// How many bits each field has.
const fn width() -> u32 {
    u64::BITS / Lane::ALL.len() as u32
}

const fn shift(lane: Lane) -> u32 {
    lane as u32 * width()
}

const fn unit(lane: Lane) -> u64 {
    1 << shift(lane)
}

/// One reading of the word.
#[derive(Clone, Copy)]
struct Counts(u64);

impl Counts {
    fn running(self, lane: Lane) -> usize {
        (self.0 >> shift(lane)) as usize & ((1 << width()) - 1)
    }

    fn total(self) -> usize {
        Lane::ALL.into_iter().map(|lane| self.running(lane)).sum()
    }
}

pub(crate) struct Occupancy {
    /// On a line of its own: it is written as threads begin and end work, the others next to never.
    counts: CachePadded<AtomicU64>,
    target: AtomicUsize,
    budgets: [AtomicUsize; 3],
    /// Threads that have begun jobs of each lower lane and wait in them. On a line of its own, too.
    waiting: CachePadded<[AtomicUsize; 3]>,
}

impl Occupancy {
    pub(crate) fn new() -> Self {
        Self {
            counts: CachePadded::new(AtomicU64::new(0)),
            target: AtomicUsize::new(0),
            budgets: Lane::ALL.map(|_| AtomicUsize::new(usize::MAX)),
            waiting: CachePadded::new(Lane::ALL.map(|_| AtomicUsize::new(0))),
        }
    }

    fn counts(&self) -> Counts {
        // Relaxed: a decision on a stale reading is mended by the caller's fence (`Registry`'s
        // tell and its check before sleep) or by the compare-exchange in `try_admit`.
        Counts(self.counts.load(Ordering::Relaxed))
    }

    #[inline]
    pub(crate) fn target(&self) -> usize {
        self.target.load(Ordering::Relaxed)
    }

    pub(crate) fn set_target(&self, target: usize) {
        // A hint to admission; whoever changes it notifies the pool afterwards, and the lock of the
        // threads' slots orders it for those that end. AcqRel pairs with itself: a size that is set
        // after the end's sees the pool ended.
        self.target.swap(target, Ordering::AcqRel);
    }

    pub(crate) fn cap_target(&self, most: usize) {
        // AcqRel: as above.
        self.target.fetch_min(most, Ordering::AcqRel);
    }

    pub(crate) fn budget(&self, lane: Lane) -> usize {
        self.budgets[lane.index()].load(Ordering::Relaxed)
    }

    pub(crate) fn set_budget(&self, lane: Lane, budget: usize) {
        // Relaxed: a hint to admission; whoever changes it notifies the pool afterwards.
        self.budgets[lane.index()].store(budget.max(1), Ordering::Relaxed);
    }

    /// How many threads may work for `lane` at once.
    fn most(&self, lane: Lane) -> usize {
        self.target().min(self.budget(lane))
    }

    fn admits_at(&self, counts: Counts, lane: Lane) -> bool {
        let running = counts.running(lane);
        if lane == Lane::Frame {
            return running < self.most(lane);
        }
        // One of each lower lane always runs: none starves, and a frame that waits for one is safe.
        self.target() > 0
            && (running == 0 || (counts.total() < self.target() && running < self.budget(lane)))
    }

    /// How many more jobs of `lane` may start now, but for the one that always may.
    pub(crate) fn room(&self, lane: Lane) -> usize {
        let counts = self.counts();
        let left = self.most(lane).saturating_sub(counts.running(lane));
        if lane == Lane::Frame {
            return left;
        }
        self.target().saturating_sub(counts.total()).min(left)
    }

    pub(crate) fn admits(&self, lane: Lane) -> bool {
        self.admits_at(self.counts(), lane)
    }

    /// Counts the caller as running `lane`, if there is room.
    #[must_use]
    pub(crate) fn try_admit(&self, lane: Lane) -> bool {
        let mut seen = self.counts();
        while self.admits_at(seen, lane) {
            // AcqRel pairs with itself, `enter` and `leave`: a thread that takes the place that
            // another one has left sees what that one did before.
            match self.counts.compare_exchange_weak(
                seen.0,
                seen.0 + unit(lane),
                Ordering::AcqRel,
                Ordering::Relaxed,
            ) {
                Ok(_) => return true,
                Err(now) => seen = Counts(now),
            }
        }
        false
    }

    /// Counts the caller as running, room or not: a thread that comes back from a wait, or one
    /// from outside, is never held up.
    pub(crate) fn enter(&self, lane: Lane) {
        // AcqRel: as in `try_admit`.
        self.counts.fetch_add(unit(lane), Ordering::AcqRel);
    }

    /// Takes the caller off the count. Whoever leaves must offer its place
    /// (`Registry::offer_room`).
    pub(crate) fn leave(&self, lane: Lane) {
        // AcqRel: as in `try_admit`.
        let before = self.counts.fetch_sub(unit(lane), Ordering::AcqRel);
        debug_assert!(Counts(before).running(lane) > 0, "left the count uncounted");
    }

    /// As [`leave`](Self::leave), of a thread that waits in what it runs.
    pub(crate) fn leave_waiting(&self, lane: Lane) {
        if lane != Lane::Frame {
            // Relaxed, here and below: a hint to the order of the lower lanes.
            self.waiting[lane.index()].fetch_add(1, Ordering::Relaxed);
        }
        self.leave(lane);
    }

    /// As [`enter`](Self::enter), of a thread that has left so.
    pub(crate) fn enter_waiting(&self, lane: Lane) {
        self.enter(lane);
        if lane != Lane::Frame {
            self.waiting[lane.index()].fetch_sub(1, Ordering::Relaxed);
        }
    }

    /// The lower lanes, first the one of whose jobs fewer wait, for those of the other may wait for
    /// them. The other way round, each that waits would let in one more that waits, on one more
    /// thread.
    pub(crate) fn lower_lanes(&self) -> [Lane; 2] {
        let waiting = |lane: Lane| self.waiting[lane.index()].load(Ordering::Relaxed);
        if waiting(Lane::Io) > waiting(Lane::Background) {
            [Lane::Background, Lane::Io]
        } else {
            [Lane::Io, Lane::Background]
        }
    }

    /// Whether `lane` runs more than it should (after waits ended, or the pool shrank): a worker
    /// that sees this stops taking its jobs.
    pub(crate) fn crowded(&self, lane: Lane) -> bool {
        let counts = self.counts();
        let running = counts.running(lane);
        if lane == Lane::Frame {
            return running > self.most(lane);
        }
        running > 1 && (counts.total() > self.target() || running > self.budget(lane))
    }

    /// Whether others than the caller, which is counted itself, run `lane`.
    pub(crate) fn runs_others(&self, lane: Lane) -> bool {
        self.counts().running(lane) > 1
    }

    /// Whether others than the caller, which is counted as this itself, run anything.
    pub(crate) fn has_others(&self, charge: Option<Lane>) -> bool {
        self.counts().total() > usize::from(charge.is_some())
    }

    /// Whether `lane` admits one more beside the caller, once that is counted as this, or as one of
    /// the frame's.
    pub(crate) fn admits_beside(&self, lane: Lane, charge: Option<Lane>) -> bool {
        let own = charge.map_or_else(|| unit(Lane::Frame), |_| 0);
        self.admits_at(Counts(self.counts().0 + own), lane)
    }

    /// Whether some lane that runs admits one more thread; any lane, if nothing runs, and the
    /// frame's, if its work `may_begin` at any moment.
    pub(crate) fn has_room_beside(&self, may_begin: bool) -> bool {
        let counts = self.counts();
        let begins = |lane| counts.0 == 0 || (may_begin && lane == Lane::Frame);
        let runs = |lane| counts.running(lane) > 0 || begins(lane);
        let mut lanes = Lane::ALL.into_iter();
        lanes.any(|lane| runs(lane) && self.admits_at(counts, lane))
    }

    /// How many threads work for `lane` beyond what should.
    pub(crate) fn beyond(&self, lane: Lane) -> usize {
        self.counts().running(lane).saturating_sub(self.most(lane))
    }

    /// Whether nothing runs at all.
    pub(crate) fn is_quiet(&self) -> bool {
        self.counts().0 == 0
    }

    /// Whether those that wait must do what is queued, for nobody else could.
    pub(crate) fn needs_waiters(&self) -> bool {
        self.target() == 0 || self.is_quiet()
    }
}

#[cfg(all(test, not(heartbeat_loom)))]
mod tests {
    use super::*;

    fn with_target(target: usize) -> Occupancy {
        let occupancy = Occupancy::new();
        occupancy.set_target(target);
        occupancy
    }

    #[test]
    fn frame_fills_the_target_and_no_more() {
        let occupancy = with_target(2);
        assert_eq!(occupancy.room(Lane::Frame), 2);
        occupancy.enter(Lane::Frame);
        assert_eq!(occupancy.room(Lane::Frame), 1);
        assert!(occupancy.try_admit(Lane::Frame));
        assert_eq!(occupancy.room(Lane::Frame), 0);
        assert!(!occupancy.try_admit(Lane::Frame));
        occupancy.leave(Lane::Frame);
        assert!(occupancy.try_admit(Lane::Frame));
    }

    #[test]
    fn a_lower_lane_always_has_one_and_never_more_than_its_budget() {
        let occupancy = with_target(4);
        occupancy.set_budget(Lane::Io, 2);
        for _ in 0..4 {
            assert!(occupancy.try_admit(Lane::Frame));
        }
        assert!(occupancy.try_admit(Lane::Io));
        assert!(!occupancy.try_admit(Lane::Io));
        for _ in 0..4 {
            occupancy.leave(Lane::Frame);
        }
        assert!(occupancy.try_admit(Lane::Io));
        assert!(!occupancy.try_admit(Lane::Io), "over its budget");
        assert!(occupancy.try_admit(Lane::Background));
    }

    #[test]
    fn there_is_room_beside_a_lower_lane_that_runs_where_the_frame_has_none() {
        let occupancy = with_target(4);
        let has_room = || occupancy.has_room_beside(true);
        occupancy.set_budget(Lane::Frame, 1);
        assert!(has_room());
        assert!(occupancy.try_admit(Lane::Frame));
        assert!(!has_room());
        assert!(occupancy.try_admit(Lane::Background));
        assert!(!occupancy.admits(Lane::Frame) && has_room());
        occupancy.set_budget(Lane::Background, 1);
        assert!(!has_room());
    }

    #[test]
    fn there_is_no_room_beside_full_budgets_where_no_frame_work_comes() {
        let occupancy = with_target(4);
        let has_room = || occupancy.has_room_beside(false);
        occupancy.set_budget(Lane::Io, 1);
        assert!(has_room());
        assert!(occupancy.try_admit(Lane::Io));
        assert!(!has_room());
        assert!(occupancy.try_admit(Lane::Background));
        assert!(has_room());
    }

    #[test]
    fn a_return_from_a_wait_crowds_the_lane() {
        let occupancy = with_target(1);
        assert!(occupancy.try_admit(Lane::Frame));
        assert!(!occupancy.crowded(Lane::Frame));
        occupancy.enter(Lane::Frame);
        assert!(occupancy.crowded(Lane::Frame));
    }

    #[test]
    fn who_came_back_waits_no_more() {
        let occupancy = Occupancy::new();
        let io = Lane::Io;
        occupancy.enter(io);
        occupancy.leave_waiting(io);
        assert_eq!(occupancy.lower_lanes(), [Lane::Background, Lane::Io]);
        occupancy.enter_waiting(io);
        assert_eq!(occupancy.lower_lanes(), [Lane::Io, Lane::Background]);
        occupancy.leave(io);
    }

    #[test]
    fn the_one_of_a_lower_lane_is_never_one_too_many() {
        let occupancy = Occupancy::new();
        occupancy.set_target(1);
        occupancy.enter(Lane::Frame);
        assert!(occupancy.try_admit(Lane::Io) && !occupancy.crowded(Lane::Io));
        occupancy.enter(Lane::Io);
        assert!(occupancy.crowded(Lane::Io));
    }

    #[test]
    fn a_budget_of_none_is_one() {
        let occupancy = Occupancy::new();
        occupancy.set_target(2);
        occupancy.set_budget(Lane::Frame, 0);
        assert!(occupancy.try_admit(Lane::Frame) && !occupancy.admits(Lane::Frame));
    }
}
