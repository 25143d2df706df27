//! An executor that picks the cheaper way for its schedule, by measurement.

mod choice;
mod install;
mod named;
mod probe;

pub(crate) use install::install;
pub(crate) use named::ways;
pub(crate) use probe::is_probing;

use bevy_ecs::error::ErrorHandler;
use bevy_ecs::schedule::{
    FixedBitSet, MainThreadExecutor, MultiThreadedExecutor, SingleThreadedExecutor, SystemExecutor,
    SystemSchedule, SystemWithAccess,
};
use bevy_ecs::system::System;
use bevy_ecs::world::World;
use choice::Choice;
use heartbeat_pool::Way;
use named::Named;
use std::fmt;
use std::mem;
use std::time::Instant;

/// Runs a schedule with the engine's single-threaded or multi-threaded executor, whichever was seen
/// to be faster for it.
///
/// A small schedule costs less on one thread than it takes to hand its systems to others, one whose
/// systems wait for each other gains nothing by more threads, and a wide one does. Which it is, and
/// whether it still is as the game changes, is measured: two looks at the clock a run, and now and
/// then a run the other way. After a run on one thread that all threads would have ended four
/// milliseconds sooner, of a schedule that is mostly short, its next long ones are on all threads.
/// A schedule of one system is not even measured. Whatever the choice,
/// what is not `Send` runs on the main thread. A schedule that is told not to apply its commands at
/// its end stays on all threads.
///
/// As on one thread, a system must not wait for another one of its schedule.
///
/// [`HeartbeatPlugin`](crate::HeartbeatPlugin) gives it to each schedule that would run on the
/// engine's multi-threaded executor. The wish for it is as old as bevy#7208, #9835 and #11378.
///
/// ```
/// use bevy_ecs::prelude::*;
/// use bevy_heartbeat::AdaptiveExecutor;
///
/// let mut schedule = Schedule::default();
/// schedule.set_executor(AdaptiveExecutor::new());
/// schedule.add_systems(|mut commands: Commands| commands.insert_resource(Done));
/// # #[derive(Resource)]
/// # struct Done;
/// let mut world = World::new();
/// schedule.run(&mut world);
/// assert!(world.contains_resource::<Done>());
/// ```
pub struct AdaptiveExecutor {
    one: SingleThreadedExecutor,
    all: MultiThreadedExecutor,
    /// None before the first run of a schedule that was built anew.
    plan: Option<Plan>,
    /// Whether a run goes on, or the last one has ended in a panic.
    is_running: bool,
    /// If not, one executor would not know what the other has left to apply.
    applies_at_end: bool,
    /// Whether the last run didn't, and may have left something to the next one.
    has_left: bool,
    /// The schedule, where it is known.
    named: Option<Named>,
}

/// What is known of a schedule.
#[derive(Debug)]
struct Plan {
    choice: Choice,
    is_single: bool,
    /// Whether it has systems for the main thread alone.
    has_non_send: bool,
    /// Whether the executor for all threads was told of the schedule; that takes a while.
    all_is_ready: bool,
}

impl Default for AdaptiveExecutor {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for AdaptiveExecutor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AdaptiveExecutor")
            .field("plan", &self.plan)
            .finish_non_exhaustive()
    }
}

impl AdaptiveExecutor {
    /// An executor that knows nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self {
            one: SingleThreadedExecutor::new(),
            all: MultiThreadedExecutor::new(),
            plan: None,
            is_running: false,
            applies_at_end: true,
            has_left: false,
            named: None,
        }
    }

    /// The same, for the schedule of that name, which recordings and diagnostics then have.
    pub(crate) fn of(schedule: &str) -> Self {
        Self {
            named: Some(Named::new(schedule)),
            ..Self::new()
        }
    }
}

/// Whether systems that are not `Send` belong to another thread than this one.
fn is_elsewhere(world: &World) -> bool {
    #[cfg(target_arch = "wasm32")]
    let is_elsewhere = |_| false;
    #[cfg(not(target_arch = "wasm32"))]
    let is_elsewhere = |main: &MainThreadExecutor| main.0.ticker().is_none();
    world
        .get_resource::<MainThreadExecutor>()
        .is_some_and(is_elsewhere)
}

impl Plan {
    fn new(schedule: &mut SystemSchedule) -> Self {
        // SAFETY: the systems are only looked at.
        let systems = unsafe { schedule.systems_mut() };
        let is_non_send = |system: &SystemWithAccess| {
            !system.system().is_send() && !system.access().is_exclusive()
        };
        Self {
            choice: Choice::new(systems.len()),
            is_single: systems.len() <= 1,
            has_non_send: systems.iter().any(is_non_send),
            all_is_ready: false,
        }
    }
}

impl AdaptiveExecutor {
    /// Sets up what a schedule needs that was built anew, or whose last run has ended in a panic.
    fn set_up(&mut self, schedule: &mut SystemSchedule, world: &mut World) -> Plan {
        // Executors forget what is left to apply, so what that run left comes first. Where others
        // apply it, perhaps to another world, it waits for them.
        if self.is_running && self.applies_at_end {
            // SAFETY: nothing but a method of `System` is called.
            for system in unsafe { schedule.systems_mut() } {
                system.apply_deferred(world);
            }
        }
        if self.is_running {
            // What it has locked then stays so.
            self.all = MultiThreadedExecutor::new();
            self.all.set_apply_final_deferred(self.applies_at_end);
        }
        self.one.init(schedule);
        Plan::new(schedule)
    }

    fn run_on_all(
        &mut self,
        plan: &mut Plan,
        schedule: &mut SystemSchedule,
        world: &mut World,
        skip_systems: Option<&FixedBitSet>,
        error_handler: ErrorHandler,
    ) {
        if !plan.all_is_ready {
            self.all.init(schedule);
            plan.all_is_ready = true;
        }
        self.all.run(schedule, world, skip_systems, error_handler);
    }
}

impl SystemExecutor for AdaptiveExecutor {
    fn init(&mut self, _: &SystemSchedule) {
        self.plan = None;
    }

    fn run(
        &mut self,
        schedule: &mut SystemSchedule,
        world: &mut World,
        skip_systems: Option<&FixedBitSet>,
        error_handler: ErrorHandler,
    ) {
        // Out of its place while systems run, so that after a panic everything is set up anew.
        let plan = self.plan.take();
        let mut plan = plan.unwrap_or_else(|| self.set_up(schedule, world));
        let threads = heartbeat_pool::global().num_threads();
        let had_left = mem::replace(&mut self.has_left, !self.applies_at_end);
        let must_be_all =
            plan.has_non_send && is_elsewhere(world) || !self.applies_at_end || had_left;
        let is_measured = !must_be_all && !plan.is_single && threads > 1;
        let round = is_measured.then(|| plan.choice.begin(threads));
        let way = match round {
            Some(round) => round.way,
            None if must_be_all => Way::Shared,
            None => Way::Alone,
        };
        let running = self.named.as_ref().map(|named| named.begin(way));
        let start = round.map(|round| (round, Instant::now()));
        self.is_running = true;
        match way {
            Way::Alone => self.one.run(schedule, world, skip_systems, error_handler),
            Way::Shared => {
                self.run_on_all(&mut plan, schedule, world, skip_systems, error_handler);
            }
        }
        self.is_running = false;
        drop(running);
        if let Some((round, start)) = start {
            plan.choice
                .end(round, start.elapsed().as_nanos() as f64, threads);
        }
        self.plan = Some(plan);
    }

    fn set_apply_final_deferred(&mut self, value: bool) {
        self.applies_at_end = value;
        self.one.set_apply_final_deferred(value);
        self.all.set_apply_final_deferred(value);
    }
}
