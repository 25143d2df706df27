//! What each game of `ci/real-games` has in place of `App::new()`: an app that keeps count of its
//! frames, presses the keys that it is told to, and ends after a picture. With the feature
//! `heartbeat` it has the plugin as well.
//!
//! It is told by variables:
//!
//! | Variable | |
//! | --- | --- |
//! | `STAGE_FOLDER` | where it writes `picture.png` and, at its end, `times` |
//! | `STAGE_FRAMES` | the frame of the picture, if the seconds are over too |
//! | `STAGE_SECONDS` | how long after the first frame the picture is taken at the earliest |
//! | `STAGE_KEYS` | `60+ArrowRight 90-ArrowRight`: pressed in frame 60, released in frame 90 |
//!
//! The game's clock goes a sixtieth of a second each frame, so that frame 300 shows the same at any
//! speed.

use bevy::input::ButtonState;
use bevy::input::keyboard::{Key, KeyboardInput, NativeKey};
use bevy::prelude::*;
use bevy::render::view::screenshot::{Screenshot, ScreenshotCaptured, save_to_disk};
use bevy::time::TimeUpdateStrategy;
use bevy::window::PrimaryWindow;
use bevy::winit::WinitSettings;
use std::fmt::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use std::{env, fs};

/// A new app, for a game to add its plugins to.
pub fn app() -> App {
    let told = Told::from_variables();
    let mut app = App::new();
    #[cfg(feature = "heartbeat")]
    app.add_plugins(bevy_heartbeat::HeartbeatPlugin::default());
    app.insert_resource(told)
        .insert_resource(Seen {
            begun: unix_millis(),
            ..default()
        })
        .insert_resource(WinitSettings::continuous())
        .insert_resource(TimeUpdateStrategy::ManualDuration(
            Duration::from_secs(1) / 60,
        ))
        .add_systems(First, (count, press).chain())
        .add_systems(Update, picture)
        .add_systems(Last, keep_times);
    app
}

#[derive(Resource)]
struct Told {
    folder: PathBuf,
    frame: usize,
    after: Duration,
    keys: Vec<(usize, ButtonState, KeyCode)>,
}

impl Told {
    fn from_variables() -> Self {
        let variable = |name| env::var(name).unwrap_or_default();
        let number = |name| variable(name).parse().unwrap_or(0);
        Self {
            folder: variable("STAGE_FOLDER").into(),
            frame: number("STAGE_FRAMES"),
            after: Duration::from_secs(number("STAGE_SECONDS") as u64),
            keys: variable("STAGE_KEYS").split_whitespace().map(key).collect(),
        }
    }
}

fn key(told: &str) -> (usize, ButtonState, KeyCode) {
    let at = told.find(['+', '-']).expect("a key is told as 60+Digit1");
    let state = match &told[at..=at] {
        "+" => ButtonState::Pressed,
        _ => ButtonState::Released,
    };
    let code = match &told[at + 1..] {
        "ArrowLeft" => KeyCode::ArrowLeft,
        "ArrowRight" => KeyCode::ArrowRight,
        "Digit1" => KeyCode::Digit1,
        other => panic!("no key {other}"),
    };
    (
        told[..at].parse().expect("a key's frame is a number"),
        state,
        code,
    )
}

#[derive(Resource, Default)]
struct Seen {
    /// When the app was made and when its first frame began, in milliseconds of the system's clock.
    begun: u128,
    first_frame: u128,
    /// When each frame began.
    frames: Vec<Instant>,
    /// How many frames had begun when the picture was asked for, which takes time itself.
    undisturbed: Option<usize>,
}

fn count(mut seen: ResMut<Seen>) {
    if seen.frames.is_empty() {
        seen.first_frame = unix_millis();
    }
    seen.frames.push(Instant::now());
    // Tells of a game that was killed how far it came.
    if seen.frames.len().is_multiple_of(10) {
        info!("frame {}", seen.frames.len());
    }
}

fn press(
    told: Res<Told>,
    seen: Res<Seen>,
    window: Query<Entity, With<PrimaryWindow>>,
    mut keyboard: MessageWriter<KeyboardInput>,
) {
    let Ok(window) = window.single() else { return };
    for &(_, state, key_code) in told.keys.iter().filter(|key| key.0 == seen.frames.len()) {
        keyboard.write(KeyboardInput {
            key_code,
            logical_key: Key::Unidentified(NativeKey::Unidentified),
            state,
            text: None,
            repeat: false,
            window,
        });
    }
}

/// Takes the picture and ends the app after it. A game without a window ends by itself.
fn picture(
    told: Res<Told>,
    mut seen: ResMut<Seen>,
    window: Query<(), With<PrimaryWindow>>,
    mut commands: Commands,
) {
    let since_first = seen.frames.first().map_or(Duration::ZERO, Instant::elapsed);
    let due = seen.frames.len() >= told.frame && since_first >= told.after;
    if !due || seen.undisturbed.is_some() || window.is_empty() {
        return;
    }
    seen.undisturbed = Some(seen.frames.len());
    let mut save = save_to_disk(told.folder.join("picture.png"));
    commands.spawn(Screenshot::primary_window()).observe(
        move |captured: On<ScreenshotCaptured>, mut exit: MessageWriter<AppExit>| {
            save(captured);
            exit.write(AppExit::Success);
        },
    );
}

fn keep_times(told: Res<Told>, seen: Res<Seen>, mut exits: MessageReader<AppExit>) {
    if exits.read().next().is_none() {
        return;
    }
    let mut text = format!(
        "begun {}\nfirst-frame {}\nended {}\n",
        seen.begun,
        seen.first_frame,
        unix_millis()
    );
    for name in thread_names() {
        _ = writeln!(text, "thread {name}");
    }
    let undisturbed = seen.undisturbed.unwrap_or(seen.frames.len());
    for pair in seen.frames[..undisturbed].windows(2) {
        _ = writeln!(text, "frame {}", (pair[1] - pair[0]).as_micros());
    }
    fs::write(told.folder.join("times"), text).expect("STAGE_FOLDER can be written to");
}

/// The names of the process's threads, where the system tells them as Linux does.
fn thread_names() -> Vec<String> {
    let Ok(tasks) = fs::read_dir("/proc/self/task") else {
        return Vec::new();
    };
    let comm = |task: fs::DirEntry| fs::read_to_string(task.path().join("comm")).ok();
    tasks
        .filter_map(|task| comm(task.ok()?))
        .map(|name| name.trim().to_owned())
        .collect()
}

fn unix_millis() -> u128 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_millis())
}
