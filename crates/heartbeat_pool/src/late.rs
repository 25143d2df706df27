//! Drops, and pools' ends, that must not run on the thread that came to them: it may hold or owe
//! something. Such are tasks that are queued after a pool's end, as their wake-up began before it.
//!
//! Whoever wakes a task may hold a lock that the task's drop wants (event-listener wakes under
//! one), so the waker's thread must not drop what it can't queue. A thread that holds nothing does.

use crate::job::Job;
use crate::sync::{Mutex, lock, thread};
use crate::unwind;
use std::mem;

struct Late {
    jobs: Vec<Job>,
    /// Whether a thread is there that will drop them.
    attended: bool,
}

static LATE: Mutex<Late> = Mutex::new(Late {
    jobs: Vec::new(),
    attended: false,
});

/// Drops `job` on a thread that holds no locks. Where no thread can be started, the job is kept
/// until one can.
pub(crate) fn drop_elsewhere(job: Job) {
    let mut late = lock(&LATE);
    late.jobs.push(job);
    if !late.attended {
        late.attended = run_elsewhere(drop_all);
    }
}

/// Calls `f` on a thread that belongs to no pool; false where none can be started.
pub(crate) fn run_elsewhere(f: impl FnOnce() + Send + 'static) -> bool {
    let thread = thread::Builder::new().name("heartbeat late".to_owned());
    thread.spawn(f).is_ok()
}

fn drop_all() {
    loop {
        let mut late = lock(&LATE);
        let jobs = mem::take(&mut late.jobs);
        if jobs.is_empty() {
            late.attended = false;
            return;
        }
        drop(late);
        jobs.into_iter().for_each(unwind::discard);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::{Arc, mpsc};

    #[test]
    fn a_late_job_is_dropped_under_no_lock_of_the_caller() {
        struct WantsLock(Arc<Mutex<()>>, mpsc::Sender<()>);
        impl Drop for WantsLock {
            fn drop(&mut self) {
                let _held = self.0.lock().unwrap();
                self.1.send(()).unwrap();
            }
        }
        let lock = Arc::new(Mutex::new(()));
        let (sender, receiver) = mpsc::channel();
        let held = lock.lock().unwrap();
        for _ in 0..3 {
            let wants = WantsLock(lock.clone(), sender.clone());
            drop_elsewhere(Job::new(Box::new(move || drop(wants))));
        }
        assert!(receiver.try_recv().is_err());
        drop(held);
        for _ in 0..3 {
            receiver.recv().unwrap();
        }
    }

    #[test]
    fn a_panic_as_a_late_job_is_dropped_keeps_no_other_alive() {
        struct Panics;
        impl Drop for Panics {
            fn drop(&mut self) {
                unwind::resume(Box::new("a late job"));
            }
        }
        let (sender, receiver) = mpsc::channel::<()>();
        for _ in 0..3 {
            let (panics, sender) = (Panics, sender.clone());
            drop_elsewhere(Job::new(Box::new(move || drop(panics))));
            drop_elsewhere(Job::new(Box::new(move || drop(sender))));
        }
        drop(sender);
        let minute = std::time::Duration::from_mins(1);
        let all_gone = receiver.recv_timeout(minute);
        assert_eq!(all_gone, Err(mpsc::RecvTimeoutError::Disconnected));
    }
}
