//! The order in which spawned jobs run: a thread runs its own newest first, as rayon promises, and
//! takes the oldest of others.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A thread in a pool, told from the others.
pub(crate) type ThreadKey = usize;

enum Entry<J> {
    Job(J),
    /// Stands for its spawner's oldest job of `first_in`.
    FirstIn,
}

struct State<J> {
    stack: VecDeque<(ThreadKey, Entry<J>)>,
    first_in: VecDeque<(ThreadKey, J)>,
}

/// Jobs that are waited for elsewhere: whoever queues one tells a pool, whose thread then takes one
/// from here.
pub(crate) struct Order<J>(Mutex<State<J>>);

impl<J> Order<J> {
    pub(crate) const fn new() -> Self {
        Self(Mutex::new(State {
            stack: VecDeque::new(),
            first_in: VecDeque::new(),
        }))
    }

    fn lock(&self) -> MutexGuard<'_, State<J>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Queues a job that its spawner runs before all that it has spawned earlier.
    pub(crate) fn push(&self, by: ThreadKey, job: J) {
        self.lock().stack.push_back((by, Entry::Job(job)));
    }

    /// Queues a job that runs after all others queued like this.
    pub(crate) fn push_first_in(&self, by: ThreadKey, job: J) {
        let mut state = self.lock();
        state.stack.push_back((by, Entry::FirstIn));
        state.first_in.push_back((by, job));
    }

    /// The job that thread `by` should run next.
    pub(crate) fn pop(&self, by: ThreadKey) -> Option<J> {
        let mut state = self.lock();
        let entry = match state.stack.back() {
            Some((spawner, _)) if *spawner == by => state.stack.pop_back(),
            _ => state.stack.pop_front(),
        }?;
        state.resolve(entry)
    }

    /// The newest job, if `by` has spawned it.
    pub(crate) fn pop_own(&self, by: ThreadKey) -> Option<J> {
        let mut state = self.lock();
        let entry = state.stack.pop_back_if(|(spawner, _)| *spawner == by)?;
        state.resolve(entry)
    }

    /// Whether the newest job was spawned by `by`.
    pub(crate) fn has_own(&self, by: ThreadKey) -> bool {
        let state = self.lock();
        state
            .stack
            .back()
            .is_some_and(|(spawner, _)| *spawner == by)
    }
}

impl<J> State<J> {
    fn resolve(&mut self, (by, entry): (ThreadKey, Entry<J>)) -> Option<J> {
        match entry {
            Entry::Job(job) => Some(job),
            Entry::FirstIn => {
                let place = self.first_in.iter().position(|(other, _)| *other == by)?;
                self.first_in.remove(place).map(|(_, job)| job)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_jobs_come_newest_first_and_those_of_others_oldest_first() {
        let order = Order::new();
        for job in 0..4 {
            order.push(7, job);
        }
        assert_eq!(order.pop(7), Some(3));
        assert_eq!(order.pop(8), Some(0));
        assert_eq!(order.pop_own(8), None);
        assert_eq!(order.pop_own(7), Some(2));
        assert!(order.has_own(7) && !order.has_own(8));
        assert_eq!((order.pop(8), order.pop(8)), (Some(1), None));
    }

    #[test]
    fn first_in_jobs_keep_their_order_among_newest_first_ones() {
        let order = Order::new();
        order.push(0, 0);
        order.push_first_in(0, -1);
        order.push(0, 1);
        order.push_first_in(0, -2);
        order.push(0, 2);
        let popped: Vec<_> = std::iter::from_fn(|| order.pop(0)).collect();
        assert_eq!(popped, [2, -1, 1, -2, 0]);
    }
}
