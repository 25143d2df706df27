//! How the batches of one of the engine's parallel iterations become tasks.
//!
//! Of each table that it goes through the engine makes a batch at least, however small that is: of
//! many small ones it may make thousands, each shorter than it takes to queue one. So the batches
//! of an iteration that may be short are run where they are made, until it proves to be long; and
//! of what is long, as many as are worth it make one task.

use crate::batches::{self, Expected};
use core::mem;
use core::pin::Pin;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// What the engine spawns for a batch.
pub(crate) trait Batch {
    fn run(self: Pin<Box<Self>>);
}

type Boxed<'scope> = Pin<Box<dyn Batch + Send + 'scope>>;
type Scope<'scope> = heartbeat_pool::Scope<'scope, 'scope>;

/// How many batches make a task while they are run where they are made.
const IN_PLACE: usize = 0;

/// One iteration, whose batches are all made by the owner of its scope. All counts are relaxed, for
/// what others add is read after the scope's end.
pub(crate) struct Iteration<'scope> {
    begun: Instant,
    /// How many batches were made.
    made: AtomicUsize,
    /// How many of them make a task.
    a_task: AtomicUsize,
    /// Those of the next task.
    waiting: Mutex<Vec<Boxed<'scope>>>,
    /// The nanoseconds that all batches have taken together.
    took: AtomicU64,
}

/// What an iteration came to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Taken {
    /// What all its batches took together, with what they cost where they are made in place.
    pub(crate) work: Duration,
    pub(crate) batches: usize,
}

impl<'scope> Iteration<'scope> {
    pub(crate) fn new(expected: Expected) -> Self {
        Self {
            begun: Instant::now(),
            made: AtomicUsize::new(0),
            a_task: AtomicUsize::new(match expected {
                Expected::Short => IN_PLACE,
                Expected::Long { a_task } => a_task,
            }),
            waiting: Mutex::new(Vec::new()),
            took: AtomicU64::new(0),
        }
    }

    fn waiting(&self) -> MutexGuard<'_, Vec<Boxed<'scope>>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs `batch`, or queues it on `scope`, or keeps it for the next task.
    pub(crate) fn add<B>(&'scope self, scope: &'scope Scope<'scope>, batch: Pin<Box<B>>)
    where
        B: Batch + Send + 'scope,
    {
        let made = self.made.fetch_add(1, Ordering::Relaxed) + 1;
        match self.a_task.load(Ordering::Relaxed) {
            IN_PLACE => {
                batch.run();
                self.look(made);
            }
            1 => scope.spawn(|| self.timed(|| batch.run())),
            many => {
                let mut waiting = self.waiting();
                waiting.push(batch);
                if waiting.len() >= many {
                    let full = mem::take(&mut *waiting);
                    // To queue them may start a thread, by code of the program's own.
                    drop(waiting);
                    self.queue(scope, full);
                }
            }
        }
    }

    /// Whether the iteration is long, after so many batches in place.
    fn look(&self, made: usize) {
        let alone = self.begun.elapsed();
        if let Some(a_task) = batches::batches_a_task(alone, made) {
            self.add_time(alone);
            self.a_task.store(a_task, Ordering::Relaxed);
        }
    }

    fn queue(&'scope self, scope: &'scope Scope<'scope>, batches: Vec<Boxed<'scope>>) {
        scope.spawn(|| self.timed(|| batches.into_iter().for_each(Batch::run)));
    }

    fn timed(&self, f: impl FnOnce()) {
        let start = Instant::now();
        f();
        self.add_time(start.elapsed());
    }

    fn add_time(&self, time: Duration) {
        let nanos = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        self.took.fetch_add(nanos, Ordering::Relaxed);
    }

    /// All batches were made.
    pub(crate) fn end(&'scope self, scope: &'scope Scope<'scope>) {
        if self.a_task.load(Ordering::Relaxed) == IN_PLACE {
            return self.add_time(self.begun.elapsed());
        }
        let rest = mem::take(&mut *self.waiting());
        if !rest.is_empty() {
            self.queue(scope, rest);
        }
    }

    /// After the scope's end.
    pub(crate) fn taken(&self) -> Taken {
        Taken {
            work: Duration::from_nanos(self.took.load(Ordering::Relaxed)),
            batches: self.made.load(Ordering::Relaxed),
        }
    }
}

#[cfg(all(test, feature = "multi_threaded"))]
mod tests {
    use super::*;
    use heartbeat_pool::ThreadPool;
    use std::collections::HashMap;
    use std::thread::{self, ThreadId};

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
        let pool = ThreadPool::builder().num_threads(2).build().unwrap();
        let ran = Mutex::new(HashMap::new());
        let iteration = Iteration::new(expected);
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
        let (taken, ran) = iterate(Expected::Short, &[Duration::ZERO; 16]);
        assert_eq!((taken.batches, ran.values().sum::<usize>()), (16, 16));
        // A busy machine makes it long, but not each time.
        let is_alone = |_| {
            let (_, ran) = iterate(Expected::Short, &[Duration::ZERO; 16]);
            ran.get(&thread::current().id()) == Some(&16)
        };
        assert!((0..20).any(is_alone));
    }

    #[test]
    fn what_proves_to_be_long_is_shared_from_then_on() {
        let long = Duration::from_millis(2);
        let (taken, ran) = iterate(Expected::Short, &[long; 20]);
        assert!(taken.work >= 20 * long && taken.batches == 20);
        assert_eq!((ran.len(), ran.values().sum::<usize>()), (2, 20));
    }

    #[test]
    fn each_of_many_batches_to_a_task_is_run() {
        for a_task in [1, 7, 1_000] {
            let batch = Duration::from_micros(20);
            let (taken, ran) = iterate(Expected::Long { a_task }, &[batch; 100]);
            assert_eq!((taken.batches, ran.values().sum::<usize>()), (100, 100));
            assert!(taken.work >= 100 * batch);
        }
    }
}
