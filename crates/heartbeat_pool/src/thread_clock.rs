//! How long a thread has had a core, for itself and for others that ask.

use std::time::Duration;

/// The clock of the thread that has made it, which other threads may read too.
#[derive(Debug)]
pub(crate) struct ThreadClock {
    clock: clocks::Clock,
    /// When this was made.
    start: Duration,
}

impl ThreadClock {
    /// The calling thread's; none where the system has no such clocks.
    pub(crate) fn of_this_thread() -> Option<Self> {
        let clock = clocks::of_this_thread()?;
        let start = clocks::read(&clock)?;
        Some(Self { clock, start })
    }

    /// For how long the thread has had a core since this was made: for as long as it runs, as of
    /// [`age`] ago at most.
    pub(crate) fn ran(&self) -> Option<Duration> {
        Some(clocks::read(&self.clock)?.saturating_sub(self.start))
    }
}

/// For how long the calling thread has had a core; none where the system doesn't tell, or not to
/// the microsecond.
pub(crate) fn this_thread() -> Option<Duration> {
    clocks::this_thread()
}

/// Windows and Apple's systems count the time of a thread that goes on running by ticks and turns,
/// of 10 to 16 ms.
const TICK: Duration = Duration::from_millis(16);

/// How old what a clock says of a running thread may be.
pub(crate) fn age() -> Duration {
    if cfg!(any(windows, target_vendor = "apple")) {
        TICK
    } else {
        Duration::ZERO
    }
}

#[cfg(all(
    any(target_os = "linux", target_os = "android"),
    not(any(miri, heartbeat_loom, heartbeat_sim))
))]
mod clocks {
    use rustix::time::{ClockId, clock_gettime};
    use std::mem::MaybeUninit;
    use std::time::Duration;

    pub(super) type Clock = libc::clockid_t;

    pub(super) fn of_this_thread() -> Option<Clock> {
        // SAFETY: it has no conditions.
        let thread = unsafe { libc::pthread_self() };
        let mut clock = MaybeUninit::uninit();
        // SAFETY: the thread is this one, which runs, and the pointer is to a place for the result.
        let refused = unsafe { libc::pthread_getcpuclockid(thread, clock.as_mut_ptr()) };
        if refused != 0 {
            return None;
        }
        // SAFETY: it was written, for the call has succeeded.
        Some(unsafe { clock.assume_init() })
    }

    pub(super) fn read(clock: &Clock) -> Option<Duration> {
        let mut time = MaybeUninit::<libc::timespec>::uninit();
        // SAFETY: the pointer is to a place for the result. The clock of a thread that has ended is
        // refused, or another thread's by now, which is a wrong time and no more.
        let refused = unsafe { libc::clock_gettime(*clock, time.as_mut_ptr()) };
        if refused != 0 {
            return None;
        }
        // SAFETY: it was written, for the call has succeeded.
        let time = unsafe { time.assume_init() };
        let seconds = u64::try_from(time.tv_sec).ok()?;
        Some(Duration::new(seconds, u32::try_from(time.tv_nsec).ok()?))
    }

    pub(super) fn this_thread() -> Option<Duration> {
        clock_gettime(ClockId::ThreadCPUTime).try_into().ok()
    }
}

#[cfg(all(windows, not(any(miri, heartbeat_loom, heartbeat_sim))))]
mod clocks {
    use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle};
    use std::time::Duration;
    use windows_sys::Win32::Foundation::FILETIME;
    use windows_sys::Win32::System::Threading::{
        GetCurrentThreadId, GetThreadTimes, OpenThread, THREAD_QUERY_LIMITED_INFORMATION,
    };

    pub(super) type Clock = OwnedHandle;

    pub(super) fn of_this_thread() -> Option<Clock> {
        // SAFETY: it has no conditions.
        let thread = unsafe { GetCurrentThreadId() };
        // SAFETY: no pointers are passed, and a number that is no thread's would be refused.
        let handle = unsafe { OpenThread(THREAD_QUERY_LIMITED_INFORMATION, 0, thread) };
        if handle.is_null() {
            return None;
        }
        // SAFETY: it was just opened here, and nobody else closes it.
        Some(unsafe { OwnedHandle::from_raw_handle(handle) })
    }

    pub(super) fn read(clock: &Clock) -> Option<Duration> {
        let nothing = FILETIME {
            dwLowDateTime: 0,
            dwHighDateTime: 0,
        };
        let [mut began, mut ended, mut kernel, mut user] = [nothing; 4];
        let thread = clock.as_raw_handle();
        // SAFETY: the handle is open, and each pointer is to a place for a result.
        let is_told =
            unsafe { GetThreadTimes(thread, &mut began, &mut ended, &mut kernel, &mut user) != 0 };
        // In units of 100 ns.
        let units =
            |time: FILETIME| u64::from(time.dwHighDateTime) << 32 | u64::from(time.dwLowDateTime);
        let ran = units(kernel) + units(user);
        is_told.then(|| Duration::from_micros(ran / 10))
    }

    pub(super) fn this_thread() -> Option<Duration> {
        None
    }
}

#[cfg(all(target_vendor = "apple", not(any(miri, heartbeat_loom, heartbeat_sim))))]
#[expect(
    deprecated,
    reason = "the crate that libc names would be one more for two calls"
)]
mod clocks {
    use std::mem::MaybeUninit;
    use std::time::Duration;

    unsafe extern "C" {
        fn mach_port_deallocate(
            task: libc::mach_port_t,
            name: libc::mach_port_t,
        ) -> libc::kern_return_t;
    }

    /// A right to ask after a thread, whose name no other one gets while this is there.
    #[derive(Debug)]
    pub(super) struct Clock(libc::mach_port_t);

    impl Drop for Clock {
        fn drop(&mut self) {
            // SAFETY: it has no conditions.
            let task = unsafe { libc::mach_task_self() };
            // SAFETY: the right is this one's own.
            let _ = unsafe { mach_port_deallocate(task, self.0) };
        }
    }

    pub(super) fn of_this_thread() -> Option<Clock> {
        // SAFETY: it has no conditions. The right that it gives is the caller's.
        Some(Clock(unsafe { libc::mach_thread_self() }))
    }

    pub(super) fn read(clock: &Clock) -> Option<Duration> {
        let mut info = MaybeUninit::<libc::thread_basic_info>::uninit();
        let mut size = libc::THREAD_BASIC_INFO_COUNT;
        let (what, to) = (libc::THREAD_BASIC_INFO as u32, info.as_mut_ptr().cast());
        // SAFETY: the pointers are to a place for the result and to its size. A thread that has
        // ended is refused.
        let refused = unsafe { libc::thread_info(clock.0, what, to, &mut size) };
        if refused != libc::KERN_SUCCESS {
            return None;
        }
        // SAFETY: it was written, for the call has succeeded.
        let info = unsafe { info.assume_init() };
        let time = |time: libc::time_value_t| {
            let seconds = u64::try_from(time.seconds).ok()?;
            let more = u64::try_from(time.microseconds).ok()?;
            Some(Duration::from_secs(seconds) + Duration::from_micros(more))
        };
        Some(time(info.user_time)? + time(info.system_time)?)
    }

    pub(super) fn this_thread() -> Option<Duration> {
        None
    }
}

#[cfg(any(
    not(any(
        target_os = "linux",
        target_os = "android",
        windows,
        target_vendor = "apple"
    )),
    miri,
    heartbeat_loom,
    heartbeat_sim
))]
mod clocks {
    use std::time::Duration;

    /// There is none.
    #[derive(Debug)]
    pub(super) enum Clock {}

    pub(super) fn of_this_thread() -> Option<Clock> {
        None
    }

    pub(super) fn read(clock: &Clock) -> Option<Duration> {
        match *clock {}
    }

    pub(super) fn this_thread() -> Option<Duration> {
        None
    }
}

#[cfg(all(
    test,
    any(target_os = "linux", windows, target_vendor = "apple"),
    not(any(miri, heartbeat_loom, heartbeat_sim))
))]
mod tests {
    use super::*;
    use std::sync::mpsc;
    use std::thread;

    #[test]
    fn others_read_it_while_the_thread_runs() {
        let (to_us, from_thread) = mpsc::channel();
        let (to_thread, from_us) = mpsc::channel::<()>();
        let thread = thread::spawn(move || {
            to_us.send(ThreadClock::of_this_thread().unwrap()).unwrap();
            while from_us.try_recv() == Err(mpsc::TryRecvError::Empty) {}
        });
        let clock = from_thread.recv().unwrap();
        while clock.ran().unwrap() < Duration::from_millis(40) {
            thread::yield_now();
        }
        drop(to_thread);
        thread.join().unwrap();
    }
}
