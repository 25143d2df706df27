//! The two ways through a recursion, so that the serial reference is the same code.

/// Runs two halves.
pub trait Fork {
    /// Both answers.
    fn fork<A: Send, B: Send>(a: impl FnOnce() -> A + Send, b: impl FnOnce() -> B + Send)
    -> (A, B);
}

/// By rayon.
pub enum Pool {}

impl Fork for Pool {
    #[inline]
    fn fork<A: Send, B: Send>(
        a: impl FnOnce() -> A + Send,
        b: impl FnOnce() -> B + Send,
    ) -> (A, B) {
        rayon::join(a, b)
    }
}

/// One after the other.
pub enum Serial {}

impl Fork for Serial {
    #[inline]
    fn fork<A: Send, B: Send>(
        a: impl FnOnce() -> A + Send,
        b: impl FnOnce() -> B + Send,
    ) -> (A, B) {
        (a(), b())
    }
}
