//! A scope's jobs that lie elsewhere than in its queue: for one thread, in a mailbox, or taken out
//! of their turn.

use super::core::{ScopeCore, ScopedJob};
use crate::job::Job;
use crate::sync::Arc;

/// Such a job. Dropped, it is counted off as well.
struct Apart {
    core: Arc<ScopeCore>,
    job: Option<ScopedJob>,
}

impl Apart {
    fn run(mut self) {
        if let Some(job) = self.job.take() {
            self.core.run(job);
        }
    }
}

impl Drop for Apart {
    fn drop(&mut self) {
        match self.job.take() {
            Some(ScopedJob::Run(runnable)) => self.core.counted(|| drop(runnable)),
            Some(ScopedJob::Closure(job)) => {
                self.core.guard(|| drop(job));
                self.core.finish();
            }
            None => {}
        }
    }
}

impl ScopeCore {
    /// A job of its own for `job`, which lies elsewhere than in the scope's queue.
    pub(super) fn apart(self: &Arc<Self>, job: ScopedJob) -> Job {
        let core = self.clone();
        let apart = Apart {
            core,
            job: Some(job),
        };
        Job::new(Box::new(move || apart.run()))
    }
}
