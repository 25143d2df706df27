//! The verbs that a program calls for something that is run there and then, and loops.

use crate::event::{Wait, event};
use crate::future::Checked;
use crate::ledger::{Id, Ticket};
use crate::perform::Play;
use crate::program::{Body, Happens, Kind, Sibling, Way};
use crate::verbs::Place;
use heartbeat_pool::Scope;
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError};
use std::task::Poll;

impl Play {
    pub fn install(self: &Arc<Self>, place: Place<'_>, own: Id, body: &Body) {
        self.installed(own, body, |run| match place {
            Place::Outside(pool) => pool.install(|_| run()),
            // Where it would come to, on a thread of the pool.
            Place::Inside => run(),
        });
    }

    /// On the other pool, by one of its threads or by this one, as long as there is that pool.
    pub fn elsewhere(self: &Arc<Self>, own: Id, body: &Body) {
        // Unlocked at once: no thread may be kept from its turn by a lock of std's.
        let locked = || self.second.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(second) = locked().upgrade() else {
            return;
        };
        if own.0.is_multiple_of(3) {
            self.visited(own, body, |run| second.with_worker(|_| run()));
        } else {
            self.installed(own, body, |run| second.install(|_| run()));
        }
        // It may be the last that has that pool, and waits for its end.
        let _wait = self.ledger.wait("the second pool's end", None, &[]);
        drop(second);
    }

    pub fn visit(self: &Arc<Self>, place: Place<'_>, own: Id, body: &Body) {
        self.visited(own, body, |run| match place {
            Place::Outside(pool) => pool.with_worker(|_| run()),
            Place::Inside => run(),
        });
    }

    fn installed(
        self: &Arc<Self>,
        own: Id,
        body: &Body,
        install: impl FnOnce(&(dyn Fn() -> usize + Sync)) -> usize,
    ) {
        let id = self.ledger.add("install", Some(own));
        let _wait = self.ledger.wait("install", None, &[id]);
        let run = || self.job(Place::Inside, id, body);
        let result = self.expect(body.panics, "install", || install(&run));
        self.check(
            result.is_none_or(|result| result == id.0),
            "install's result",
        );
    }

    fn visited(
        self: &Arc<Self>,
        own: Id,
        body: &Body,
        visit: impl FnOnce(&dyn Fn() -> usize) -> usize,
    ) {
        let id = self.ledger.add("visit", Some(own));
        let _wait = self.ledger.wait("visit", Some(id), &[]);
        let run = || self.job(Place::Inside, id, body);
        self.expect(body.panics, "visit", || visit(&run));
    }

    /// Waits for an event by a poll that registers its waker and then does something that may wait.
    pub fn block_on_two(
        self: &Arc<Self>,
        place: Place<'_>,
        own: Id,
        happens: Happens,
        body: &Body,
    ) {
        let (setter, wait) = event(happens.way);
        let id = self.bring_about(place, own, happens.by, setter);
        let inner = self.ledger.add("poll", Some(own));
        let _wait = self.ledger.wait("block_on of two", Some(inner), &[id]);
        let mut wait = pin!(wait);
        let mut first = Some(());
        let two = poll_fn(|context| {
            if wait.as_mut().poll(context).is_ready() {
                return Poll::Ready(());
            }
            if first.take().is_some() {
                self.job(place, inner, body);
            }
            Poll::Pending
        });
        place.block_on(self.is_by_pool(own), two);
    }

    /// A loop of yields, which comes to whatever lies there.
    pub fn yield_until(self: &Arc<Self>, place: Place<'_>, own: Id, happens: Happens, both: bool) {
        let (setter, wait) = event(happens.way);
        self.bring_about(place, own, happens.by, setter);
        let _free = self.ledger.free();
        while !wait.has_come() {
            place.yield_now();
            if both {
                place.yield_local();
            }
        }
    }

    /// A job that is followed by itself for as long as the event has not come.
    pub fn spawn_again(self: &Arc<Self>, place: Place<'_>, own: Id, kind: Kind, happens: Happens) {
        let (setter, wait) = event(happens.way);
        self.bring_about(place, own, happens.by, setter);
        let ticket = self.ledger.ticket("job that spawns itself", own);
        if matches!(kind, Kind::Pinned) {
            self.ledger.pin(ticket.id);
        }
        self.again(place, ticket, true, kind, wait);
    }

    fn again(
        self: &Arc<Self>,
        place: Place<'_>,
        ticket: Ticket,
        is_first: bool,
        kind: Kind,
        wait: Wait,
    ) {
        let play = self.clone();
        let run = move || {
            let running = play.ledger.run(ticket.id, is_first);
            if wait.has_come() {
                return running.over();
            }
            drop(running);
            play.again(Place::Inside, ticket, false, kind, wait);
        };
        match kind {
            Kind::Lane(lane) => place.spawn(lane, run),
            Kind::Blocking => place.spawn_blocking(run).detach(),
            Kind::Pinned => place.spawn_on(0, run),
        }
    }

    /// A scope's work that goes on until another job of the scope has run. Tells what belongs to
    /// the scope.
    pub fn scoped_again<'scope, 'env>(
        self: &Arc<Self>,
        scope: &'scope Scope<'scope, 'env>,
        call: Id,
        sibling: Sibling,
        tell: &dyn Fn(Id),
    ) {
        let way = Way {
            spins: true,
            ..Way::default()
        };
        let (setter, wait) = event(way);
        let set = self.ledger.ticket("sibling", call);
        let again = self.ledger.ticket("endless job of a scope", call);
        tell(set.id);
        tell(again.id);
        let play = self.clone();
        let mut set = Some(move || {
            let running = play.ledger.run(set.id, true);
            drop(setter);
            running.over();
        });
        if sibling.is_first {
            set.take().into_iter().for_each(|set| scope.spawn(set));
        }
        if sibling.of_future {
            let checked = Checked::waits(self, again, wait);
            scope.spawn_future(checked).detach();
        } else {
            self.again_on(scope, again, true, wait);
        }
        set.into_iter().for_each(|set| scope.spawn(set));
    }

    fn again_on<'scope, 'env>(
        self: &Arc<Self>,
        scope: &'scope Scope<'scope, 'env>,
        ticket: Ticket,
        is_first: bool,
        wait: Wait,
    ) {
        let play = self.clone();
        scope.spawn(move || {
            let running = play.ledger.run(ticket.id, is_first);
            if wait.has_come() {
                return running.over();
            }
            drop(running);
            play.again_on(scope, ticket, false, wait);
        });
    }

    pub fn for_each(self: &Arc<Self>, place: Place<'_>, own: Id, items: usize, body: &Body) {
        let call = self.ledger.add("for_each", Some(own));
        let _wait = self.ledger.wait("for_each", None, &[call]);
        let mut items: Vec<_> = (0..items).map(|_| AtomicUsize::new(0)).collect();
        place.with_worker(|worker| {
            worker.for_each(&mut items, |item| {
                let id = self.ledger.add("item", Some(call));
                self.job(Place::Inside, id, body);
                item.fetch_add(1, Ordering::Relaxed);
            });
        });
        let once = items.into_iter().all(|item| item.into_inner() == 1);
        self.check(once, "for_each's items, each once");
    }
}
