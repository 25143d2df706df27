//! A value that only one thread can get at, though others hold it too.

use std::ptr;

thread_local! {
    /// Whose address no other living thread's has.
    static TOKEN: u8 = const { 0 };
}

/// A number of the calling thread's that no other living thread has.
fn token() -> usize {
    TOKEN.with(|token| ptr::from_ref(token).addr())
}

/// Lets the thread that made it, and no other, use a value that may be used by one thread at a
/// time.
pub(crate) struct ThreadBound<T> {
    thread: usize,
    value: T,
}

// SAFETY: by reference, only one living thread gets at the value, see `get`. Should that one end
// and another one get its token, then the one's accesses come before the other's, for between them
// memory was given back and taken again. The value is `Send`, so any thread may go on with it, or
// drop it.
unsafe impl<T: Send> Sync for ThreadBound<T> {}

impl<T> ThreadBound<T> {
    pub(crate) fn new(value: T) -> Self {
        Self {
            thread: token(),
            value,
        }
    }

    #[inline]
    pub(crate) fn get(&self) -> Option<&T> {
        (self.thread == token()).then_some(&self.value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;
    use std::thread;

    #[test]
    fn only_its_own_thread_gets_the_value() {
        let bound = ThreadBound::new(Cell::new(1));
        thread::scope(|scope| {
            scope.spawn(|| assert!(bound.get().is_none()));
        });
        bound.get().unwrap().set(2);
        assert_eq!(bound.get().map(Cell::get), Some(2));
    }
}
