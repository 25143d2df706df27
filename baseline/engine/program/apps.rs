//! Apps, on the pool that this program was built with.

use bevy_app::App;
use bevy_ecs::schedule::{Schedules, SingleThreadedExecutor};

/// An app with the main schedule and a pool.
pub fn app() -> App {
    let mut app = App::new();
    #[cfg(feature = "heartbeat")]
    app.add_plugins(bevy_heartbeat::HeartbeatPlugin::default());
    #[cfg(not(feature = "heartbeat"))]
    app.add_plugins(bevy_app::TaskPoolPlugin::default());
    app
}

/// Does what a runner does before the first frame, and that frame. Its schedules are built then.
pub fn begin(app: &mut App) {
    app.finish();
    app.cleanup();
    app.update();
}

/// From now on the app's schedules know nothing of the pool.
pub fn make_single_threaded(app: &mut App) {
    let mut schedules = app.world_mut().resource_mut::<Schedules>();
    for (_, schedule) in schedules.iter_mut() {
        schedule.set_executor(SingleThreadedExecutor::new());
    }
}
