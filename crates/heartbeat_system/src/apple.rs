//! Apple's systems.
#![expect(
    deprecated,
    reason = "the crate that libc names would be one more for two calls"
)]

use libc::qos_class_t::QOS_CLASS_UTILITY;
use std::mem::MaybeUninit;
use std::time::Duration;

unsafe extern "C" {
    fn mach_port_deallocate(
        task: libc::mach_port_t,
        name: libc::mach_port_t,
    ) -> libc::kern_return_t;
}

/// A right to ask after the thread, whose name no other one gets while this is there.
#[derive(Debug)]
pub(crate) struct Clock(libc::mach_port_t);

impl Clock {
    pub(crate) fn of_this_thread() -> Option<Self> {
        // SAFETY: it has no conditions. The right that it gives is the caller's.
        Some(Self(unsafe { libc::mach_thread_self() }))
    }

    pub(crate) fn read(&self) -> Option<Duration> {
        let mut info = MaybeUninit::<libc::thread_basic_info>::uninit();
        let mut size = libc::THREAD_BASIC_INFO_COUNT;
        let (what, to) = (libc::THREAD_BASIC_INFO as u32, info.as_mut_ptr().cast());
        // SAFETY: the pointers are to a place for the result and to its size. A thread that has
        // ended is refused.
        let refused = unsafe { libc::thread_info(self.0, what, to, &mut size) };
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
}

impl Drop for Clock {
    fn drop(&mut self) {
        // SAFETY: it has no conditions.
        let task = unsafe { libc::mach_task_self() };
        // SAFETY: the right is this one's own.
        let _ = unsafe { mach_port_deallocate(task, self.0) };
    }
}

pub(crate) const CLOCKS_TICK: bool = true;

/// Whether [`take_leftovers`] makes a difference.
pub const HAS_LEFTOVERS: bool = true;

/// Has the calling thread run with what others leave.
pub fn take_leftovers() {
    // SAFETY: it has no conditions.
    let _ = unsafe { libc::pthread_set_qos_class_self_np(QOS_CLASS_UTILITY, 0) };
}
