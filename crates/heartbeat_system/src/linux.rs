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

/// A time slice, in nanoseconds: four times the usual one. Longer ones make no frame quicker, and
/// background jobs slower where others are busy.
const SLICE: u64 = 12_000_000;

/// The kernel's `struct sched_attr`, as far as all kernels that have it know it.
#[repr(C)]
#[derive(Default)]
struct Attributes {
    size: u32,
    policy: u32,
    flags: u64,
    nice: i32,
    priority: u32,
    /// For a usual thread its slice, from Linux 6.12 on; 0 and ignored before.
    runtime: u64,
    deadline: u64,
    period: u64,
}

const THIS_THREAD: libc::pid_t = 0;
const NO_FLAGS: libc::c_uint = 0;

/// Those of the calling thread.
fn attributes() -> Option<Attributes> {
    let mut attributes = Attributes::default();
    let (to, size) = (&raw mut attributes, size_of::<Attributes>() as u32);
    // SAFETY: the kernel writes `size` bytes at most to where `to` points, where there are as many,
    // and numbers of any value are valid there.
    let result = unsafe { libc::syscall(libc::SYS_sched_getattr, THIS_THREAD, to, size, NO_FLAGS) };
    (result == 0).then_some(attributes)
}

/// Has the calling thread run in longer time slices, and others come before it that wake.
pub fn take_long_slices() {
    // Whoever starts threads of another policy has a reason.
    // `SCHED_OTHER`, or `SCHED_NORMAL` as Android says.
    let usual = |attributes: &Attributes| attributes.policy == 0;
    let Some(mut attributes) = attributes().filter(usual) else {
        return;
    };
    attributes.size = size_of::<Attributes>() as u32;
    attributes.runtime = SLICE;
    let from = &raw const attributes;
    // SAFETY: the kernel reads as many bytes from where `from` points, as that says itself.
    let _ = unsafe { libc::syscall(libc::SYS_sched_setattr, THIS_THREAD, from, NO_FLAGS) };
}

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

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn slices_are_long_where_the_system_knows_their_length() {
        let thread = thread::spawn(|| {
            let Some(before) = attributes() else {
                return;
            };
            take_long_slices();
            let is_known = before.runtime != 0;
            let after = attributes().unwrap();
            assert!(!is_known || after.runtime == SLICE);
        });
        thread.join().unwrap();
    }
}
