//! Makes the images and the world file of the `living_world` example, always the same:
//! `cargo run --release --example make_assets`.
//!
//! Each tile is a map of one part of an archipelago: the brighter, the higher; the greener, the
//! more fertile.

use image::codecs::jpeg::JpegEncoder;
use image::{Rgb, RgbImage};
use std::error::Error;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;

const COLUMNS: u32 = 6;
const ROWS: u32 = 4;
const TILE: u32 = 512;

/// Height and colour; brightness rises with height all the way.
const PALETTE: [(f32, [f32; 3]); 9] = [
    (0.00, [8.0, 16.0, 44.0]),
    (0.25, [14.0, 44.0, 92.0]),
    (0.36, [30.0, 92.0, 128.0]),
    (0.39, [120.0, 118.0, 84.0]),
    (0.46, [86.0, 142.0, 62.0]),
    (0.62, [122.0, 166.0, 84.0]),
    (0.76, [176.0, 170.0, 128.0]),
    (0.88, [204.0, 200.0, 192.0]),
    (1.00, [250.0, 250.0, 255.0]),
];

fn lattice(x: i32, y: i32) -> f32 {
    let mut hash = (x as u32).wrapping_mul(0x9e37_79b1) ^ (y as u32).wrapping_mul(0x85eb_ca77);
    hash = (hash ^ (hash >> 15)).wrapping_mul(0xc2b2_ae3d);
    hash = (hash ^ (hash >> 13)).wrapping_mul(0x27d4_eb2f);
    (hash ^ (hash >> 16)) as f32 / u32::MAX as f32
}

fn noise(x: f32, y: f32) -> f32 {
    let (left, top) = (x.floor(), y.floor());
    let smooth = |t: f32| t * t * t * (t * (t * 6.0 - 15.0) + 10.0);
    let (u, v) = (smooth(x - left), smooth(y - top));
    let at = |dx: i32, dy: i32| lattice(left as i32 + dx, top as i32 + dy);
    let upper = at(0, 0) + (at(1, 0) - at(0, 0)) * u;
    let lower = at(0, 1) + (at(1, 1) - at(0, 1)) * u;
    upper + (lower - upper) * v
}

fn fractal(mut x: f32, mut y: f32, octaves: u32) -> f32 {
    let (mut sum, mut weight, mut total) = (0.0, 1.0, 0.0);
    for _ in 0..octaves {
        sum += noise(x, y) * weight;
        total += weight;
        weight *= 0.5;
        // Turned a little each time, so that the lattice doesn't show.
        (x, y) = (1.6 * x - 1.2 * y + 11.3, 1.2 * x + 1.6 * y + 4.7);
    }
    sum / total
}

/// Height at a place of the map, in units of its height.
fn height(x: f32, y: f32) -> f32 {
    let warp = (
        fractal(x * 3.0 + 7.0, y * 3.0, 4),
        fractal(x * 3.0, y * 3.0 + 19.0, 4),
    );
    let (wx, wy) = (x + 0.22 * (warp.0 - 0.5), y + 0.22 * (warp.1 - 0.5));
    let land = fractal(wx * 3.4 + 2.0, wy * 3.4 + 5.0, 6);
    let ridge = 1.0 - (2.0 * fractal(wx * 5.5 + 31.0, wy * 5.5, 6) - 1.0).abs();
    // The map's rim is sea.
    let rim = ((x / 1.5 - 0.5).abs().max((y - 0.5).abs()) * 2.0).powi(6);
    let base = (land - 0.5) * 1.75 + 0.40 - 0.5 * rim;
    let mountains = (base - 0.44).max(0.0) * ridge.powi(3) * 1.5;
    (base + mountains).clamp(0.0, 1.0)
}

fn colour(height: f32, wet: f32) -> [f32; 3] {
    let upper = PALETTE
        .partition_point(|(at, _)| *at <= height)
        .clamp(1, PALETTE.len() - 1);
    let ((low, from), (high, to)) = (PALETTE[upper - 1], PALETTE[upper]);
    let t = ((height - low) / (high - low)).clamp(0.0, 1.0);
    let mut mixed = [0, 1, 2].map(|c: usize| from[c] + (to[c] - from[c]) * t);
    if height > 0.4 && height < 0.74 {
        // Greener where it is wet; the brightness stays, for it means height.
        let shift = 34.0 * (wet - 0.5);
        mixed = [
            mixed[0] - shift,
            mixed[1] + shift * 0.55,
            mixed[2] - shift * 0.3,
        ];
    }
    mixed
}

fn tile(column: u32, row: u32) -> RgbImage {
    RgbImage::from_fn(TILE, TILE, |px, py| {
        let scale = (ROWS * TILE) as f32;
        let (x, y) = (
            (column * TILE + px) as f32 / scale,
            (row * TILE + py) as f32 / scale,
        );
        let wet = fractal(x * 5.0 + 57.0, y * 5.0 + 13.0, 3);
        Rgb(colour(height(x, y), wet).map(|value| value.round().clamp(0.0, 255.0) as u8))
    })
}

fn main() -> Result<(), Box<dyn Error>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets");
    fs::create_dir_all(folder.join("tiles"))?;
    let mut world = BufWriter::new(File::create(folder.join("archipelago.world"))?);
    writeln!(
        world,
        "# The map of the living_world example: one tile a line, column and row."
    )?;
    writeln!(world, "name The Lantern Archipelago")?;
    writeln!(world, "seed 20\nsea 0.36\ngrid {COLUMNS} {ROWS}")?;
    for row in 0..ROWS {
        for column in 0..COLUMNS {
            let kind = if (column + row) % 2 == 0 {
                "jpg"
            } else {
                "png"
            };
            let name = format!("tiles/r{row}c{column}.{kind}");
            let path = folder.join(&name);
            let picture = tile(column, row);
            if kind == "jpg" {
                let file = BufWriter::new(File::create(&path)?);
                JpegEncoder::new_with_quality(file, 92).encode_image(&picture)?;
            } else {
                picture.save(&path)?;
            }
            writeln!(world, "tile {column} {row} {name}")?;
            println!("{}", path.display());
        }
    }
    Ok(())
}
