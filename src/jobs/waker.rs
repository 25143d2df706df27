//! What has an app that waits for input run a frame for its jobs.

use super::hub::{Hub, JobHub};
use bevy_ecs::resource::Resource;
use bevy_ecs::world::{FromWorld, World};
use std::fmt;
use std::sync::Arc;

/// Has an app that draws only on input, such as an editor, run a frame when a job has something for
/// it: an end, or a request for the world. The plugin inserts it; without a call of
/// [`set`](Self::set) it does nothing.
///
/// Waits of jobs for a frame or for a time (`cx.next_frame`, `cx.sleep`, timeouts) ask for no
/// frame: they are over in the next one that comes.
///
/// In an app with a window, a startup system sets it:
///
/// ```rust,ignore
/// use bevy::winit::{EventLoopProxyWrapper, WinitUserEvent};
///
/// fn wake_for_jobs(waker: Res<AppWaker>, event_loop: Res<EventLoopProxyWrapper>) {
///     let event_loop = (**event_loop).clone();
///     waker.set(move || _ = event_loop.send_event(WinitUserEvent::WakeUp));
/// }
/// ```
///
/// And so in one that drives itself:
///
/// ```
/// use bevy_app::App;
/// use bevy_ecs::prelude::*;
/// use bevy_heartbeat::prelude::*;
/// use std::sync::mpsc;
///
/// let (wakes, woken) = mpsc::channel();
/// let mut app = App::new();
/// app.add_plugins(HeartbeatPlugin::default());
/// app.world().resource::<AppWaker>().set(move || _ = wakes.send(()));
/// let job = app.world_mut().spawn_job(Lane::Background, |_| async { 6 * 7 }).id();
/// let answer = loop {
///     woken.recv().unwrap();
///     app.update();
///     if let Some(outcome) = app.world_mut().get_mut::<Job<i32>>(job).unwrap().poll() {
///         break outcome.unwrap();
///     }
/// };
/// assert_eq!(answer, 42);
/// ```
#[derive(Resource)]
pub struct AppWaker(Arc<Hub>);

impl FromWorld for AppWaker {
    fn from_world(world: &mut World) -> Self {
        Self(world.get_resource_or_init::<JobHub>().0.clone())
    }
}

impl AppWaker {
    /// Has `wake` called from now on: at once, for what may be there already, and then at most once
    /// until [`run_jobs`](crate::run_jobs) has looked. So what polls jobs does it later in the
    /// frame, after [`JobSystems`](crate::JobSystems): an end that comes between an earlier look
    /// and that one asks for no other frame. It is dropped with the app's world, or after a call
    /// that is under way then.
    ///
    /// It is called on whichever thread comes by, also the app's in the middle of a frame: it must
    /// not block, nor want what the app holds meanwhile. A panic of it is told by the panic hook,
    /// and ends nothing else.
    ///
    /// The first such call holds: gives false if there was one before, whose `wake` stays.
    pub fn set(&self, wake: impl Fn() + Send + Sync + 'static) -> bool {
        let is_first = self.0.set_waker(Arc::new(wake));
        if is_first {
            self.0.call_app();
        }
        is_first
    }
}

impl fmt::Debug for AppWaker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AppWaker")
            .field("is_set", &self.0.has_waker())
            .finish()
    }
}
