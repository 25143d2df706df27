//! Futures of programs.

use crate::event::{Wait, event};
use crate::ledger::{Id, Ticket};
use crate::perform::Play;
use crate::program::{Part, Parts};
use crate::verbs::Place;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

type Boxed = Pin<Box<dyn Future<Output = ()> + Send>>;

/// A future that is checked at each poll. Its output is its number.
pub struct Checked {
    play: Arc<Play>,
    inner: Boxed,
    /// After the future, so dropped after it.
    ticket: Ticket,
    is_first: bool,
}

impl Checked {
    pub fn new(play: &Arc<Play>, ticket: Ticket, parts: &Parts) -> Self {
        let inner = all(play.clone(), ticket.id, parts.clone());
        Self::of(play, ticket, inner)
    }

    /// One that waits for an event and does nothing else.
    pub fn waits(play: &Arc<Play>, ticket: Ticket, wait: Wait) -> Self {
        Self::of(play, ticket, Box::pin(wait))
    }

    fn of(play: &Arc<Play>, ticket: Ticket, inner: Boxed) -> Self {
        Self {
            play: play.clone(),
            inner,
            ticket,
            is_first: true,
        }
    }
}

impl Future for Checked {
    type Output = usize;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<usize> {
        let play = self.play.clone();
        let is_first = std::mem::take(&mut self.is_first);
        let running = play.ledger.run(self.ticket.id, is_first);
        let polled = self.inner.as_mut().poll(context);
        if polled.is_ready() {
            running.over();
        }
        polled.map(|()| self.ticket.id.0)
    }
}

fn all(play: Arc<Play>, own: Id, parts: Parts) -> Boxed {
    Box::pin(async move {
        for part in &*parts {
            match part {
                Part::Do(body) => play.body(Place::Inside, own, body),
                Part::Yield => heartbeat_pool::yield_task().await,
                Part::Event(happens) => {
                    let (setter, wait) = event(happens.way);
                    play.bring_about(Place::Inside, own, happens.by, setter);
                    wait.await;
                }
                Part::Task(lane, parts) => {
                    let ticket = play.ledger.ticket("task", own);
                    let id = ticket.id;
                    if !play.ledger.must_end(own) {
                        play.ledger.may_not_end(id);
                    }
                    let future = Checked::new(&play, ticket, parts);
                    let result = Place::Inside.spawn_future(*lane, future).await;
                    play.check(result == id.0, "a task's result");
                }
            }
        }
    })
}
