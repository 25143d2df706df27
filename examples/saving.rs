//! Saving a game while it runs: one look at the world between systems, the rest beside the frames.
//! `cargo run --example saving`

use bevy_app::{App, Update};
use bevy_ecs::prelude::*;
use bevy_heartbeat::prelude::*;
use std::path::PathBuf;
use std::{env, fs, io, process};

#[derive(Component, Clone, Copy)]
struct Position(f32, f32);

#[derive(Resource)]
struct Saved(io::Result<usize>);

fn advance(mut positions: Query<&mut Position>) {
    positions
        .par_iter_mut()
        .for_each(|mut position| position.0 += 1.0);
}

fn file() -> PathBuf {
    env::temp_dir().join(format!("bevy_heartbeat-saving-{}.txt", process::id()))
}

/// The positions are copied in one frame; they are written as text and to the disk beside the next
/// ones. A new file takes the place of the old one when it is whole.
async fn save(cx: JobContext) -> Result<io::Result<usize>, WorldError> {
    let positions: Vec<Position> = cx
        .with(|positions: Query<&Position>| positions.iter().copied().collect())
        .await?;
    let lines = positions.iter().map(|Position(x, y)| format!("{x} {y}\n"));
    let text: String = lines.collect();
    let write = move || {
        let new = file().with_extension("new");
        fs::write(&new, &text)?;
        fs::rename(new, file())?;
        Ok(text.len())
    };
    Ok(cx.blocking(write).await)
}

fn start(mut commands: Commands) {
    // In the background, for the text is computed; what waits for the disk is in `cx.blocking`.
    // Detached, so that whoever despawns things doesn't cancel it.
    commands
        .spawn_job(Lane::Background, save)
        .named("save")
        .detach()
        .then(
            |In(outcome): In<JobOutcome<_>>, mut commands: Commands| match outcome {
                Ok(Ok(written)) => commands.insert_resource(Saved(written)),
                Ok(Err(error)) => commands.insert_resource(Saved(Err(io::Error::other(error)))),
                Err(error) => commands.insert_resource(Saved(Err(io::Error::other(error)))),
            },
        );
}

/// Runs the app until the game is saved.
pub fn main() {
    let mut app = App::new();
    app.add_plugins(HeartbeatPlugin::default());
    app.add_systems(bevy_app::Startup, start);
    app.add_systems(Update, advance);
    let position = |index| Position(0.0, index as f32);
    app.world_mut().spawn_batch((0..10_000).map(position));
    let mut frames = 0;
    while !app.world().contains_resource::<Saved>() {
        app.update();
        frames += 1;
        std::thread::yield_now();
    }
    let bytes = *app.world().resource::<Saved>().0.as_ref().unwrap();
    let text = fs::read_to_string(file()).unwrap();
    fs::remove_file(file()).unwrap();
    assert_eq!((text.len(), text.lines().count()), (bytes, 10_000));
    // All of the same frame.
    let frame = text.split(' ').next().unwrap();
    assert!(text.lines().all(|line| line.starts_with(frame)));
    println!("{bytes} bytes saved while {frames} frames ran");
}
