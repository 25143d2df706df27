//! What threads do in an app that does nothing.

use crate::apps;
use crate::frames::{Frames, Pace};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{fs, io, process, thread};
use suite::Spinner;
use suite::program::Options;
use suite::program::{Figures, Problem};

/// Pools that spin or look around before they sleep have done so.
const SETTLE: Duration = Duration::from_millis(500);
const TASKS: &str = "/proc/self/task";
const KEY: &str = "voluntary_ctxt_switches:";

/// How often each thread but the main one went to sleep so far.
fn switches() -> Result<HashMap<String, u64>, Problem> {
    let refused = |path: &Path| {
        let path = path.display().to_string();
        move |error: io::Error| {
            Problem::other(format!(
                "can't count switches in {path}: {error}; this workload needs Linux"
            ))
        }
    };
    let mut switches = HashMap::new();
    let main = process::id().to_string();
    for task in fs::read_dir(TASKS).map_err(refused(Path::new(TASKS)))? {
        let task = task.map_err(refused(Path::new(TASKS)))?;
        let thread = task.file_name().to_string_lossy().into_owned();
        if thread == main {
            continue;
        }
        let path: PathBuf = task.path().join("status");
        let status = fs::read_to_string(&path).map_err(refused(&path))?;
        let count = status.lines().find_map(|line| line.strip_prefix(KEY));
        let count = count.and_then(|count| count.trim().parse().ok());
        switches.insert(thread, count.unwrap_or(0));
    }
    Ok(switches)
}

/// Voluntary context switches while the main thread sleeps, after some frames.
pub fn run(options: &Options) -> Figures {
    let spinner = Spinner::calibrate();
    let mut frames = Frames::new(apps::app(), Pace::SixtyHertz, spinner);
    frames.run(Duration::from_millis(500));
    thread::sleep(SETTLE);
    let before = switches()?;
    thread::sleep(options.length(5.0));
    let after = switches()?;
    frames.check()?;
    let added = |(thread, count): (&String, &u64)| count - before.get(thread).unwrap_or(&0);
    let added: u64 = after.iter().map(added).sum();
    Ok(vec![("switches".to_owned(), added as f64)])
}
