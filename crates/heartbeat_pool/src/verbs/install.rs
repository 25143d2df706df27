//! `install`: a call that runs on one of the pool's own threads, while its caller waits.

use crate::active::Tracked;
use crate::job::Job;
use crate::registry::Registry;
use crate::schedule::News;
use crate::sync::Arc;
use crate::unwind;
use crate::verbs::block_on::drive;
use crate::worker::Worker;
use crate::worker::current;
use async_task::Runnable;
use heartbeat_record::Lane;

impl Registry {
    pub(crate) fn install<R: Send>(self: &Arc<Self>, f: impl FnOnce(&Worker) -> R + Send) -> R {
        // Also if the thread is inside of another pool now.
        if let Some(own) = current::member().filter(|worker| worker.is_of(self)) {
            return own.visit(f);
        }
        if self.frame().occupancy.target() == 0 {
            return current::nearest_worker_in(self).visit(f);
        }
        let call = |worker: Option<&Worker>| worker.map(|worker| unwind::catch(|| f(worker)));
        let call = async move { Worker::with_current(call) };
        // SAFETY: this frame, whose caller has the pool, waits until it is dropped.
        let call = unsafe { Tracked::new(call, self) };
        // Nothing wakes it: it is over with its first poll.
        let schedule = |_: Runnable| ();
        let builder = async_task::Builder::new();
        // SAFETY: future and output are `Send`; `schedule` holds nothing; and this frame, which has
        // all that the call borrows, waits until that is run or dropped.
        let (runnable, task) = unsafe { builder.spawn_unchecked(|()| call, schedule) };
        // Without unwinding: the call points into the frames of whoever waits here.
        let result = unwind::or_abort(|| {
            let team = self.inject(Lane::Frame, Job::new(runnable));
            self.tell(team, News::at_once(Lane::Frame));
            drive(task.fallible(), Some(self))
        });
        match result.flatten() {
            Some(Ok(result)) => result,
            Some(Err(payload)) => unwind::resume(payload),
            None => panic!("install: the pool ended before it ran the call; keep it until then"),
        }
    }
}
