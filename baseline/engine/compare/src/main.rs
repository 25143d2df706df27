//! Builds the engine's workloads on this project and on the published `bevy_tasks`, runs the two
//! programs in turn, and prints how they compare. `--help` lists the options.

mod catalogue;

use paired::{Comparison, Usage};
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    // baseline/engine/compare
    let engine = Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name("");
    let made = paired::target(&engine, "engine");
    paired::run(Comparison {
        name: "engine",
        usage: Usage {
            command: "compare-engine",
            about: "Runs the engine on this project and on the published bevy_tasks, in turn.",
            rounds: paired::ROUNDS,
            quick: "minutes in place of half an hour",
            own: "",
        },
        arguments: vec!["--folder".to_owned(), made.to_string_lossy().into_owned()],
        folder: engine,
        versions: &[("Bevy", "bevy_tasks")],
        patched: &["bevy_tasks", "rayon-core"],
        beside: None,
        families: catalogue::all(),
    })
}
