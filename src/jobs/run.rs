//! The one system of each frame.

use super::access::{WorldAccessBudget, run_requests};
use super::clock::Now;
use super::hub::{Hub, JobHub};
use super::shared::AnyJob;
use super::waker::AppWaker;
use bevy_app::{App, PreUpdate};
use bevy_ecs::prelude::*;
use bevy_time::{Real, Time, Virtual};
use std::sync::Arc;
use std::vec;

/// Where in `PreUpdate` the app meets its jobs: [`run_jobs`].
#[derive(SystemSet, Clone, Debug, PartialEq, Eq, Hash)]
pub struct JobSystems;

/// Wakes the jobs that wait for this frame or for a time that has come, runs jobs' requests for the
/// world, and tells observers of jobs that have ended.
///
/// The plugin has it in `PreUpdate`, in [`JobSystems`], where it is passed over in frames that have
/// nothing for it. Add it elsewhere too if jobs should meet the world more often.
///
/// ```
/// use bevy_app::{App, PostUpdate};
/// use bevy_heartbeat::{HeartbeatPlugin, run_jobs};
///
/// let mut app = App::new();
/// app.add_plugins(HeartbeatPlugin::default());
/// app.add_systems(PostUpdate, run_jobs);
/// app.update();
/// ```
pub fn run_jobs(world: &mut World) {
    let hub = world.get_resource_or_init::<JobHub>().0.clone();
    let now = Now::in_world(world, hub.start);
    hub.wake(now);
    run_requests(world, &hub);
    deliver(world, &hub);
    if hub.requests() > 0 {
        // Those for which there was no time are the next frame's.
        hub.call_app();
    }
}

/// Those that are yet to be delivered, should an observer panic.
struct Left<'a> {
    hub: &'a Hub,
    jobs: vec::IntoIter<Arc<dyn AnyJob>>,
}

impl Drop for Left<'_> {
    fn drop(&mut self) {
        if self.jobs.len() > 0 {
            self.hub.put_back(self.jobs.by_ref().collect());
            self.hub.call_app();
        }
    }
}

fn deliver(world: &mut World, hub: &Hub) {
    let mut left = Left {
        hub,
        jobs: hub.take_ended().into_iter(),
    };
    for job in left.jobs.by_ref() {
        job.deliver(world);
    }
}

fn has_work(
    hub: Option<Res<JobHub>>,
    game: Option<Res<Time<Virtual>>>,
    any: Option<Res<Time>>,
    real: Option<Res<Time<Real>>>,
) -> bool {
    hub.is_some_and(|hub| {
        let start = hub.0.start;
        let now = Now::of(game.as_deref(), any.as_deref(), real.as_deref(), start);
        hub.0.has_work(now)
    })
}

/// Adds it to the app.
pub(crate) fn build(app: &mut App) {
    app.init_resource::<JobHub>();
    app.init_resource::<WorldAccessBudget>();
    app.init_resource::<AppWaker>();
    app.add_systems(PreUpdate, run_jobs.run_if(has_work).in_set(JobSystems));
}
