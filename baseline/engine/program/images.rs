//! Images that take long to decode, made once and kept.

use image::{ImageFormat, RgbaImage};
use std::fs;
use std::io::Cursor;
use std::path::Path;
use suite::program::Problem;

/// How many files there are.
pub const COUNT: usize = 100;
/// Pixels on each side.
pub const SIDE: u32 = 1024;
/// How many files differ: making one takes longer than loading it.
const DIFFERENT: usize = 4;

/// A file's name.
pub fn name(image: usize) -> String {
    format!("{image:03}.png")
}

/// A pixel of an image: a ramp with noise in its low bits, which a decoder can't skip over.
pub fn pixel(image: usize, x: u32, y: u32) -> [u8; 4] {
    let seed = (image % DIFFERENT) as u64 + 1;
    let place = u64::from(y * SIDE + x).wrapping_add(seed << 32);
    let mut noise = place.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    noise = (noise ^ (noise >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    noise ^= noise >> 32;
    let ramp = (x / 8) as u8;
    let channel = |shift: u32| ramp.wrapping_add((noise >> shift) as u8 & 31);
    [channel(0), channel(8), channel(16), 255]
}

fn encode(image: usize) -> Result<Vec<u8>, image::ImageError> {
    let pixels = RgbaImage::from_fn(SIDE, SIDE, |x, y| image::Rgba(pixel(image, x, y)));
    let mut file = Cursor::new(Vec::new());
    pixels.write_to(&mut file, ImageFormat::Png)?;
    Ok(file.into_inner())
}

/// Makes the images, unless they are there. A folder that is there is whole: it gets its name last.
pub fn make(folder: &Path) -> Result<(), Problem> {
    if folder.exists() {
        return Ok(());
    }
    let unfinished = folder.with_extension("unfinished");
    write_all(&unfinished)
        .and_then(|()| Ok(fs::rename(&unfinished, folder)?))
        .map_err(|reason| {
            Problem::other(format!(
                "can't make {}: {reason}; give a folder that can be written to with --folder",
                folder.display()
            ))
        })
}

fn write_all(folder: &Path) -> Result<(), Box<dyn std::error::Error>> {
    fs::create_dir_all(folder)?;
    let files = (0..DIFFERENT).map(encode).collect::<Result<Vec<_>, _>>()?;
    for image in 0..COUNT {
        fs::write(folder.join(name(image)), &files[image % DIFFERENT])?;
    }
    Ok(())
}
