//! What was recorded, as read by another thread.

use super::event::{Event, Role};
use super::threads;
use std::collections::HashMap;

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
    /// How many came before these and are gone, for the ring was full.
    pub lost: u64,
}

/// What all threads have noted.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Snapshot {
    /// Those that noted anything.
    pub threads: Vec<ThreadEvents>,
    /// Events of threads that ended so long ago that nothing of them is kept.
    pub lost: u64,
}

/// How far a reader has come, so that the next snapshot has only what is new.
#[derive(Clone, Debug, Default)]
pub struct Cursor {
    /// In which session; each counts anew.
    session: u32,
    next: HashMap<u32, u64>,
}

impl Snapshot {
    /// All that came since the last call with this cursor.
    pub(super) fn after(cursor: &mut Cursor) -> Self {
        let (session, rings, lost) = {
            let rings = threads::rings();
            (rings.session, rings.of.clone(), rings.lost)
        };
        if cursor.session != session {
            *cursor = Cursor {
                session,
                ..Cursor::default()
            };
        }
        let mut read = |ring: &threads::ThreadRing| {
            let next = cursor.next.entry(ring.thread).or_default();
            let copied = ring.ring.copy(*next);
            *next = copied.next;
            ThreadEvents {
                thread: ring.thread,
                name: ring.name.clone(),
                role: ring.role,
                events: copied.events.into_iter().filter_map(Event::of).collect(),
                lost: copied.lost,
            }
        };
        let threads = rings.iter().map(|ring| read(ring)).collect();
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
