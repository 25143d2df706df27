//! The world file: where each image lies on the map.

use bevy_asset::io::Reader;
use bevy_asset::{Asset, AssetLoader, LoadContext};
use bevy_reflect::TypePath;
use std::path::PathBuf;
use thiserror::Error;

/// A map's layout.
#[derive(Asset, TypePath, Clone, Debug, PartialEq)]
pub struct WorldFile {
    pub name: String,
    pub seed: u32,
    /// The height under which there is water, from 0 to 1.
    pub sea: f32,
    pub columns: u32,
    pub rows: u32,
    /// Column, row, and the image's path in the folder.
    pub tiles: Vec<(u32, u32, PathBuf)>,
}

impl Default for WorldFile {
    fn default() -> Self {
        Self {
            name: "An unnamed world".to_owned(),
            seed: 20,
            sea: 0.36,
            columns: 0,
            rows: 0,
            tiles: Vec::new(),
        }
    }
}

#[derive(Debug, Error)]
pub enum WorldFileError {
    #[error("{0}")]
    Read(#[from] std::io::Error),
    #[error("it is not text in UTF-8")]
    Text,
    #[error("line {line}: {problem}")]
    Line { line: usize, problem: String },
}

/// Reads a world file's text.
pub fn parse(text: &str) -> Result<WorldFile, WorldFileError> {
    let mut world = WorldFile::default();
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        parse_line(&mut world, line).map_err(|problem| WorldFileError::Line {
            line: index + 1,
            problem,
        })?;
    }
    Ok(world)
}

fn parse_line(world: &mut WorldFile, line: &str) -> Result<(), String> {
    fn read<N: std::str::FromStr>(what: &str, text: &str) -> Result<N, String> {
        text.parse()
            .map_err(|_| format!("{what} wants a number, not \"{text}\""))
    }
    let (key, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let rest = rest.trim();
    match key {
        "name" => rest.clone_into(&mut world.name),
        "seed" => world.seed = read("seed", rest)?,
        "sea" => {
            world.sea = read("sea", rest)?;
            if !(0.0..=1.0).contains(&world.sea) {
                return Err(format!("sea lies between 0 and 1, not at {rest}"));
            }
        }
        "grid" => {
            let (columns, rows) = rest.split_once(' ').ok_or("grid wants columns and rows")?;
            if world.columns > 0 {
                return Err("there are two grids".to_owned());
            }
            world.columns = read("grid", columns)?;
            world.rows = read("grid", rows.trim())?;
            let cells = u64::from(world.columns) * u64::from(world.rows);
            if cells == 0 || cells > 4096 {
                return Err(format!("grid wants 1 to 4096 tiles, not {cells}"));
            }
        }
        "tile" => {
            let mut words = rest.splitn(3, ' ');
            let mut next = || words.next().ok_or("tile wants a column, a row and a path");
            let (column, row) = (read("tile", next()?)?, read("tile", next()?)?);
            if column >= world.columns || row >= world.rows {
                return Err(format!(
                    "tile {column} {row} lies outside of the grid of {} by {}",
                    world.columns, world.rows
                ));
            }
            if world
                .tiles
                .iter()
                .any(|(c, r, _)| (*c, *r) == (column, row))
            {
                return Err(format!("there are two tiles at {column} {row}"));
            }
            world.tiles.push((column, row, next()?.trim().into()));
        }
        other => {
            return Err(format!(
                "\"{other}\" is none of name, seed, sea, grid and tile"
            ));
        }
    }
    Ok(())
}

/// Loads `.world` files.
#[derive(Default, TypePath)]
pub struct WorldFileLoader;

impl AssetLoader for WorldFileLoader {
    type Asset = WorldFile;
    type Settings = ();
    type Error = WorldFileError;

    async fn load(
        &self,
        reader: &mut dyn Reader,
        _settings: &(),
        _context: &mut LoadContext<'_>,
    ) -> Result<WorldFile, WorldFileError> {
        let mut bytes = Vec::new();
        reader.read_to_end(&mut bytes).await?;
        parse(str::from_utf8(&bytes).map_err(|_| WorldFileError::Text)?)
    }

    fn extensions(&self) -> &[&str] {
        &["world"]
    }
}
