//! The recorder's face.

use crate::clock;
use crate::event::What;
use crate::names::Name;
use crate::note::note;
use crate::snapshot::{Cursor, Snapshot};
use crate::threads;

/// Records what every thread of every pool does, for profilers and for questions like "why was this
/// frame late?".
///
/// Each thread writes to a ring of its own, whose oldest events make place for new ones. An event
/// takes 24 bytes: rings of the [usual size](Self::EVENTS) take 768 KiB a thread, 48 MiB with 64
/// threads. Where it is off, an event costs one relaxed load.
///
/// ```
/// use heartbeat_record::{Recorder, What};
///
/// let name = Recorder::name("physics");
/// Recorder::start(Recorder::EVENTS);
/// Recorder::begin(name, 1);
/// Recorder::end(name);
/// Recorder::stop();
/// let snapshot = Recorder::snapshot();
/// let begun = What::SpanBegun { name, value: 1 };
/// assert_eq!(snapshot.threads[0].events[0].what, begun);
/// ```
#[derive(Debug)]
pub struct Recorder(());

impl Recorder {
    /// Events that a ring has place for where nobody says otherwise.
    pub const EVENTS: usize = 1 << 15;

    /// Events that a ring has place for at most: 96 MiB a thread.
    pub const MOST: usize = 1 << 22;

    /// Begins to record, with rings for so many events a thread, rounded up to a power of two, of
    /// which [`MOST`](Self::MOST) is the greatest. What was recorded before is thrown away.
    pub fn start(events: usize) {
        threads::begin(events.min(Self::MOST));
    }

    /// Ends recording. What was recorded can be read until the next start.
    pub fn stop() {
        threads::end();
    }

    /// Whether it records now.
    #[must_use]
    pub fn is_on() -> bool {
        threads::session().is_some()
    }

    /// What the rings hold now. The threads go on meanwhile, so each one's events end at a moment
    /// of its own.
    #[must_use]
    pub fn snapshot() -> Snapshot {
        Snapshot::now()
    }

    /// What came since the last snapshot with this cursor.
    ///
    /// ```
    /// use heartbeat_record::{Cursor, Recorder};
    /// # let name = Recorder::name("tick");
    /// Recorder::start(64);
    /// let mut cursor = Cursor::default();
    /// Recorder::mark(name, 1);
    /// assert_eq!(Recorder::snapshot_after(&mut cursor).threads[0].events.len(), 1);
    /// Recorder::mark(name, 2);
    /// Recorder::mark(name, 3);
    /// assert_eq!(Recorder::snapshot_after(&mut cursor).threads[0].events.len(), 2);
    /// # Recorder::stop();
    /// ```
    #[must_use]
    pub fn snapshot_after(cursor: &mut Cursor) -> Snapshot {
        Snapshot::after(cursor)
    }

    /// The time, as [`Event::time`](crate::Event::time) has it: in nanoseconds since the process
    /// first looked at the recorder's clock. On the web without a clock always 1.
    #[must_use]
    pub fn now() -> u64 {
        clock::now()
    }

    /// The number of the calling thread, by which events name it.
    #[must_use]
    pub fn this_thread() -> u32 {
        threads::this_thread()
    }

    /// Keeps a name for as long as the process runs. It takes a lock, so it is to be called once a
    /// name, not once an event. Of names that are new each time 65,535 are kept; more have one name
    /// in common that says so.
    #[must_use]
    pub fn name(text: &str) -> Name {
        Name::new(text)
    }

    /// Notes that something begins on the calling thread, with a value of the caller's.
    #[inline]
    pub fn begin(name: Name, value: u64) {
        note(|| What::SpanBegun { name, value });
    }

    /// Notes that it ends.
    #[inline]
    pub fn end(name: Name) {
        note(|| What::SpanEnded { name });
    }

    /// Notes that something happened on the calling thread, with a value of the caller's.
    #[inline]
    pub fn mark(name: Name, value: u64) {
        note(|| What::Mark { name, value });
    }

    /// Notes what the system says now of the calling thread, where it says anything.
    pub fn read_clocks() {
        if let Some(session) = threads::session() {
            threads::delayed(session);
            threads::ran(session);
        }
    }
}
