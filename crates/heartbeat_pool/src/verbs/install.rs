//! `install`: a call that runs on one of the pool's own threads, while its caller waits.

use crate::queue::deque::Order;
use crate::registry::Registry;
use crate::sync::Arc;
use crate::worker::Worker;
use crate::worker::current;

impl Registry {
    /// Runs `f` on one of the pool's threads, and waits for it.
    pub(crate) fn install<R: Send>(self: &Arc<Self>, f: impl FnOnce(&Worker) -> R + Send) -> R {
        let here = Worker::with_current(|worker| {
            worker.is_some_and(|worker| worker.is_member() && worker.is_of(self))
        });
        if here || self.frame().occupancy.target() == 0 {
            return current::nearest_worker_in(self).visit(f);
        }
        let mut result = None;
        self.scope_elsewhere(Order::OldestFirst, |scope| {
            let result = &mut result;
            scope.spawn(move || *result = Worker::with_current(|worker| worker.map(f)));
        });
        match result {
            Some(result) => result,
            None => unreachable!("a scope's jobs run inside of its pool, before it returns"),
        }
    }
}
