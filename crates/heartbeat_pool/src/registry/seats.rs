//! The seats of a team, and what those did that have left.

use crate::metrics::{PoolMetrics, WorkerMetrics};
use crate::seat::Seat;
use crate::sync::{Arc, AtomicUsize, Mutex, Ordering, lock};

/// The seats as one reading: a worker keeps it until the epoch moves.
pub(crate) type SeatList = Arc<Vec<Arc<Seat>>>;

/// All seats of a team.
#[derive(Default)]
pub(crate) struct Seats {
    list: Mutex<SeatList>,
    /// Counts changes of the list.
    epoch: AtomicUsize,
    departed: Mutex<WorkerMetrics>,
}

impl Seats {
    pub(crate) fn add(&self, seat: Arc<Seat>) {
        self.change(|seats| seats.push(seat));
    }

    pub(crate) fn remove(&self, seat: &Arc<Seat>) {
        // Held throughout, so that a snapshot finds the seat either here or there.
        let mut departed = lock(&self.departed);
        self.change(|seats| seats.retain(|other| !Arc::ptr_eq(other, seat)));
        departed.add(&seat.metrics());
    }

    fn change(&self, change: impl FnOnce(&mut Vec<Arc<Seat>>)) {
        let mut seats = lock(&self.list);
        let mut changed = Vec::clone(&seats);
        change(&mut changed);
        *seats = Arc::new(changed);
        // Release pairs with the Acquire in `epoch`.
        self.epoch.fetch_add(1, Ordering::Release);
    }

    pub(crate) fn all(&self) -> SeatList {
        lock(&self.list).clone()
    }

    pub(crate) fn epoch(&self) -> usize {
        // Acquire pairs with the Release in `change`.
        self.epoch.load(Ordering::Acquire)
    }

    /// Adds what each has done, and what those did together that have left.
    pub(crate) fn add_metrics(&self, pool: &mut PoolMetrics) {
        let departed = lock(&self.departed);
        let seats = self.all();
        pool.workers.extend(seats.iter().map(|seat| seat.metrics()));
        pool.departed.add(&departed);
    }
}
