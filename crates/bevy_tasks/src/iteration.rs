//! How the batches of one of the engine's parallel iterations become tasks.
//!
//! Of each table that it goes through the engine makes a batch at least, however small that is: of
//! many small ones it may make thousands, each shorter than it takes to queue one. So the batches
//! of an iteration that may be short are run where they are made, until it proves to be long. From
//! then on they are queued, and as many tasks as there are threads run whatever is queued: whichever
//! of these batches are the long ones, no other waits behind them.

use crate::batches::{self, Expected};
use core::mem;
use core::pin::Pin;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

/// What the engine spawns for a batch.
pub(crate) trait Batch {
    fn run(self: Pin<Box<Self>>);
}

type Boxed<'scope> = Pin<Box<dyn Batch + Send + 'scope>>;
type Scope<'scope> = heartbeat_pool::Scope<'scope, 'scope>;

/// One iteration. All counts are relaxed, for what others add is read after the scope's end.
pub(crate) struct Iteration<'scope> {
    begun: Instant,
    owner: ThreadId,
    /// How long it may take where its batches are made.
    limit: Duration,
    /// How many batches were made.
    made: AtomicUsize,
    /// Whether they are run where they are made.
    in_place: AtomicBool,
    queue: Mutex<Queue<'scope>>,
    threads: usize,
    /// The nanoseconds that all batches have taken together.
    took: AtomicU64,
}

struct Queue<'scope> {
    batches: VecDeque<Boxed<'scope>>,
    /// How many tasks run what is queued, or will, at most one a thread of the pool.
    tasks: usize,
    /// How many of these have taken nothing yet.
    to_begin: usize,
}

fn nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

/// What an iteration came to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Taken {
    /// What all its batches took together, with what they cost where they are made in place.
    pub(crate) work: Duration,
    /// What it took from begin to end, if it was shared from the beginning.
    pub(crate) time: Duration,
    pub(crate) batches: usize,
}

impl<'scope> Iteration<'scope> {
    pub(crate) fn new(expected: Expected, threads: usize) -> Self {
        let (limit, in_place) = match expected {
            Expected::Short { limit } => (limit, true),
            Expected::Long => (Duration::ZERO, false),
        };
        Self {
            begun: Instant::now(),
            owner: thread::current().id(),
            limit,
            made: AtomicUsize::new(0),
            in_place: AtomicBool::new(in_place),
            queue: Mutex::new(Queue {
                batches: VecDeque::new(),
                tasks: 0,
                to_begin: 0,
            }),
            // A pool may have lost all of them since it was asked for the number of batches: then
            // the owner runs the task.
            threads: threads.max(1),
            took: AtomicU64::new(0),
        }
    }

    fn queue(&self) -> MutexGuard<'_, Queue<'scope>> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs `batch`, or queues it for the tasks on `scope`.
    pub(crate) fn add<B>(&'scope self, scope: &'scope Scope<'scope>, batch: Pin<Box<B>>)
    where
        B: Batch + Send + 'scope,
    {
        let made = self.made.fetch_add(1, Ordering::Relaxed) + 1;
        if self.in_place.load(Ordering::Relaxed) {
            batch.run();
            return self.look(made);
        }
        let mut queue = self.queue();
        queue.batches.push_back(batch);
        // What has begun may be long.
        let is_one_more = queue.tasks < self.threads && queue.to_begin < queue.batches.len();
        if is_one_more {
            queue.tasks += 1;
            queue.to_begin += 1;
        }
        // To spawn may start a thread, by code of the program's own.
        drop(queue);
        if is_one_more {
            scope.spawn(|| self.run_queued());
        }
    }

    /// Whether the iteration is long, after so many batches in place.
    fn look(&self, made: usize) {
        let alone = self.begun.elapsed();
        self.took.store(nanos(alone), Ordering::Relaxed);
        if batches::is_long(alone, self.limit, made) {
            self.in_place.store(false, Ordering::Relaxed);
        }
    }

    fn run_queued(&self) {
        let begun = Instant::now();
        // From either end, so that neighbours, and the same ones each time, stay with a thread.
        let is_owner = thread::current().id() == self.owner;
        let mut is_first = true;
        let mut panic = None;
        // After a panic too: the scope is cancelled then, and what it has queued must not outlive
        // it.
        while let Some(batch) = self.next(is_owner, mem::take(&mut is_first)) {
            match catch_unwind(AssertUnwindSafe(|| batch.run())) {
                Err(payload) if panic.is_none() => panic = Some(payload),
                // Its drop may panic in turn.
                Err(payload) => mem::forget(payload),
                Ok(()) => {}
            }
        }
        self.took
            .fetch_add(nanos(begun.elapsed()), Ordering::Relaxed);
        if let Some(payload) = panic {
            resume_unwind(payload);
        }
    }

    /// Where there is none the task is over: what is queued later has another one.
    fn next(&self, is_owner: bool, is_first: bool) -> Option<Boxed<'scope>> {
        let mut queue = self.queue();
        queue.to_begin -= usize::from(is_first);
        let next = if is_owner {
            queue.batches.pop_back()
        } else {
            queue.batches.pop_front()
        };
        queue.tasks -= usize::from(next.is_none());
        next
    }

    /// The closure of `scope` is over: what its tasks may add is queued.
    pub(crate) fn end(&self, scope: &'scope Scope<'scope>) {
        self.in_place.store(false, Ordering::Relaxed);
        if self.limit.is_zero() {
            // The pool sees few jobs, of which it can't know how long they are.
            scope.call_for_help();
        }
    }

    /// After the scope's end.
    pub(crate) fn taken(&self) -> Taken {
        let work = Duration::from_nanos(self.took.load(Ordering::Relaxed));
        let is_shared = self.limit.is_zero();
        Taken {
            work,
            time: if is_shared {
                self.begun.elapsed()
            } else {
                work
            },
            batches: self.made.load(Ordering::Relaxed),
        }
    }
}

#[cfg(all(test, feature = "multi_threaded"))]
mod tests {
    use super::*;
    use heartbeat_pool::ThreadPool;
    use std::collections::HashMap;

    const SHORT: Expected = Expected::Short {
        limit: Duration::from_micros(25),
    };

    struct Spin<'a>(Duration, &'a Mutex<HashMap<ThreadId, usize>>);

    impl Batch for Spin<'_> {
        fn run(self: Pin<Box<Self>>) {
            let start = Instant::now();
            while start.elapsed() < self.0 {}
            *self
                .1
                .lock()
                .unwrap()
                .entry(thread::current().id())
                .or_default() += 1;
        }
    }

    /// What an iteration of batches that take so long comes to, and how many each thread has run.
    fn iterate(expected: Expected, batches: &[Duration]) -> (Taken, HashMap<ThreadId, usize>) {
        iterate_on(2, expected, batches)
    }

    /// The same in a pool that has so many threads.
    fn iterate_on(
        threads: usize,
        expected: Expected,
        batches: &[Duration],
    ) -> (Taken, HashMap<ThreadId, usize>) {
        let pool = ThreadPool::builder().num_threads(threads).build().unwrap();
        let ran = Mutex::new(HashMap::new());
        let iteration = Iteration::new(expected, threads);
        pool.scope(|scope| {
            // SAFETY: it is used by the closure and by the scope's jobs alone.
            let scope =
                unsafe { mem::transmute::<&heartbeat_pool::Scope<'_, '_>, &Scope<'_>>(scope) };
            // SAFETY: it outlives the scope.
            let iteration = unsafe { &*core::ptr::from_ref(&iteration) };
            for &batch in batches {
                iteration.add(scope, Box::pin(Spin(batch, &ran)));
            }
            iteration.end(scope);
        });
        let taken = iteration.taken();
        drop(iteration);
        (taken, ran.into_inner().unwrap())
    }

    #[test]
    fn what_is_short_is_run_where_it_is_made() {
        let (taken, ran) = iterate(SHORT, &[Duration::ZERO; 16]);
        assert_eq!((taken.batches, ran.values().sum::<usize>()), (16, 16));
        // A busy machine makes it long, but not each time.
        let is_alone = |_| {
            let (_, ran) = iterate(SHORT, &[Duration::ZERO; 16]);
            ran.get(&thread::current().id()) == Some(&16)
        };
        assert!((0..20).any(is_alone));
    }

    #[test]
    fn what_proves_to_be_long_is_shared_from_then_on() {
        let long = Duration::from_millis(2);
        // A busy machine may leave all to one thread, but not each time.
        let is_shared = |_| {
            let (taken, ran) = iterate(SHORT, &[long; 20]);
            assert!(taken.work >= 20 * long && taken.batches == 20);
            assert_eq!(ran.values().sum::<usize>(), 20);
            ran.len() == 2
        };
        assert!((0..20).any(is_shared));
    }

    /// Waits for the second one's begin, or gives up and says so.
    struct Meets<'a>(&'a AtomicUsize, &'a AtomicBool);

    impl Batch for Meets<'_> {
        fn run(self: Pin<Box<Self>>) {
            self.0.fetch_add(1, Ordering::SeqCst);
            let begun = Instant::now();
            while self.0.load(Ordering::SeqCst) < 2 {
                thread::yield_now();
                if begun.elapsed() > Duration::from_secs(10) {
                    return self.1.store(true, Ordering::SeqCst);
                }
            }
        }
    }

    #[test]
    fn a_batch_waits_for_none_that_has_begun() {
        let pool = ThreadPool::builder().num_threads(2).build().unwrap();
        let (begun, is_late) = (AtomicUsize::new(0), AtomicBool::new(false));
        let iteration = Iteration::new(Expected::Long, 2);
        pool.scope(|scope| {
            // SAFETY: it is used by the closure and by the scope's jobs alone.
            let scope =
                unsafe { mem::transmute::<&heartbeat_pool::Scope<'_, '_>, &Scope<'_>>(scope) };
            // SAFETY: it outlives the scope.
            let iteration = unsafe { &*core::ptr::from_ref(&iteration) };
            iteration.add(scope, Box::pin(Meets(&begun, &is_late)));
            while begun.load(Ordering::SeqCst) == 0 {
                thread::yield_now();
            }
            iteration.add(scope, Box::pin(Meets(&begun, &is_late)));
            iteration.end(scope);
        });
        assert!(!is_late.load(Ordering::SeqCst));
    }

    struct Breaks<'a>(&'a AtomicUsize);

    impl Batch for Breaks<'_> {
        fn run(self: Pin<Box<Self>>) {
            self.0.fetch_add(1, Ordering::SeqCst);
            panic!("as a test");
        }
    }

    #[test]
    fn nothing_is_left_when_batches_panic() {
        for threads in [0, 1, 2] {
            let pool = ThreadPool::builder().num_threads(threads).build().unwrap();
            let ran = AtomicUsize::new(0);
            let iteration = Iteration::new(Expected::Long, threads);
            let panicked = catch_unwind(AssertUnwindSafe(|| {
                pool.scope(|scope| {
                    // SAFETY: it is used by the closure and by the scope's jobs alone.
                    let scope = unsafe {
                        mem::transmute::<&heartbeat_pool::Scope<'_, '_>, &Scope<'_>>(scope)
                    };
                    // SAFETY: it outlives the scope.
                    let iteration = unsafe { &*core::ptr::from_ref(&iteration) };
                    for _ in 0..20 {
                        iteration.add(scope, Box::pin(Breaks(&ran)));
                    }
                    iteration.end(scope);
                });
            }));
            assert!(panicked.is_err());
            assert_eq!(ran.load(Ordering::SeqCst), 20);
            let queue = iteration.queue();
            assert_eq!(
                (queue.batches.len(), queue.tasks, queue.to_begin),
                (0, 0, 0)
            );
        }
    }

    #[test]
    fn each_batch_is_run() {
        for (threads, count) in [(2, 0), (2, 1), (2, 2), (2, 100), (1, 100), (0, 100)] {
            let batch = Duration::from_micros(20);
            let (taken, ran) = iterate_on(threads, Expected::Long, &vec![batch; count]);
            assert_eq!((taken.batches, ran.values().sum::<usize>()), (count, count));
            assert!(taken.work >= count as u32 * batch);
        }
    }

    #[test]
    fn long_batches_beside_each_other_are_shared() {
        let mut batches = [Duration::ZERO; 100];
        batches[50..54].fill(Duration::from_millis(2));
        // A busy machine may leave all to one thread, but not each time.
        let is_shared = |_| {
            let (taken, ran) = iterate(Expected::Long, &batches);
            taken.time.as_secs_f64() < 0.8 * taken.work.as_secs_f64() && ran.len() == 2
        };
        assert!((0..50).any(is_shared));
    }
}
