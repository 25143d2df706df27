//! The order in which spawned jobs run: a thread runs its own newest first, as rayon promises, and
//! takes the oldest of others. Each thread's lie apart, so that threads seldom meet at a lock.
//!
//! A job waits for a bounded number of jobs of others: a thread that runs its own looks at those of
//! others now and then, it begins each time with the next shard, and in a shard the spawners take
//! turns.

use crossbeam_utils::CachePadded;
use std::collections::VecDeque;
use std::hint;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A thread in a pool, told from the others.
pub(crate) type ThreadKey = usize;

enum Entry<J> {
    Job(J),
    /// Stands for the oldest job of `first_in`.
    FirstIn,
}

/// What one thread has spawned.
struct Spawned<J> {
    by: ThreadKey,
    stack: VecDeque<Entry<J>>,
    first_in: VecDeque<J>,
}

struct Shard<J> {
    /// In the order of their turns. What is empty is for the next thread that has no place.
    spawned: Vec<Spawned<J>>,
    /// Jobs that the shard's threads have run of their own since they looked for one of others'.
    own: usize,
    /// How often they did that.
    looks: usize,
}

/// As many threads, about, find a shard to themselves.
const SHARDS: usize = 8;
/// So many own jobs, then one of others', if there is any.
const MOST_OWN: usize = 31;

/// Jobs that are waited for elsewhere: whoever queues one tells a pool, whose thread then takes one
/// from here.
pub(crate) struct Order<J> {
    /// The jobs of the threads whose keys say so.
    shards: [CachePadded<Mutex<Shard<J>>>; SHARDS],
    /// Jobs that were taken by nobody who was told of one: as many of those will find none.
    untold: AtomicUsize,
}

fn lock<J>(shard: &Mutex<Shard<J>>) -> MutexGuard<'_, Shard<J>> {
    shard.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Keys are addresses, so their low bits say little.
fn place(key: ThreadKey) -> usize {
    (key as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) as usize >> (usize::BITS - SHARDS.ilog2())
}

impl<J> Order<J> {
    pub(crate) const fn new() -> Self {
        Self {
            shards: [const { CachePadded::new(Mutex::new(Shard::new())) }; SHARDS],
            untold: AtomicUsize::new(0),
        }
    }

    fn lock(&self, by: ThreadKey) -> MutexGuard<'_, Shard<J>> {
        lock(&self.shards[place(by)])
    }

    /// Queues a job that its spawner runs before all that it has spawned earlier.
    pub(crate) fn push(&self, by: ThreadKey, job: J) {
        self.lock(by).of(by).stack.push_back(Entry::Job(job));
    }

    /// Queues a job that runs after all others that its spawner has queued like this.
    pub(crate) fn push_first_in(&self, by: ThreadKey, job: J) {
        let mut shard = self.lock(by);
        let spawned = shard.of(by);
        spawned.stack.push_back(Entry::FirstIn);
        spawned.first_in.push_back(job);
    }

    /// The job that thread `by`, which was told of one, should run next. None if that was taken by
    /// [`pop_own`](Self::pop_own).
    pub(crate) fn pop(&self, by: ThreadKey) -> Option<J> {
        loop {
            let job = self.pop_usual(by);
            if job.is_some() {
                return job;
            }
            // Relaxed, here and below: who has looked at the shard after the job was taken sees it
            // counted.
            let less = |untold: usize| untold.checked_sub(1);
            let none = self
                .untold
                .fetch_update(Ordering::Relaxed, Ordering::Relaxed, less);
            if none.is_ok() {
                return None;
            }
            // Another thread has found this one's job, and its own was queued behind this one's
            // back.
            hint::spin_loop();
        }
    }

    /// The newest job of `by` or, where it has none or has had enough, the oldest of another
    /// thread.
    fn pop_usual(&self, by: ThreadKey) -> Option<J> {
        let mut shard = self.lock(by);
        if shard.own < MOST_OWN
            && let Some(job) = shard.pop_newest_of(by)
        {
            shard.own += 1;
            return Some(job);
        }
        shard.own = 0;
        shard.looks = shard.looks.wrapping_add(1);
        let first = place(by).wrapping_add(shard.looks);
        drop(shard);
        (0..SHARDS)
            .map(|next| &self.shards[first.wrapping_add(next) % SHARDS])
            .find_map(|shard| lock(shard).pop_oldest_of_others(by))
            .or_else(|| self.lock(by).pop_newest_of(by))
    }

    /// The newest job of `by`, which was not told of it.
    pub(crate) fn pop_own(&self, by: ThreadKey) -> Option<J> {
        let mut shard = self.lock(by);
        let job = shard.pop_newest_of(by)?;
        // Under the lock, so that nobody finds the job gone and not counted.
        self.untold.fetch_add(1, Ordering::Relaxed);
        Some(job)
    }

    /// Whether `by` has spawned jobs that nobody has begun.
    pub(crate) fn has_own(&self, by: ThreadKey) -> bool {
        let shard = self.lock(by);
        let mut spawned = shard.spawned.iter();
        spawned.any(|spawned| spawned.by == by && !spawned.stack.is_empty())
    }
}

impl<J> Shard<J> {
    const fn new() -> Self {
        Self {
            spawned: Vec::new(),
            own: 0,
            looks: 0,
        }
    }

    /// Where the jobs of `by` go.
    fn of(&mut self, by: ThreadKey) -> &mut Spawned<J> {
        let is_own = |spawned: &Spawned<J>| spawned.by == by;
        let is_free = |spawned: &Spawned<J>| spawned.stack.is_empty();
        let place = self.spawned.iter().position(is_own);
        let place = place.or_else(|| self.spawned.iter().position(is_free));
        let place = place.unwrap_or_else(|| {
            self.spawned.push(Spawned {
                by,
                stack: VecDeque::new(),
                first_in: VecDeque::new(),
            });
            self.spawned.len() - 1
        });
        let spawned = &mut self.spawned[place];
        spawned.by = by;
        spawned
    }

    fn pop_newest_of(&mut self, by: ThreadKey) -> Option<J> {
        let spawned = self.spawned.iter_mut().find(|spawned| spawned.by == by)?;
        let entry = spawned.stack.pop_back()?;
        spawned.resolve(entry)
    }

    /// The oldest job of the next spawner in turn, other than `by`.
    fn pop_oldest_of_others(&mut self, by: ThreadKey) -> Option<J> {
        let is_next = |spawned: &Spawned<J>| spawned.by != by && !spawned.stack.is_empty();
        let next = self.spawned.iter().position(is_next)?;
        let spawned = &mut self.spawned[next];
        let entry = spawned.stack.pop_front()?;
        let job = spawned.resolve(entry);
        self.spawned[next..].rotate_left(1);
        job
    }
}

impl<J> Spawned<J> {
    fn resolve(&mut self, entry: Entry<J>) -> Option<J> {
        match entry {
            Entry::Job(job) => Some(job),
            Entry::FirstIn => self.first_in.pop_front(),
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

    /// A thread whose jobs lie in the shard of that number, told from others there by `number`.
    fn thread_of(shard: usize, number: usize) -> ThreadKey {
        let keys = (1..).filter(|key| place(*key) == shard);
        keys.into_iter().nth(number).unwrap()
    }

    #[test]
    fn a_job_waits_for_a_bounded_number_of_jobs_of_others() {
        const BACKLOG: i32 = 100;
        // Each look begins elsewhere, of three spawners at most in a shard; the two jobs are its
        // oldest.
        const MOST: usize = (MOST_OWN + 1) * SHARDS * 3 * 2;
        for (one, other) in (0..SHARDS).flat_map(|one| (0..SHARDS).map(move |other| (one, other))) {
            let (busy, one, other) = (thread_of(0, 0), thread_of(one, 1), thread_of(other, 2));
            // Whoever takes the jobs, the spawner of an endless backlog itself too.
            for taker in [busy, thread_of(0, 3), other, thread_of(SHARDS - 1, 3)] {
                let order = Order::new();
                (0..BACKLOG).for_each(|job| order.push(busy, job));
                order.push(one, -1);
                order.push_first_in(one, -2);
                let mut left = vec![-1, -2];
                for _ in 0..MOST {
                    order.push(busy, BACKLOG);
                    order.push(other, BACKLOG);
                    let job = order.pop(taker).unwrap();
                    left.retain(|wanted| *wanted != job);
                }
                assert_eq!(left, [0; 0], "{busy} {one} {other}, by {taker}");
            }
        }
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
