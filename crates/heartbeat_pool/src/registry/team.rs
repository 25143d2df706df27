//! A team: a pool's threads of one priority, which take the same work and are counted, woken and
//! started apart from those of the other team.

use crate::idle::sleep::Sleep;
use crate::lanes::occupancy::Occupancy;
use crate::lanes::stuck::Stuck;
use crate::lanes::untaken::Untaken;
use crate::registry::seats::Seats;
use crate::registry::threads::Threads;
use crate::sync::{AtomicBool, Ordering, lock};
use crossbeam_utils::CachePadded;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rank {
    Frame,
    Lower,
}

pub(crate) struct Team {
    pub(crate) rank: Rank,
    pub(crate) seats: Seats,
    pub(crate) occupancy: Occupancy,
    /// On a line of its own, all of it: a thread that writes one part is likely to write the
    /// others.
    pub(crate) sleep: CachePadded<Sleep>,
    pub(crate) stuck: Stuck,
    pub(crate) untaken: Untaken,
    pub(crate) threads: Threads,
    has_ended: AtomicBool,
}

impl Team {
    pub(crate) fn new(rank: Rank) -> Self {
        Self {
            rank,
            seats: Seats::default(),
            occupancy: Occupancy::new(),
            sleep: CachePadded::new(Sleep::default()),
            stuck: Stuck::new(),
            untaken: Untaken::default(),
            threads: Threads::default(),
            has_ended: AtomicBool::new(false),
        }
    }

    #[inline]
    pub(crate) fn has_ended(&self) -> bool {
        // Acquire pairs with the SeqCst store in `close`.
        self.has_ended.load(Ordering::Acquire)
    }

    /// Whether one more thread would find room: beside those that run a lane, where nothing runs,
    /// or, in the frame's team, for frame work, which may begin at any moment.
    pub(crate) fn has_room_beside(&self) -> bool {
        self.occupancy.has_room_beside(self.rank == Rank::Frame)
    }

    /// Whether all threads that stay are there, or are being started, and counted on.
    pub(super) fn has_all(&self) -> bool {
        let slots = lock(&self.threads.slots);
        self.occupancy.target() >= slots.wanted && slots.live.has_first(slots.wanted)
    }

    /// No thread is missed any more, if all that stay are there.
    pub(crate) fn suffice(&self) {
        self.threads.spares.suffice_if(|| self.has_all());
    }

    pub(crate) fn close(&self) {
        // SeqCst pairs with the load in `has_ended`.
        self.has_ended.store(true, Ordering::SeqCst);
    }
}
