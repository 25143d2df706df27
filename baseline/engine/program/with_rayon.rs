//! Frames with a system that uses rayon, while the engine loads a hundred images.

use crate::loading;
use bevy_app::{App, Update};
use bevy_ecs::prelude::*;
use rayon::prelude::*;
use std::fs;
use suite::program::Figures;
use suite::program::Options;

const NUMBERS: usize = 100_000;

#[derive(Resource)]
struct Numbers(Vec<u32>);

/// Makes other numbers of them, and sorts those.
fn sort(mut numbers: ResMut<Numbers>) {
    let numbers = &mut numbers.0;
    numbers.par_iter_mut().for_each(|number| {
        *number = number.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
    });
    numbers.par_sort_unstable();
    assert!(numbers.is_sorted(), "rayon sorts");
}

/// How many threads the process has; 0 where the system doesn't tell.
fn threads() -> usize {
    fs::read_dir("/proc/self/task").map_or(0, Iterator::count)
}

/// The frames' times without and with the images, and how many threads there are at the end.
pub fn run(options: &Options) -> Figures {
    let mut figures = loading::run_in(options, |app: &mut App| {
        app.insert_resource(Numbers((0..NUMBERS as u32).collect()));
        app.add_systems(Update, sort);
    })?;
    figures.push(("threads".to_owned(), threads() as f64));
    Ok(figures)
}
