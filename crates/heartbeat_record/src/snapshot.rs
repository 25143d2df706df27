//! What was recorded, as read by another thread.

use crate::event::{Event, Role};
use crate::threads;
use std::collections::HashMap;
use std::mem;
use std::sync::atomic::Ordering;

/// What one thread has noted.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ThreadEvents {
    /// Its number, by which events name it.
    pub thread: u32,
    /// Its name, or its id where it has none.
    pub name: String,
    /// What it is in its pool.
    pub role: Role,
    /// In the order in which they happened.
    pub events: Vec<Event>,
    /// How many are gone: the ring was full before a reader came, or the reader has forgotten them.
    pub lost: u64,
    /// Places in `events`: right before each of these, some are gone. Empty in a single snapshot,
    /// in which all of them came before the first event.
    pub gaps: Vec<usize>,
}

/// What all threads have noted.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Snapshot {
    /// Those that noted anything.
    pub threads: Vec<ThreadEvents>,
    /// Events of threads that ended so long ago that nothing of them is kept. With a [`Cursor`],
    /// those of them that no cursor has read and that it was not told of before.
    pub lost: u64,
}

/// How far a reader has come, so that the next snapshot has only what is new.
#[derive(Clone, Debug, Default)]
pub struct Cursor {
    /// In which session; each counts anew.
    session: u32,
    /// Of the events that are gone unread, how many were told.
    lost: u64,
    next: HashMap<u32, u64>,
}

/// What came in `ring` from the event numbered `from` on, and the number of the next one.
fn read(ring: &threads::ThreadRing, from: u64) -> (ThreadEvents, u64) {
    let copied = ring.ring.copy(from);
    let events = ThreadEvents {
        thread: ring.thread,
        name: ring.name.clone(),
        role: ring.role,
        events: copied.events.into_iter().filter_map(Event::of).collect(),
        lost: copied.lost,
        gaps: Vec::new(),
    };
    (events, copied.next)
}

impl Snapshot {
    pub(crate) fn now() -> Self {
        let (rings, lost) = {
            let rings = threads::rings();
            (rings.of.clone(), rings.lost)
        };
        let threads = rings.iter().map(|ring| read(ring, 0).0).collect();
        Self { threads, lost }
    }

    pub(crate) fn after(cursor: &mut Cursor) -> Self {
        let (session, rings, unread) = {
            let rings = threads::rings();
            (rings.session, rings.of.clone(), rings.unread)
        };
        if cursor.session != session {
            *cursor = Cursor {
                session,
                ..Cursor::default()
            };
        }
        let mut read = |ring: &threads::ThreadRing| {
            let next = cursor.next.entry(ring.thread).or_default();
            let events;
            (events, *next) = read(ring, *next);
            // Relaxed: see where a ring is thrown away.
            ring.read.fetch_max(*next, Ordering::Relaxed);
            events
        };
        let threads = rings.iter().map(|ring| read(ring)).collect();
        let lost = unread - mem::replace(&mut cursor.lost, unread);
        // Of those that ended long ago nothing comes any more.
        let is_there = |thread: u32| rings.iter().any(|ring| ring.thread == thread);
        if cursor.next.len() > rings.len() {
            cursor.next.retain(|thread, _| is_there(*thread));
        }
        Self { threads, lost }
    }

    /// How many events are gone.
    #[must_use]
    pub fn all_lost(&self) -> u64 {
        let of_threads = self.threads.iter().map(|thread| thread.lost);
        self.lost + of_threads.sum::<u64>()
    }
}
