//! What must not compile, as doc tests: none of it may.
//!
//! Both closures of a `join` borrowing the same half, the first or the second:
//!
//! ```compile_fail,E0524
//! let mut numbers = [1, 2, 3, 4];
//! let (left, _right) = numbers.split_at_mut(2);
//! rayon_core::join(|| left.reverse(), || left.reverse());
//! ```
//!
//! ```compile_fail,E0524
//! let mut numbers = [1, 2, 3, 4];
//! let (_left, right) = numbers.split_at_mut(2);
//! rayon_core::join(|| right.reverse(), || right.reverse());
//! ```
//!
//! One of them borrowing a half, and the other all:
//!
//! ```compile_fail,E0499
//! let mut numbers = [1, 2, 3, 4];
//! let (left, _right) = numbers.split_at_mut(2);
//! rayon_core::join(|| left.reverse(), || numbers.reverse());
//! ```
//!
//! ```compile_fail,E0500
//! fn reverse_twice(numbers: &mut [i32]) {
//!     let (left, _right) = numbers.split_at_mut(2);
//!     rayon_core::join(|| left.reverse(), || numbers.reverse());
//! }
//! ```
//!
//! While each its own half is fine:
//!
//! ```
//! let mut numbers = [1, 2, 3, 4];
//! let (left, right) = numbers.split_at_mut(2);
//! rayon_core::join(|| left.reverse(), || right.reverse());
//! assert_eq!(numbers, [2, 1, 4, 3]);
//! ```
//!
//! What isn't `Send` as a result, of the first or the second, or borrowed by both:
//!
//! ```compile_fail,E0277
//! rayon_core::join(|| std::rc::Rc::new(1), || 2);
//! ```
//!
//! ```compile_fail,E0277
//! rayon_core::join(|| 1, || std::rc::Rc::new(2));
//! ```
//!
//! ```compile_fail,E0277
//! let shared = std::rc::Rc::new(1);
//! rayon_core::join(|| *shared + 1, || *shared + 2);
//! ```
//!
//! A local of the scope's closure, which is gone before what borrows it is run:
//!
//! ```compile_fail,E0373
//! rayon_core::scope(|s| {
//!     let local = 1;
//!     s.spawn(|_| println!("{local}"));
//! });
//! ```
//!
//! While one from outside the scope is fine:
//!
//! ```
//! let local = 1;
//! rayon_core::scope(|s| s.spawn(|_| assert_eq!(local, 1)));
//! ```
