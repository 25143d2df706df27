//! The picture of the world: shaded ground, deep water, and the tracks of its creatures.

use super::creatures::Tracks;
use super::terrain::Terrain;
use heartbeat_pool::join;
use image::{ImageError, RgbImage};
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};

/// Pixels along a cell's side, for maps up to this many cells wide.
const SCALE_UP_TO: usize = 900;
/// Rows that are not worth splitting.
const BAND: usize = 8;

type Colour = [f32; 3];

fn mix(a: Colour, b: Colour, t: f32) -> Colour {
    let t = t.clamp(0.0, 1.0);
    [0, 1, 2].map(|c: usize| a[c] + (b[c] - a[c]) * t)
}

fn gradient(stops: &[(f32, Colour)], at: f32) -> Colour {
    let upper = stops
        .partition_point(|(stop, _)| *stop <= at)
        .clamp(1, stops.len() - 1);
    let ((low, from), (high, to)) = (stops[upper - 1], stops[upper]);
    mix(from, to, (at - low) / (high - low))
}

const WATER: [(f32, Colour); 4] = [
    (0.0, [0.012, 0.028, 0.075]),
    (0.5, [0.020, 0.090, 0.170]),
    (0.85, [0.045, 0.220, 0.290]),
    (1.0, [0.150, 0.420, 0.420]),
];

const LAND: [(f32, Colour); 7] = [
    (0.00, [0.46, 0.39, 0.24]),
    (0.05, [0.15, 0.20, 0.08]),
    (0.30, [0.13, 0.18, 0.07]),
    (0.50, [0.22, 0.19, 0.12]),
    (0.70, [0.30, 0.27, 0.25]),
    (0.84, [0.46, 0.46, 0.48]),
    (1.00, [0.90, 0.93, 1.00]),
];

const GRAZER_GLOW: Colour = [1.0, 0.74, 0.26];
const HUNTER_GLOW: Colour = [1.0, 0.16, 0.26];

struct View<'a> {
    terrain: &'a Terrain,
    /// Ground level, smoothed against the grain of compressed images.
    level: Vec<f32>,
    grazers: Vec<f32>,
    hunters: Vec<f32>,
    scale: usize,
}

/// The mean of each cell's neighbourhood of `radius`, along rows and then along columns.
fn blur(values: &[f32], width: usize, radius: usize) -> Vec<f32> {
    let height = values.len() / width;
    let pass = |from: &[f32], step: usize, len: usize, at: &dyn Fn(usize, usize) -> usize| {
        let mut to = vec![0.0; from.len()];
        for line in 0..from.len() / len {
            for i in 0..len {
                let (first, last) = (i.saturating_sub(radius), (i + radius).min(len - 1));
                let start = at(line, 0);
                let sum: f32 = (first..=last).map(|j| from[start + j * step]).sum();
                to[start + i * step] = sum / (last - first + 1) as f32;
            }
        }
        to
    };
    let rows = pass(values, 1, width, &|line, _| line * width);
    pass(&rows, width, height, &|line, _| line)
}

fn glow(counts: &[AtomicU32], width: usize) -> Vec<f32> {
    let counts: Vec<f32> = counts
        .iter()
        .map(|count| count.load(Ordering::Relaxed) as f32)
        .collect();
    let mean = counts.iter().sum::<f32>()
        / counts.iter().filter(|count| **count > 0.0).count().max(1) as f32;
    let sharp: Vec<f32> = counts.iter().map(|count| count / mean.max(1.0)).collect();
    // A core and a halo.
    let halo = blur(&blur(&sharp, width, 3), width, 3);
    sharp
        .iter()
        .zip(halo)
        .map(|(sharp, halo)| 0.35 * sharp + 0.65 * halo)
        .collect()
}

impl View<'_> {
    /// A field at a place between cells.
    fn sample(&self, field: &[f32], x: f32, y: f32) -> f32 {
        let (width, height) = (self.terrain.width, self.terrain.height);
        let (x, y) = (
            (x - 0.5).clamp(0.0, width as f32 - 1.001),
            (y - 0.5).clamp(0.0, height as f32 - 1.001),
        );
        let (column, row) = (x as usize, y as usize);
        let (u, v) = (x - column as f32, y - row as f32);
        let (right, below) = ((column + 1).min(width - 1), (row + 1).min(height - 1));
        let upper = field[row * width + column] * (1.0 - u) + field[row * width + right] * u;
        let lower = field[below * width + column] * (1.0 - u) + field[below * width + right] * u;
        upper * (1.0 - v) + lower * v
    }

    fn pixel(&self, px: usize, py: usize) -> [u8; 3] {
        let scale = self.scale as f32;
        let (x, y) = ((px as f32 + 0.5) / scale, (py as f32 + 0.5) / scale);
        let level = self.sample(&self.level, x, y);
        let sea = self.terrain.sea;
        let slope = |dx: f32, dy: f32| {
            self.sample(&self.level, x + dx, y + dy) - self.sample(&self.level, x - dx, y - dy)
        };
        let (east, south) = (slope(1.0, 0.0), slope(0.0, 1.0));
        let mut colour = if level < sea {
            let depth = (level / sea.max(1e-6)).powi(2);
            let shore = ((level - sea + 0.012) / 0.012).clamp(0.0, 1.0);
            let lit = 1.0 - 2.5 * (east + south).clamp(-0.1, 0.1);
            mix(
                gradient(&WATER, depth),
                [0.62, 0.80, 0.76],
                0.55 * shore * shore,
            )
            .map(|c| c * lit)
        } else {
            let above = (level - sea) / (1.0 - sea).max(1e-6);
            let cell = self.terrain.cell(x, y);
            let lush = mix(
                gradient(&LAND, above),
                [0.05, 0.15, 0.04],
                0.7 * self.terrain.cells[cell][1] * (1.0 - above),
            );
            // Light from the north-west.
            let (nx, ny, nz) = (-east * 14.0, -south * 14.0, 1.0);
            let length = (nx * nx + ny * ny + nz * nz).sqrt();
            let light = (-0.5 * nx - 0.6 * ny + 0.62 * nz) / length;
            lush.map(|c| c * (0.28 + 1.05 * light.max(0.0)))
        };
        let shine = |field: &[f32], gain: f32| {
            let amount = self.sample(field, x, y) * gain;
            amount / (1.0 + amount)
        };
        let (grazers, hunters) = (shine(&self.grazers, 0.42), shine(&self.hunters, 0.30));
        colour = mix(
            colour,
            [0, 1, 2].map(|c: usize| colour[c] * 0.5),
            grazers.max(hunters) * 0.6,
        );
        for c in 0..3 {
            colour[c] += GRAZER_GLOW[c] * grazers * grazers * 0.95
                + HUNTER_GLOW[c] * hunters * hunters * 0.85;
        }
        // The rim darkens a little.
        let (cx, cy) = (
            x / self.terrain.width as f32 - 0.5,
            y / self.terrain.height as f32 - 0.5,
        );
        let vignette = 1.0 - 0.55 * (cx * cx + cy * cy).powf(1.2) * 2.0;
        colour.map(|c| {
            let c = (c * vignette * 1.12).max(0.0);
            // A filmic shoulder, then the screen's gamma.
            let toned = c * (2.51 * c + 0.03) / (c * (2.43 * c + 0.59) + 0.14);
            (toned.clamp(0.0, 1.0).powf(1.0 / 2.0) * 255.0).round() as u8
        })
    }

    fn draw(&self, rows: &mut [u8], first: usize, width: usize) {
        let count = rows.len() / (width * 3);
        if count > BAND {
            let (upper, lower) = rows.split_at_mut(count / 2 * width * 3);
            join(
                || self.draw(upper, first, width),
                || self.draw(lower, first + count / 2, width),
            );
            return;
        }
        for (index, pixel) in rows.chunks_exact_mut(3).enumerate() {
            pixel.copy_from_slice(&self.pixel(index % width, first + index / width));
        }
    }
}

/// Draws the world.
pub fn draw(terrain: &Terrain, tracks: &Tracks) -> RgbImage {
    let level: Vec<f32> = terrain.cells.iter().map(|cell| cell[0]).collect();
    let view = View {
        level: blur(&level, terrain.width, 1),
        grazers: glow(&tracks.grazers, terrain.width),
        hunters: glow(&tracks.hunters, terrain.width),
        scale: if terrain.width <= SCALE_UP_TO { 2 } else { 1 },
        terrain,
    };
    let (width, height) = (terrain.width * view.scale, terrain.height * view.scale);
    let mut image = RgbImage::new(width as u32, height as u32);
    heartbeat_pool::global().with_worker(|_| view.draw(&mut image, 0, width));
    image
}

/// Writes the picture.
pub fn save(image: &RgbImage, path: &Path) -> Result<(), ImageError> {
    image.save_with_format(path, image::ImageFormat::Png)
}
