//! Type-erased work: two words, run at most once, dropped if never run.

use async_task::Runnable;
use std::mem;
use std::ptr::NonNull;

struct VTable {
    /// Consumes the data and runs it.
    run: unsafe fn(NonNull<()>),
    /// Consumes the data without running it.
    drop: unsafe fn(NonNull<()>),
    stands_for_others: bool,
    is_local: bool,
}

/// One piece of work that any thread may run.
///
/// Dropping it instead drops what it holds: a queued closure is freed, a task cancelled.
pub(crate) struct Job {
    data: NonNull<()>,
    vtable: &'static VTable,
}

// SAFETY: every constructor takes what it erases as `Send`; a task that only its own thread may run
// or drop is sent as its runnable, and whoever may drop one elsewhere asks `is_local`.
unsafe impl Send for Job {}

/// Something that converts to one pointer and back: the storage of a [`Job`].
///
/// # Safety
///
/// `from_raw` must give back what `into_raw` was called on.
pub(crate) unsafe trait RawJob: Send {
    /// Whether it is a way to other jobs, which are not dropped with it.
    const STANDS_FOR_OTHERS: bool = false;
    /// Whether none but the thread that made it may drop it.
    const IS_LOCAL: bool = false;
    fn into_raw(self) -> NonNull<()>;
    /// # Safety
    ///
    /// `data` came from `into_raw` of the same type, and is not used again.
    unsafe fn from_raw(data: NonNull<()>) -> Self;
    /// Runs it. Must not unwind.
    fn run(self);
}

impl Job {
    /// Erases `raw`, which borrows nothing. What a [`Runnable`](async_task::Runnable) borrows is
    /// answered for where its task was spawned.
    pub(crate) fn new<R: RawJob + 'static>(raw: R) -> Self {
        // SAFETY: nothing is borrowed that could end.
        unsafe { Self::borrowing(raw) }
    }

    /// Erases `raw`.
    ///
    /// # Safety
    ///
    /// The job must be run or dropped before anything that `raw` borrows ends.
    pub(crate) unsafe fn borrowing<R: RawJob>(raw: R) -> Self {
        unsafe fn run<R: RawJob>(data: NonNull<()>) {
            // SAFETY: by the vtable's contract `data` is of `R` and is consumed here.
            let raw = unsafe { R::from_raw(data) };
            raw.run();
        }
        unsafe fn discard<R: RawJob>(data: NonNull<()>) {
            // SAFETY: by the vtable's contract `data` is of `R` and is consumed here.
            drop(unsafe { R::from_raw(data) });
        }
        Self {
            data: raw.into_raw(),
            vtable: const {
                &VTable {
                    run: run::<R>,
                    drop: discard::<R>,
                    stands_for_others: R::STANDS_FOR_OTHERS,
                    is_local: R::IS_LOCAL,
                }
            },
        }
    }

    /// A number that tells it from other jobs for as long as it lives.
    pub(crate) fn number(&self) -> u64 {
        self.data.addr().get() as u64
    }

    /// See [`RawJob::STANDS_FOR_OTHERS`].
    pub(crate) fn stands_for_others(&self) -> bool {
        self.vtable.stands_for_others
    }

    /// See [`RawJob::IS_LOCAL`].
    pub(crate) fn is_local(&self) -> bool {
        self.vtable.is_local
    }

    pub(crate) fn run(self) {
        let (data, vtable) = (self.data, self.vtable);
        mem::forget(self);
        // SAFETY: `data` and `vtable` were made together in `borrowing`, and forgetting `self`
        // leaves this as the only use of `data`.
        unsafe { (vtable.run)(data) }
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        // SAFETY: `data` and `vtable` were made together in `borrowing`, and `run` forgets the job,
        // so this is the only use of `data`.
        unsafe { (self.vtable.drop)(self.data) }
    }
}

/// A boxed closure, which must not unwind.
pub(crate) struct Closure<F>(Box<F>);

impl<F: FnOnce() + Send> Closure<F> {
    pub(crate) fn new(f: F) -> Self {
        Self(Box::new(f))
    }
}

// SAFETY: the pointer is the box's own.
unsafe impl<F: FnOnce() + Send> RawJob for Closure<F> {
    fn into_raw(self) -> NonNull<()> {
        NonNull::from(Box::leak(self.0)).cast()
    }

    unsafe fn from_raw(data: NonNull<()>) -> Self {
        // SAFETY: by contract `data` came from `into_raw`, which leaked a box of `F`.
        Self(unsafe { Box::from_raw(data.cast::<F>().as_ptr()) })
    }

    fn run(self) {
        (self.0)();
    }
}

// SAFETY: the pointer is async-task's own raw form.
unsafe impl RawJob for Runnable {
    fn into_raw(self) -> NonNull<()> {
        Self::into_raw(self)
    }

    unsafe fn from_raw(data: NonNull<()>) -> Self {
        // SAFETY: by contract `data` came from `into_raw` and is used once.
        unsafe { Self::from_raw(data) }
    }

    fn run(self) {
        Self::run(self);
    }
}

/// A task whose future need not be `Send`.
pub(crate) struct LocalTask(pub(crate) Runnable);

// SAFETY: as for the task in it.
unsafe impl RawJob for LocalTask {
    const IS_LOCAL: bool = true;

    fn into_raw(self) -> NonNull<()> {
        self.0.into_raw()
    }

    unsafe fn from_raw(data: NonNull<()>) -> Self {
        // SAFETY: the caller's promise.
        Self(unsafe { Runnable::from_raw(data) })
    }

    fn run(self) {
        self.0.run();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn a_job_runs_once_and_a_dropped_one_frees_its_closure() {
        let token = Arc::new(AtomicUsize::new(0));
        let job = |token: Arc<AtomicUsize>| {
            Job::new(Closure::new(move || {
                token.fetch_add(1, Ordering::Relaxed);
            }))
        };
        job(token.clone()).run();
        drop(job(token.clone()));
        assert_eq!(token.load(Ordering::Relaxed), 1);
        assert_eq!(Arc::strong_count(&token), 1);
    }
}
