//! Finding work and running it.

use super::Worker;
use crate::job::Job;
use crate::queue::forks::Offered;
use crate::registry::team::Rank;
use crate::schedule::News;
use crate::seat::Seat;
use crate::sync::Arc;
use crate::threads::this_thread::{self, Stranger};
use crate::trace;
use heartbeat_record::{Lane, Work};

/// Every this many looks for frame work a worker begins elsewhere than at its own deque, so that
/// nothing is starved by tasks that keep waking each other: not what lies in the deque of a thread
/// that waits, nor what came from outside. Where threads run their newest first, also in a scope,
/// its own oldest has turns as well. Nobody does so where that may
/// [block](crate::config::Config::have_turns) the pool.
pub(crate) const STRANGERS_TURN: u32 = 61;

pub(crate) enum Found {
    Job(Job),
    Fork(Offered),
    /// What only this thread may run.
    Bound,
    /// Work that holds no core: the thread is counted as running no lane.
    Blocking(Job),
}

impl Worker {
    /// Takes the next piece of work that the thread may run, best lane first, of frame work only if
    /// that `may_be_frames`. If there is none, the thread stays counted as it was.
    pub(super) fn next_work(&self, may_be_frames: bool) -> Option<Found> {
        let kinds = if self.is_left_alone() {
            self.kinds_in_turn()
        } else {
            let [first, second] = self.team().occupancy.lower_lanes();
            [Some(Lane::Frame), Some(first), Some(second), None]
        };
        let may_be = |kind: &Option<Lane>| may_be_frames || *kind != Some(Lane::Frame);
        kinds
            .into_iter()
            .filter(may_be)
            .find_map(|kind| match kind {
                Some(lane) => self.next_of(lane),
                None => self.next_blocking(),
            })
    }

    fn next_blocking(&self) -> Option<Found> {
        let job = self.take_blocking()?;
        if self.count.charge.get().is_some() {
            self.set_charge(None);
            self.offer_room();
        }
        Some(Found::Blocking(job))
    }

    fn next_of(&self, lane: Lane) -> Option<Found> {
        if self.count.charge.get() == Some(lane) {
            let stays = || lane == Lane::Frame && self.takes_though_full();
            if self.is_one_too_many(lane) && !stays() {
                self.set_charge(None);
                self.offer_room();
                return None;
            }
        } else {
            if !self.look().has_work(lane) {
                return None;
            }
            if !self.team().occupancy.try_admit(lane) {
                if lane != Lane::Frame || !self.takes_though_full() {
                    return None;
                }
                self.team().occupancy.enter(lane);
            }
            let changed = self.count.charge.get().is_some();
            self.set_charge(Some(lane));
            if changed {
                self.offer_room();
            }
        }
        self.pop(lane)
    }

    pub(crate) fn is_one_too_many(&self, lane: Lane) -> bool {
        self.count
            .relief
            .is_one_too_many(&self.team().occupancy, lane)
    }

    pub(super) fn pop(&self, lane: Lane) -> Option<Found> {
        if lane == Lane::Frame {
            if self.is_strangers_turn()
                && self.registry.config.have_turns()
                && let Some(found) = self.take_strange()
            {
                return Some(found);
            }
            // Of two newest ones, in the deque and of a scope, the newer is next.
            let are_two = self.goes_by_age() && !self.deque.is_empty();
            let newest = are_two.then(|| self.take_new(None)).flatten();
            if let Some(job) = newest.map(|job| job.item).or_else(|| self.pop_own()) {
                return Some(Found::Job(job));
            }
        }
        if lane == Lane::Frame && self.goes_by_age() {
            return self.take_from_inside().or_else(|| self.pop_injected(lane));
        }
        self.pop_injected(lane).or_else(|| self.steal(lane))
    }

    /// Counts a look for frame work. Whether this one should begin elsewhere than where most of it
    /// is.
    fn is_strangers_turn(&self) -> bool {
        let tick = self.search.ticks.get().wrapping_add(1);
        self.search.ticks.set(tick);
        tick.is_multiple_of(STRANGERS_TURN)
    }

    /// After work that took a turn's time and goes on: the next look for frame work begins
    /// elsewhere.
    pub(crate) fn give_strangers_a_turn(&self) {
        let ticks = self.search.ticks.get();
        let rest = STRANGERS_TURN - 1 - ticks % STRANGERS_TURN;
        self.search.ticks.set(ticks.wrapping_add(rest));
    }

    /// Counts a look for work, unless it is the turn to begin elsewhere: then false, and not
    /// counted.
    pub(super) fn count_look_unless_strangers_turn(&self) -> bool {
        let tick = self.search.ticks.get().wrapping_add(1);
        let plain = !tick.is_multiple_of(STRANGERS_TURN);
        if plain {
            self.search.ticks.set(tick);
        }
        plain
    }

    pub(super) fn pop_injected(&self, lane: Lane) -> Option<Found> {
        let injector = self.registry.injector(self.team(), lane)?;
        let turn = &self.search.parts_first[lane.index()];
        let job = if lane == Lane::Frame {
            injector.pop()
        } else if turn.get() {
            injector.pop_part().or_else(|| injector.pop())
        } else {
            injector.pop().or_else(|| injector.pop_part())
        }?;
        // By turns, for neither may ever end.
        turn.set(!turn.get());
        self.seat.counters.taken.bump();
        self.begin_helping(lane);
        Some(Found::Job(job))
    }

    /// What it takes next of `lane` is needed, or helps those that take from the injectors as well.
    pub(super) fn begin_helping(&self, lane: Lane) {
        if self.team().occupancy.runs_others(lane) {
            self.stretch.set_helped_takers(|| self.taken_by_others());
        } else {
            self.stretch.set_needed();
        }
    }

    /// Takes frame work from anywhere but where the thread's next lies, whether it is in the way or
    /// not.
    fn take_strange(&self) -> Option<Found> {
        let lane = Lane::Frame;
        let from_seats = || {
            self.take_shared(lane)
                .or_else(|| self.steal_job_of(|_| true))
        };
        let turn = self.search.ticks.get() / STRANGERS_TURN;
        // By turns, for none of these may ever be empty.
        if self.goes_by_age() && turn.is_multiple_of(4) {
            // Where its newest is next, it comes to its oldest last.
            self.seat.stealer.steal().map(|job| Found::Job(job.item))
        } else if turn.is_multiple_of(2) {
            from_seats().or_else(|| self.pop_injected(lane))
        } else {
            self.pop_injected(lane).or_else(from_seats)
        }
    }

    /// Takes what others have shared of their joins, or else what lies in their deques.
    pub(super) fn steal(&self, lane: Lane) -> Option<Found> {
        if self.is_wasted() {
            return None;
        }
        if lane != Lane::Frame {
            return self.take_shared(lane);
        }
        // First what a waiting thread has spawned: it may wait for just that, and whoever takes a
        // piece of work that does the same in its place calls for one more thread. And what was
        // spawned before the forks that may wait for it.
        self.steal_job_of(Seat::has_older_jobs)
            .or_else(|| self.take_shared(lane))
            .or_else(|| self.steal_job_of(|_| true))
    }

    fn take_shared(&self, lane: Lane) -> Option<Found> {
        self.find_seat(lane, |seat| self.take_shared_of(seat, lane))
    }

    pub(super) fn take_shared_of(&self, seat: &Seat, lane: Lane) -> Option<Found> {
        // Not what is younger than a job that was missed, or came, just now.
        let is_next = seat.has_shared(lane) && !seat.has_older_jobs();
        is_next.then(|| Some(self.older_or_fork(seat, seat.steal_fork()?)))?
    }

    /// Takes part of what runs as `lane`.
    pub(super) fn take_part(&self, lane: Lane) -> Option<Found> {
        self.take_shared(lane).or_else(|| {
            let part = self.registry.injector(self.team(), lane)?.pop_part()?;
            self.seat.counters.taken.bump();
            Some(Found::Job(part))
        })
    }

    /// Takes what lies in the deque of another seat that is `wanted`.
    fn steal_job_of(&self, wanted: impl Fn(&Seat) -> bool) -> Option<Found> {
        self.find_seat(Lane::Frame, |seat| {
            wanted(seat).then(|| self.steal_job_from(seat))?
        })
    }

    /// Takes what lies in the deque of `seat`, unless it is the thread's own.
    pub(super) fn steal_job_from(&self, seat: &Arc<Seat>) -> Option<Found> {
        if Arc::ptr_eq(seat, &self.seat) {
            return None;
        }
        if self.goes_by_age() {
            return Some(self.oldest_or(seat, seat.stealer.steal()?));
        }
        // Nobody would empty the deque of a thread from outside once it has left.
        if !self.is_member() {
            return seat.stealer.steal().map(|job| Found::Job(job.item));
        }
        let job = self.deque.steal_batch_and_pop(&seat.stealer)?;
        if !self.deque.is_empty() {
            // A searcher that looked while the others of the batch were under way saw none of them.
            self.tell(News::within_a_beat(Lane::Frame));
        }
        Some(Found::Job(job.item))
    }

    /// Asks one seat after the other for work of `lane`, from another one each time.
    pub(super) fn find_seat(
        &self,
        lane: Lane,
        find: impl Fn(&Arc<Seat>) -> Option<Found>,
    ) -> Option<Found> {
        self.refresh_seats();
        let seats = self.search.seats.borrow().1.clone();
        let rotation = self.search.rotation.get();
        self.search.rotation.set(rotation.wrapping_add(1));
        let (ahead, behind) = seats.split_at(rotation % seats.len().max(1));
        behind.iter().chain(ahead).find_map(|seat| {
            let found = find(seat)?;
            self.seat.counters.steals[lane.index()].bump();
            self.stretch.set_helped(seat);
            Some(found)
        })
    }

    pub(super) fn run(&self, found: Found) {
        if !matches!(found, Found::Bound) {
            self.stretch.set_joined(matches!(found, Found::Fork(_)));
        }
        match found {
            Found::Job(job) => self.run_job(Work::Spawned, job),
            Found::Fork(fork) => self.run_fork(fork),
            Found::Bound => {
                self.search.had_bound_turn.set(true);
                self.run_bound();
            }
            Found::Blocking(job) => self.run_blocking(job),
        }
    }

    pub(super) fn run_job(&self, work: Work, job: Job) {
        self.again.during(false, || self.run_counted(work, job));
    }

    pub(super) fn run_counted(&self, work: Work, job: Job) {
        self.count_job();
        if work == Work::Spawned {
            self.seat.counters.begun[self.lane().index()].bump();
        }
        self.registry.queue_times.begun(self.lane(), job.number());
        trace::job(work, self.lane(), job.number(), || job.run());
    }

    pub(crate) fn count_job(&self) {
        self.stretch.count_job();
        self.seat.counters.jobs[self.lane().index()].bump();
    }

    /// Whether the thread is in the way of those it helps.
    pub(crate) fn is_wasted(&self) -> bool {
        // Those from outside don't search, so they have no stretches.
        // In a wait, there may be nobody else.
        self.is_member()
            && self.stretch.is_wasted(|| self.taken_by_others())
            && !this_thread::is_waiting()
    }

    pub(super) fn taken_by_others(&self) -> u64 {
        self.look().taken_by_others(&self.seat)
    }

    pub(super) fn take_blocking(&self) -> Option<Job> {
        let is_its = self.count.rank == Rank::Frame;
        is_its.then(|| self.registry.blocking.try_take())?
    }

    fn run_blocking(&self, job: Job) {
        let counters = &self.seat.counters;
        self.stretch.set_needed();
        self.seat.core.give_back();
        counters.blocking.bump();
        let was_busy = counters.is_busy();
        counters.busy_end();
        trace::job(Work::Blocking, self.lane(), job.number(), || job.run());
        self.registry.blocking.finish();
        if was_busy {
            counters.busy_begin(self.lane());
        }
    }

    pub(crate) fn run_fork(&self, fork: Offered) {
        self.count_job();
        trace::job(Work::Joined, self.lane(), fork.number(), || fork.run(self));
    }

    /// Runs one piece of work, best lane first; of another lane than the thread's own only where
    /// there is room for one more, or nobody else to do it.
    pub(crate) fn run_one(&self) -> bool {
        if self.is_left_alone() || self.team_size() == 0 {
            return self.tick();
        }
        Lane::ALL.into_iter().any(|lane| self.run_one_of(lane))
    }

    pub(super) fn run_one_of(&self, lane: Lane) -> bool {
        if lane == self.lane() {
            return self.run_kind(Some(lane));
        }
        let _stranger = Stranger::begin();
        let occupancy = &self.team().occupancy;
        if !self.look().has_work(lane) || !occupancy.try_admit(lane) {
            return false;
        }
        let Some(found) = self.pop(lane) else {
            occupancy.leave(lane);
            self.offer_room();
            return false;
        };
        self.run_as(lane, found);
        true
    }

    /// Runs `found` while the thread counts as one of `lane`, which it was let in to already.
    pub(super) fn run_as(&self, lane: Lane, found: Found) {
        let occupancy = &self.team().occupancy;
        let outer = self.count_as(Some(lane));
        if let Some(outer) = outer {
            occupancy.leave(outer);
        }
        self.seat.counters.busy_turn(lane);
        self.run_piece(found);
        self.count_as(outer);
        self.seat.counters.busy_turn(self.lane());
        if let Some(outer) = outer {
            occupancy.enter(outer);
        }
        occupancy.leave(lane);
        self.offer_room();
        if self.seat.fork_lane() != self.lane() && !self.joins.forks.is_empty() {
            // They are the outer lane's again, whose threads could not take them meanwhile.
            self.announce_forks();
        }
    }
}

#[cfg(all(test, not(heartbeat_loom)))]
mod tests {
    use super::*;
    use crate::age::Aged;
    use crate::parker::Parker;
    use crate::pool::ThreadPool;
    use crate::queue::pinned::Pinned;
    use crate::registry::team::Rank;
    use crate::sync::{Mutex, lock};

    fn job_of(kind: &str, log: &Arc<Mutex<Vec<String>>>) -> Job {
        let (kind, log) = (kind.to_owned(), log.clone());
        Job::new(Box::new(move || lock(&log).push(kind)))
    }

    /// However the turns of the lanes follow each other.
    #[test]
    fn parts_and_jobs_of_each_lower_lane_are_taken_by_turns() {
        let pool = ThreadPool::builder().num_threads(0).build().unwrap();
        let registry = pool.registry();
        let log = Arc::default();
        for lane in [Lane::Io, Lane::Background] {
            let injector = registry.injector(registry.frame(), lane).unwrap();
            for _ in 0..4 {
                assert!(injector.push(job_of("job", &log)).is_ok());
                assert!(injector.push_part(job_of("part", &log)).is_ok());
            }
        }
        pool.with_worker(|worker| {
            for _ in 0..4 {
                let of_io = worker.pop_injected(Lane::Io).unwrap();
                worker.run(of_io);
                drop(worker.pop_injected(Lane::Background));
            }
        });
        assert_eq!(*lock(&log), ["job", "part", "job", "part"]);
    }

    /// A searcher that looked while it was under way saw none of it.
    #[test]
    fn others_are_told_of_what_a_batch_brings() {
        let pool = ThreadPool::builder().num_threads(0).build().unwrap();
        let registry = pool.registry();
        let thief = Worker::new(registry, Rank::Frame, Some(Arc::new(Pinned::new(0))));
        let (log, idle) = (Arc::default(), Arc::new(Parker::new()));
        pool.with_worker(|worker| {
            for _ in 0..8 {
                worker.deque.push(Aged::new(job_of("job", &log), None));
            }
            thief.team().sleep.search_begin();
            thief.team().sleep.park_begin(&idle);
            let found = thief.steal_job_from(&worker.seat).unwrap();
            assert!(!thief.deque.is_empty() && idle.has_token());
            thief.run(found);
        });
        while let Some(job) = thief.deque.pop() {
            job.item.run();
        }
    }

    /// A thread that is told of what is put back meanwhile may start a thread, by the program's
    /// handler.
    #[test]
    fn what_is_asked_for_work_may_change_the_list_of_seats() {
        let pool = ThreadPool::builder().num_threads(0).build().unwrap();
        pool.with_worker(|worker| {
            let find = |_: &Arc<Seat>| {
                let epoch = worker.team().seats.epoch();
                let enter = || pool.with_worker(|_| ());
                std::thread::scope(|scope| scope.spawn(enter).join().unwrap());
                assert_ne!(worker.team().seats.epoch(), epoch);
                worker.refresh_seats();
                None
            };
            assert!(worker.find_seat(Lane::Frame, find).is_none());
        });
    }
}
