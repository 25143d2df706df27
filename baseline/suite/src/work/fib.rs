//! Fibonacci numbers, the usual way to count what a join costs.

/// The serial reference.
#[must_use]
#[inline(never)]
pub fn fib(n: u64) -> u64 {
    if n < 2 { n } else { fib(n - 1) + fib(n - 2) }
}
