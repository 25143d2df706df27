//! One workload of a Bevy app, on the pool that this program was built with. It prints a line a
//! figure: the workload's name, what was measured and the figure, in seconds where it is a time,
//! with tabs between. `compare-engine` runs it.

mod apps;
mod background;
mod catalogue;
mod components;
mod cpu;
mod empty;
mod frames;
mod growth;
mod idle;
mod images;
mod jobs;
mod loading;
mod neighbours;
mod par_iter;
mod sampling;
mod scopes;
mod slots;
mod spread;
mod tasks;
mod tuned;
mod with_rayon;

use std::process::ExitCode;

fn main() -> ExitCode {
    suite::program::main(&catalogue::all())
}
