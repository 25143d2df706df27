//! Boxes that fall into a heap and never sleep, in an app whose system or plugin steps them.
//!
//! `boxes avian|rapier SIDE STEPS`: a cube of boxes, SIDE along each edge. Prints the mean of a
//! step's milliseconds, the 99th percentile, and the sum of the boxes' distances at the end. The
//! first [`UNSETTLED`] steps are run, but not counted.

use bevy::prelude::*;
use bevy::time::TimeUpdateStrategy;
use std::time::{Duration, Instant};

/// The first of them builds the schedules, and threads and caches warm up in the others.
const UNSETTLED: usize = 20;

fn app() -> App {
    #[allow(unused_mut)]
    let mut app = App::new();
    #[cfg(feature = "ours")]
    app.add_plugins(bevy_heartbeat::HeartbeatPlugin::default());
    app.add_plugins(MinimalPlugins);
    app
}

/// Where they are at the beginning: every other layer is shifted.
fn places(side: i32) -> impl Iterator<Item = Vec3> {
    let middle = side as f32 * 0.55;
    (0..side.pow(3)).map(move |i| {
        let (x, y, z) = (i / (side * side), i / side % side, i % side);
        let shift = (y % 2) as f32 * 0.3;
        let at = Vec3::new(x as f32, y as f32, z as f32) * 1.1;
        at + Vec3::new(shift - middle, 0.6, -middle)
    })
}

fn times(app: &mut App, steps: usize) -> Vec<f64> {
    app.finish();
    app.cleanup();
    let mut step = || {
        let start = Instant::now();
        app.update();
        start.elapsed().as_secs_f64() * 1e3
    };
    let times = (0..steps).map(|_| step());
    times.skip(UNSETTLED).collect()
}

fn avian(side: i32, steps: usize) -> (Vec<f64>, f32) {
    use avian3d::prelude::*;
    let mut app = app();
    app.add_plugins((TransformPlugin, PhysicsPlugins::default()));
    let step = Duration::from_secs_f64(1.0 / 64.0);
    app.insert_resource(TimeUpdateStrategy::ManualDuration(step));
    let floor = Collider::cuboid(200.0, 1.0, 200.0);
    let at = Transform::from_xyz(0.0, -0.5, 0.0);
    app.world_mut().spawn((RigidBody::Static, floor, at));
    for at in places(side) {
        let shape = Collider::cuboid(1.0, 1.0, 1.0);
        let at = Transform::from_translation(at);
        app.world_mut()
            .spawn((RigidBody::Dynamic, SleepingDisabled, shape, at));
    }
    let times = times(&mut app, steps);
    let mut bodies = app
        .world_mut()
        .query_filtered::<&Transform, With<RigidBody>>();
    let end = bodies.iter(app.world()).map(|at| at.translation.length());
    (times, end.sum())
}

fn rapier(side: i32, steps: usize) -> (Vec<f64>, f32) {
    use rapier3d::prelude::*;
    #[derive(Resource)]
    struct Physics(PhysicsWorld);

    let mut physics = PhysicsWorld::new();
    let floor = RigidBodyBuilder::fixed().translation(Vector::new(0.0, -0.5, 0.0));
    physics.insert(floor, ColliderBuilder::cuboid(100.0, 0.5, 100.0));
    for at in places(side) {
        let body = RigidBodyBuilder::dynamic()
            .can_sleep(false)
            .translation(Vector::new(at.x, at.y, at.z));
        physics.insert(body, ColliderBuilder::cuboid(0.5, 0.5, 0.5));
    }
    let mut app = app();
    app.insert_resource(Physics(physics));
    app.add_systems(Update, |mut physics: ResMut<Physics>| physics.0.step());
    let times = times(&mut app, steps);
    let bodies = &app.world().resource::<Physics>().0.bodies;
    let end = bodies.iter().map(|(_, body)| body.translation().length());
    (times, end.sum())
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize| arguments.get(at).and_then(|number| number.parse().ok());
    let (engine, side, steps) = match (arguments.first(), number(1), number(2)) {
        (Some(engine), Some(side), Some(steps)) if steps > UNSETTLED => {
            (engine.as_str(), side, steps)
        }
        _ => panic!("boxes avian|rapier SIDE STEPS, of more than {UNSETTLED} steps"),
    };
    let side = i32::try_from(side).expect("a small number");
    let (mut times, end) = match engine {
        "avian" => avian(side, steps),
        "rapier" => rapier(side, steps),
        other => panic!("{other} is neither avian nor rapier"),
    };
    let mean = times.iter().sum::<f64>() / times.len() as f64;
    times.sort_by(f64::total_cmp);
    // By the nearest rank: 99 of 100 are at most so long.
    let rank = (times.len() * 99).div_ceil(100);
    println!("{mean:.4} {:.4} {end}", times[rank - 1]);
}
