//! A closure in two words of its own, or in a box if it is larger.
//!
//! Two: a block of a scope's queue then takes less than a kilobyte, which allocators keep at hand.

use std::mem::{ManuallyDrop, MaybeUninit};

type Words = [MaybeUninit<usize>; 2];

struct VTable {
    /// Consumes the closure and calls it.
    call: unsafe fn(*mut Words),
    /// Consumes the closure.
    drop: unsafe fn(*mut Words),
}

/// A closure, type-erased, for queues: most are small, and a box costs more than all else that
/// queueing one does.
///
/// Dropping it instead of calling it drops what it holds.
pub(crate) struct SmallFn {
    words: Words,
    vtable: &'static VTable,
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
        unsafe fn call<F: FnOnce()>(words: *mut Words) {
            // SAFETY: by the vtable's contract the words hold an `F`, which is consumed here.
            let f = unsafe { words.cast::<F>().read() };
            f();
        }
        unsafe fn discard<F>(words: *mut Words) {
            // SAFETY: as in `call`.
            unsafe { words.cast::<F>().drop_in_place() };
        }
        let mut words = [MaybeUninit::uninit(); 2];
        // SAFETY: by contract it fits.
        unsafe { words.as_mut_ptr().cast::<F>().write(f) };
        Self {
            words,
            vtable: const {
                &VTable {
                    call: call::<F>,
                    drop: discard::<F>,
                }
            },
        }
    }

    #[inline]
    pub(crate) fn call(self) {
        let mut this = ManuallyDrop::new(self);
        let call = this.vtable.call;
        // SAFETY: words and vtable were made together, and `ManuallyDrop` leaves this as the only
        // use.
        unsafe { call(&raw mut this.words) };
    }
}

impl Drop for SmallFn {
    fn drop(&mut self) {
        // SAFETY: words and vtable were made together, and `call` doesn't drop, so this is the only
        // use.
        unsafe { (self.vtable.drop)(&raw mut self.words) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// What is called and what is dropped, of a closure that holds so many words besides.
    fn counts<const WORDS: usize>() {
        let called = Arc::new(AtomicUsize::new(0));
        let make = || {
            let (called, held) = (called.clone(), [1_usize; WORDS]);
            let f = move || _ = called.fetch_add(1 + held.iter().sum::<usize>(), Ordering::Relaxed);
            // SAFETY: the closure borrows nothing.
            unsafe { SmallFn::new(f) }
        };
        make().call();
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
        f.call();
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
        assert!(crate::unwind::catch(|| f.call()).is_err());
        assert_eq!(Arc::strong_count(&held), 1);
    }
}
