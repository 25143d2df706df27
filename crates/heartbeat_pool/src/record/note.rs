//! What the pool's rooms call where something happens.

use super::event::{Place, What};
use super::threads;
use crate::lanes::lane::Lane;

pub(crate) use super::threads::{set_role, this_thread};

/// Notes what `what` gives, on the calling thread.
#[inline]
pub(crate) fn note(what: impl FnOnce() -> What) {
    if let Some(session) = threads::session() {
        threads::write(session, what());
    }
}

#[inline]
pub(crate) fn queued(job: u64, lane: Lane, place: Place) {
    note(|| What::Queued { job, lane, place });
}

fn place<T>(parker: *const T) -> u64 {
    parker.addr() as u64
}

#[inline]
pub(crate) fn parked<T>(parker: *const T, timed: bool) {
    if let Some(session) = threads::session() {
        // Here, where nobody waits for the thread but who has just picked it to be woken: to read
        // it takes a microsecond.
        threads::delayed(session);
        let parker = place(parker);
        threads::write(session, What::Parked { parker, timed });
    }
}

#[inline]
pub(crate) fn awake(woken: bool) {
    if let Some(session) = threads::session() {
        threads::write(session, What::Awake { woken });
        // Here, and not before its sleep: there the system, being asked, may find that the thread
        // has had its share, and a thread that is queued for a core is not moved to a free one.
        threads::ran(session);
    }
}

#[inline]
pub(crate) fn woke<T>(parker: *const T) {
    let parker = || place(parker);
    note(|| What::Woke { parker: parker() });
}

/// Calls `f`, and notes its begin and its end.
#[inline]
pub(crate) fn around<R>(begun: impl FnOnce() -> What, ended: What, f: impl FnOnce() -> R) -> R {
    let Some(session) = threads::session() else {
        return f();
    };
    /// Notes the end, though `f` unwinds.
    struct End(threads::Session, What);
    impl Drop for End {
        fn drop(&mut self) {
            threads::write(self.0, self.1);
        }
    }
    threads::write(session, begun());
    let _end = End(session, ended);
    f()
}
