//! What is in force, as a resource for inspectors.

use crate::config::ThreadCount;
use crate::jobs::WorldAccessBudget;
use crate::plugin::HeartbeatPlugin;
use crate::record::Record;
use bevy_app::App;
use bevy_ecs::prelude::{AppTypeRegistry, ReflectResource, Resource};
use bevy_reflect::Reflect;
use heartbeat_pool::Lane;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::time::Duration;

/// The beat of the process's pool, where a plugin has set it.
static BEAT: OnceLock<Duration> = OnceLock::new();

/// What is in force of [`HeartbeatPlugin`]'s fields, of Bevy's `TaskPoolOptions` and of the
/// environment: a reflected resource, which inspectors show. It is for reading: what is written to
/// it has no effect. To change budgets or threads at run time, depend on `heartbeat_pool` from the
/// same source, and call `heartbeat_pool::global().set_budget(Lane::Io, 2)` or `.resize_to(4)`,
/// which change nothing here.
///
/// [`HeartbeatPlugin`] inserts it, except on the web, where there is one thread and nothing to set.
/// With several apps in a process, the resource of each says what held when its plugin came.
///
/// ```
/// use bevy_app::App;
/// use bevy_heartbeat::{HeartbeatPlugin, HeartbeatSettings, ThreadCount};
///
/// let mut app = App::new();
/// app.add_plugins(HeartbeatPlugin { threads: Some(2), ..Default::default() });
/// let settings = app.world().resource::<HeartbeatSettings>();
/// assert_eq!(settings.threads, ThreadCount::Code(2));
/// assert_eq!(settings.io_budget, 1);
/// ```
#[derive(Resource, Reflect, Clone, Debug, PartialEq, Eq)]
#[reflect(Resource)]
#[non_exhaustive]
pub struct HeartbeatSettings {
    /// How many threads run at once, and who said so.
    pub threads: ThreadCount,
    /// The most io jobs that run at once.
    pub io_budget: usize,
    /// The most background jobs that run at once.
    pub background_budget: usize,
    /// Whether io and background jobs were to have threads of their own. If the system refuses all
    /// of these, the jobs run on the frame's.
    pub lower_threads: bool,
    /// How readily the system runs those that are started from now on: the name of the
    /// [`LowerPriority`](crate::LowerPriority).
    pub lower_priority: String,
    /// Whether the pool has a say in which cores its threads run on.
    pub place_threads: bool,
    /// How often forked work is offered to idle threads: what the first plugin said, or the default
    /// where the pool was there before it.
    pub beat: Duration,
    /// Whether schedules get the [`AdaptiveExecutor`](crate::AdaptiveExecutor).
    pub adaptive_schedules: bool,
    /// What is recorded.
    pub record: Record,
    /// The folder that recordings are written to. A later
    /// [`set_folder`](crate::record::FlightRecorder::set_folder) doesn't change it.
    pub record_to: PathBuf,
}

impl HeartbeatSettings {
    /// What holds once `plugin` has set up the pool, which was new, or had run before.
    pub(crate) fn of(plugin: &HeartbeatPlugin, threads: ThreadCount, is_new: bool) -> Self {
        if is_new {
            BEAT.get_or_init(|| plugin.beat);
        }
        let pool = heartbeat_pool::global();
        Self {
            threads,
            io_budget: pool.budget(Lane::Io),
            background_budget: pool.budget(Lane::Background),
            lower_threads: plugin.lower_threads,
            lower_priority: format!("{:?}", plugin.lower_priority),
            place_threads: plugin.place_threads,
            beat: *BEAT.get_or_init(|| HeartbeatPlugin::default().beat),
            adaptive_schedules: plugin.adaptive_schedules,
            record: plugin.record,
            record_to: plugin.record_to.clone(),
        }
    }
}

/// Whether a plugin has made the pool, or has found one before.
pub(crate) fn is_plugins() -> bool {
    BEAT.get().is_some()
}

/// Gives them to `app`, and to whoever asks its registry of types, with what may be changed.
pub(crate) fn insert(app: &mut App, settings: HeartbeatSettings) {
    // A bare sub-app has none.
    app.init_resource::<AppTypeRegistry>();
    app.register_type::<HeartbeatSettings>();
    app.register_type::<WorldAccessBudget>();
    app.insert_resource(settings);
}
