//! Frames while the engine loads a hundred images.

use crate::apps;
use crate::frames::{Frames, Pace, percentiles};
use crate::images;
use bevy_app::App;
use bevy_asset::{AssetPlugin, AssetServer, Assets, Handle, LoadState};
use bevy_image::{Image, ImageLoader, ImagePlugin};
use std::path::Path;
use std::time::Instant;
use suite::Spinner;
use suite::program::Options;
use suite::program::{Figures, Problem, check};

fn app(folder: &Path) -> App {
    let mut app = apps::app();
    app.add_plugins((
        AssetPlugin {
            file_path: folder.to_string_lossy().into_owned(),
            ..Default::default()
        },
        ImagePlugin::default(),
    ));
    // In a whole game the renderer's plugin does so.
    bevy_asset::AssetApp::register_asset_loader(&mut app, ImageLoader::new(Default::default()));
    app
}

/// Looks at what an image holds, here and there.
fn check_image(number: usize, image: &Image) -> Result<(), Problem> {
    let name = images::name(number);
    check(format!("the width of {name}"), images::SIDE, image.width())?;
    check(
        format!("the height of {name}"),
        images::SIDE,
        image.height(),
    )?;
    let data = image.data.as_deref().unwrap_or_default();
    for place in [0, images::SIDE / 2, images::SIDE - 1] {
        let at = 4 * (place * images::SIDE + place) as usize;
        let pixel = data.get(at..at + 4).and_then(|pixel| pixel.try_into().ok());
        let pixel = u32::from_le_bytes(pixel.unwrap_or_default());
        let expected = u32::from_le_bytes(images::pixel(number, place, place));
        check(format!("pixel {place} of {name}"), expected, pixel)?;
    }
    Ok(())
}

/// Takes away the images that have arrived.
fn take(
    app: &mut App,
    folder: &Path,
    waiting: &mut Vec<(usize, Handle<Image>)>,
) -> Result<(), Problem> {
    let mut loaded = app.world_mut().resource_mut::<Assets<Image>>();
    let mut arrived = Vec::new();
    waiting.retain(|(number, handle)| match loaded.remove(handle) {
        Some(image) => {
            arrived.push((*number, image));
            false
        }
        None => true,
    });
    arrived
        .iter()
        .try_for_each(|(number, image)| check_image(*number, image))?;
    let server = app.world().resource::<AssetServer>();
    for (number, handle) in waiting {
        if let LoadState::Failed(reason) = server.load_state(handle) {
            return Err(Problem::other(format!(
                "the image {} does not load: {reason}; remove the folder {} to have it made anew",
                images::name(*number),
                folder.display()
            )));
        }
    }
    Ok(())
}

/// Frames at 60 Hz, without anything else and until all is loaded.
pub fn run(options: &Options) -> Figures {
    run_in(options, |_| ())
}

/// The same, of an app that `build` adds something to.
pub fn run_in(options: &Options, build: impl FnOnce(&mut App)) -> Figures {
    let folder = options.folder.join("images");
    images::make(&folder)?;
    let folder = folder.canonicalize().unwrap_or(folder);
    let mut app = app(&folder);
    build(&mut app);
    let mut frames = Frames::new(app, Pace::SixtyHertz, Spinner::calibrate());
    let without = frames.run(options.length(8.0));
    let start = Instant::now();
    let server = frames.app().world().resource::<AssetServer>();
    let mut waiting: Vec<_> = (0..images::COUNT)
        .map(|number| (number, server.load(images::name(number))))
        .collect();
    let mut with = Vec::new();
    while !waiting.is_empty() {
        with.push(frames.step());
        take(frames.app(), &folder, &mut waiting)?;
    }
    let load = start.elapsed().as_secs_f64();
    frames.check()?;
    let mut figures = Vec::from(percentiles("without", &without));
    figures.extend(percentiles("with", &with));
    figures.push(("load".to_owned(), load));
    Ok(figures)
}
