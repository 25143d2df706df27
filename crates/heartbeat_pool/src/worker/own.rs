//! Work of a thread's own: what it has spawned, and what nobody else may run.

use super::Worker;
use super::current;
use super::work::Found;
use crate::age::Aged;
use crate::job::Job;
use crate::lanes::untaken::FOR_LONG;
use crate::sync::Instant;
use crate::threads::this_thread::Stranger;
use heartbeat_record::{Lane, Work};
use std::ptr;

impl Worker {
    /// Runs the next frame job of the thread's own deque, where the thread works for frames; or, if
    /// that is a scope's ticket, one job of the scope. False if there is none.
    pub(crate) fn run_spawned(&self) -> bool {
        let is_own = self.lane() == Lane::Frame;
        let Some(job) = is_own.then(|| self.pop_own()).flatten() else {
            return false;
        };
        let _stranger = Stranger::begin();
        self.run_piece(Found::Job(job));
        true
    }

    /// Runs `found`, or if it stands for a scope's jobs one of these.
    pub(crate) fn run_piece(&self, found: Found) {
        let stands_for_others = matches!(&found, Found::Job(job) if job.stands_for_others());
        self.search.one_piece.set(stands_for_others);
        self.run(found);
    }

    /// Whether the ticket that is just begun is to run one job of its scope only, for it runs on
    /// top of something that is to go on.
    pub(crate) fn takes_one_piece(&self) -> bool {
        self.search.one_piece.take()
    }

    /// Takes the job that is next in the thread's own deque, or that came back from a thief.
    pub(super) fn pop_own(&self) -> Option<Job> {
        let is_job = |job: &Aged<Job>| !job.item.stands_for_others();
        let own = self.deque.pop().or_else(|| self.seat.by_age.take(is_job));
        own.map(|job| job.item)
    }

    /// Whether there was something for [`yield_local`](Self::yield_local) a moment ago.
    #[must_use]
    pub fn has_own_work(&self) -> bool {
        let is_job = |job: &Aged<Job>| !job.item.stands_for_others();
        let has_jobs = || {
            !self.deque.is_empty()
                || self.seat.by_age.has(is_job)
                || self.newest_scope(ptr::null(), &|_| true).is_some()
        };
        // Private forks, which others can't take now, among them.
        !self.joins.private.is_empty()
            || !self.joins.forks.is_empty()
            || self.seat.has_shared(self.lane())
            || (self.lane() == Lane::Frame && has_jobs())
            || current::has_pinned()
    }

    /// Runs one job that only this thread may run, if there is one.
    pub(crate) fn run_pinned(&self) -> bool {
        let Some(job) = self.pinned.as_ref().and_then(|pinned| pinned.pop()) else {
            return false;
        };
        let _stranger = Stranger::begin();
        self.run_job(Work::Pinned, job);
        true
    }

    pub(crate) fn has_pinned(&self) -> bool {
        self.pinned
            .as_ref()
            .is_some_and(|pinned| !pinned.is_empty())
    }

    /// Runs all that only this thread may run. It can't wait for room, so the thread is counted as
    /// running whether there is some or not.
    pub(super) fn run_bound(&self) {
        if self.count.charge.get().is_none() {
            self.team().occupancy.enter(Lane::Frame);
            self.count_as(Some(Lane::Frame));
        }
        self.stretch.set_needed();
        // What is there now, for it may queue more without end.
        for _ in 0..self.mailbox.len() {
            self.registry.guard(|| _ = self.mailbox.try_tick());
        }
        let pinned = self.pinned.as_ref().map_or(0, |pinned| pinned.len());
        let begun = Instant::now();
        for _ in 0..pinned {
            // A call on each thread comes after what that has queued itself, as in rayon, unless
            // this has no end.
            let may_go_on = || begun.elapsed() < FOR_LONG && !self.team().has_ended();
            while self.goes_by_age() && may_go_on() && self.run_newest() {}
            self.run_pinned();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pool::ThreadPool;
    use crate::queue::deque::Order;
    use crate::queue::forks::Offered;
    use crate::queue::pinned::Pinned;
    use crate::registry::team::Rank;
    use crate::sync::{Arc, Ordering};
    use crate::threads::this_thread;
    use crate::verbs::yield_now::Yield;
    use std::sync::mpsc;

    /// So that nobody takes what it forks for a part of what the thread has stolen before.
    #[test]
    fn what_a_thread_runs_on_top_of_something_is_no_part_of_that() {
        let builder = ThreadPool::builder().num_threads(1);
        let pool = builder.spare_threads(false).build().unwrap();
        let registry = pool.registry();
        let ran = pool.install(|worker| {
            let before = worker.seat.strangers();
            let (sender, receiver) = mpsc::channel();
            let job = || {
                let sender = sender.clone();
                let strangers = || this_thread::strangers().load(Ordering::Relaxed);
                move || sender.send(strangers() - before).unwrap()
            };
            worker.spawn(Lane::Frame, job());
            assert!(worker.run_spawned());
            let pinned = Arc::new(Pinned::new(0));
            assert!(pinned.push(registry.reported(job())).is_ok());
            assert!(Worker::new(registry, Rank::Frame, Some(pinned)).run_pinned());
            let job = job();
            worker.join_offered(|worker| assert!(worker.run_newest()), |_| job());
            assert_eq!(worker.seat.strangers(), before);
            drop(sender);
            receiver.try_iter().collect::<Vec<_>>()
        });
        assert_eq!(ran, [1; 3]);
    }

    #[test]
    fn a_thread_has_work_of_its_own_of_any_kind() {
        let has = |worker: &Worker| worker.has_own_work();
        for order in [Order::OldestFirst, Order::NewestFirst] {
            let builder = ThreadPool::builder().num_threads(1).order(order);
            let pool = builder.spare_threads(false).build().unwrap();
            pool.install(|worker| {
                assert!(!has(worker));
                assert!(worker.join(has, |_| ()).0 && worker.join_offered(has, |_| ()).0);
                for yields in [Worker::yield_local, Worker::yield_now] {
                    assert!(worker.try_spawn_on(0, || ()) && has(worker));
                    assert_eq!(yields(worker), Yield::Executed);
                    assert!(!has(worker));
                }
                let back = Aged::new(Job::new(Box::new(|| ())), worker.new_age());
                worker.seat.by_age.give_back(back);
                assert!(has(worker) && worker.run_spawned() && !has(worker));
                worker.seat.returned.give_back(Offered::nothing());
                assert!(has(worker) && worker.run_newest() && !has(worker));
                worker.spawn(Lane::Frame, || ());
                assert!(has(worker) && worker.run_spawned() && !has(worker));
                worker.scope(|scope| {
                    scope.spawn(|| ());
                    assert!(has(worker));
                });
            });
        }
    }

    #[test]
    fn a_thread_that_works_for_a_lower_lane_runs_no_frame_jobs_of_its_own() {
        for order in [Order::OldestFirst, Order::NewestFirst] {
            let builder = ThreadPool::builder().num_threads(1).order(order);
            let pool = builder.spare_threads(false).build().unwrap();
            pool.block_on(pool.spawn_future(Lane::Io, async {
                let check = |worker: &Worker| {
                    worker.spawn(Lane::Frame, || ());
                    assert!(!worker.run_spawned());
                    assert_eq!(worker.yield_local(), Yield::Idle);
                };
                Worker::with_current(|worker| check(worker.unwrap()));
            }));
        }
    }
}
