//! The CPU time of a small game that shows 60 frames a second.

use crate::apps;
use crate::frames::{Frames, Pace};
use bevy_app::App;
use std::time::Duration;
use suite::program::Options;
use suite::program::{Figures, named};
use suite::{CpuClock, Spinner, median};

const LENGTH: Duration = Duration::from_micros(2);

/// 32 systems of 2 us: CPU seconds of the whole process a frame, and the frame's own time.
pub fn run(options: &Options) -> Figures {
    let steps = vec![Spinner::calibrate().steps(LENGTH); 32];
    let measure = |app: App, single_threaded: bool| {
        let mut frames = Frames::of(app, Pace::SixtyHertz, steps.clone());
        if single_threaded {
            apps::make_single_threaded(frames.app());
            frames.step();
        }
        let cpu = CpuClock::start();
        let times = frames.run(options.length(5.0));
        let cpu = cpu.elapsed() / times.len() as f64;
        frames.check().map(|()| (cpu, median(&times)))
    };
    let (cpu, time) = measure(apps::app(), false)?;
    let (single_cpu, single_time) = measure(apps::app(), true)?;
    Ok(named([
        ("cpu", cpu),
        ("cpu-single-threaded", single_cpu),
        ("p50", time),
        ("p50-single-threaded", single_time),
    ]))
}
