//! Linux, Android included.

use std::mem::MaybeUninit;
use std::time::Duration;

#[derive(Debug)]
pub(crate) struct Clock(libc::clockid_t);

impl Clock {
    pub(crate) fn of_this_thread() -> Option<Self> {
        // SAFETY: it has no conditions.
        let thread = unsafe { libc::pthread_self() };
        let mut clock = MaybeUninit::uninit();
        // SAFETY: the thread is this one, which runs, and the pointer is to a place for the result.
        let refused = unsafe { libc::pthread_getcpuclockid(thread, clock.as_mut_ptr()) };
        if refused != 0 {
            return None;
        }
        // SAFETY: it was written, for the call has succeeded.
        Some(Self(unsafe { clock.assume_init() }))
    }

    pub(crate) fn read(&self) -> Option<Duration> {
        let mut time = MaybeUninit::<libc::timespec>::uninit();
        // SAFETY: the pointer is to a place for the result. The clock of a thread that has ended is
        // refused, or another thread's by now, which is a wrong time and no more.
        let refused = unsafe { libc::clock_gettime(self.0, time.as_mut_ptr()) };
        if refused != 0 {
            return None;
        }
        // SAFETY: it was written, for the call has succeeded.
        let time = unsafe { time.assume_init() };
        let seconds = u64::try_from(time.tv_sec).ok()?;
        Some(Duration::new(seconds, u32::try_from(time.tv_nsec).ok()?))
    }
}

pub(crate) const CLOCKS_TICK: bool = false;

const THIS_THREAD: libc::pid_t = 0;

/// Whether [`take_leftovers`] makes a difference.
pub const HAS_LEFTOVERS: bool = true;

/// Has the calling thread run with what others leave.
pub fn take_leftovers() {
    let priority: libc::c_int = 0;
    let (policy, from) = (libc::SCHED_IDLE, &raw const priority);
    // By number, for musl's function does nothing.
    // SAFETY: the kernel reads a `struct sched_param` from where `from` points, which is this one
    // number.
    let _ = unsafe { libc::syscall(libc::SYS_sched_setscheduler, THIS_THREAD, policy, from) };
}
