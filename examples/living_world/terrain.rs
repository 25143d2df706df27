//! The ground: made of images, tile by tile, in whatever order they come.

use super::world_file::WorldFile;
use bevy_ecs::resource::Resource;
use bevy_image::Image;
use bevy_tasks::{ComputeTaskPool, ParallelSliceMut};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Cells along a tile's side.
pub const TILE: usize = 128;

/// Height and fertility of each cell, row by row.
#[derive(Resource, Clone, Debug)]
pub struct Terrain {
    pub name: String,
    pub seed: u32,
    pub sea: f32,
    pub width: usize,
    pub height: usize,
    /// Ground level and fertility, both from 0 to 1.
    pub cells: Vec<[f32; 2]>,
    places: BTreeMap<PathBuf, (usize, usize)>,
}

impl Terrain {
    /// Ocean, laid out for `images`: as the world file says, and the others below in rows.
    pub fn new(world: &WorldFile, images: &[PathBuf]) -> Self {
        let mut places: BTreeMap<PathBuf, (usize, usize)> = world
            .tiles
            .iter()
            .map(|(column, row, path)| (path.clone(), (*column as usize, *row as usize)))
            .collect();
        let unplaced: Vec<_> = images
            .iter()
            .filter(|path| !places.contains_key(*path))
            .collect();
        let columns = match world.columns as usize {
            // About three to two, as a picture is.
            0 => ((unplaced.len() as f32 * 1.5).sqrt().ceil() as usize).max(3),
            columns => columns,
        };
        let first_row = world.rows as usize;
        let rows = (first_row + unplaced.len().div_ceil(columns)).max(2);
        for (index, path) in unplaced.into_iter().enumerate() {
            places.insert(path.clone(), (index % columns, first_row + index / columns));
        }
        let (width, height) = (columns * TILE, rows * TILE);
        Self {
            name: world.name.clone(),
            seed: world.seed,
            sea: world.sea,
            width,
            height,
            cells: vec![[0.12, 0.0]; width * height],
            places,
        }
    }

    /// Makes ground of an image. False if the map has no place for it.
    pub fn add(&mut self, path: &Path, image: &Image) -> bool {
        let Some(&(column, row)) = self.places.get(path) else {
            return false;
        };
        let (width, height) = (image.width() as usize, image.height() as usize);
        let Some(data) = image.data.as_deref() else {
            return false;
        };
        let bytes_per_pixel = data.len() / (width * height).max(1);
        let channels = if bytes_per_pixel >= 8 {
            bytes_per_pixel / 2
        } else {
            bytes_per_pixel
        };
        // Of 16-bit channels, the upper byte.
        let (step, upper) = if bytes_per_pixel >= 8 { (2, 1) } else { (1, 0) };
        let pixel = |x: usize, y: usize| {
            let start = (y * width + x) * bytes_per_pixel;
            [0, 1, 2].map(|c: usize| {
                let channel = if channels < 3 { 0 } else { c };
                f32::from(
                    data.get(start + channel * step + upper)
                        .copied()
                        .unwrap_or(0),
                )
            })
        };
        let mut tile = vec![[0.0; 2]; TILE * TILE];
        let sample = |rows: usize, chunk: &mut [[f32; 2]]| {
            for (index, cell) in chunk.iter_mut().enumerate() {
                let (cx, cy) = (index % TILE, rows * ROWS_A_TASK + index / TILE);
                let (x0, x1) = (cx * width / TILE, ((cx + 1) * width / TILE));
                let (y0, y1) = (cy * height / TILE, ((cy + 1) * height / TILE));
                let (mut sum, mut count) = ([0.0; 3], 0.0);
                for y in y0..y1.max(y0 + 1) {
                    for x in x0..x1.max(x0 + 1) {
                        let rgb = pixel(x, y);
                        sum = [0, 1, 2].map(|c: usize| sum[c] + rgb[c]);
                        count += 255.0;
                    }
                }
                let [r, g, b] = sum.map(|value| value / count);
                *cell = [
                    0.3 * r + 0.59 * g + 0.11 * b,
                    ((g - 0.5 * (r + b)) * 5.0).clamp(0.0, 1.0),
                ];
            }
        };
        let pool = ComputeTaskPool::get();
        tile.par_chunk_map_mut(pool, TILE * ROWS_A_TASK, sample);
        for (y, line) in tile.chunks(TILE).enumerate() {
            let start = (row * TILE + y) * self.width + column * TILE;
            self.cells[start..start + TILE].copy_from_slice(line);
        }
        true
    }

    pub fn cell(&self, x: f32, y: f32) -> usize {
        let column = (x.max(0.0) as usize).min(self.width - 1);
        let row = (y.max(0.0) as usize).min(self.height - 1);
        row * self.width + column
    }
}

const ROWS_A_TASK: usize = 16;
