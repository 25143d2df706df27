//! The pool's counts, as a resource.

use bevy_ecs::resource::Resource;
use heartbeat_pool::PoolMetrics;

/// Reads what the pool has done. [`HeartbeatPlugin`](crate::HeartbeatPlugin) inserts it.
///
/// ```
/// use bevy_app::App;
/// use bevy_ecs::prelude::*;
/// use bevy_heartbeat::{HeartbeatMetrics, HeartbeatPlugin, Lane};
///
/// let mut app = App::new();
/// app.add_plugins(HeartbeatPlugin::default());
/// app.add_systems(bevy_app::Update, |metrics: Res<HeartbeatMetrics>| {
///     let total = metrics.read().total();
///     println!("{} frame jobs so far", total.jobs[Lane::Frame.index()]);
/// });
/// app.update();
/// ```
#[derive(Resource, Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct HeartbeatMetrics;

impl HeartbeatMetrics {
    /// A snapshot. [`total`](PoolMetrics::total) counts since the process started, each of the
    /// `workers` since its thread joined; `threads` and `queued` are of now.
    #[must_use]
    pub fn read(&self) -> PoolMetrics {
        heartbeat_pool::global().metrics()
    }
}
