//! Diagnostics, frame by frame, for logs and overlays.

use crate::HeartbeatMetrics;
use crate::executor::ways;
use bevy_app::{App, Last, Plugin};
use bevy_diagnostic::{
    Diagnostic, DiagnosticPath, Diagnostics, DiagnosticsStore, RegisterDiagnostic,
};
use bevy_ecs::prelude::*;
use heartbeat_pool::{Lane, PoolMetrics};
use std::time::Instant;

/// Adds diagnostics of the pool, which `LogDiagnosticsPlugin` and the engine's diagnostics overlay
/// show: of each lane the jobs a frame and how many are queued; how many threads were at work; the
/// wake-ups, steals and promotions a frame; of each schedule on how many threads it runs.
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

fn lane_name(lane: Lane) -> &'static str {
    match lane {
        Lane::Frame => "frame",
        Lane::Io => "io",
        Lane::Background => "background",
    }
}

impl HeartbeatDiagnosticsPlugin {
    /// How many of the threads were at work, on average: those of all lanes together, and on Linux
    /// and Android those that enter the pool, such as the main one.
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
        DiagnosticPath::new(format!("heartbeat/{}/jobs", lane_name(lane)))
    }

    /// How many jobs of a lane are queued where every thread takes them.
    #[must_use]
    pub fn queued(lane: Lane) -> DiagnosticPath {
        DiagnosticPath::new(format!("heartbeat/{}/queued", lane_name(lane)))
    }

    /// On how many threads the schedule of that name runs.
    #[must_use]
    pub fn schedule(name: &str) -> DiagnosticPath {
        DiagnosticPath::new(format!("heartbeat/schedule/{name}"))
    }

    /// A choice for an overlay, in this order.
    #[must_use]
    pub fn overlay() -> Vec<DiagnosticPath> {
        let mut paths = vec![UTILISATION, WAKES, STEALS, PROMOTIONS];
        for lane in Lane::ALL {
            paths.extend([Self::jobs(lane), Self::queued(lane)]);
        }
        paths
    }
}

/// The counts at the end of the last frame.
#[derive(Default)]
struct Before(Option<(Instant, PoolMetrics)>);

impl Plugin for HeartbeatDiagnosticsPlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<HeartbeatMetrics>();
        for path in Self::overlay() {
            let suffix = if path == UTILISATION { " threads" } else { "" };
            app.register_diagnostic(Diagnostic::new(path).with_suffix(suffix));
        }
        app.add_systems(Last, (register_schedules, measure).chain());
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

fn measure(metrics: Res<HeartbeatMetrics>, mut last: Local<Before>, mut to: Diagnostics) {
    let (now, new) = (Instant::now(), metrics.read());
    let Some((then, old)) = last.0.replace((now, new.clone())) else {
        return;
    };
    let (old, all) = (old.total(), new.total());
    let more = |before: u64, after: u64| after.saturating_sub(before) as f64;
    let busy = all.busy.saturating_sub(old.busy).as_secs_f64();
    let time = (now - then).as_secs_f64().max(f64::MIN_POSITIVE);
    to.add_measurement(&UTILISATION, || busy / time);
    to.add_measurement(&WAKES, || more(old.wakes, all.wakes));
    to.add_measurement(&STEALS, || more(old.steals, all.steals));
    to.add_measurement(&PROMOTIONS, || more(old.promotions, all.promotions));
    for lane in Lane::ALL {
        let place = lane.index();
        let jobs = || more(old.jobs[place], all.jobs[place]);
        to.add_measurement(&HeartbeatDiagnosticsPlugin::jobs(lane), jobs);
        let queued = || new.queued[place] as f64;
        to.add_measurement(&HeartbeatDiagnosticsPlugin::queued(lane), queued);
    }
    for (name, is_on_all) in ways() {
        let threads = if is_on_all { new.threads } else { 1 };
        let path = HeartbeatDiagnosticsPlugin::schedule(name);
        to.add_measurement(&path, || threads as f64);
    }
}
