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
    next: HashMap<u32, u64>,
}

impl Snapshot {
    /// All that came since the last call with this cursor.
    pub(super) fn after(cursor: &mut Cursor) -> Self {
        let (rings, lost) = {
            let rings = threads::rings();
            (rings.of.clone(), rings.lost)
        };
        let mut read = |ring: &threads::ThreadRing| {
            let next = cursor.next.entry(ring.thread).or_default();
            // A new session counts anew.
            if *next > ring.ring.written() {
                *next = 0;
            }
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
        Self {
            threads: rings.iter().map(|ring| read(ring)).collect(),
            lost,
        }
    }

    /// How many events are gone.
    #[must_use]
    pub fn all_lost(&self) -> u64 {
        let of_threads = self.threads.iter().map(|thread| thread.lost);
        self.lost + of_threads.sum::<u64>()
    }
}
