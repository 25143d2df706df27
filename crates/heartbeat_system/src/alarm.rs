//! Sleeps of less than a tick of the system's clock.
//!
//! On Windows a timeout of a condition variable ends with the clock's next tick, up to 15.6 ms
//! later. A waitable timer of high resolution (Windows 10, 1803) rings within about half a
//! millisecond; the sleeper waits for it and for an event that ends the sleep. Elsewhere condition
//! variables are as good.

pub use system::Alarm;

#[cfg(all(windows, not(any(miri, heartbeat_loom, heartbeat_sim))))]
mod system {
    use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle};
    use std::ptr::null;
    use std::time::Duration;
    use windows_sys::Win32::Foundation::HANDLE;
    use windows_sys::Win32::System::Threading::{
        CREATE_WAITABLE_TIMER_HIGH_RESOLUTION, CreateEventW, CreateWaitableTimerExW, INFINITE,
        SetEvent, SetWaitableTimer, TIMER_ALL_ACCESS, WaitForMultipleObjects,
    };

    /// What one thread sleeps by.
    #[derive(Debug)]
    pub struct Alarm {
        event: OwnedHandle,
        timer: OwnedHandle,
    }

    /// Owns `handle`, unless the system has refused to make it.
    ///
    /// # Safety
    ///
    /// `handle` is null or new, and nobody else closes it.
    unsafe fn own(handle: HANDLE) -> Option<OwnedHandle> {
        if handle.is_null() {
            return None;
        }
        // SAFETY: it is not null, and by contract it is open and the caller's to give away.
        Some(unsafe { OwnedHandle::from_raw_handle(handle) })
    }

    impl Alarm {
        /// None where the system has no such timers.
        #[must_use]
        pub fn new() -> Option<Self> {
            // SAFETY: without attributes and name nothing is read by pointer; it resets itself and
            // begins unset.
            let event = unsafe { CreateEventW(null(), 0, 0, null()) };
            // SAFETY: the handle was just made.
            let event = unsafe { own(event) }?;
            let flags = CREATE_WAITABLE_TIMER_HIGH_RESOLUTION;
            // SAFETY: as for the event. An older system refuses the flag.
            let timer = unsafe { CreateWaitableTimerExW(null(), null(), flags, TIMER_ALL_ACCESS) };
            // SAFETY: the handle was just made.
            let timer = unsafe { own(timer) }?;
            Some(Self { event, timer })
        }

        /// Sleeps until [`ring`](Self::ring), also one before this, or for `timeout`.
        pub fn sleep(&self, timeout: Duration) {
            // In units of 100 ns; a negative time counts from now.
            let due = -i64::try_from(timeout.as_nanos().div_ceil(100)).unwrap_or(i64::MAX);
            // SAFETY: the handle is open, and `due` is read before the call ends. There is no
            // routine to call.
            let is_set =
                unsafe { SetWaitableTimer(self.timer.as_raw_handle(), &due, 0, None, null(), 0) };
            if is_set == 0 {
                // A wait for the event alone would have no end.
                return;
            }
            let handles = [self.event.as_raw_handle(), self.timer.as_raw_handle()];
            // SAFETY: both handles are open, and the array has two.
            unsafe { WaitForMultipleObjects(2, handles.as_ptr(), 0, INFINITE) };
        }

        /// Ends a sleep, or the next one.
        pub fn ring(&self) {
            // SAFETY: the handle is open.
            unsafe { SetEvent(self.event.as_raw_handle()) };
        }
    }
}

#[cfg(not(all(windows, not(any(miri, heartbeat_loom, heartbeat_sim)))))]
mod system {
    use std::time::Duration;

    /// What a thread sleeps by. There is none.
    #[derive(Debug)]
    pub enum Alarm {}

    impl Alarm {
        /// None where the system has no such timers.
        #[inline]
        #[must_use]
        pub const fn new() -> Option<Self> {
            None
        }

        /// Sleeps until [`ring`](Self::ring), also one before this, or for `timeout`.
        #[inline]
        pub fn sleep(&self, _: Duration) {
            match *self {}
        }

        /// Ends a sleep, or the next one.
        #[inline]
        pub fn ring(&self) {
            match *self {}
        }
    }
}

#[cfg(all(test, windows, not(any(miri, heartbeat_loom, heartbeat_sim))))]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::thread;
    use std::time::{Duration, Instant};

    #[test]
    fn a_sleep_ends_with_its_time_or_a_ring() {
        let Some(alarm) = Alarm::new().map(Arc::new) else {
            return;
        };
        let start = Instant::now();
        alarm.sleep(Duration::from_micros(100));
        assert!(start.elapsed() >= Duration::from_micros(100));
        let ringer = alarm.clone();
        let ringing = thread::spawn(move || ringer.ring());
        alarm.sleep(Duration::from_hours(1));
        ringing.join().unwrap();
        alarm.ring();
        alarm.sleep(Duration::MAX);
    }
}
