//! The cells that a worker is made of, by what they are for.

use crate::age::Age;
use crate::cost;
use crate::lanes::relief::Relief;
use crate::queue::deque::Deque;
use crate::queue::forks::Offered;
use crate::queue::private::PrivateQueue;
use crate::registry::seats::SeatList;
use crate::registry::team::Rank;
use crate::seat::Seat;
use crate::sync::Arc;
use crate::threads::numbers::Slot;
use crate::worker::ages::OwnJobs;
use heartbeat_record::Lane;
use std::any::Any;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Weak;
use std::time::Duration;

/// What a scope shares with its helpers, as far as it can be used again.
pub(crate) type KeptScopes = RefCell<Vec<Arc<dyn Any + Send + Sync>>>;

pub(crate) struct Joins {
    pub(crate) private: PrivateQueue,
    /// Second halves that others may take, newest last. All are older than those of `private`.
    pub(crate) forks: Deque<Offered>,
    /// Whether the thread is inside of a measured join, or of a part of one.
    pub(crate) is_measured: Cell<bool>,
    /// Whether a second half was not there to be taken back since this was unset last: another
    /// thread has taken it, or this one in a yield.
    pub(crate) were_taken: Cell<bool>,
    /// How many are to look for its next fork, and what it forks then, as soon as others may take
    /// it.
    pub(crate) helpers_wanted: Cell<usize>,
    /// How long the thread did alone what threads that slept would have shared with it, less what
    /// paid for waking one.
    missed: Cell<Duration>,
    /// The number of what was queued last.
    queued: Cell<u64>,
    /// The scopes on which the thread has queued jobs, where work goes by age, the last one last;
    /// and some on which none are left.
    pub(super) scopes: RefCell<Vec<Weak<dyn OwnJobs>>>,
}

#[derive(Default)]
pub(super) struct Search {
    /// The seats as they were when their list last changed, and which change that was: none at
    /// first, when the list has the worker's own. Looks hold it, not the cell: a handler of the
    /// program's might run meanwhile.
    pub(super) seats: RefCell<(usize, Rc<SeatList>)>,
    /// Where the next search among the others' seats starts.
    pub(super) rotation: Cell<usize>,
    /// Whether parts come before jobs as it next takes something from the injector, by lane.
    pub(super) parts_first: [Cell<bool>; 3],
    /// Looks for frame work so far.
    pub(super) ticks: Cell<u32>,
    /// Looks so far where nobody else may come for what this thread leaves.
    pub(super) lone_ticks: Cell<u32>,
    /// The same of those that wait, at what nobody has taken for long.
    pub(super) left_ticks: Cell<u32>,
    /// Looks at frame work for which there is no room, where nobody else may come.
    pub(super) full_ticks: Cell<u32>,
    /// Yields so far to any work, and to the thread's own.
    pub(super) yields: [Cell<u32>; 2],
    /// Whether the last thing that it ran was what only it may run.
    pub(super) had_bound_turn: Cell<bool>,
    /// Whether the ticket that is begun next is to run one job of its scope only.
    pub(super) one_piece: Cell<bool>,
}

pub(super) struct Count {
    /// Its team's.
    pub(super) rank: Rank,
    /// As what it is counted in the team's occupancy.
    pub(super) charge: Cell<Option<Lane>>,
    pub(super) relief: Relief,
    pub(super) slot: Slot,
}

impl Joins {
    pub(super) fn new(forks: Deque<Offered>) -> Self {
        Self {
            private: PrivateQueue::default(),
            forks,
            is_measured: Cell::new(false),
            were_taken: Cell::new(false),
            helpers_wanted: Cell::new(0),
            missed: Cell::default(),
            queued: Cell::new(0),
            scopes: RefCell::new(Vec::new()),
        }
    }

    pub(crate) fn missed(&self) -> Duration {
        self.missed.get()
    }

    /// The thread did alone, for so much `time`, what others would have shared, had they not slept.
    /// So much was missed `before` that; what was missed within it is a part of it.
    pub(crate) fn miss(&self, before: Duration, time: Duration) {
        let missed = self.missed.get();
        // Else somebody was woken within it.
        if let Some(inner) = missed.checked_sub(before) {
            let more = missed.saturating_add(time.saturating_sub(inner));
            self.missed.set(more.min(cost::MOST_MISSED));
        }
    }

    /// Whether what was missed is much by now.
    pub(crate) fn is_much_missed(&self) -> bool {
        cost::is_worth_waking(self.missed.get())
    }

    /// Whether work that takes `time`, which others might do, pays for waking somebody together
    /// with what was missed before. If it does, the caller must wake somebody, and so much less was
    /// missed.
    pub(crate) fn pays_for_waking(&self, time: Duration) -> bool {
        let missed = self.missed.get();
        let pays = cost::is_worth_waking(missed.saturating_add(time));
        if pays {
            self.missed.set(missed.saturating_sub(cost::A_WAKE_UP_PAYS));
        }
        pays
    }

    /// How old what the thread, of `seat`, queues now is.
    #[inline]
    pub(crate) fn next_age(&self, seat: &Seat) -> Age {
        let nth = self.queued.get().wrapping_add(1);
        self.queued.set(nth);
        Age::new(seat.thread, nth)
    }
}

impl Count {
    pub(super) fn new(rank: Rank) -> Self {
        Self {
            rank,
            charge: Cell::new(None),
            relief: Relief::default(),
            slot: Slot::default(),
        }
    }
}

#[cfg(all(test, not(heartbeat_loom)))]
mod tests {
    use crate::cost;
    use crate::pool::ThreadPool;
    use std::time::Duration;

    #[test]
    fn what_was_missed_pays_for_as_many_wake_ups_as_it_is_long() {
        let pool = ThreadPool::builder().num_threads(1).build().unwrap();
        pool.with_worker(|worker| {
            let joins = &worker.joins;
            let micros = Duration::from_micros;
            let miss = |time| joins.miss(joins.missed(), time);
            let price = cost::A_WAKE_UP_PAYS;
            miss(price * 3 / 5);
            assert!(!joins.pays_for_waking(price / 5) && !joins.is_much_missed());
            assert!(joins.pays_for_waking(price / 2));
            assert!(!joins.pays_for_waking(price / 2));
            miss(price * 9 / 2);
            let paid = (0..10).filter(|_| joins.pays_for_waking(micros(0)));
            assert_eq!(paid.count(), 4);
            // A loop within a piece of another one.
            let before = joins.missed();
            miss(micros(30));
            joins.miss(before, micros(31));
            assert_eq!(joins.missed(), before + micros(31));
            miss(Duration::MAX);
            let paid = (0..10_000).filter(|_| joins.pays_for_waking(micros(0)));
            assert_eq!(
                paid.count() as u32,
                cost::MOST_MISSED.div_duration_f32(price) as u32
            );
        });
    }
}
