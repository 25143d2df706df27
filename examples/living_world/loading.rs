//! Loading: every image of the folder, and its world file, while frames run.

use super::navigation::Navigation;
use super::source::Found;
use super::terrain::Terrain;
use super::world_file::WorldFile;
use bevy_asset::{Asset, AssetPath, AssetServer, Assets, Handle, LoadState};
use bevy_ecs::prelude::*;
use bevy_image::Image;
use std::path::{Path, PathBuf};

/// What is still on its way, and what became of the rest.
#[derive(Resource, Default)]
pub struct Loading {
    images: Vec<(PathBuf, Handle<Image>)>,
    world: Option<(PathBuf, Handle<WorldFile>)>,
    /// Every image, for the layout.
    all: Vec<PathBuf>,
    pub total: usize,
    pub loaded: usize,
    pub failed: Vec<(PathBuf, String)>,
}

impl Loading {
    /// Asks the server for everything that was found.
    pub fn start(found: Found, server: &AssetServer) -> Self {
        fn load<A: Asset>(server: &AssetServer, path: &Path) -> Handle<A> {
            // A path, not a string: names may hold characters that mean something to the server.
            server.load(AssetPath::from_path_buf(path.to_owned()))
        }
        let mut worlds = found.worlds.into_iter();
        let world = worlds.next().map(|path| {
            let handle = load(server, &path);
            (path, handle)
        });
        let images: Vec<_> = found
            .images
            .iter()
            .map(|path| (path.clone(), load(server, path)))
            .collect();
        let mut failed = found.problems;
        failed.extend(worlds.map(|path| (path, "a folder has one world file".to_owned())));
        Self {
            total: images.len() + usize::from(world.is_some()) + failed.len(),
            images,
            world,
            all: found.images,
            loaded: 0,
            failed,
        }
    }

    pub fn is_over(&self) -> bool {
        self.images.is_empty() && self.world.is_none()
    }

    pub fn finished(&self) -> usize {
        self.loaded + self.failed.len()
    }
}

/// An asset, or why there is none; nothing while it loads.
fn outcome<A: Asset>(
    server: &AssetServer,
    assets: &mut Assets<A>,
    handle: &Handle<A>,
) -> Option<Result<A, String>> {
    if let Some(asset) = assets.remove(handle) {
        return Some(Ok(asset));
    }
    match server.load_state(handle) {
        LoadState::Failed(error) => Some(Err(error.to_string())),
        _ => None,
    }
}

/// Takes what has arrived: the layout first, then images as ground.
pub fn take_arrivals(
    server: Res<AssetServer>,
    mut loading: ResMut<Loading>,
    mut images: ResMut<Assets<Image>>,
    mut worlds: ResMut<Assets<WorldFile>>,
    mut terrain: Option<ResMut<Terrain>>,
    mut navigation: ResMut<Navigation>,
    mut commands: Commands,
) {
    let loading = &mut *loading;
    if terrain.is_none() {
        let world = match &loading.world {
            None => Ok(WorldFile::default()),
            Some((path, handle)) => match outcome(&server, &mut worlds, handle) {
                // Images wait for their places.
                None => return,
                Some(Ok(world)) => {
                    loading.loaded += 1;
                    Ok(world)
                }
                Some(Err(error)) => Err((path.clone(), error)),
            },
        };
        loading.world = None;
        let world = world.unwrap_or_else(|failure| {
            loading.failed.push(failure);
            WorldFile::default()
        });
        let fresh = Terrain::new(&world, &loading.all);
        *navigation = Navigation::for_map(fresh.cells.len());
        commands.insert_resource(fresh);
        return;
    }
    loading.images.retain(|(path, handle)| {
        let Some(outcome) = outcome(&server, &mut images, handle) else {
            return true;
        };
        match outcome {
            Ok(image) => {
                loading.loaded += 1;
                if let Some(terrain) = &mut terrain
                    && terrain.add(path, &image)
                {
                    navigation.invalidate();
                }
            }
            Err(error) => loading.failed.push((path.clone(), error)),
        }
        false
    });
}
