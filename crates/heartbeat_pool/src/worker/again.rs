//! A task that wakes itself, or is woken, while it runs: it is run again without a way through the
//! queue, where it would be next.
//!
//! Others may take whatever waits for its turn, so nothing is kept here while anything else runs.

use super::Worker;
use super::work::Found;
use crate::job::Job;
use heartbeat_record::{Lane, Work};
use std::cell::Cell;

#[derive(Default)]
pub(crate) struct Again {
    job: Cell<Option<Job>>,
    /// Whether the job that runs now is followed by a look here.
    is_open: Cell<bool>,
}

impl Again {
    /// Keeps `job`, which has just been run, unless it must be queued.
    #[must_use]
    pub(crate) fn keep(&self, job: Job) -> Option<Job> {
        if !self.is_open.get() {
            return Some(job);
        }
        self.job.replace(Some(job))
    }

    pub(super) fn take(&self) -> Option<Job> {
        self.job.take()
    }

    /// Calls `run`, which runs one job, after which there is a look here, or none.
    pub(super) fn during(&self, is_open: bool, run: impl FnOnce()) {
        let outer = self.is_open.replace(is_open);
        run();
        self.is_open.set(outer);
    }
}

impl Worker {
    /// Runs `found`, and again as long as it wakes itself and nothing else is to be done.
    pub(super) fn run_and_again(&self, found: Found) {
        let Found::Job(first) = found else {
            return self.run(found);
        };
        let mut next = Some(first);
        while let Some(job) = next {
            self.stretch.set_joined(false);
            self.again
                .during(true, || self.run_counted(Work::Spawned, job));
            next = self.again.take().and_then(|job| self.at_once(job));
        }
    }

    /// Gives `job` back if it is the next to be run, else queues it.
    fn at_once(&self, job: Job) -> Option<Job> {
        let is_next = self.deque.is_empty()
            && !self.is_called()
            && !self.is_left_alone()
            && !self.is_wasted()
            && !self.is_one_too_many(Lane::Frame)
            && self.count_look_unless_strangers_turn();
        if is_next {
            return Some(job);
        }
        self.registry.push_last(Lane::Frame, job);
        None
    }
}

#[cfg(all(test, not(heartbeat_loom)))]
mod tests {
    use super::*;
    use crate::pool::ThreadPool;

    /// Whether a task that wakes itself is run again at once behind what `queue` queues, in one of
    /// some tries at least, or not in one of them: others may come, and take that.
    fn is_once(expected: bool, queue: impl Fn(&Worker) + Sync) -> bool {
        let pool = ThreadPool::builder().num_threads(1).build().unwrap();
        let nothing = || Job::new(Box::new(|| ()));
        pool.install(|worker| {
            (0..100).any(|_| {
                queue(worker);
                worker.search.ticks.set(0);
                let is_next = worker.at_once(nothing()).is_some();
                while worker.run_spawned() || worker.run_pinned() {}
                is_next == expected
            })
        })
    }

    #[test]
    fn a_task_that_yields_waits_for_what_its_thread_has_and_for_nothing_else() {
        assert!(is_once(true, |_| ()));
        assert!(is_once(false, |worker| worker.spawn(Lane::Frame, || ())));
        assert!(is_once(false, |worker| {
            assert!(worker.try_spawn_on(0, || ()));
        }));
    }
}
