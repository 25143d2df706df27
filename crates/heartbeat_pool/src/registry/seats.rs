//! The seats of a team, and what those did that have left.

use crate::metrics::{PoolMetrics, WorkerMetrics};
use crate::registry::threads::RETRY;
use crate::seat::Seat;
use crate::stopwatch;
use crate::sync::{Arc, AtomicBool, AtomicU64, AtomicUsize, Mutex, Ordering, lock};

/// The seats as one reading: a worker keeps it until the epoch moves.
pub(crate) type SeatList = Arc<Vec<Arc<Seat>>>;

#[derive(Default)]
pub(crate) struct Seats {
    all: Mutex<Vec<Arc<Seat>>>,
    /// Those where work may lie.
    list: Mutex<SeatList>,
    /// Counts changes of the list.
    epoch: AtomicUsize,
    /// Whether most of the listed ones are of threads from outside.
    is_crowded: AtomicBool,
    /// When it is time for the next sweep, in nanoseconds.
    next_sweep: AtomicU64,
    departed: Mutex<WorkerMetrics>,
}

impl Seats {
    pub(crate) fn add(&self, seat: Arc<Seat>) {
        lock(&self.all).push(seat.clone());
        self.change(|seats| seats.push(seat));
    }

    /// Lists one again that was left out.
    pub(crate) fn list(&self, seat: &Arc<Seat>) {
        self.change(|seats| {
            if !seats.iter().any(|other| Arc::ptr_eq(other, seat)) {
                seats.push(seat.clone());
            }
        });
    }

    pub(crate) fn remove(&self, seat: &Arc<Seat>) {
        // Held throughout, so that a snapshot finds the seat either here or there.
        let mut departed = lock(&self.departed);
        let is_other = |other: &Arc<Seat>| !Arc::ptr_eq(other, seat);
        lock(&self.all).retain(is_other);
        self.change(|seats| seats.retain(is_other));
        departed.add(&seat.metrics());
    }

    /// Where most are of threads from outside, leaves out those that have long been elsewhere.
    #[inline]
    pub(crate) fn sweep(&self) {
        // Relaxed, here and below: a guess; seats are listed and left out under the lock.
        if self.is_crowded.load(Ordering::Relaxed) {
            self.sweep_crowd();
        }
    }

    #[cold]
    fn sweep_crowd(&self) {
        // A seat is left out, and has to be listed again, once in this time at most.
        let pause = RETRY.as_nanos() as u64;
        let (now, due) = (stopwatch::now(), self.next_sweep.load(Ordering::Relaxed));
        let is_mine = || {
            let next = &self.next_sweep;
            next.compare_exchange(due, now + pause, Ordering::Relaxed, Ordering::Relaxed)
        };
        if now < due || is_mine().is_err() {
            return;
        }
        self.change(|seats| {
            seats.retain(|seat| {
                let is_left_out = seat.presence.age();
                // Looked at after that: what comes later, its owner lists first.
                let is_kept = is_left_out && !seat.is_empty();
                if is_kept {
                    seat.presence.take_back();
                }
                !is_left_out || is_kept
            });
        });
    }

    fn change(&self, change: impl FnOnce(&mut Vec<Arc<Seat>>)) {
        let mut seats = lock(&self.list);
        let mut changed = Vec::clone(&seats);
        change(&mut changed);
        let outside = changed.iter().filter(|seat| seat.presence.is_outsiders());
        let is_crowded = 2 * outside.count() > changed.len();
        self.is_crowded.store(is_crowded, Ordering::Relaxed);
        *seats = Arc::new(changed);
        // Release pairs with the Acquire in `epoch`.
        self.epoch.fetch_add(1, Ordering::Release);
    }

    /// All, listed or not.
    pub(crate) fn every(&self) -> Vec<Arc<Seat>> {
        lock(&self.all).clone()
    }

    pub(crate) fn listed(&self) -> SeatList {
        lock(&self.list).clone()
    }

    pub(crate) fn epoch(&self) -> usize {
        // Acquire pairs with the Release in `change`.
        self.epoch.load(Ordering::Acquire)
    }

    /// Adds what each has done, and what those did together that have left.
    pub(crate) fn add_metrics(&self, pool: &mut PoolMetrics) {
        let departed = lock(&self.departed);
        let seats = self.every();
        pool.workers.extend(seats.iter().map(|seat| seat.metrics()));
        pool.departed.add(&departed);
    }
}
