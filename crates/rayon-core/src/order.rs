//! The order in which spawned jobs run: a thread runs its own newest first, as rayon promises, and
//! takes the oldest of others. Each thread's lie apart, so that threads seldom meet at a lock.

use crossbeam_utils::CachePadded;
use std::collections::VecDeque;
use std::hint;
use std::sync::atomic::{AtomicUsize, Ordering};
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

/// As many threads, about, find a queue to themselves.
const SHARDS: usize = 8;

/// Jobs that are waited for elsewhere: whoever queues one tells a pool, whose thread then takes one
/// from here.
pub(crate) struct Order<J> {
    /// The jobs of the threads whose keys say so.
    shards: [CachePadded<Mutex<State<J>>>; SHARDS],
    /// Jobs that were taken by nobody who was told of one: as many of those will find none.
    untold: AtomicUsize,
}

fn lock<J>(shard: &Mutex<State<J>>) -> MutexGuard<'_, State<J>> {
    shard.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Keys are addresses, so their low bits say little.
fn place(key: ThreadKey) -> usize {
    (key as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) as usize >> (usize::BITS - SHARDS.ilog2())
}

impl<J> Order<J> {
    pub(crate) const fn new() -> Self {
        Self {
            shards: [const { CachePadded::new(Mutex::new(State::new())) }; SHARDS],
            untold: AtomicUsize::new(0),
        }
    }

    fn lock(&self, by: ThreadKey) -> MutexGuard<'_, State<J>> {
        lock(&self.shards[place(by)])
    }

    /// Queues a job that its spawner runs before all that it has spawned earlier.
    pub(crate) fn push(&self, by: ThreadKey, job: J) {
        self.lock(by).stack.push_back((by, Entry::Job(job)));
    }

    /// Queues a job that runs after all others that its spawner has queued like this.
    pub(crate) fn push_first_in(&self, by: ThreadKey, job: J) {
        let mut state = self.lock(by);
        state.stack.push_back((by, Entry::FirstIn));
        state.first_in.push_back((by, job));
    }

    /// The job that thread `by`, which was told of one, should run next. None if that was taken by
    /// [`pop_own`](Self::pop_own).
    pub(crate) fn pop(&self, by: ThreadKey) -> Option<J> {
        loop {
            let own = self.lock(by).pop_newest_of(by);
            if let Some(job) = own.or_else(|| self.pop_oldest(place(by))) {
                return Some(job);
            }
            // Relaxed, here and below: who has looked at the shard after the job was taken sees it counted.
            let less = |untold: usize| untold.checked_sub(1);
            let none = self
                .untold
                .fetch_update(Ordering::Relaxed, Ordering::Relaxed, less);
            if none.is_ok() {
                return None;
            }
            // Another thread has found this one's job, and its own was queued behind this one's back.
            hint::spin_loop();
        }
    }

    /// The oldest job of any shard, from `first` on.
    fn pop_oldest(&self, first: usize) -> Option<J> {
        let (before, after) = self.shards.split_at(first);
        let mut shards = after.iter().chain(before);
        shards.find_map(|shard| lock(shard).pop_oldest())
    }

    /// The newest job of `by`, which was not told of it.
    pub(crate) fn pop_own(&self, by: ThreadKey) -> Option<J> {
        let mut state = self.lock(by);
        let job = state.pop_newest_of(by)?;
        // Under the lock, so that nobody finds the job gone and not counted.
        self.untold.fetch_add(1, Ordering::Relaxed);
        Some(job)
    }

    /// Whether `by` has spawned jobs that nobody has begun.
    pub(crate) fn has_own(&self, by: ThreadKey) -> bool {
        self.lock(by).is_newest_of(by)
    }
}

impl<J> State<J> {
    const fn new() -> Self {
        Self {
            stack: VecDeque::new(),
            first_in: VecDeque::new(),
        }
    }

    fn is_newest_of(&self, by: ThreadKey) -> bool {
        self.stack.back().is_some_and(|(spawner, _)| *spawner == by)
    }

    fn pop_newest_of(&mut self, by: ThreadKey) -> Option<J> {
        let entry = self.stack.pop_back_if(|(spawner, _)| *spawner == by)?;
        self.resolve(entry)
    }

    fn pop_oldest(&mut self) -> Option<J> {
        let entry = self.stack.pop_front()?;
        self.resolve(entry)
    }

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
    use std::thread;

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
        let popped = [(); 5].map(|()| order.pop(0).unwrap());
        assert_eq!(popped, [2, -1, 1, -2, 0]);
    }

    #[test]
    fn whoever_was_told_of_a_job_finds_one_unless_its_spawner_took_it() {
        const JOBS: usize = if cfg!(miri) { 50 } else { 20_000 };
        const THREADS: usize = 4;
        let order = Order::new();
        let (told, sum) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let (found, taken) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let work = |number: usize| {
            let count = |job, counter: &AtomicUsize| {
                sum.fetch_add(job, Ordering::Relaxed);
                counter.fetch_add(1, Ordering::Relaxed);
            };
            for job in number * JOBS..(number + 1) * JOBS {
                // Each lies with another spawner's.
                order.push(job, job);
                told.fetch_add(1, Ordering::Release);
                if job % 5 == 0
                    && let Some(job) = order.pop_own(job)
                {
                    count(job, &taken);
                }
                // Whoever comes first is told.
                let one_less = |told: usize| told.checked_sub(1);
                while told
                    .fetch_update(Ordering::Acquire, Ordering::Relaxed, one_less)
                    .is_ok()
                {
                    if let Some(job) = order.pop(usize::MAX - number) {
                        count(job, &found);
                    }
                }
            }
        };
        thread::scope(|scope| {
            for number in 0..THREADS {
                let work = &work;
                scope.spawn(move || work(number));
            }
        });
        let (found, taken) = (found.into_inner(), taken.into_inner());
        assert_eq!(found + taken, THREADS * JOBS);
        assert_eq!(sum.into_inner(), (0..THREADS * JOBS).sum());
        assert_eq!(order.untold.into_inner(), 0);
    }
}
