//! Type-erased work, run at most once, dropped if never run.

use async_task::Runnable;
use std::mem::{self, ManuallyDrop, MaybeUninit};
use std::ptr::NonNull;

/// Work that runs once and is one pointer that is not null: a boxed closure, a task's next step, or
/// a way to other jobs.
///
/// # Safety
///
/// It has the layout of `NonNull<()>`.
pub(crate) unsafe trait Pointer: Send {
    /// Whether it is a way to other jobs, which are not dropped with it.
    const STANDS_FOR_OTHERS: bool = false;
    /// Whether none but the thread that made it may drop it.
    const IS_LOCAL: bool = false;

    /// Runs it. What is made a [`Job`] must not unwind.
    fn run(self);
}

// SAFETY: a box is a pointer.
unsafe impl<F: FnOnce() + Send> Pointer for Box<F> {
    #[inline]
    fn run(self) {
        self();
    }
}

// SAFETY: it is a pointer to its task.
unsafe impl Pointer for Runnable {
    fn run(self) {
        Self::run(self);
    }
}

/// A task whose future need not be `Send`.
#[repr(transparent)]
pub(crate) struct LocalTask(pub(crate) Runnable);

// SAFETY: as for the task in it.
unsafe impl Pointer for LocalTask {
    const IS_LOCAL: bool = true;

    fn run(self) {
        self.0.run();
    }
}

struct VTable<D> {
    /// Consumes the data and runs it.
    run: unsafe fn(D),
    /// Consumes the data without running it.
    drop: unsafe fn(D),
    stands_for_others: bool,
    is_local: bool,
}

/// One piece of work that any thread may run.
///
/// Dropping it instead drops what it holds: a queued closure is freed, a task cancelled. Of two
/// words that are passed in registers.
pub(crate) struct Job {
    data: NonNull<()>,
    vtable: &'static VTable<NonNull<()>>,
}

// SAFETY: all that is erased is `Send`; a task that only its own thread may run or drop is sent as
// its runnable, and whoever may drop one elsewhere asks `is_local`.
unsafe impl Send for Job {}

impl Job {
    /// Erases `work`, which borrows nothing. What a [`Runnable`] borrows is answered for where its
    /// task was spawned.
    pub(crate) fn new<R: Pointer + 'static>(work: R) -> Self {
        unsafe fn work_of<R: Pointer>(data: NonNull<()>) -> R {
            // SAFETY: by the vtable's contract `data` was made of an `R`, of the same layout, and
            // is used once.
            unsafe { mem::transmute_copy(&data) }
        }
        const { assert!(size_of::<R>() == size_of::<Self>() / 2) };
        let work = ManuallyDrop::new(work);
        Self {
            // SAFETY: `work` has this layout, and its only copy is not dropped.
            data: unsafe { mem::transmute_copy(&work) },
            vtable: const {
                &VTable {
                    // SAFETY: the vtable's contract.
                    run: |data| unsafe { work_of::<R>(data) }.run(),
                    // SAFETY: the vtable's contract.
                    drop: |data| drop(unsafe { work_of::<R>(data) }),
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

    /// See [`Pointer::STANDS_FOR_OTHERS`].
    pub(crate) fn stands_for_others(&self) -> bool {
        self.vtable.stands_for_others
    }

    /// See [`Pointer::IS_LOCAL`].
    pub(crate) fn is_local(&self) -> bool {
        self.vtable.is_local
    }

    pub(crate) fn run(self) {
        let (data, vtable) = (self.data, self.vtable);
        mem::forget(self);
        // SAFETY: `data` and `vtable` were made together, and forgetting `self` leaves this as the
        // only use of `data`.
        unsafe { (vtable.run)(data) }
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        // SAFETY: `data` and `vtable` were made together, and `run` forgets the job, so this is the
        // only use of `data`.
        unsafe { (self.vtable.drop)(self.data) }
    }
}

type Words = [MaybeUninit<usize>; 2];

/// A closure, type-erased, in two words of its own, or in a box if it is larger: most are small,
/// and a box costs more than all else that queueing one does. Two: a block of a scope's queue then
/// takes less than a kilobyte, which allocators keep at hand.
///
/// Dropping it instead of calling it drops what it holds.
pub(crate) struct SmallFn {
    words: Words,
    vtable: &'static VTable<*mut Words>,
}

// SAFETY: `new` takes what it erases as `Send`.
unsafe impl Send for SmallFn {}

impl SmallFn {
    /// Erases `f`.
    ///
    /// # Safety
    ///
    /// It must be called or dropped before anything that `f` borrows ends.
    #[inline]
    pub(crate) unsafe fn new<F: FnOnce() + Send>(f: F) -> Self {
        if size_of::<F>() <= size_of::<Words>() && align_of::<F>() <= align_of::<Words>() {
            // SAFETY: it fits; the rest is the caller's promise.
            unsafe { Self::of_fitting(f) }
        } else {
            let boxed = Box::new(f);
            // SAFETY: a box is one word; the rest is the caller's promise.
            unsafe { Self::of_fitting(boxed) }
        }
    }

    /// # Safety
    ///
    /// As [`new`](Self::new), and `F` is no larger than [`Words`] and no more aligned.
    #[inline]
    unsafe fn of_fitting<F: FnOnce() + Send>(f: F) -> Self {
        let mut words = [MaybeUninit::uninit(); 2];
        // SAFETY: by contract it fits.
        unsafe { words.as_mut_ptr().cast::<F>().write(f) };
        Self {
            words,
            vtable: const {
                &VTable {
                    // SAFETY: by the vtable's contract the words hold an `F`, which is consumed
                    // here.
                    run: |words| unsafe { words.cast::<F>().read() }(),
                    // SAFETY: as in `run`.
                    drop: |words| unsafe { words.cast::<F>().drop_in_place() },
                    stands_for_others: false,
                    is_local: false,
                }
            },
        }
    }

    #[inline]
    pub(crate) fn run(self) {
        let mut this = ManuallyDrop::new(self);
        let run = this.vtable.run;
        // SAFETY: words and vtable were made together, and `ManuallyDrop` leaves this as the only
        // use.
        unsafe { run(&raw mut this.words) };
    }
}

impl Drop for SmallFn {
    fn drop(&mut self) {
        // SAFETY: words and vtable were made together, and `run` doesn't drop, so this is the only
        // use.
        unsafe { (self.vtable.drop)(&raw mut self.words) };
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
            Job::new(Box::new(move || _ = token.fetch_add(1, Ordering::Relaxed)))
        };
        job(token.clone()).run();
        drop(job(token.clone()));
        assert_eq!(token.load(Ordering::Relaxed), 1);
        assert_eq!(Arc::strong_count(&token), 1);
    }

    /// What is called and what is dropped, of a closure that holds so many words besides.
    fn counts<const WORDS: usize>() {
        let called = Arc::new(AtomicUsize::new(0));
        let make = || {
            let (called, held) = (called.clone(), [1_usize; WORDS]);
            let f = move || _ = called.fetch_add(1 + held.iter().sum::<usize>(), Ordering::Relaxed);
            // SAFETY: the closure borrows nothing.
            unsafe { SmallFn::new(f) }
        };
        make().run();
        drop(make());
        assert_eq!(called.load(Ordering::Relaxed), 1 + WORDS);
        assert_eq!(Arc::strong_count(&called), 1);
    }

    #[test]
    fn closures_of_any_size_are_called_or_dropped_once() {
        counts::<0>();
        counts::<1>();
        counts::<2>();
        counts::<3>();
        counts::<100>();
    }

    #[test]
    fn closures_of_any_alignment_are_called() {
        #[repr(align(64))]
        struct Aligned(u8);
        let aligned = Aligned(7);
        // SAFETY: the closure borrows nothing.
        let f = unsafe {
            SmallFn::new(move || {
                assert_eq!((&raw const aligned).addr() % 64, 0);
                assert_eq!(aligned.0, 7);
            })
        };
        f.run();
    }

    #[test]
    fn a_panic_comes_out_and_what_is_held_is_dropped() {
        let held = Arc::new(());
        let inner = held.clone();
        let f = move || {
            let _inner = inner;
            std::panic::resume_unwind(Box::new(7));
        };
        // SAFETY: the closure borrows nothing.
        let f = unsafe { SmallFn::new(f) };
        assert!(crate::unwind::catch(|| f.run()).is_err());
        assert_eq!(Arc::strong_count(&held), 1);
    }
}
