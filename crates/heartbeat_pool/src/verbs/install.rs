//! `install`: a call that runs on one of the pool's own threads, while its caller waits.

use crate::job::Job;
use crate::latch::CountLatch;
use crate::registry::Registry;
use crate::schedule::News;
use crate::sync::Arc;
use crate::threads::this_thread;
use crate::unwind::{self, Payload};
use crate::worker::Worker;
use crate::worker::current;
use crate::worker::wait::BareWait;
use heartbeat_record::{Lane, Wait};
use std::cell::UnsafeCell;

/// Reports the end of the call, run or dropped.
struct Finish(Arc<CountLatch>);

impl Drop for Finish {
    fn drop(&mut self) {
        self.0.finish();
    }
}

/// Where the call leaves its result, on its caller's stack.
struct Outcome<R>(UnsafeCell<Option<Result<R, Payload>>>);

// SAFETY: the call writes to it, and its caller reads it after the latch says that the call is
// over.
unsafe impl<R: Send> Sync for Outcome<R> {}

/// The call, which owns what it borrows until it reports its end.
struct Call<'a, F, R> {
    f: Option<F>,
    outcome: &'a Outcome<R>,
    /// Declared last, so dropped last: everything else is gone by then.
    _finish: Finish,
}

impl<F: FnOnce(&Worker) -> R, R> Call<'_, F, R> {
    fn run(mut self) {
        let result = Worker::with_current(|worker| {
            let (worker, f) = (worker?, self.f.take()?);
            Some(unwind::catch(|| f(worker)))
        });
        // SAFETY: the caller waits for the end, which is reported after this.
        unsafe { *self.outcome.0.get() = result };
    }
}

impl Registry {
    pub(crate) fn install<R: Send>(self: &Arc<Self>, f: impl FnOnce(&Worker) -> R + Send) -> R {
        let here = Worker::with_current(|worker| {
            worker.is_some_and(|worker| worker.is_member() && worker.is_of(self))
        });
        if here || self.frame().occupancy.target() == 0 {
            return current::nearest_worker_in(self).visit(f);
        }
        let outcome = Outcome(UnsafeCell::new(None));
        let parker = this_thread::parker();
        let latch = Arc::new(CountLatch::new(parker.clone()));
        latch.begin();
        let call = Call {
            f: Some(f),
            outcome: &outcome,
            _finish: Finish(latch.clone()),
        };
        // SAFETY: this frame, which has all that the call borrows, waits until it was run or
        // dropped.
        let job = unsafe { Job::borrowing(Box::new(move || call.run())) };
        let team = self.inject(Lane::Frame, job);
        self.tell(team, News::at_once(Lane::Frame));
        let wait = BareWait {
            pool: Some(self),
            kind: Wait::Future,
            parker: &parker,
            is_over: || latch.is_done(0),
        };
        wait.to_the_end();
        match outcome.0.into_inner() {
            Some(Ok(result)) => result,
            Some(Err(payload)) => unwind::resume(payload),
            None => panic!("install: the pool ended before it ran the call"),
        }
    }
}
