//! Diagnostics, frame by frame, for logs and overlays.

use crate::HeartbeatMetrics;
use crate::executor::ways;
use crate::stopwatch::Stopwatch;
use bevy_app::{App, Last, Plugin, PreStartup};
use bevy_diagnostic::{
    Diagnostic, DiagnosticPath, Diagnostics, DiagnosticsStore, RegisterDiagnostic,
};
use bevy_ecs::prelude::*;
use heartbeat_pool::{Lane, PoolMetrics, WaitWatch};
use std::time::Duration;

/// Adds diagnostics of the pool, which `LogDiagnosticsPlugin` and the engine's diagnostics overlay
/// show: of each lane the jobs a frame, how many are queued, the longest wait of a queued job, and
/// how many threads were at work for it; how many were at all; the wake-ups, steals and promotions
/// a frame, of all lanes and of each; and on how many threads each schedule runs to which the
/// plugin gave its [`AdaptiveExecutor`](crate::AdaptiveExecutor).
///
/// While an app has it, the pool looks at a clock for each job that it queues, to know the waits.
///
/// ```
/// use bevy_app::App;
/// use bevy_diagnostic::{DiagnosticsPlugin, DiagnosticsStore};
/// use bevy_heartbeat::{HeartbeatPlugin, Lane, record::HeartbeatDiagnosticsPlugin};
///
/// let mut app = App::new();
/// app.add_plugins((HeartbeatPlugin::default(), DiagnosticsPlugin, HeartbeatDiagnosticsPlugin));
/// (0..3).for_each(|_| app.update());
/// let store = app.world().resource::<DiagnosticsStore>();
/// assert!(store.get(&HeartbeatDiagnosticsPlugin::jobs(Lane::Frame)).is_some());
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct HeartbeatDiagnosticsPlugin;

const UTILISATION: DiagnosticPath = DiagnosticPath::const_new("heartbeat/utilisation");
const WAKES: DiagnosticPath = DiagnosticPath::const_new("heartbeat/wake-ups");
const STEALS: DiagnosticPath = DiagnosticPath::const_new("heartbeat/steals");
const PROMOTIONS: DiagnosticPath = DiagnosticPath::const_new("heartbeat/promotions");

fn of_lane(lane: Lane, what: &str) -> DiagnosticPath {
    let lane = match lane {
        Lane::Frame => "frame",
        Lane::Io => "io",
        Lane::Background => "background",
    };
    DiagnosticPath::new(format!("heartbeat/{lane}/{what}"))
}

impl HeartbeatDiagnosticsPlugin {
    /// How many of the threads were at work, on average: those of all lanes together, and those
    /// that enter the pool, such as the main one, where the system tells
    /// ([`WorkerMetrics::busy`](heartbeat_pool::WorkerMetrics::busy)).
    pub const UTILISATION: DiagnosticPath = UTILISATION;
    /// How often a thread was woken, a frame.
    pub const WAKES: DiagnosticPath = WAKES;
    /// How many pieces of work were taken from other threads, a frame.
    pub const STEALS: DiagnosticPath = STEALS;
    /// How many forks were offered to other threads, a frame.
    pub const PROMOTIONS: DiagnosticPath = PROMOTIONS;

    /// The jobs of a lane, a frame.
    #[must_use]
    pub fn jobs(lane: Lane) -> DiagnosticPath {
        of_lane(lane, "jobs")
    }

    /// How often a thread was woken for a lane's work, a frame.
    #[must_use]
    pub fn wakes(lane: Lane) -> DiagnosticPath {
        of_lane(lane, "wake-ups")
    }

    /// How many pieces of a lane's work were taken from other threads, a frame.
    #[must_use]
    pub fn steals(lane: Lane) -> DiagnosticPath {
        of_lane(lane, "steals")
    }

    /// How many forks of a lane were offered to other threads, a frame.
    #[must_use]
    pub fn promotions(lane: Lane) -> DiagnosticPath {
        of_lane(lane, "promotions")
    }

    /// How many jobs of a lane are queued where every thread takes them.
    #[must_use]
    pub fn queued(lane: Lane) -> DiagnosticPath {
        of_lane(lane, "queued")
    }

    /// The longest wait of a lane's jobs in a queue, in milliseconds: of those that still wait, and
    /// of those that have begun since the last frame's end. Only some jobs are timed
    /// ([`WaitWatch::take_longest`]), so the true one may be longer.
    #[must_use]
    pub fn longest_wait(lane: Lane) -> DiagnosticPath {
        of_lane(lane, "longest-wait")
    }

    /// How many threads were at work for a lane, on average: the parts of
    /// [`UTILISATION`](Self::UTILISATION), of which those that enter the pool are the frame's.
    #[must_use]
    pub fn utilisation(lane: Lane) -> DiagnosticPath {
        of_lane(lane, "utilisation")
    }

    /// On how many threads the schedule of that name runs: what its label is by `Debug`, as
    /// `Update`. A slash in the name is a `|` in the path.
    #[must_use]
    pub fn schedule(name: &str) -> DiagnosticPath {
        // No part of a path may be empty.
        let name = if name.is_empty() { "?" } else { name };
        DiagnosticPath::new(format!("heartbeat/schedule/{}", name.replace('/', "|")))
    }

    /// The diagnostics that suit an overlay, in the order to show them.
    #[must_use]
    pub fn overlay() -> Vec<DiagnosticPath> {
        let mut paths = vec![UTILISATION, WAKES, STEALS, PROMOTIONS];
        for lane in Lane::ALL {
            paths.extend([Self::utilisation(lane), Self::jobs(lane)]);
            paths.extend([Self::queued(lane), Self::longest_wait(lane)]);
        }
        paths
    }
}

/// The end of the last frame: how long ago it was, and the counts then.
#[derive(Default)]
struct Before(Option<(Stopwatch, PoolMetrics)>);

/// The pool's waits are timed for as long as there is one.
#[derive(Resource, Default)]
struct Waits(Option<WaitWatch>);

impl Waits {
    /// Begins to time them. Not before the first frame: the pool's settings hold once it is asked
    /// for anything.
    fn watch(&mut self) -> &WaitWatch {
        self.0
            .get_or_insert_with(|| heartbeat_pool::global().watch_waits())
    }
}

impl Plugin for HeartbeatDiagnosticsPlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<HeartbeatMetrics>();
        let moved = [Self::wakes, Self::steals, Self::promotions];
        let moved = moved.map(|path| Lane::ALL.map(path));
        for path in Self::overlay()
            .into_iter()
            .chain(moved.into_iter().flatten())
        {
            let suffix = suffix(&path);
            app.register_diagnostic(Diagnostic::new(path).with_suffix(suffix));
        }
        app.init_resource::<Waits>();
        // Before the app's first jobs, as those that load its first screen.
        app.add_systems(PreStartup, |mut waits: ResMut<Waits>| _ = waits.watch());
        app.add_systems(Last, (register_schedules, measure).chain());
    }
}

/// What comes behind a value.
fn suffix(path: &DiagnosticPath) -> &'static str {
    match path.components().last() {
        Some("utilisation") => " threads",
        Some("longest-wait") => " ms",
        _ => "",
    }
}

/// Registers schedules that have come since.
fn register_schedules(store: Option<ResMut<DiagnosticsStore>>) {
    let Some(mut store) = store else { return };
    for (name, _) in ways() {
        let path = HeartbeatDiagnosticsPlugin::schedule(name);
        if store.get(&path).is_none() {
            store.add(Diagnostic::new(path).with_suffix(" threads"));
        }
    }
}

fn measure(
    metrics: Res<HeartbeatMetrics>,
    mut last: Local<Before>,
    mut waits: ResMut<Waits>,
    mut to: Diagnostics,
) {
    let longest = waits.watch().take_longest();
    let (now, new) = (Stopwatch::start(), metrics.read());
    let Some((then, old)) = last.0.replace((now, new.clone())) else {
        return;
    };
    let (old, all) = (old.total(), new.total());
    let more = |before: u64, after: u64| after.saturating_sub(before) as f64;
    let sum = |by_lane: [u64; 3]| by_lane.iter().sum();
    let time = then.elapsed().as_secs_f64().max(f64::MIN_POSITIVE);
    let threads = |before: Duration, after: Duration| {
        // A thread that stops just now may be known to have worked for less than it seemed.
        after.saturating_sub(before).as_secs_f64() / time
    };
    to.add_measurement(&UTILISATION, || threads(old.busy, all.busy));
    to.add_measurement(&WAKES, || more(sum(old.wakes), sum(all.wakes)));
    to.add_measurement(&STEALS, || more(sum(old.steals), sum(all.steals)));
    to.add_measurement(&PROMOTIONS, || {
        more(sum(old.promotions), sum(all.promotions))
    });
    for lane in Lane::ALL {
        let place = lane.index();
        let busy = || threads(old.busy_by_lane[place], all.busy_by_lane[place]);
        to.add_measurement(&HeartbeatDiagnosticsPlugin::utilisation(lane), busy);
        let counts = [
            (HeartbeatDiagnosticsPlugin::jobs(lane), old.jobs, all.jobs),
            (
                HeartbeatDiagnosticsPlugin::wakes(lane),
                old.wakes,
                all.wakes,
            ),
            (
                HeartbeatDiagnosticsPlugin::steals(lane),
                old.steals,
                all.steals,
            ),
            (
                HeartbeatDiagnosticsPlugin::promotions(lane),
                old.promotions,
                all.promotions,
            ),
        ];
        for (path, old, all) in counts {
            to.add_measurement(&path, || more(old[place], all[place]));
        }
        let queued = || new.queued[place] as f64;
        to.add_measurement(&HeartbeatDiagnosticsPlugin::queued(lane), queued);
        let wait = || longest[place].as_secs_f64() * 1e3;
        to.add_measurement(&HeartbeatDiagnosticsPlugin::longest_wait(lane), wait);
    }
    for (name, is_on_all) in ways() {
        let threads = if is_on_all { new.threads } else { 1 };
        let path = HeartbeatDiagnosticsPlugin::schedule(name);
        to.add_measurement(&path, || threads as f64);
    }
}
