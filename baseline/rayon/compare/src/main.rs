//! Builds rayon's usual demonstrations on this project and on rayon's own core, runs the two
//! programs in turn, and prints how they compare. `--help` lists the options.

mod catalogue;

use paired::{Beside, Comparison, Usage};
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    paired::run(Comparison {
        name: "rayon",
        usage: Usage {
            command: "compare-rayon",
            about: "Runs rayon on this project and on its own core, in turn.",
            rounds: paired::ROUNDS,
            quick: "a quarter of an hour in place of an hour and a half",
            own: "",
        },
        // baseline/rayon/compare
        folder: Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name(""),
        arguments: Vec::new(),
        versions: &[("rayon", "rayon"), ("rayon-core", "rayon-core")],
        patched: &["rayon-core"],
        beside: Some(Beside {
            metric: "cpu",
            heading: "CPU s/s",
        }),
        families: catalogue::all(),
    })
}
