//! Path finding for a thousand agents: each has its own job, and an agent that changes its mind in
//! the next frame has the old search cancelled by the new one. `cargo run --example path_finding`

use bevy_app::{App, Update};
use bevy_ecs::prelude::*;
use bevy_heartbeat::prelude::*;
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

type Cell = (i32, i32);

/// A square with walls, shared by all searches.
#[derive(Resource, Clone)]
struct Map(Arc<Vec<Vec<bool>>>);

const SIZE: i32 = 32;

impl Map {
    /// Walls with a gap each, left and right by turns.
    fn new() -> Self {
        let is_free = |x: i32, y: i32| y % 4 != 0 || x == if y % 8 == 0 { 0 } else { SIZE - 1 };
        let row = |y| (0..SIZE).map(|x| is_free(x, y)).collect();
        Self(Arc::new((0..SIZE).map(row).collect()))
    }

    fn is_free(&self, (x, y): Cell) -> bool {
        let row = usize::try_from(y).ok().and_then(|y| self.0.get(y));
        let cell = row.and_then(|row| row.get(usize::try_from(x).ok()?));
        cell.copied().unwrap_or(false)
    }

    /// The shortest way, by breadth-first search; none when the job is not wanted any more.
    fn path(&self, from: Cell, to: Cell, cx: &JobContext) -> Option<Vec<Cell>> {
        let mut came_from = HashMap::from([(to, to)]);
        let mut queue = VecDeque::from([to]);
        while let Some(cell) = queue.pop_front() {
            if cell == from || cx.is_cancelled() {
                break;
            }
            let (x, y) = cell;
            for next in [(x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)] {
                if self.is_free(next) && !came_from.contains_key(&next) {
                    came_from.insert(next, cell);
                    queue.push_back(next);
                }
            }
        }
        let mut path = vec![from];
        while path.last() != Some(&to) {
            path.push(*came_from.get(path.last()?)?);
        }
        Some(path)
    }
}

#[derive(Component)]
struct Agent {
    at: Cell,
    target: Cell,
}

#[derive(Component)]
struct Path(Vec<Cell>);

/// A new target takes the place of the old search, which is cancelled.
fn search(mut commands: Commands, map: Res<Map>, agents: Query<(Entity, &Agent), Changed<Agent>>) {
    for (entity, agent) in &agents {
        let (map, at, target) = (map.clone(), agent.at, agent.target);
        commands
            .entity(entity)
            .spawn_job(Lane::Background, move |cx| async move {
                map.path(at, target, &cx)
            });
    }
}

/// Paths are taken as they come; no frame waits for them.
fn follow(mut commands: Commands, mut jobs: Query<(Entity, &mut Job<Option<Vec<Cell>>>)>) {
    for (entity, mut job) in &mut jobs {
        if let Some(Ok(Some(path))) = job.poll() {
            commands.entity(entity).insert(Path(path));
        }
    }
}

/// In the second frame every other agent changes its mind.
fn change_minds(mut agents: Query<&mut Agent>, mut frame: Local<u32>) {
    *frame += 1;
    if *frame == 2 {
        for mut agent in agents.iter_mut().step_by(2) {
            agent.target = (1, 1);
        }
    }
}

/// Runs the app until each agent knows its way.
pub fn main() {
    let mut app = App::new();
    app.add_plugins(HeartbeatPlugin::default())
        .insert_resource(Map::new())
        .add_systems(Update, (change_minds, search, follow).chain());
    let target = (SIZE - 2, SIZE - 2);
    let agent = |index: i32| Agent {
        at: (1 + index % (SIZE - 2), 1),
        target,
    };
    app.world_mut().spawn_batch((0..1_000).map(agent));
    let mut paths = app.world_mut().query::<(&Agent, &Path)>();
    let mut frames = 0;
    let is_known = |(agent, path): (&Agent, &Path)| path.0.last() == Some(&agent.target);
    while frames < 3
        || paths
            .iter(app.world())
            .filter(|found| is_known(*found))
            .count()
            < 1_000
    {
        app.update();
        frames += 1;
        std::thread::yield_now();
    }
    let steps: usize = paths.iter(app.world()).map(|(_, path)| path.0.len()).sum();
    println!("1000 agents know their ways, {steps} steps, after {frames} frames");
}
