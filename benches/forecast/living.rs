//! The creatures of the example `living_world`, on made-up ground.

use crate::creatures::{self, Life};
use crate::navigation::Navigation;
use crate::terrain::{TILE, Terrain};
use crate::world_file::WorldFile;
use bevy_app::App;
use std::path::PathBuf;

const CREATURES: u32 = 100_000;
/// Images that the ground could be made of.
const IMAGES: usize = 12;

/// Has `app` run the creatures' systems.
pub fn creatures(app: &mut App) {
    let world_file = WorldFile::default();
    let images: Vec<PathBuf> = (0..IMAGES).map(|i| format!("{i}.png").into()).collect();
    let mut terrain = Terrain::new(&world_file, &images);
    let width = terrain.width;
    // Hills a tile wide, half of them above the sea.
    let level = |cell: usize| {
        let part = |at: usize| (at as f32 / TILE as f32 * std::f32::consts::PI).sin();
        0.5 + 0.5 * part(cell % width) * part(cell / width)
    };
    for (cell, ground) in terrain.cells.iter_mut().enumerate() {
        let level = level(cell);
        *ground = [level, 1.0 - level];
    }
    let mut navigation = Navigation::for_map(terrain.cells.len());
    navigation.scent = (0..terrain.cells.len()).map(level).collect();
    app.insert_resource(terrain).insert_resource(navigation);
    app.insert_resource(Life {
        frame: 0,
        frames: u32::MAX,
    });
    creatures::populate(app.world_mut(), CREATURES);
    creatures::add_systems(app);
}
