//! The plugin: sets up the process's one pool and puts the engine's three on it.

use crate::config::{THREADS_VARIABLE, ThreadCount};
use crate::diagnostics::HeartbeatMetrics;
use crate::executor;
use crate::jobs;
use crate::options::Options;
use crate::patch;
use crate::record::{self, Record};
use crate::settings::{self, HeartbeatSettings};
use bevy_app::{App, Last, Main, Plugin, TaskPoolPlugin};
use bevy_ecs::resource::Resource;
use bevy_ecs::schedule::IntoScheduleConfigs;
use bevy_ecs::system::NonSendMarker;
use heartbeat_pool::{BuildError, Lane, LowerPriority, ThreadPool, ThreadPoolBuilder};
use std::any::Any;
use std::env;
use std::error::Error;
use std::path::PathBuf;
use std::time::Duration;

/// Runs the whole engine on one heartbeat-scheduled pool.
///
/// It takes the place of Bevy's `TaskPoolPlugin`, and gives the same pool whether it comes before
/// or after that one, or after `DefaultPlugins` or `MinimalPlugins`, or with that one disabled.
/// If `TaskPoolPlugin` comes later, its options are read in `App::finish`, which `App::run` calls
/// and `App::update` does not: a test that only calls `update` adds this plugin last.
///
/// `TaskPoolOptions` that the app has changed keep a meaning: the bounds of the total number set
/// the number of threads, one at least, the policies for io and async compute the budgets of their
/// lanes, and callbacks run on every thread. Fields of this plugin come before them. A policy for
/// compute means nothing here and is warned about.
///
/// The process has one such pool. With several apps, the last plugin's settings hold, except for
/// the beat, the stack size, the threads' names and the panic handler, which are the first one's.
/// If the pool runs before the plugin comes, because of a `TaskPoolPlugin` or of rayon, these four
/// fields have no effect, and the beat is the default. If it runs before the options of a
/// `TaskPoolPlugin` come, because of rayon or because this plugin was added first, their callbacks
/// have no effect. So an app can't have both these callbacks and the four fields.
///
/// Where a rayon is linked that runs on threads of its own, because its line of the patch is
/// missing or leads to another source than this crate's, a warning says so: once plugins have
/// finished, a background job looks for it in the executable. Of one in a shared library it can't
/// tell.
///
/// On the web there is one thread: the plugin adds [jobs](crate::JobContext) and the metrics, and
/// its fields have no effect. The drop-in's single-threaded build and the engine's own executors
/// run everything. Without the engine's feature `web` the app's frames run tasks, not the page's
/// event loop, and there is no clock: requests of jobs have no budget, and sleeps and timeouts go
/// by the app's `Time` alone.
///
/// # Panics
///
/// Building it panics, and says what to do, if
///
/// - the application's manifest lacks the `[patch.crates-io]` entry, or has one of another source
///   than this crate's;
/// - `BEVY_HEARTBEAT_THREADS` is to be used and holds no number of threads from 1 up, even if
///   `TaskPoolOptions` that come later would say how many there are;
/// - the beat is not between a microsecond and a second;
/// - there are to be more than 16,384 threads, or stacks of less than 16 KiB;
/// - a thread's name has a NUL in it;
/// - the operating system refuses one of the frame's threads.
///
/// `App::finish` panics as well, if `TaskPoolOptions` that come after the plugin ask for such.
/// Refused lower threads are no error: a warning tells of them, and if the system gives none, io
/// and background jobs run on the frame's threads.
///
/// ```
/// use bevy_app::App;
/// use bevy_heartbeat::HeartbeatPlugin;
///
/// let mut app = App::new();
/// app.add_plugins(HeartbeatPlugin {
///     threads: Some(2),
///     ..Default::default()
/// });
/// app.update();
/// ```
#[derive(Clone, Debug)]
pub struct HeartbeatPlugin {
    /// How many threads run the frame's work at once. By default what the bounds in Bevy's
    /// `TaskPoolOptions` say if the app has changed them, else what the variable
    /// `BEVY_HEARTBEAT_THREADS` says, else what the machine runs in parallel. With 0, the main
    /// thread does all the work: then no job may wait in place (in `cx.scope`, by `block_on`) for
    /// what a later frame brings.
    ///
    /// The process has more threads than that: with `lower_threads` as many again for io and
    /// background jobs, which sleep until there are such jobs; spare ones that stand in for threads
    /// which wait; and one for each blocking call that is under way, 512 at most.
    pub threads: Option<usize>,
    /// The most io jobs that run at the same moment; one always may, and those that await do not
    /// count. A job is any task of the lane, such as an asset's load. By default half as many as
    /// there are threads, though no more than four or half of the cores, whichever is greater: what
    /// computes beyond that takes the cores from frames.
    pub io_budget: Option<usize>,
    /// The most background jobs that run at the same moment; as [`io_budget`](Self::io_budget).
    pub background_budget: Option<usize>,
    /// Whether io and background jobs run on threads of their own, the *lower threads*, which share
    /// the cores with the frame's as the operating system has it; so they do by default. Otherwise
    /// these jobs run on the frame's threads, one of which is not there for a frame until its job
    /// ends. The default budgets are the same either way, unless `lower_priority` is a
    /// `Leftovers` that the system knows.
    pub lower_threads: bool,
    /// How readily the operating system runs lower threads: [`LowerPriority::Usual`] by default.
    /// [`LowerPriority::Leftovers`] costs frames least and has no budgets by default, but beside a
    /// compiler or a browser such jobs all but stand still. Threads that run already keep what they
    /// have.
    pub lower_priority: LowerPriority,
    /// Whether the pool has a say in which cores its threads run on, as
    /// [`place_threads`](heartbeat_pool::place_threads) says; it has by default. An app that sets
    /// the affinities of its threads itself turns it off.
    pub place_threads: bool,
    /// How often forked work is offered to idle threads, 100 microseconds by default; from a
    /// microsecond to a second. This and the next three hold only if the pool is new when the
    /// plugin comes: a `TaskPoolPlugin`, rayon and another app's plugin use it. The process's first
    /// plugin warns then.
    pub beat: Duration,
    /// Each thread's stack, in bytes; the system's default without it.
    pub stack_size: Option<usize>,
    /// Names each thread by its index; `heartbeat (0)` and so on by default. Threads for io
    /// and background jobs have `low ` before it, or, where that is longer than the 15 bytes that
    /// Linux shows, are `low (0)` and so on, as by default.
    pub thread_name: Option<fn(usize) -> String>,
    /// Called with the payload of each panic of what was spawned on the engine's pools, on the
    /// thread where it happened: of tasks that somebody holds as well, who gets it too. Panics of
    /// jobs are their outcomes, and of scopes their callers' alone.
    pub panic_handler: Option<fn(&(dyn Any + Send))>,
    /// Whether schedules get the [`AdaptiveExecutor`](crate::AdaptiveExecutor), as they do by
    /// default: each that would run on the engine's multi-threaded executor, of this app, and of
    /// sub-apps those that are there when plugins finish and clean up. Bevy does not tell which
    /// executor a schedule has: so the plugin has the executor of each new schedule run one test
    /// system, in an empty world of the plugin's own, before the schedule's first run.
    ///
    /// A schedule with any other executor keeps it, so this keeps one on a single thread:
    /// `app.edit_schedule(Update, |s| _ = s.set_executor(SingleThreadedExecutor::new()))`. So does
    /// a schedule that is made and run within one frame, and one that takes the place of another
    /// with the same label.
    ///
    /// A `MultiThreadedExecutor` that the app has set, or has put inside of an executor of its own,
    /// can't be told from the engine's default, and is replaced: turn this field off to have all
    /// threads in each run. Turn it off, too, where panics end the process (`panic = "abort"`) and
    /// an executor of the app's panics in a world without what is in the app's.
    pub adaptive_schedules: bool,
    /// What is recorded of frames, schedules, systems and jobs; nothing by default. See [`Record`].
    pub record: Record,
    /// The folder that recordings are written to, `traces` by default.
    pub record_to: PathBuf,
}

impl Default for HeartbeatPlugin {
    fn default() -> Self {
        Self {
            threads: None,
            io_budget: None,
            background_budget: None,
            lower_threads: true,
            lower_priority: LowerPriority::default(),
            place_threads: true,
            beat: Duration::from_micros(100),
            stack_size: None,
            thread_name: None,
            panic_handler: None,
            adaptive_schedules: true,
            record: Record::Off,
            record_to: PathBuf::from("traces"),
        }
    }
}

impl HeartbeatPlugin {
    /// What threads are started with.
    fn set_up_threads(&self, mut builder: ThreadPoolBuilder) -> ThreadPoolBuilder {
        if let Some(bytes) = self.stack_size {
            builder = builder.stack_size(bytes);
        }
        if let Some(name) = self.thread_name {
            builder = builder.thread_name(name);
        }
        if let Some(handler) = self.panic_handler {
            builder = builder.panic_handler(handler);
        }
        builder
    }

    /// Says which settings come too late for the pool, which something else has made.
    fn warn_of_late_settings(&self) {
        if settings::is_plugins() {
            return;
        }
        let settings = [
            ("beat", self.beat != Self::default().beat),
            ("stack_size", self.stack_size.is_some()),
            ("thread_name", self.thread_name.is_some()),
            ("panic_handler", self.panic_handler.is_some()),
        ];
        let settings = settings.into_iter().filter(|(_, is_set)| *is_set);
        let names: Vec<_> = settings.map(|(name, _)| name).collect();
        if !names.is_empty() {
            log::warn!(
                "bevy_heartbeat: settings of HeartbeatPlugin without effect, for the pool was in \
                 use before: {}. Add the plugin before TaskPoolPlugin (which DefaultPlugins and \
                 MinimalPlugins have), and before anything uses rayon",
                names.join(", ")
            );
        }
    }

    /// Names the systems of new schedules and gives these their executors, in sub-apps too, where
    /// nothing does that each frame.
    fn look_at_schedules(&self, app: &mut App) {
        if IS_WEB {
            return;
        }
        for app in app.sub_apps_mut().iter_mut() {
            if self.record != Record::Off {
                record::name_systems(app.world_mut());
            }
            if self.adaptive_schedules {
                executor::install(app.world_mut());
            }
        }
    }

    /// Sets up the pool, and says what holds from then on.
    fn set_up_pool(&self, options: &Options) -> HeartbeatSettings {
        heartbeat_pool::place_threads(self.place_threads);
        let variable = env::var_os(THREADS_VARIABLE);
        let variable = variable.as_ref().map(|value| value.to_string_lossy());
        let code = self.threads.or(options.threads);
        let threads = match ThreadCount::decide(code, variable.as_deref()) {
            Ok(threads) => threads,
            Err(error) => panic!("bevy_heartbeat: {error}"),
        };
        let mut builder = ThreadPool::builder()
            .num_threads(threads.get())
            .lower_threads(self.lower_threads)
            .lower_priority(self.lower_priority)
            .beat(self.beat);
        builder = self.set_up_threads(builder);
        let budgets = [
            (Lane::Io, self.io_budget.or(options.io_budget)),
            (
                Lane::Background,
                self.background_budget.or(options.background_budget),
            ),
        ];
        for (lane, budget) in budgets {
            if let Some(budget) = budget {
                builder = builder.budget(lane, budget);
            }
        }
        let is_new = match builder.build_static(heartbeat_pool::global()) {
            Ok(is_new) => is_new,
            Err(error @ (BuildError::Beat(_) | BuildError::StackSize(_))) => {
                panic!("bevy_heartbeat: {error}")
            }
            Err(error) => panic!(
                "bevy_heartbeat: {error}{}; the number of threads is {}",
                error
                    .source()
                    .map_or_else(String::new, |source| format!(" ({source})")),
                threads.origin()
            ),
        };
        if !is_new {
            self.warn_of_late_settings();
        }
        HeartbeatSettings::of(self, threads, is_new)
    }
}

/// A page has one thread, and `std` no clock there: everything runs on the drop-in's
/// single-threaded build and the engine's own executors, and the settings mean nothing.
const IS_WEB: bool = cfg!(target_arch = "wasm32");

/// There may be options of a `TaskPoolPlugin` that is yet to come.
#[derive(Resource)]
struct OptionsFollow;

/// The system may refuse them where it has given the frame's.
fn warn_of_refused_lower_threads() {
    let pool = heartbeat_pool::global();
    let wanted = pool.num_threads();
    let Some(given) = pool.num_lower_threads().filter(|&given| given < wanted) else {
        return;
    };
    let until_then = match given {
        0 => "these jobs run on the frame's threads, which frames lack meanwhile",
        _ => "fewer of these jobs run at once",
    };
    log::warn!(
        "bevy_heartbeat: the system has given {given} of the {wanted} threads for io and \
         background jobs and refused the next. Until it gives more, {until_then}. Ask for fewer \
         threads, or raise the process's limit of threads or memory"
    );
}

fn warn(options: &Options, threads_were_there: bool) {
    for warning in options.warnings(threads_were_there) {
        log::warn!("bevy_heartbeat: {warning}");
    }
}

/// Ticks the main thread's `spawn_local` tasks; the marker keeps it there.
fn tick_local_tasks(_main_thread: NonSendMarker) {
    bevy_tasks::cfg::web! {
        if {
            // The page's own event loop runs them.
        } else {
            bevy_tasks::tick_global_task_pools_on_main_thread();
        }
    }
}

impl Plugin for HeartbeatPlugin {
    fn build(&self, app: &mut App) {
        if !IS_WEB {
            patch::check();
            let options = Options::of(app);
            let settings = self.set_up_pool(&options);
            settings::insert(app, settings);
            warn(&options, false);
            if !app.is_plugin_added::<TaskPoolPlugin>() {
                app.insert_resource(OptionsFollow);
            }
        }
        // Each is a lane of the pool; where TaskPoolPlugin was first, they are there already.
        for lane in [Lane::Io, Lane::Background, Lane::Frame] {
            jobs::pool(lane);
        }
        app.init_resource::<HeartbeatMetrics>();
        jobs::build(app);
        // TaskPoolPlugin has a system for this too, and goes without harm beside it; where it is
        // disabled, whoever takes its place must bring one.
        app.add_systems(Last, tick_local_tasks);
        if !IS_WEB {
            record::set_up(app, self.record, &self.record_to);
        }
        if self.adaptive_schedules && !IS_WEB {
            // At each frame's begin, for schedules may come at any time.
            app.add_systems(Main, executor::install.before(Main::run_main));
        }
    }

    fn finish(&self, app: &mut App) {
        if !IS_WEB {
            // Once the log is there.
            patch::look_for_rayon();
        }
        if app.world_mut().remove_resource::<OptionsFollow>().is_some() {
            let options = Options::of(app);
            if options != Options::default() {
                let settings = self.set_up_pool(&options);
                app.insert_resource(settings);
                warn(&options, true);
            }
        }
        if let Some(settings) = app.world().get_resource::<HeartbeatSettings>() {
            // Once the log is there.
            log::info!("bevy_heartbeat: one pool of {}", settings.threads);
            warn_of_refused_lower_threads();
        }
        self.look_at_schedules(app);
    }

    fn cleanup(&self, app: &mut App) {
        // For those that plugins have added to a sub-app as they finished.
        self.look_at_schedules(app);
    }
}
