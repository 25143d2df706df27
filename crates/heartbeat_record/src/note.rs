//! What a pool calls where something happens. Each of these costs one relaxed load while nothing is
//! recorded.

use crate::event::{Place, What};
use crate::lane::Lane;
use crate::threads;

pub use crate::threads::{set_role, this_thread};

/// Notes what `what` gives, on the calling thread.
///
/// ```
/// use heartbeat_record::{Recorder, What, note};
///
/// Recorder::start(16);
/// note::note(|| What::Beat);
/// let snapshot = Recorder::snapshot();
/// assert_eq!(snapshot.threads[0].events[0].what, What::Beat);
/// # Recorder::stop();
/// ```
#[inline]
pub fn note(what: impl FnOnce() -> What) {
    if let Some(session) = threads::session() {
        threads::write(session, what());
    }
}

/// Notes that the job of this number was queued.
#[inline]
pub fn queued(job: u64, lane: Lane, place: Place) {
    note(|| What::Queued { job, lane, place });
}

fn place<T>(parker: *const T) -> u64 {
    parker.addr() as u64
}

/// Notes that the calling thread is about to sleep at `parker`, for a while only where it is
/// `timed`, and what the system says of it.
#[inline]
pub fn parked<T>(parker: *const T, timed: bool) {
    if let Some(session) = threads::session() {
        // Here, where nobody waits for the thread but one that has just picked it to be woken: to
        // read it takes a microsecond.
        threads::delayed(session);
        let parker = place(parker);
        threads::write(session, What::Parked { parker, timed });
    }
}

/// Notes that the calling thread no longer sleeps, whether it was woken, and for how long it has
/// run.
#[inline]
pub fn awake(woken: bool) {
    if let Some(session) = threads::session() {
        threads::write(session, What::Awake { woken });
        // Here, and not before its sleep: there the system, being asked, may find that the thread
        // has had its share, and a thread that is queued for a core is not moved to a free one.
        threads::ran(session);
    }
}

/// Notes that the calling thread has woken the one that sleeps at `parker`.
#[inline]
pub fn woke<T>(parker: *const T) {
    let parker = || place(parker);
    note(|| What::Woke { parker: parker() });
}

/// Calls `f`, and notes its begin and its end, though it unwinds.
///
/// ```
/// use heartbeat_record::{Recorder, Wait, What, note};
///
/// Recorder::start(16);
/// let begun = || What::WaitBegun { wait: Wait::Join };
/// assert_eq!(note::around(begun, What::WaitEnded, || 5), 5);
/// assert_eq!(Recorder::snapshot().threads[0].events.len(), 2);
/// # Recorder::stop();
/// ```
#[inline]
pub fn around<R>(begun: impl FnOnce() -> What, ended: What, f: impl FnOnce() -> R) -> R {
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
