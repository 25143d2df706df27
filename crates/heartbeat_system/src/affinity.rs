//! Which cores a thread may use: on Linux on x86-64, where the running core is told in nanoseconds.

pub use system::{Confined, MOVES_THREADS, Thread, avoid, current, end, this_thread};

#[cfg(all(
    target_os = "linux",
    target_arch = "x86_64",
    not(any(miri, heartbeat_loom, heartbeat_sim))
))]
mod system {
    use rustix::thread::{CpuSet, Pid, gettid, sched_getaffinity, sched_getcpu, sched_setaffinity};

    /// Whether anything here has an effect; in the models threads are woken as if it had.
    pub const MOVES_THREADS: bool = true;

    /// A thread, for [`avoid`].
    pub type Thread = Pid;

    /// What a thread may use for a moment, and what it might use before.
    #[derive(Debug)]
    pub struct Confined {
        now: CpuSet,
        before: CpuSet,
    }

    /// The calling thread.
    #[must_use]
    pub fn this_thread() -> Thread {
        gettid()
    }

    /// The calling thread's core, where the system tells it.
    #[inline]
    #[must_use]
    pub fn current() -> Option<usize> {
        Some(sched_getcpu())
    }

    /// Moves a thread away from `cores`, if it may use any other, until [`end`]; none if it may
    /// not, or the system refuses.
    #[cold]
    pub fn avoid(thread: Thread, cores: impl Iterator<Item = usize>) -> Option<Confined> {
        let before = sched_getaffinity(Some(thread)).ok()?;
        let mut now = before;
        for core in cores {
            if core < CpuSet::MAX_CPU {
                now.unset(core);
            }
        }
        let moves = now.count() > 0 && now != before;
        (moves && sched_setaffinity(Some(thread), &now).is_ok()).then_some(Confined { now, before })
    }

    /// Lets the thread use what it might use before, unless the app has chosen otherwise meanwhile.
    pub fn end(thread: Thread, confined: &Confined) {
        if sched_getaffinity(Some(thread)).is_ok_and(|now| now == confined.now) {
            _ = sched_setaffinity(Some(thread), &confined.before);
        }
    }

    #[cfg(test)]
    mod tests {
        use super::*;
        use std::iter;

        #[test]
        fn what_was_avoided_may_be_used_again() {
            let allowed = sched_getaffinity(None).unwrap();
            if allowed.count() < 2 {
                return;
            }
            let thread = this_thread();
            let core = (0..).find(|core| allowed.is_set(*core)).unwrap();
            let confined = avoid(thread, iter::once(core)).unwrap();
            assert!(!sched_getaffinity(None).unwrap().is_set(core));
            end(thread, &confined);
            assert!(sched_getaffinity(None).unwrap() == allowed);
        }

        #[test]
        fn what_the_app_has_chosen_meanwhile_stays() {
            let allowed = sched_getaffinity(None).unwrap();
            if allowed.count() < 2 {
                return;
            }
            let thread = this_thread();
            let confined = avoid(thread, iter::once(current().unwrap()));
            sched_setaffinity(None, &allowed).unwrap();
            let mut own = allowed;
            own.unset((0..).find(|core| allowed.is_set(*core)).unwrap());
            sched_setaffinity(None, &own).unwrap();
            let differs = confined
                .as_ref()
                .is_some_and(|confined| confined.now != own);
            confined.inspect(|confined| end(thread, confined));
            assert!(!differs || sched_getaffinity(None).unwrap() == own);
            sched_setaffinity(None, &allowed).unwrap();
        }
    }
}

#[cfg(not(all(
    target_os = "linux",
    target_arch = "x86_64",
    not(any(miri, heartbeat_loom, heartbeat_sim))
)))]
mod system {
    /// Whether anything here has an effect; in the models threads are woken as if it had.
    pub const MOVES_THREADS: bool = cfg!(any(heartbeat_loom, heartbeat_sim));

    /// A thread, for [`avoid`].
    #[derive(Clone, Copy, Debug)]
    pub struct Thread;

    /// What a thread may use for a moment, and what it might use before.
    #[derive(Debug)]
    pub struct Confined;

    /// The calling thread.
    #[must_use]
    pub fn this_thread() -> Thread {
        Thread
    }

    /// The calling thread's core, where the system tells it.
    #[inline]
    #[must_use]
    pub fn current() -> Option<usize> {
        None
    }

    /// Moves a thread away from `cores`, if it may use any other, until [`end`]; none if it may
    /// not, or the system refuses.
    #[must_use]
    pub fn avoid(_: Thread, _: impl Iterator<Item = usize>) -> Option<Confined> {
        None
    }

    /// Lets the thread use what it might use before, unless the app has chosen otherwise meanwhile.
    pub fn end(_: Thread, _: &Confined) {}
}
