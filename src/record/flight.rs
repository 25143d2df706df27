//! The flight recorder: it knows when frames begin and end, and writes what led to a late one.

use super::kept::Kept;
use super::order::Order;
use super::restore::Late;
use super::row::{FRAME, frame_value};
use super::systems::{NamedSystems, name_systems};
use super::trace::{Origin, Trace};
use super::{Record, SaveError};
use crate::executor;
use bevy_app::{App, Main};
use bevy_ecs::prelude::*;
use heartbeat_pool::record::{Name, Recorder, Snapshot};
use std::cell::Cell;
use std::collections::VecDeque;
use std::io;
use std::panic;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, Once, PoisonError, Weak};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// Late frames that are written, and logged, in one run of an app.
const MOST_WRITTEN: u32 = 16;
/// The last frame after which schedules are looked at though there are no new ones.
const LAST_LOOK: u64 = 1 << 10;
/// Frames that a panic's trace begins before it, where nothing else is said.
const BEFORE_PANIC: usize = 8;

/// What a panic on any thread needs, as far as it is known.
#[derive(Clone, Default)]
struct Known {
    origin: Origin,
    /// When it began to be recorded, and when the last frames began.
    since: u64,
    begins: VecDeque<u64>,
    folder: PathBuf,
}

/// What the apps know that are recorded now, the latest last.
static RECORDED: Mutex<Vec<Weak<Mutex<Known>>>> = Mutex::new(Vec::new());

/// Keeps and writes what was recorded. [`HeartbeatPlugin`](crate::HeartbeatPlugin) inserts it where
/// its `record` asks for it.
#[derive(Resource)]
pub struct FlightRecorder {
    record: Record,
    frame: Name,
    /// The number of the present frame, its begin, and which of the app's it is.
    number: u64,
    begun: u64,
    turn: u64,
    known: Arc<Mutex<Known>>,
    /// How many schedules, and systems in them, were described.
    described: (usize, usize),
    /// The number of the last frame that was written.
    last_written: Option<u64>,
    files: u32,
    /// Who writes files now.
    writing: Vec<JoinHandle<()>>,
    /// What [`Record::Always`] keeps.
    kept: Kept,
}

fn lock(known: &Mutex<Known>) -> std::sync::MutexGuard<'_, Known> {
    known.lock().unwrap_or_else(PoisonError::into_inner)
}

fn threads() -> usize {
    heartbeat_pool::global().num_threads()
}

impl FlightRecorder {
    fn new(record: Record, folder: PathBuf, app: u64) -> Self {
        let origin = Origin {
            app,
            ..Default::default()
        };
        let known = Known {
            origin,
            since: Recorder::now(),
            folder,
            ..Default::default()
        };
        Self {
            record,
            frame: Recorder::name(FRAME),
            number: 0,
            begun: 0,
            turn: 0,
            known: Arc::new(Mutex::new(known)),
            described: (0, 0),
            last_written: None,
            files: 0,
            writing: Vec::new(),
            // What other apps have done before is not this one's.
            kept: Kept::new(),
        }
    }

    /// What was recorded up to now: of the last frames, or of all that are kept, which with
    /// [`Record::Always`] takes a second and more.
    #[must_use]
    pub fn trace(&self) -> Trace {
        let known = lock(&self.known).clone();
        match self.record {
            Record::Always => {
                let mut kept = self.kept.clone();
                kept.take();
                known.trace(kept.into_snapshot())
            }
            Record::Off | Record::LateFrames { .. } => known.last_frames(None),
        }
    }

    /// Writes what was recorded up to now; see [`Trace::save`].
    ///
    /// # Errors
    ///
    /// Those of [`Trace::save`].
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), SaveError> {
        self.trace().save(path)
    }

    /// Has files written to `folder` from now on, which is made if it isn't there.
    pub fn set_folder(&mut self, folder: impl Into<PathBuf>) {
        lock(&self.known).folder = folder.into();
    }

    /// How many late frames have begun to be written, 16 at most. Each is written as three files,
    /// unless that fails, which the log says.
    #[must_use]
    pub fn files(&self) -> u32 {
        self.files
    }

    fn begin_frame(&mut self, turn: u64, named: Option<&NamedSystems>) {
        self.number += 1;
        self.turn = turn;
        self.begun = Recorder::now();
        let frames = match self.record {
            // No ring holds more.
            Record::LateFrames { keep, .. } => keep.min(Recorder::EVENTS) + 1,
            Record::Off | Record::Always => BEFORE_PANIC,
        };
        let mut known = lock(&self.known);
        known.begins.push_back(self.begun);
        while known.begins.len() > frames {
            known.begins.pop_front();
        }
        if let Some(named) = named
            && named.schedules.len() != known.origin.schedules.len()
        {
            known.origin.schedules = Arc::new(named.numbers());
        }
        let app = known.origin.app;
        drop(known);
        Recorder::begin(self.frame, frame_value(app, self.number));
        Recorder::read_clocks();
    }

    fn end_frame(&mut self, turn: u64) {
        // An app that took the resource out may put it back within a later frame.
        if self.turn != turn {
            return;
        }
        Recorder::read_clocks();
        Recorder::end(self.frame);
        let end = Recorder::now();
        let took = Duration::from_nanos(end - self.begun);
        match self.record {
            // The first frame sets everything up, and is no late one.
            Record::LateFrames { over, keep } if took > over && self.number > 1 => {
                self.late(end, over, keep);
            }
            Record::Always => self.kept.take(),
            Record::Off | Record::LateFrames { .. } => {}
        }
        self.writing.retain(|writer| !writer.is_finished());
    }

    /// Has the present frame written, and those before it.
    fn late(&mut self, end: u64, over: Duration, keep: usize) {
        let number = self.number;
        let is_in_last = |last: u64| number - last <= keep as u64;
        if self.files >= MOST_WRITTEN || self.last_written.is_some_and(is_in_last) {
            return;
        }
        let known = lock(&self.known).clone();
        let late = Late {
            number,
            begin: self.begun,
            end,
            thread: Recorder::this_thread(),
        };
        let name = format!("late-frame-{number}");
        log::warn!(
            "bevy_heartbeat: frame {number} took {:?}, over the limit of {over:?}: writing \
             {}.html, .json and .txt{}",
            Duration::from_nanos(end - self.begun),
            known.path(&name).display(),
            match self.files + 1 {
                MOST_WRITTEN => "; later ones are not reported any more",
                _ => "",
            }
        );
        let write = move || {
            let trace = known.last_frames(Some(late));
            tell(known.save_all(&trace, &name));
        };
        match start_writer(write) {
            Ok(writer) => {
                self.files += 1;
                self.last_written = Some(number);
                self.writing.push(writer);
            }
            Err(error) => log::error!(
                "bevy_heartbeat: frame {number} is not written, for the system refuses a thread: \
                 {error}"
            ),
        }
    }
}

/// A thread that writes files. The pool's may be busy for long: the app's end waits for this one.
fn start_writer<R: Send + 'static>(
    write: impl FnOnce() -> R + Send + 'static,
) -> io::Result<JoinHandle<R>> {
    thread::Builder::new().name("trace".into()).spawn(write)
}

/// The game goes on without a file that can't be written.
fn tell(errors: Vec<SaveError>) {
    for error in errors {
        log::error!("bevy_heartbeat: {error}");
    }
}

impl Known {
    fn trace(&self, snapshot: Snapshot) -> Trace {
        Trace::new(snapshot, self.origin.clone(), threads())
    }

    /// The last frames, as the rings have them, and `late`, as far as they have that.
    fn last_frames(&self, late: Option<Late>) -> Trace {
        let mut trace = self.trace(Recorder::snapshot());
        late.inspect(|late| trace.restore(late));
        trace.cut(self.begins.front().copied().unwrap_or(self.since));
        trace
    }

    /// The file of that name, without its extension.
    fn path(&self, name: &str) -> PathBuf {
        self.folder.join(match self.origin.app {
            0 => name.to_owned(),
            app => format!("{name}-app-{}", app + 1),
        })
    }

    /// Writes the trace in all forms. Gives the errors of those that can't be written.
    fn save_all(&self, trace: &Trace, name: &str) -> Vec<SaveError> {
        let save = |extension| trace.save(self.path(name).with_extension(extension));
        let saved = ["html", "json", "txt"].map(save);
        saved.into_iter().filter_map(Result::err).collect()
    }
}

impl Drop for FlightRecorder {
    fn drop(&mut self) {
        if self.record == Record::Always {
            self.kept.take();
            let kept = self.kept.take_all();
            let known = lock(&self.known).clone();
            tell(known.save_all(&known.trace(kept.into_snapshot()), "trace"));
        }
        for writer in self.writing.drain(..) {
            // The panic hook has told of its panic, if it had one.
            _ = writer.join();
        }
        let mut recorded = RECORDED.lock().unwrap_or_else(PoisonError::into_inner);
        recorded.retain(|known| !known.ptr_eq(&Arc::downgrade(&self.known)));
        if recorded.is_empty() {
            Recorder::stop();
        }
    }
}

thread_local! {
    /// Whether the thread writes what a panic leaves.
    static WRITES: Cell<bool> = const { Cell::new(false) };
}

/// Writes the last frames because of a panic on the calling thread.
fn write_for_panic(known: Known) {
    // What is left of this thread's stack may be too little.
    let copy = known.clone();
    let writer = start_writer(move || {
        WRITES.set(true);
        copy.save_all(&copy.last_frames(None), "panic")
    });
    let Ok(writer) = writer else {
        // A thread that is refused may be what the panic is about.
        return tell(known.save_all(&known.last_frames(None), "panic"));
    };
    // Told here: the panic may come from under a lock that whoever tells takes. If the writer
    // panicked, it has told of that.
    tell(writer.join().unwrap_or_default());
}

/// Has a panic write the last frames, the first one in a process.
fn write_on_panic() {
    static HOOK: Once = Once::new();
    static PANIC: Once = Once::new();
    HOOK.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            before(info);
            if executor::is_probing() || WRITES.get() {
                return;
            }
            // Not waited for: the panic may come from under either lock.
            let Ok(recorded) = RECORDED.try_lock() else {
                return;
            };
            let known = recorded.iter().filter_map(|known| {
                let known = known.upgrade()?;
                known.try_lock().ok().map(|known| known.clone())
            });
            // With several apps that of the frame that began last.
            let known = known.max_by_key(|known| known.begins.back().copied());
            drop(recorded);
            let Some(known) = known else { return };
            // Others that panic wait for it: their panics may end the process.
            PANIC.call_once(|| write_for_panic(known));
        }));
    });
}

// An app may take the resource out, to have all written there and then.

/// How many frames have begun, whether they were recorded or not.
#[derive(Resource, Default)]
struct Turn(u64);

fn begin_frame(
    turn: Option<ResMut<Turn>>,
    recorder: Option<ResMut<FlightRecorder>>,
    named: Option<Res<NamedSystems>>,
) {
    let turn = turn.map_or(0, |mut turn| {
        turn.0 += 1;
        turn.0
    });
    let named = named.as_deref();
    recorder
        .into_iter()
        .for_each(|mut it| it.begin_frame(turn, named));
}

fn end_frame(turn: Option<Res<Turn>>, recorder: Option<ResMut<FlightRecorder>>) {
    let turn = turn.map_or(0, |turn| turn.0);
    recorder.into_iter().for_each(|mut it| it.end_frame(turn));
}

/// Looks at schedules that have come since the last time, and now and then at all: some run late
/// for the first time.
fn describe(world: &mut World) {
    let named = world
        .get_resource::<NamedSystems>()
        .map_or(0, |named| named.schedules.len());
    let Some(recorder) = world.get_resource::<FlightRecorder>() else {
        return;
    };
    let is_due = recorder.number.is_power_of_two() && recorder.number <= LAST_LOOK;
    if recorder.described.0 == named && !is_due {
        return;
    }
    let described = (named, Order::count(world));
    if recorder.described == described {
        return;
    }
    let order = Arc::new(Order::of(world));
    let mut recorder = world.resource_mut::<FlightRecorder>();
    lock(&recorder.known).origin.order = order;
    recorder.described = described;
}

/// Has `app` recorded.
pub(crate) fn set_up(app: &mut App, record: Record, folder: &Path) {
    if record == Record::Off {
        return;
    }
    // Under the lock of the thread that goes, and may be the last.
    let mut recorded = RECORDED.lock().unwrap_or_else(PoisonError::into_inner);
    // Another app may be in the midst of a frame.
    if !Recorder::is_on() {
        Recorder::start(Recorder::EVENTS);
    }
    let is_taken = |app: &u64| {
        let mut living = recorded.iter().filter_map(Weak::upgrade);
        living.any(|known| lock(&known).origin.app == *app)
    };
    let app_number = (0..).find(|app| !is_taken(app)).unwrap_or(0);
    let recorder = FlightRecorder::new(record, folder.to_owned(), app_number);
    recorded.push(Arc::downgrade(&recorder.known));
    drop(recorded);
    write_on_panic();
    app.insert_resource(recorder);
    app.init_resource::<Turn>();
    app.add_systems(
        Main,
        (name_systems, begin_frame).chain().before(Main::run_main),
    );
    app.add_systems(Main, (end_frame, describe).chain().after(Main::run_main));
}
