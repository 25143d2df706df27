//! The navigation field: how good it is to be where, computed in the background.

use super::terrain::Terrain;
use bevy_ecs::prelude::*;
use bevy_tasks::futures::check_ready;
use bevy_tasks::{AsyncComputeTaskPool, Task};
use heartbeat_pool::join;

/// How far the scent of good ground spreads, in cells.
const SPREAD: usize = 60;
/// Rows that are not worth splitting.
const BAND: usize = 16;

/// The scent at each cell, and the state of the task that renews it.
#[derive(Resource, Default)]
pub struct Navigation {
    pub scent: Vec<f32>,
    /// How many fields have been computed.
    pub computed: u32,
    /// The terrain has changed since the last task began.
    stale: bool,
    task: Option<Task<Vec<f32>>>,
}

impl Navigation {
    pub fn for_map(cells: usize) -> Self {
        Self {
            scent: vec![0.0; cells],
            stale: true,
            ..Default::default()
        }
    }

    /// The terrain has changed.
    pub fn invalidate(&mut self) {
        self.stale = true;
    }

    /// Whether the field is that of the terrain as it is.
    pub fn is_current(&self) -> bool {
        !self.stale && self.task.is_none()
    }
}

/// Spreads each row of `band` one step from `from`, split between threads where that pays.
fn spread(from: &[f32], band: &mut [f32], first_row: usize, sources: &[f32], width: usize) {
    let rows = band.len() / width;
    if rows > BAND {
        let (upper, lower) = band.split_at_mut(rows / 2 * width);
        let middle = first_row + rows / 2;
        join(
            || spread(from, upper, first_row, sources, width),
            || spread(from, lower, middle, sources, width),
        );
        return;
    }
    let last_row = from.len() / width - 1;
    for (index, line) in band.chunks_mut(width).enumerate() {
        let row = first_row + index;
        let (up, down) = (
            row.saturating_sub(1) * width,
            (row + 1).min(last_row) * width,
        );
        let here = row * width;
        for x in 0..width {
            let (left, right) = (x.saturating_sub(1), (x + 1).min(width - 1));
            let around = from[up + x] + from[down + x] + from[here + left] + from[here + right];
            let source = sources[here + x];
            // Water carries little; ground adds what grows on it.
            line[x] = if source < 0.0 {
                around * 0.2
            } else {
                around * 0.2475 + source
            };
        }
    }
}

/// The scent of a whole terrain. Each step reads the last one whole, so the result does not depend
/// on how it is split.
fn compute(terrain: &Terrain) -> Vec<f32> {
    let sources: Vec<f32> = terrain
        .cells
        .iter()
        .map(|[level, fertility]| {
            if *level < terrain.sea {
                -1.0
            } else {
                // High ground is bare.
                fertility * (1.0 - level) * 0.2
            }
        })
        .collect();
    let mut scent = vec![0.0; sources.len()];
    let mut next = scent.clone();
    for _ in 0..SPREAD {
        spread(&scent, &mut next, 0, &sources, terrain.width);
        std::mem::swap(&mut scent, &mut next);
    }
    scent
}

/// Starts the task when the terrain has changed, and takes its result when it is there.
pub fn renew_field(mut navigation: ResMut<Navigation>, terrain: Res<Terrain>) {
    if let Some(scent) = navigation.task.as_mut().and_then(check_ready) {
        navigation.scent = scent;
        navigation.computed += 1;
        navigation.task = None;
    }
    if navigation.stale && navigation.task.is_none() {
        let terrain = terrain.clone();
        let task = AsyncComputeTaskPool::get().spawn(async move { compute(&terrain) });
        navigation.task = Some(task);
        navigation.stale = false;
    }
}
