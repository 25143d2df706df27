//! Looks at the pictures that the games took.
//!
//! - `pictures blank FILE`: the percentage of pixels that have the most frequent color.
//! - `pictures differ FILE OTHER`: the percentage of pixels that differ by more than [`NOTICED`] in
//!   any channel, 100 for pictures of different sizes.
//! - `pictures small FILE TO`: a copy of [`SMALL_WIDTH`] pixels' width.

use image::imageops::{FilterType, resize};
use image::{ImageError, RgbImage};
use std::collections::HashMap;
use std::env;
use std::process::ExitCode;

/// Of 255. Below it are roundings of what blends and shades.
const NOTICED: u8 = 8;
const SMALL_WIDTH: u32 = 640;

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let answer = match arguments[..] {
        ["blank", file] => read(file).map(|picture| println!("{:.3}", blank(&picture))),
        ["differ", file, other] => read(file).and_then(|picture| {
            println!("{:.3}", differ(&picture, &read(other)?));
            Ok(())
        }),
        ["small", file, to] => read(file).and_then(|picture| small(&picture).save(to)),
        _ => {
            eprintln!("pictures blank FILE | differ FILE OTHER | small FILE TO");
            return ExitCode::from(2);
        }
    };
    match answer {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("pictures: {}: {error}", arguments[1]);
            ExitCode::FAILURE
        }
    }
}

fn read(file: &str) -> Result<RgbImage, ImageError> {
    Ok(image::open(file)?.to_rgb8())
}

fn percent(part: usize, picture: &RgbImage) -> f64 {
    100.0 * part as f64 / picture.pixels().len() as f64
}

fn blank(picture: &RgbImage) -> f64 {
    let mut counts = HashMap::new();
    for pixel in picture.pixels() {
        *counts.entry(pixel).or_insert(0) += 1;
    }
    percent(counts.into_values().max().unwrap_or(0), picture)
}

fn differ(picture: &RgbImage, other: &RgbImage) -> f64 {
    if picture.dimensions() != other.dimensions() {
        return 100.0;
    }
    let pairs = picture.pixels().zip(other.pixels());
    let noticed = |(a, b): (u8, u8)| a.abs_diff(b) > NOTICED;
    percent(
        pairs
            .filter(|(a, b)| a.0.into_iter().zip(b.0).any(noticed))
            .count(),
        picture,
    )
}

fn small(picture: &RgbImage) -> RgbImage {
    let height = picture.height() * SMALL_WIDTH / picture.width();
    resize(picture, SMALL_WIDTH, height, FilterType::Triangle)
}
