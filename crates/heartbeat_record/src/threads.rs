//! Which rings there are: one a thread that noted anything since recording began.

use crate::clock;
use crate::event::{Event, Role, What};
use crate::ring::Ring;
use std::cell::{Cell, RefCell};
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

/// Rings of threads that have ended which are kept. Older ones are thrown away, and counted.
const ENDED: usize = 64;

/// A time of recording, by its number.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Session(u32);

/// What runs now; zero for nothing.
static ON: AtomicU32 = AtomicU32::new(0);
static CAPACITY: AtomicUsize = AtomicUsize::new(0);
static RINGS: Mutex<Rings> = Mutex::new(Rings {
    session: 0,
    of: Vec::new(),
    lost: 0,
    unread: 0,
});

/// The rings of the present session, or of the last one.
pub(crate) struct Rings {
    pub(crate) session: u32,
    pub(crate) of: Vec<Arc<ThreadRing>>,
    /// Events that were thrown away with their rings, and those of them that no cursor had read.
    pub(crate) lost: u64,
    pub(crate) unread: u64,
}

pub(crate) struct ThreadRing {
    pub(crate) thread: u32,
    pub(crate) name: String,
    pub(crate) role: Role,
    pub(crate) ring: Ring,
    /// How many of its events a cursor has seen, or was told that they are gone.
    pub(crate) read: AtomicU64,
}

/// A thread's hold on its ring.
struct Own(Session, Arc<ThreadRing>);

thread_local! {
    static OWN: RefCell<Option<Own>> = const { RefCell::new(None) };
    static ROLE: Cell<Role> = const { Cell::new(Role::Outside) };
    static NUMBER: Cell<u32> = const { Cell::new(0) };
}

pub(crate) fn rings() -> MutexGuard<'static, Rings> {
    RINGS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A number of the calling thread, which no other thread of the process has had.
#[must_use]
pub fn this_thread() -> u32 {
    static NEXT: AtomicU32 = AtomicU32::new(1);
    if NUMBER.get() == 0 {
        // Relaxed: nothing but the number matters.
        NUMBER.set(NEXT.fetch_add(1, Ordering::Relaxed));
    }
    NUMBER.get()
}

/// Tells what the calling thread is, before it notes anything.
pub fn set_role(role: Role) {
    ROLE.set(role);
}

#[inline]
pub(crate) fn session() -> Option<Session> {
    // In a model nothing is recorded.
    if cfg!(any(heartbeat_loom, heartbeat_sim)) {
        return None;
    }
    // Relaxed: a thread that learns late of the begin or the end notes less or more.
    let session = ON.load(Ordering::Relaxed);
    (session != 0).then_some(Session(session))
}

/// Begins a session, with rings for so many events a thread.
pub(crate) fn begin(capacity: usize) {
    let mut rings = rings();
    rings.session += 1;
    rings.of.clear();
    (rings.lost, rings.unread) = (0, 0);
    // Relaxed, both: a thread makes its ring under the lock.
    CAPACITY.store(capacity, Ordering::Relaxed);
    ON.store(rings.session, Ordering::Relaxed);
}

pub(crate) fn end() {
    ON.store(0, Ordering::Relaxed);
}

#[inline(never)]
pub(crate) fn write(session: Session, what: What) {
    let time = clock::now();
    // A thread-local's destructor may come after the ring's.
    _ = OWN.try_with(|own| {
        // Noted while this writes: nothing here calls what notes.
        let Ok(mut own) = own.try_borrow_mut() else {
            return;
        };
        if !matches!(&*own, Some(own) if own.0 == session) {
            let Some(new) = open(session) else {
                // What was begun in a session that is over ends: the ring may be a later one's.
                return;
            };
            *own = Some(new);
        }
        if let Some(own) = &*own {
            own.1.ring.push(Event { time, what }.words());
        }
    });
}

pub(crate) fn ran(session: Session) {
    // The time is taken last: being asked, the system may find that the thread has had its share,
    // and give its core away. What the file of `system::delayed` says of it is a tick old.
    if let Some(ran) = heartbeat_system::ran() {
        let ns = ran.as_nanos() as u64;
        write(session, What::Ran { ns });
    }
}

pub(crate) fn delayed(session: Session) {
    if let Some(ns) = heartbeat_system::delayed() {
        write(session, What::Delayed { ns });
    }
}

/// A ring for the calling thread; none if the session is over already.
#[cold]
fn open(session: Session) -> Option<Own> {
    let thread = thread::current();
    let name = match thread.name() {
        Some(name) => name.to_owned(),
        None => format!("{:?}", thread.id()),
    };
    let ring = Arc::new(ThreadRing {
        thread: this_thread(),
        name,
        role: ROLE.get(),
        ring: Ring::new(CAPACITY.load(Ordering::Relaxed)),
        read: AtomicU64::new(0),
    });
    let mut rings = rings();
    if rings.session != session.0 {
        return None;
    }
    // No thread has it, nor just a reader: a hint for a thread that looks for memory.
    let ended = |ring: &Arc<ThreadRing>| Arc::strong_count(ring) == 1;
    if rings.of.iter().filter(|ring| ended(ring)).count() >= ENDED
        && let Some(oldest) = rings.of.iter().position(ended)
    {
        let gone = rings.of.remove(oldest);
        let written = gone.ring.written();
        rings.lost += written;
        // Relaxed: a thread that reads it meanwhile may count some as missing that it has.
        rings.unread += written.saturating_sub(gone.read.load(Ordering::Relaxed));
    }
    rings.of.push(ring.clone());
    Some(Own(session, ring))
}
