//! Where new work goes: to a member's own deque, or to the injector of its lane.

use super::Worker;
use crate::age::{Age, Aged};
use crate::job::Job;
use crate::registry::Registry;
use crate::registry::team::Team;
use crate::schedule::News;
use crate::sync::Arc;
use crate::worker::current;
use heartbeat_record::{Lane, Place, note};

impl Registry {
    /// Queues `job` where any worker can take it, and sees to it that one does: at once if it
    /// comes from outside, within a beat if from a worker, which may take it itself before that.
    #[inline]
    pub(crate) fn push(self: &Arc<Self>, lane: Lane, job: Job) {
        current::peek(|worker| match worker {
            Some(worker) if worker.is_in(self.team_of(lane)) => self.push_from(worker, lane, job),
            _ => {
                let team = self.inject(lane, job);
                self.tell(team, News::for_others(lane));
            }
        });
    }

    /// As [`push`](Self::push), from `worker`, which is of the team that may take it.
    #[inline]
    pub(super) fn push_from(self: &Arc<Self>, worker: &Worker, lane: Lane, job: Job) {
        let team = self.queue_from(worker, lane, job);
        self.tell(team, News::within_a_beat(lane));
    }

    /// As [`push`](Self::push), of a task that was woken while it ran, by the thread that has just
    /// run it.
    pub(crate) fn push_again(self: &Arc<Self>, lane: Lane, job: Job) {
        let to_queue = current::peek(|worker| match worker {
            Some(worker) if lane == Lane::Frame && worker.is_in(self.frame()) => {
                worker.again.keep(job)
            }
            _ => Some(job),
        });
        if let Some(job) = to_queue {
            self.push_last(lane, job);
        }
    }

    /// Queues a task that was woken while it ran behind all that the pool's threads have: where the
    /// newest is next, it would be next again and again.
    pub(super) fn push_last(self: &Arc<Self>, lane: Lane, job: Job) {
        if !self.config.goes_by_age() {
            return self.push(lane, job);
        }
        let team = self.inject(lane, job);
        let is_in = |worker: &Worker| worker.is_in(team);
        let comes_itself = current::peek(|worker| worker.is_some_and(is_in));
        self.tell(
            team,
            if comes_itself {
                News::within_a_beat(lane)
            } else {
                News::for_others(lane)
            },
        );
    }

    /// Queues `ticket`, a part of what a worker of `team` does, where any worker of the team that
    /// this gives can take it. The caller must see to it that one does.
    pub(crate) fn queue_ticket(&self, team: &Team, lane: Lane, ticket: Aged<Job>) -> &Team {
        let by_age = self.config.goes_by_age();
        current::peek(|worker| match worker {
            Some(worker) if !by_age && worker.is_in(team) => {
                self.queue_from(worker, lane, ticket.item)
            }
            Some(worker) if lane == Lane::Frame && worker.is_in(team) => {
                let refused = worker.queue_by_age(ticket);
                refused.map_or(self.team(worker.count.rank), |job| self.inject(lane, job))
            }
            _ => self.inject(lane, ticket.item),
        })
    }

    #[inline]
    fn queue_from(&self, worker: &Worker, lane: Lane, job: Job) -> &Team {
        worker.seat.counters.pushes.bump();
        if lane == Lane::Frame && worker.is_member() {
            note::queued(job.number(), lane, Place::Own);
            self.queue_times.queued(lane, job.number());
            let age = worker.new_age();
            worker.deque.push(Aged::new(job, age));
            self.team(worker.count.rank)
        } else {
            self.inject(lane, job)
        }
    }
}

impl Worker {
    /// How old the job that the thread, one of the pool's own, queues next is, where its work goes
    /// by age.
    pub(crate) fn new_age(&self) -> Option<Age> {
        if !self.goes_by_age() || !self.is_member() {
            return None;
        }
        // What is private is older, and is numbered as it is offered.
        self.promote_all();
        Some(self.joins.next_age(&self.seat))
    }

    /// Tells the others of its team of what was queued for them. See [`Registry::tell`].
    #[inline]
    pub(crate) fn tell(&self, news: News) {
        self.registry.tell(self.team(), news);
    }

    /// After it has left the count. See [`Registry::offer_room`].
    pub(super) fn offer_room(&self) {
        if self.team().sleep.needs_watch() {
            self.fill_room();
        }
    }

    /// The same, as it sleeps next: what it has left to whoever watches begins now.
    pub(super) fn offer_room_now(&self) {
        let sleep = &self.team().sleep;
        let is_left = || sleep.needs_searcher() && self.look().has_admissible_work();
        if sleep.needs_watch() || is_left() {
            self.fill_room();
        }
    }

    fn fill_room(&self) {
        self.registry.fill_room(self.team(), &self.look());
    }
}
