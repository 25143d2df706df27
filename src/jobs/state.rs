//! All jobs of a state: those whose entities leave with it.

use super::entity_jobs::{EntityJobs, JobStatus};
use super::progress::Progress;
use bevy_ecs::prelude::*;
use bevy_ecs::system::SystemParam;
use bevy_state::prelude::{DespawnOnExit, States};

/// The jobs of states: of all entities with `DespawnOnExit` of the state.
///
/// ```
/// use bevy_ecs::prelude::*;
/// use bevy_heartbeat::StateJobs;
/// use bevy_state::prelude::*;
///
/// #[derive(States, Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
/// enum Screen {
///     #[default]
///     Loading,
///     Playing,
/// }
///
/// fn bar(jobs: StateJobs<Screen>) {
///     println!("{:.0} %", 100.0 * jobs.progress(&Screen::Loading).fraction());
/// }
/// # let mut world = World::new();
/// # bevy_ecs::system::RunSystemOnce::run_system_once(&mut world, bar).unwrap();
/// ```
#[derive(SystemParam)]
pub struct StateJobs<'w, 's, S: States> {
    entities: Query<'w, 's, (&'static EntityJobs, &'static DespawnOnExit<S>)>,
}

impl<S: States> StateJobs<'_, '_, S> {
    /// Each job of the state, those that have ended too, in no order.
    pub fn iter(&self, state: &S) -> impl Iterator<Item = &JobStatus> {
        let entities = self.entities.iter();
        let of_state = entities.filter(move |(_, exit)| exit.0 == *state);
        of_state.flat_map(|(jobs, _)| jobs.iter())
    }

    /// How far they all are, by the sum of their steps. One that says nothing counts as one step;
    /// where there are none, there are no steps.
    #[must_use]
    pub fn progress(&self, state: &S) -> Progress {
        self.iter(state).map(JobStatus::progress).sum()
    }

    /// Whether none of them runs any more, and their observers and `then`s have run: what these
    /// start for the state counts as well. They run in [`run_jobs`](crate::run_jobs), which the
    /// plugin has in each frame, and a world without the plugin needs.
    ///
    /// A state without jobs is done: start them where commands are applied before this is asked, as
    /// in `OnEnter`. Its progress has no steps, and so the fraction 0.
    #[must_use]
    pub fn are_done(&self, state: &S) -> bool {
        self.iter(state).all(JobStatus::is_delivered)
    }

    /// Those that have ended without a result: cancelled, timed out or panicked. A job whose result
    /// is an `Err` has a result, and is none of them: poll it, or give it a `.then(..)`.
    pub fn failures(&self, state: &S) -> impl Iterator<Item = &JobStatus> {
        self.iter(state).filter(|job| job.error().is_some())
    }
}

/// A run condition: the state's jobs [are done](StateJobs::are_done).
///
/// ```
/// # use bevy_ecs::prelude::*;
/// # use bevy_heartbeat::jobs_done;
/// # use bevy_state::prelude::*;
/// # #[derive(States, Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
/// # enum Screen { #[default] Loading, Playing }
/// # let mut schedule = Schedule::default();
/// # let mut world = World::new();
/// # world.init_resource::<NextState<Screen>>();
/// schedule.add_systems(
///     (|mut next: ResMut<NextState<Screen>>| next.set(Screen::Playing))
///         .run_if(in_state(Screen::Loading).and_then(jobs_done(Screen::Loading))),
/// );
/// # schedule.run(&mut world);
/// ```
pub fn jobs_done<S: States>(state: S) -> impl FnMut(StateJobs<S>) -> bool + Clone {
    move |jobs: StateJobs<S>| jobs.are_done(&state)
}
