//! What is told of a run that failed: where each thread stands.

use super::world::{State, Status, lock};
use std::any::Any;
use std::backtrace::Backtrace;
use std::fmt::Write;
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long threads have to say where they stand.
const PATIENCE: Duration = Duration::from_secs(5);
/// Frames of a thread that are shown.
const FRAMES: usize = 26;

/// Where one thread stands.
pub(super) struct Stand {
    thread: usize,
    note: String,
    frames: String,
}

/// Where the threads stand.
pub(super) struct Dump {
    stands: Mutex<Vec<Stand>>,
    added: Condvar,
}

impl Dump {
    pub(super) const fn new() -> Self {
        Self {
            stands: Mutex::new(Vec::new()),
            added: Condvar::new(),
        }
    }

    /// Adds the calling thread's.
    pub(super) fn add(&self, thread: usize, note: String) {
        let frames = frames(&Backtrace::force_capture().to_string());
        lock(&self.stands).push(Stand {
            thread,
            note,
            frames,
        });
        self.added.notify_all();
    }

    /// Those of `expected` threads, or of as many as say it.
    pub(super) fn wait(&self, expected: usize) -> Vec<Stand> {
        let end = Instant::now() + PATIENCE;
        let mut stands = lock(&self.stands);
        while stands.len() < expected && Instant::now() < end {
            (stands, _) = self
                .added
                .wait_timeout(stands, PATIENCE / 10)
                .unwrap_or_else(PoisonError::into_inner);
        }
        std::mem::take(&mut *stands)
    }
}

/// The frames of the pool and of the program.
fn frames(trace: &str) -> String {
    let mut out = String::new();
    let mut shown = 0;
    let mut lines = trace.lines().peekable();
    while let Some(line) = lines.next() {
        let place = lines.next_if(|next| next.trim_start().starts_with("at "));
        let place = place.map_or("", |place| place.trim().trim_start_matches("at "));
        let name = line.split_once(": ").map_or(line, |(_, name)| name).trim();
        let place = place
            .rsplit_once("heartbeat_pool/")
            .map_or(place, |(_, place)| place);
        let place = place.trim_start_matches("./");
        let own = place.starts_with("src/") || place.starts_with("tests/");
        if !own || place.starts_with("src/models/sim/") || shown == FRAMES {
            continue;
        }
        shown += 1;
        let name = name.split('<').next().unwrap_or_default();
        let _ = writeln!(out, "      {place}  {name}");
    }
    out
}

/// The text of a panic.
pub(super) fn message(payload: &(dyn Any + Send)) -> String {
    let text = payload
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned());
    text.or_else(|| payload.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "(no text)".to_owned())
}

/// The whole report.
pub(super) fn write(what: &str, state: &State, holder: usize, stands: Vec<Stand>) -> String {
    let mut out = format!(
        "{what}\n  after {} points, {:?}\n",
        state.steps,
        Duration::from_nanos(state.now)
    );
    for (thread, actor) in state.actors.iter().enumerate() {
        if actor.status == Status::Ended {
            continue;
        }
        let how = match actor.status {
            Status::Blocked { on, until: None } => format!("blocked on {on:?}"),
            Status::Blocked {
                on,
                until: Some(until),
            } => format!(
                "blocked on {on:?} for {:?} more",
                Duration::from_nanos(until.saturating_sub(state.now))
            ),
            _ if thread == holder => "runs".to_owned(),
            _ => "could run".to_owned(),
        };
        let _ = writeln!(
            out,
            "  {thread} \"{}\": {how}, at {}",
            actor.name, actor.site
        );
        for stand in stands.iter().filter(|stand| stand.thread == thread) {
            if !stand.note.is_empty() {
                let _ = writeln!(out, "    {}", stand.note);
            }
            out.push_str(&stand.frames);
        }
    }
    out
}
