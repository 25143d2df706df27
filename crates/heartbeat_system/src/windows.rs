//! Windows.

use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle};
use std::time::Duration;
use windows_sys::Win32::Foundation::FILETIME;
use windows_sys::Win32::System::Threading::{
    GetCurrentThread, GetCurrentThreadId, GetThreadTimes, OpenThread, SetThreadPriority,
    THREAD_PRIORITY_LOWEST, THREAD_QUERY_LIMITED_INFORMATION,
};

/// A handle that may ask after the thread.
#[derive(Debug)]
pub(crate) struct Clock(OwnedHandle);

impl Clock {
    pub(crate) fn of_this_thread() -> Option<Self> {
        // SAFETY: it has no conditions.
        let thread = unsafe { GetCurrentThreadId() };
        // SAFETY: no pointers are passed, and a number that is no thread's would be refused.
        let handle = unsafe { OpenThread(THREAD_QUERY_LIMITED_INFORMATION, 0, thread) };
        if handle.is_null() {
            return None;
        }
        // SAFETY: it was just opened here, and nobody else closes it.
        Some(Self(unsafe { OwnedHandle::from_raw_handle(handle) }))
    }

    pub(crate) fn read(&self) -> Option<Duration> {
        let nothing = FILETIME {
            dwLowDateTime: 0,
            dwHighDateTime: 0,
        };
        let [mut began, mut ended, mut kernel, mut user] = [nothing; 4];
        let thread = self.0.as_raw_handle();
        // SAFETY: the handle is open, and each pointer is to a place for a result.
        let is_told =
            unsafe { GetThreadTimes(thread, &mut began, &mut ended, &mut kernel, &mut user) != 0 };
        // In units of 100 ns.
        let units =
            |time: FILETIME| u64::from(time.dwHighDateTime) << 32 | u64::from(time.dwLowDateTime);
        let ran = units(kernel) + units(user);
        is_told.then(|| Duration::from_micros(ran / 10))
    }
}

pub(crate) const CLOCKS_TICK: bool = true;

/// Whether [`take_leftovers`] makes a difference.
pub const HAS_LEFTOVERS: bool = true;

/// Has the calling thread run with what others leave.
pub fn take_leftovers() {
    // SAFETY: it has no conditions.
    let thread = unsafe { GetCurrentThread() };
    // SAFETY: the handle stands for the calling thread, always.
    let _ = unsafe { SetThreadPriority(thread, THREAD_PRIORITY_LOWEST) };
}
