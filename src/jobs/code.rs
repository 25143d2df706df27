//! A job's code as the pool runs it.

use super::context::JobContext;
use super::error::{JobError, JobOutcome, JobPanic, message};
use super::shared::{Shared, discard, drop_quietly};
use super::start::JobFn;
use crate::record::Span;
use pin_project_lite::pin_project;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

/// Ends its job if the code is dropped before it could.
struct Unfinished<T: Send + 'static>(Arc<Shared<T>>);

impl<T: Send + 'static> Drop for Unfinished<T> {
    fn drop(&mut self) {
        // Of one that is cancelled or too late too.
        catch_unwind(AssertUnwindSafe(|| self.0.core.prepared.close())).unwrap_or_else(discard);
        self.0.stop(JobError::Cancelled);
    }
}

pin_project! {
    #[project = StageProjection]
    enum Stage<F, Fut> {
        /// There until it is called.
        Start { f: Option<F> },
        Runs { #[pin] future: Fut },
        Over,
    }
}

pin_project! {
    /// The code of a job, which tells its outcome. An `async fn` would hold most of it twice.
    pub(super) struct Code<F: JobFn> {
        #[pin]
        stage: Stage<F, F::Future>,
        // Dropped last: the job has ended when nothing of its code is left.
        unfinished: Unfinished<F::Out>,
    }
}

impl<F: JobFn> Code<F> {
    pub(super) fn new(shared: Arc<Shared<F::Out>>, f: F) -> Self {
        Self {
            stage: Stage::Start { f: Some(f) },
            unfinished: Unfinished(shared),
        }
    }
}

/// Calls the code with its context, the first time, and polls it.
fn poll<F: JobFn>(
    mut stage: Pin<&mut Stage<F, F::Future>>,
    job: &Arc<Shared<F::Out>>,
    context: &mut Context<'_>,
) -> Poll<F::Out> {
    if let StageProjection::Start { f } = stage.as_mut().project()
        && let Some(f) = f.take()
    {
        let future = f(JobContext::new(job.clone()));
        stage.set(Stage::Runs { future });
    }
    match stage.project() {
        StageProjection::Runs { future } => future.poll(context),
        StageProjection::Start { .. } | StageProjection::Over => Poll::Pending,
    }
}

/// What a panic makes of a job.
fn panicked<T: Send + 'static>(job: &Shared<T>, payload: Box<dyn Any + Send>) -> JobOutcome<T> {
    let name = job.core.name.to_string();
    let message = message(&*payload);
    discard(payload);
    log::error!("bevy_heartbeat: job `{name}` panicked: {message}");
    Err(JobError::Panicked(JobPanic { name, message }))
}

impl<F: JobFn> Future for Code<F> {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let mut this = self.project();
        let job = &this.unfinished.0;
        let turn = || {
            let _span = Span::of_job(&job.core.name);
            poll(this.stage.as_mut(), job, context)
        };
        let mut outcome = match catch_unwind(AssertUnwindSafe(turn)) {
            Ok(Poll::Pending) => return Poll::Pending,
            Ok(Poll::Ready(result)) => Ok(result),
            Err(payload) => panicked(job, payload),
        };
        let end = || {
            this.stage.set(Stage::Over);
            job.core.prepared.close();
        };
        if let Err(payload) = catch_unwind(AssertUnwindSafe(end)) {
            outcome = match outcome {
                Ok(result) => {
                    drop_quietly(result);
                    panicked(job, payload)
                }
                Err(first) => {
                    discard(payload);
                    Err(first)
                }
            };
        }
        job.finish(outcome);
        Poll::Ready(())
    }
}
