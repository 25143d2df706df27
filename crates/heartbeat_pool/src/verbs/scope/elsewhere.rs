//! A scope whose owner only waits: all that is spawned is left to the pool's threads.

use super::core::ScopeCore;
use super::{Scope, within};
use crate::queue::deque::Order;
use crate::registry::Registry;
use crate::registry::team::Rank;
use crate::sync::Arc;
use crate::threads::this_thread;
use crate::unwind;
use crate::worker::wait::BareWait;
use heartbeat_record::{Lane, Wait};

impl Registry {
    /// See [`ThreadPool::scope_elsewhere`](crate::ThreadPool::scope_elsewhere).
    pub(crate) fn scope_elsewhere<'env, R>(
        self: &Arc<Self>,
        order: Order,
        f: impl for<'scope> FnOnce(&'scope Scope<'scope, 'env>) -> R,
    ) -> R {
        let parker = this_thread::parker();
        let core = ScopeCore::new(
            self.clone(),
            Rank::Frame,
            Lane::Frame,
            parker.clone(),
            None,
            order,
        );
        let core = Arc::new(core);
        let wait = BareWait {
            pool: Some(self),
            kind: Wait::Scope,
            parker: &parker,
            is_over: || {
                core.tell();
                core.is_done()
            },
        };
        within(&core, f, || wait.to_the_end()).unwrap_or_else(|payload| unwind::resume(payload))
    }
}
