//! Atomics with a point before each operation. All orderings are as strong as `SeqCst`.

use super::part::point;
use std::panic::Location;
pub use std::sync::atomic::Ordering;

/// A fence.
#[track_caller]
pub fn fence(_: Ordering) {
    point(Location::caller());
}

macro_rules! atomic {
    ($(#[$doc:meta])* $name:ident $(<$t:ident>)?, $value:ty) => {
        $(#[$doc])*
        #[derive(Debug, Default)]
        pub struct $name $(<$t>)? (std::sync::atomic::$name $(<$t>)?);

        impl $(<$t>)? $name $(<$t>)? {
            /// One that holds `value`.
            pub const fn new(value: $value) -> Self {
                Self(std::sync::atomic::$name::new(value))
            }

            /// What it holds.
            pub fn get_mut(&mut self) -> &mut $value {
                self.0.get_mut()
            }

            /// What it held.
            pub fn into_inner(self) -> $value {
                self.0.into_inner()
            }

            /// Reads.
            #[track_caller]
            pub fn load(&self, _: Ordering) -> $value {
                point(Location::caller());
                self.0.load(Ordering::SeqCst)
            }

            /// Writes.
            #[track_caller]
            pub fn store(&self, value: $value, _: Ordering) {
                point(Location::caller());
                self.0.store(value, Ordering::SeqCst);
            }

            /// Writes, and gives what was there.
            #[track_caller]
            pub fn swap(&self, value: $value, _: Ordering) -> $value {
                point(Location::caller());
                self.0.swap(value, Ordering::SeqCst)
            }

            /// Writes `new` if `current` is there.
            ///
            /// # Errors
            ///
            /// With what is there, if it is something else.
            #[track_caller]
            pub fn compare_exchange(
                &self,
                current: $value,
                new: $value,
                _: Ordering,
                _: Ordering,
            ) -> Result<$value, $value> {
                point(Location::caller());
                self.0.compare_exchange(current, new, Ordering::SeqCst, Ordering::SeqCst)
            }

            /// The same.
            ///
            /// # Errors
            ///
            /// As there.
            #[track_caller]
            pub fn compare_exchange_weak(
                &self,
                current: $value,
                new: $value,
                _: Ordering,
                _: Ordering,
            ) -> Result<$value, $value> {
                point(Location::caller());
                self.0.compare_exchange(current, new, Ordering::SeqCst, Ordering::SeqCst)
            }
        }
    };
}

macro_rules! number {
    ($name:ident, $value:ty) => {
        atomic!(
            /// std's, with points.
            $name, $value
        );

        impl $name {
            /// Adds, and gives what was there.
            #[track_caller]
            pub fn fetch_add(&self, value: $value, _: Ordering) -> $value {
                point(Location::caller());
                self.0.fetch_add(value, Ordering::SeqCst)
            }

            /// Subtracts, and gives what was there.
            #[track_caller]
            pub fn fetch_sub(&self, value: $value, _: Ordering) -> $value {
                point(Location::caller());
                self.0.fetch_sub(value, Ordering::SeqCst)
            }

            /// Sets bits, and gives what was there.
            #[track_caller]
            pub fn fetch_or(&self, value: $value, _: Ordering) -> $value {
                point(Location::caller());
                self.0.fetch_or(value, Ordering::SeqCst)
            }

            /// Clears bits, and gives what was there.
            #[track_caller]
            pub fn fetch_and(&self, value: $value, _: Ordering) -> $value {
                point(Location::caller());
                self.0.fetch_and(value, Ordering::SeqCst)
            }

            /// Takes the greater one, and gives what was there.
            #[track_caller]
            pub fn fetch_max(&self, value: $value, _: Ordering) -> $value {
                point(Location::caller());
                self.0.fetch_max(value, Ordering::SeqCst)
            }

            /// Takes the lesser one, and gives what was there.
            #[track_caller]
            pub fn fetch_min(&self, value: $value, _: Ordering) -> $value {
                point(Location::caller());
                self.0.fetch_min(value, Ordering::SeqCst)
            }
        }
    };
}

atomic!(
    /// std's, with points.
    AtomicBool, bool
);
atomic!(
    /// std's, with points.
    AtomicPtr<T>, *mut T
);
number!(AtomicU8, u8);
number!(AtomicU32, u32);
number!(AtomicU64, u64);
number!(AtomicUsize, usize);
