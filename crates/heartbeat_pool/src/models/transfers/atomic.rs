//! std's atomics, each operation noted.

use super::lines::{read, write};
use std::panic::Location;
use std::ptr;
pub use std::sync::atomic::{Ordering, fence};

macro_rules! atomic {
    ($name:ident $(<$t:ident>)?, $value:ty) => {
        /// std's, counted.
        #[derive(Debug, Default)]
        #[repr(transparent)]
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

            #[track_caller]
            fn writes(&self) -> &std::sync::atomic::$name $(<$t>)? {
                write(ptr::from_ref(self).addr(), Location::caller());
                &self.0
            }

            /// Notes an operation that writes only if it succeeds.
            #[track_caller]
            fn tried(&self, outcome: Result<$value, $value>) -> Result<$value, $value> {
                let note = if outcome.is_ok() { write } else { read };
                note(ptr::from_ref(self).addr(), Location::caller());
                outcome
            }

            /// Reads.
            #[track_caller]
            pub fn load(&self, order: Ordering) -> $value {
                read(ptr::from_ref(self).addr(), Location::caller());
                self.0.load(order)
            }

            /// Writes.
            #[track_caller]
            pub fn store(&self, value: $value, order: Ordering) {
                self.writes().store(value, order);
            }

            /// Writes, and gives what was there.
            #[track_caller]
            pub fn swap(&self, value: $value, order: Ordering) -> $value {
                self.writes().swap(value, order)
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
                success: Ordering,
                failure: Ordering,
            ) -> Result<$value, $value> {
                self.tried(self.0.compare_exchange(current, new, success, failure))
            }

            /// The same, which may fail for no reason.
            ///
            /// # Errors
            ///
            /// As there.
            #[track_caller]
            pub fn compare_exchange_weak(
                &self,
                current: $value,
                new: $value,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$value, $value> {
                self.tried(self.0.compare_exchange_weak(current, new, success, failure))
            }
        }
    };
}

macro_rules! number {
    ($name:ident, $value:ty) => {
        atomic!($name, $value);

        impl $name {
            /// Adds, and gives what was there.
            #[track_caller]
            pub fn fetch_add(&self, value: $value, order: Ordering) -> $value {
                self.writes().fetch_add(value, order)
            }

            /// Subtracts, and gives what was there.
            #[track_caller]
            pub fn fetch_sub(&self, value: $value, order: Ordering) -> $value {
                self.writes().fetch_sub(value, order)
            }

            /// Sets bits, and gives what was there.
            #[track_caller]
            pub fn fetch_or(&self, value: $value, order: Ordering) -> $value {
                self.writes().fetch_or(value, order)
            }

            /// Clears bits, and gives what was there.
            #[track_caller]
            pub fn fetch_and(&self, value: $value, order: Ordering) -> $value {
                self.writes().fetch_and(value, order)
            }

            /// Takes the greater one, and gives what was there.
            #[track_caller]
            pub fn fetch_max(&self, value: $value, order: Ordering) -> $value {
                self.writes().fetch_max(value, order)
            }

            /// Takes the lesser one, and gives what was there.
            #[track_caller]
            pub fn fetch_min(&self, value: $value, order: Ordering) -> $value {
                self.writes().fetch_min(value, order)
            }
        }
    };
}

atomic!(AtomicBool, bool);
atomic!(AtomicPtr<T>, *mut T);
number!(AtomicI32, i32);
number!(AtomicU32, u32);
number!(AtomicU64, u64);
number!(AtomicUsize, usize);
