//! Programs performed, and checked.

use crate::event::{Setter, event};
use crate::future::Checked;
use crate::ledger::{Id, Ledger, Ticket};
use crate::program::{Body, By, Fate, Join, Parts, Scoped, Step, any_panics, order, panics};
use crate::scene;
use crate::verbs::Place;
use heartbeat_pool::{Scope, Task, ThreadPool};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

/// The payload of a panic that is part of the program.
pub struct Planned(pub Id);

/// One performance.
pub struct Play {
    pub ledger: Arc<Ledger>,
    /// Whether the pool may have no threads, so that who waits must be known to it.
    pub may_be_threadless: bool,
    /// The other pool, if there is one.
    pub second: Mutex<Weak<ThreadPool>>,
}

impl Play {
    /// Performs `body` in the job `own`.
    pub fn body(self: &Arc<Self>, place: Place<'_>, own: Id, body: &Body) {
        for step in &*body.steps {
            self.step(place, own, step);
        }
        if body.panics {
            self.ledger.panics(own);
            resume_unwind(Box::new(Planned(own)));
        }
    }

    /// Performs `body` as the job `id`, which was begun nowhere else, and gives its number.
    pub fn job(self: &Arc<Self>, place: Place<'_>, id: Id, body: &Body) -> usize {
        let running = self.ledger.run(id, true);
        self.body(place, id, body);
        running.over();
        id.0
    }

    /// A closure that performs `body` as `ticket`'s job.
    fn closure(
        self: &Arc<Self>,
        ticket: Ticket,
        body: &Body,
    ) -> impl FnOnce() -> usize + Send + use<> {
        let (play, body) = (self.clone(), body.clone());
        move || play.job(Place::Inside, ticket.id, &body)
    }

    /// Whether `id` waits by the pool's method, not by the function, where there is a choice.
    pub fn is_by_pool(&self, id: Id) -> bool {
        self.may_be_threadless || id.0.is_multiple_of(2)
    }

    pub fn check(&self, holds: bool, what: &str) {
        if !holds && !self.ledger.has_ended() {
            self.ledger.fail(format!("wrong: {what}"));
        }
    }

    /// Calls `f`, which panics as planned, or not.
    pub fn expect<R>(&self, panics: bool, verb: &str, f: impl FnOnce() -> R) -> Option<R> {
        match catch_unwind(AssertUnwindSafe(f)) {
            Ok(result) => {
                self.check(!panics, &format!("{verb} lost a panic"));
                Some(result)
            }
            Err(payload) => {
                let is_planned = payload.is::<Planned>();
                self.check(is_planned && panics, &format!("{verb} panicked"));
                None
            }
        }
    }

    /// Has somebody drop `setter`.
    pub fn bring_about(self: &Arc<Self>, place: Place<'_>, own: Id, by: By, setter: Setter) -> Id {
        let ticket = self.ledger.ticket("setter", own);
        let id = ticket.id;
        let play = self.clone();
        let set = move || {
            let running = play.ledger.run(ticket.id, true);
            drop(setter);
            running.over();
        };
        match by {
            By::Lane(lane) => place.spawn(lane, set),
            By::Blocking => place.spawn_blocking(set).detach(),
            By::Thread(micros) => {
                let late = move || {
                    scene::thread::sleep(Duration::from_micros(micros));
                    set();
                };
                let thread = scene::thread::Builder::new().name("outside setter".to_owned());
                thread
                    .spawn(late)
                    .expect("a thread from outside is not refused");
            }
        }
        id
    }

    fn step(self: &Arc<Self>, place: Place<'_>, own: Id, step: &Step) {
        let ledger = &self.ledger;
        match step {
            Step::Work(micros) => scene::pass(Duration::from_micros(*micros)),
            Step::Join(join, a, b) => self.join(place, own, *join, a, b),
            Step::Scope(jobs, body) => self.scope(place, own, jobs, body),
            Step::Spawn(lane, body) => {
                let ticket = ledger.ticket("closure", own);
                ledger.detach(ticket.id);
                let run = self.closure(ticket, body);
                place.spawn(*lane, || _ = run());
            }
            // Performed by the thread that has the pool.
            Step::SpawnHolder(..) | Step::Resize(_) => {}
            Step::Future(lane, parts, fate) => {
                let ticket = ledger.ticket("task", own);
                let id = ticket.id;
                if matches!(
                    fate,
                    Fate::Dropped | Fate::DroppedLater(_) | Fate::Cancelled
                ) {
                    ledger.may_not_end(id);
                }
                let task = place.spawn_future(*lane, Checked::new(self, ticket, parts));
                self.task(place, own, id, task, parts, fate);
            }
            Step::BlockOn(happens) => {
                let (setter, wait) = event(happens.way);
                let id = self.bring_about(place, own, happens.by, setter);
                let _wait = ledger.wait("block_on of an event", None, &[id]);
                place.block_on(self.is_by_pool(own), wait);
            }
            Step::BlockOnTwo(happens, body) => self.block_on_two(place, own, *happens, body),
            Step::Yield => {
                let _free = ledger.free();
                place.yield_now();
            }
            Step::YieldLocal => {
                let _free = ledger.free();
                place.yield_local();
            }
            Step::YieldUntil(happens, both) => self.yield_until(place, own, *happens, *both),
            Step::Again(kind, happens) => self.spawn_again(place, own, *kind, *happens),
            Step::Broadcast(body) => {
                let call = ledger.add("broadcast", Some(own));
                let _wait = ledger.wait("broadcast", None, &[call]);
                let run = || {
                    let id = ledger.add_pinned("broadcast's call", call);
                    self.job(Place::Inside, id, body);
                };
                // Of no threads, or if all were refused, it has nobody to panic.
                self.expect_maybe(body.panics, "broadcast", || place.broadcast(run));
            }
            Step::SpawnOnEach(body) => {
                let ticket = ledger.ticket("spawn_on of each", own);
                ledger.may_not_end(ticket.id);
                let (play, body) = (self.clone(), body.clone());
                place.spawn_on_each(move || {
                    let id = play.ledger.add_pinned("pinned call", ticket.id);
                    play.ledger.detach(id);
                    play.job(Place::Inside, id, &body);
                });
            }
            Step::SpawnOn(index, body) => {
                let ticket = ledger.ticket("pinned", own);
                ledger.pin(ticket.id);
                ledger.detach(ticket.id);
                let run = self.closure(ticket, body);
                // The pool may have lost its threads, at its end.
                self.expect_maybe(false, "spawn_on", || place.spawn_on(*index, || _ = run()));
            }
            Step::Blocking(body) => {
                let ticket = ledger.ticket("blocking", own);
                let id = ticket.id;
                let task = place.spawn_blocking(self.closure(ticket, body));
                let _wait = ledger.wait("block_on of a blocking job", None, &[id]);
                let result =
                    self.expect(body.panics, "a blocking job", || place.block_on(true, task));
                self.check(result.is_none_or(|result| result == id.0), "its result");
            }
            Step::BlockInPlace(body) => {
                let id = ledger.add("block_in_place", Some(own));
                let _wait = ledger.wait("block_in_place", Some(id), &[]);
                heartbeat_pool::block_in_place(|| self.job(place, id, body));
            }
            Step::Install(body) => self.install(place, own, body),
            Step::Elsewhere(body) => self.elsewhere(own, body),
            Step::ForEach(items, body) => self.for_each(place, own, *items, body),
            Step::Visit(body) => self.visit(place, own, body),
        }
    }

    fn join(self: &Arc<Self>, place: Place<'_>, own: Id, join: Join, a: &Body, b: &Body) {
        let ledger = &self.ledger;
        let (one, two) = (ledger.add("a", Some(own)), ledger.add("b", Some(own)));
        let _wait = ledger.wait("join", Some(one), &[two]);
        let run_a = || self.job(Place::Inside, one, a);
        let run_b = || self.job(Place::Inside, two, b);
        let results = self.expect(a.panics || b.panics, "join", || match join {
            Join::Plain => place.join(run_a, run_b),
            Join::Offered => place.with_worker(|w| w.join_offered(|_| run_a(), |_| run_b())),
            Join::Measured => place.with_worker(|w| w.join_measured(|_| run_a(), |_| run_b())),
        });
        let right = (one.0, two.0);
        self.check(
            results.is_none_or(|results| results == right),
            "join's results",
        );
        if !a.panics {
            self.over(&[one, two], "join");
        }
    }

    /// All of `ids` must be over, for the call has returned that waited for them. Whatever else
    /// ends.
    fn over(&self, ids: &[Id], verb: &str) {
        if !ids.iter().all(|id| self.ledger.is_over(*id)) {
            self.ledger.fail(format!(
                "{verb} has returned before what it waits for was over"
            ));
        }
    }

    fn scope(self: &Arc<Self>, place: Place<'_>, own: Id, jobs: &[Scoped], body: &Body) {
        let call = self.ledger.add("scope", Some(own));
        let inner = self.ledger.add("scope's body", Some(call));
        let _wait = self.ledger.wait("scope", None, &[call]);
        let panics = body.panics || any_panics(jobs);
        let closures = Mutex::new(Vec::new());
        self.expect(panics, "scope", || {
            let order = order(call.0.is_multiple_of(3));
            place.scope(order, call.0.is_multiple_of(2), |scope, place| {
                jobs.iter()
                    .for_each(|job| self.scoped(scope, call, job, &closures));
                if call.0.is_multiple_of(5) {
                    scope.call_for_help();
                }
                self.job(place, inner, body);
            });
        });
        self.over(&closures.into_inner().unwrap_or_default(), "scope");
    }

    fn scoped<'scope, 'env>(
        self: &Arc<Self>,
        scope: &'scope Scope<'scope, 'env>,
        call: Id,
        job: &Scoped,
        closures: &'env Mutex<Vec<Id>>,
    ) {
        let tell = |id| {
            if let Ok(mut closures) = closures.lock() {
                closures.push(id);
            }
        };
        match job {
            Scoped::Closure(body, more) => {
                let ticket = self.ledger.ticket("scoped closure", call);
                tell(ticket.id);
                let (play, body, more) = (self.clone(), body.clone(), more.clone());
                scope.spawn(move || {
                    let running = play.ledger.run(ticket.id, true);
                    more.iter()
                        .for_each(|job| play.scoped(scope, call, job, closures));
                    play.body(Place::Inside, ticket.id, &body);
                    running.over();
                });
            }
            Scoped::Future(parts) => {
                let ticket = self.ledger.ticket("scoped future", call);
                tell(ticket.id);
                scope
                    .spawn_future(Checked::new(self, ticket, parts))
                    .detach();
            }
            Scoped::On(index, body) => {
                let ticket = self.ledger.ticket("scoped pinned", call);
                self.ledger.pin(ticket.id);
                tell(ticket.id);
                let run = self.closure(ticket, body);
                scope.try_spawn_on(*index, || _ = run());
            }
            Scoped::Again(sibling) => self.scoped_again(scope, call, *sibling, &tell),
        }
    }

    fn task(
        self: &Arc<Self>,
        place: Place<'_>,
        own: Id,
        id: Id,
        task: Task<usize>,
        parts: &Parts,
        fate: &Fate,
    ) {
        let await_it = |task| {
            let _wait = self.ledger.wait("block_on of a task", None, &[id]);
            let by_pool = self.is_by_pool(id);
            let result = self.expect(panics(parts), "a task", || place.block_on(by_pool, task));
            self.check(
                result.is_none_or(|result| result == id.0),
                "a task's result",
            );
        };
        match fate {
            Fate::Awaited => await_it(task),
            Fate::Detached => {
                self.ledger.detach(id);
                task.detach();
            }
            Fate::Later(body) => {
                self.body(place, own, body);
                await_it(task);
            }
            Fate::Dropped => drop(task),
            Fate::DroppedLater(body) => {
                self.body(place, own, body);
                drop(task);
            }
            Fate::Cancelled => {
                let _wait = self
                    .ledger
                    .wait("block_on of a cancelled task", None, &[id]);
                // It may have panicked before.
                let _ = catch_unwind(AssertUnwindSafe(|| place.block_on(true, task.cancel())));
            }
        }
    }

    /// The same, where a panic may be nobody's.
    fn expect_maybe<R>(&self, panics: bool, verb: &str, f: impl FnOnce() -> R) {
        match catch_unwind(AssertUnwindSafe(f)) {
            Ok(_) => {}
            Err(payload) => {
                let is_planned = payload.is::<Planned>();
                self.check(is_planned && panics, &format!("{verb} panicked"));
            }
        }
    }

    /// The steps of a thread from outside, which shares in the pool.
    pub fn outside(self: &Arc<Self>, pool: &Arc<ThreadPool>, own: Id, body: &Body) {
        let running = self.ledger.run(own, true);
        for step in &*body.steps {
            match step {
                Step::SpawnHolder(lane, body) => {
                    let ticket = self.ledger.ticket("closure that holds the pool", own);
                    self.ledger.detach(ticket.id);
                    let run = self.closure(ticket, body);
                    let held = pool.clone();
                    pool.spawn(*lane, move || {
                        let _held = held;
                        run();
                    });
                }
                // What the system refuses is missing.
                Step::Resize(threads) => _ = pool.resize_to(*threads),
                step => self.step(Place::Outside(pool), own, step),
            }
        }
        running.over();
    }
}
