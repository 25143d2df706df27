//! The oracle: what became of each job, and whether it ran where it may.

use crate::scene;
use std::cell::OnceCell;
use std::fmt::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A job, or a call that jobs belong to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Id(pub usize);

#[derive(Debug)]
struct Entry {
    what: &'static str,
    parent: Option<Id>,
    runs: usize,
    is_over: bool,
    drops: usize,
    /// Whether it has a ticket, which must be dropped once.
    is_ticketed: bool,
    /// Whether it runs to its end, should the pool have time for that.
    must_end: bool,
    /// Whether any wait of its thread may run it.
    is_pinned: bool,
    panics: usize,
    reported: usize,
    /// Whether nobody but the pool's handler gets its panic.
    is_detached: bool,
}

/// What a thread is inside of.
#[derive(Clone, Debug)]
enum Frame {
    Job(Id),
    /// A call that may run `own`, and `awaited` and what these lead to.
    Wait {
        verb: &'static str,
        own: Option<Id>,
        awaited: Vec<Id>,
    },
    /// A call that may run anything.
    Free,
}

type Stack = Arc<Mutex<Vec<Frame>>>;

/// All threads' frames, for a report.
static STACKS: Mutex<Vec<(String, Stack)>> = Mutex::new(Vec::new());

thread_local! {
    static STACK: OnceCell<Stack> = const { OnceCell::new() };
}

fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn stack() -> Stack {
    let new = || {
        let stack = Stack::default();
        let name = std::thread::current().name().unwrap_or("?").to_owned();
        held(&STACKS).push((name, stack.clone()));
        scene::note(standing);
        stack
    };
    STACK.with(|stack| stack.get_or_init(new).clone())
}

/// What the calling thread is inside of.
fn standing() -> String {
    let stack = STACK.try_with(|stack| stack.get().cloned()).ok().flatten();
    stack.map_or_else(String::new, |stack| format!("{:?}", held(&stack)))
}

/// Forgets the frames of threads that ended.
pub fn forget_stacks() {
    held(&STACKS).retain(|(_, stack)| Arc::strong_count(stack) > 1);
}

/// What all threads are inside of.
#[cfg_attr(
    heartbeat_sim,
    allow(dead_code, reason = "the scheduler asks each thread")
)]
pub fn stacks() -> String {
    let mut out = String::new();
    for (name, stack) in &*held(&STACKS) {
        if Arc::strong_count(stack) > 1 {
            let _ = writeln!(out, "  \"{name}\": {:?}", held(stack));
        }
    }
    out
}

/// A frame, until this is dropped.
pub struct Inside(Stack);

impl Inside {
    fn new(frame: Frame) -> Self {
        let stack = stack();
        held(&stack).push(frame);
        Self(stack)
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        held(&self.0).pop();
    }
}

/// Of one program.
pub struct Ledger {
    entries: Mutex<Vec<Entry>>,
    /// Whether waits may run anything.
    is_lenient: bool,
    /// Whether the pool may be ending, so that jobs are dropped.
    ends: AtomicBool,
}

/// A job's right to be run, which is dropped with it.
pub struct Ticket {
    ledger: Arc<Ledger>,
    pub id: Id,
}

impl Drop for Ticket {
    fn drop(&mut self) {
        held(&self.ledger.entries)[self.id.0].drops += 1;
    }
}

/// A run of a job.
pub struct Running<'a> {
    ledger: &'a Ledger,
    id: Id,
    _inside: Inside,
}

impl Running<'_> {
    /// It has come to its end.
    pub fn over(self) {
        held(&self.ledger.entries)[self.id.0].is_over = true;
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        // Its own panic, or one that reached it.
        if std::thread::panicking() {
            held(&self.ledger.entries)[self.id.0].is_over = true;
        }
    }
}

impl Ledger {
    pub fn new(is_lenient: bool) -> Self {
        Self {
            entries: Mutex::default(),
            is_lenient,
            ends: AtomicBool::new(false),
        }
    }

    /// From now on jobs may be dropped unrun, and waits run what they must.
    pub fn end(&self) {
        self.ends.store(true, Ordering::Relaxed);
    }

    pub fn has_ended(&self) -> bool {
        self.ends.load(Ordering::Relaxed)
    }

    /// Something that jobs belong to, or that is run in place.
    pub fn add(&self, what: &'static str, parent: Option<Id>) -> Id {
        let mut entries = held(&self.entries);
        entries.push(Entry {
            what,
            parent,
            runs: 0,
            is_over: false,
            drops: 0,
            is_ticketed: false,
            must_end: false,
            is_pinned: false,
            panics: 0,
            reported: 0,
            is_detached: false,
        });
        Id(entries.len() - 1)
    }

    /// A job for one thread.
    pub fn add_pinned(&self, what: &'static str, parent: Id) -> Id {
        let id = self.add(what, Some(parent));
        held(&self.entries)[id.0].is_pinned = true;
        id
    }

    /// A job that others run.
    pub fn ticket(self: &Arc<Self>, what: &'static str, parent: Id) -> Ticket {
        let id = self.add(what, Some(parent));
        let entry = &mut held(&self.entries)[id.0];
        entry.is_ticketed = true;
        entry.must_end = true;
        Ticket {
            ledger: self.clone(),
            id,
        }
    }

    pub fn pin(&self, id: Id) {
        held(&self.entries)[id.0].is_pinned = true;
    }

    /// It may be cancelled.
    pub fn may_not_end(&self, id: Id) {
        held(&self.entries)[id.0].must_end = false;
    }

    pub fn must_end(&self, id: Id) -> bool {
        held(&self.entries)[id.0].must_end
    }

    pub fn detach(&self, id: Id) {
        held(&self.entries)[id.0].is_detached = true;
    }

    pub fn panics(&self, id: Id) {
        held(&self.entries)[id.0].panics += 1;
    }

    pub fn reported(&self, id: Id) {
        held(&self.entries)[id.0].reported += 1;
    }

    /// Whether it has come to an end; that of its pool may be one, too.
    pub fn is_over(&self, id: Id) -> bool {
        let entry = &held(&self.entries)[id.0];
        entry.is_over || entry.panics > 0 || (self.has_ended() && entry.drops > 0)
    }

    /// Whether `id` is one of `elders`, or one of these led to it.
    fn descends(&self, id: Id, elders: &[Id]) -> bool {
        let entries = held(&self.entries);
        let mut next = Some(id);
        while let Some(id) = next {
            if elders.contains(&id) {
                return true;
            }
            next = entries[id.0].parent;
        }
        false
    }

    /// The calling thread begins, or goes on with, `id`.
    pub fn run(&self, id: Id, is_first: bool) -> Running<'_> {
        let (is_pinned, runs) = {
            let entry = &mut held(&self.entries)[id.0];
            entry.runs += usize::from(is_first);
            (entry.is_pinned, entry.runs)
        };
        if runs > 1 {
            self.fail(format!("{} ran {runs} times", self.name(id)));
        }
        let top = held(&stack()).last().cloned();
        let is_free = self.is_lenient || self.has_ended() || is_pinned;
        match top {
            Some(Frame::Wait { own, verb, awaited })
                if own != Some(id) && !self.descends(id, &awaited) && !is_free =>
            {
                let awaited: Vec<_> = awaited.iter().map(|id| self.name(*id)).collect();
                let stranger = self.name(id);
                self.fail(format!(
                    "a wait in {verb} for {awaited:?} ran a stranger's {stranger}"
                ));
            }
            Some(Frame::Job(other)) => {
                let (inner, outer) = (self.name(id), self.name(other));
                self.fail(format!(
                    "{inner} ran inside of {outer}, which called nothing"
                ));
            }
            _ => {}
        }
        Running {
            ledger: self,
            id,
            _inside: Inside::new(Frame::Job(id)),
        }
    }

    /// The calling thread is in a call that waits for `awaited`, and may run `own` in place.
    pub fn wait(&self, verb: &'static str, own: Option<Id>, awaited: &[Id]) -> Inside {
        Inside::new(Frame::Wait {
            verb,
            own,
            awaited: awaited.to_vec(),
        })
    }

    /// The calling thread is in a call that may run anything.
    pub fn free(&self) -> Inside {
        Inside::new(Frame::Free)
    }

    /// A job with those that led to it.
    fn name(&self, id: Id) -> String {
        let entries = held(&self.entries);
        let mut out = String::new();
        let mut next = Some(id);
        while let Some(id) = next {
            let entry = &entries[id.0];
            let _ = write!(
                out,
                "{}{} {}",
                if out.is_empty() { "" } else { " of " },
                entry.what,
                id.0
            );
            next = entry.parent;
        }
        out
    }

    pub fn fail(&self, what: String) {
        scene::report(what);
    }

    /// What has not been run to its end and must be.
    pub fn unfinished(&self) -> Vec<String> {
        let waits = |entry: &Entry| entry.must_end && !entry.is_over && entry.panics == 0;
        let ids: Vec<_> = {
            let entries = held(&self.entries);
            (0..entries.len())
                .filter(|id| waits(&entries[*id]))
                .collect()
        };
        ids.into_iter().map(|id| self.name(Id(id))).collect()
    }

    /// What the pool's handler was not told of.
    pub fn unreported(&self) -> Vec<String> {
        let lost = |entry: &Entry| entry.is_detached && entry.panics != entry.reported;
        let ids: Vec<_> = {
            let entries = held(&self.entries);
            (0..entries.len())
                .filter(|id| lost(&entries[*id]))
                .collect()
        };
        ids.into_iter().map(|id| self.name(Id(id))).collect()
    }

    /// What was not dropped once, after the pool's end.
    pub fn undropped(&self) -> Vec<String> {
        let wrong = |entry: &Entry| entry.is_ticketed && entry.drops != 1;
        let ids: Vec<_> = {
            let entries = held(&self.entries);
            (0..entries.len())
                .filter(|id| wrong(&entries[*id]))
                .collect()
        };
        ids.into_iter().map(|id| self.name(Id(id))).collect()
    }
}
