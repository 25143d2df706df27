//! One run of a program, in a process that may fail or hang without harm.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::io::{self, Read};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;
use thiserror::Error;

/// No workload takes this long, except where it hangs.
const HANGS: Duration = Duration::from_secs(120);

/// A run's figures by name.
pub type Run = HashMap<String, f64>;

/// Why a run gave no figures.
#[derive(Debug, Error)]
pub enum Failure {
    /// It was killed.
    #[error("hung: it was killed after {HANGS:?}")]
    Hung,
    /// It ended with an error.
    #[error("{status}: {said}")]
    Failed {
        /// Its exit.
        status: ExitStatus,
        /// The last line it said.
        said: String,
    },
    /// It printed what is no figure.
    #[error("no figure: {0:?}; both programs must be built from the same sources")]
    NoFigure(String),
    /// It can't be run.
    #[error("can't be run: {0}; build it again")]
    Run(#[from] io::Error),
}

/// Reads a stream to its end, aside.
fn read(stream: Option<impl Read + Send + 'static>) -> mpsc::Receiver<String> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        // What could not be read is missed as a figure.
        if let Some(mut stream) = stream {
            let _ = stream.read_to_end(&mut bytes);
        }
        // Nobody waits any more for a program that was killed.
        let _ = sender.send(String::from_utf8_lossy(&bytes).into_owned());
    });
    receiver
}

/// Waits for the end of what a program prints, and for its own.
fn wait(child: &mut Child, limit: Duration) -> Result<(ExitStatus, String, String), Failure> {
    let errors = read(child.stderr.take());
    let figures = read(child.stdout.take());
    match figures.recv_timeout(limit) {
        Err(RecvTimeoutError::Timeout) => {
            child.kill()?;
            child.wait()?;
            Err(Failure::Hung)
        }
        figures => {
            let figures = figures.unwrap_or_default();
            let errors = errors.recv().unwrap_or_default();
            Ok((child.wait()?, figures, errors))
        }
    }
}

/// Runs a workload, with these variables in its environment.
///
/// # Errors
///
/// Why there are no figures.
pub fn run(
    program: &Path,
    workload: &str,
    arguments: &[impl AsRef<OsStr>],
    variables: &[(&str, String)],
) -> Result<Run, Failure> {
    let mut command = Command::new(program);
    command
        .arg(workload)
        .args(arguments)
        .envs(variables.iter().cloned());
    output(&mut command)?
        .lines()
        .map(|line| figure(line, workload).ok_or_else(|| Failure::NoFigure(line.to_owned())))
        .collect()
}

/// What a program prints that is given no workload: the names of all.
///
/// # Errors
///
/// Why there are no names.
pub fn names(program: &Path) -> Result<Vec<String>, Failure> {
    let names = output(&mut Command::new(program))?;
    Ok(names.lines().map(str::to_owned).collect())
}

/// What a program prints, if it succeeds.
fn output(command: &mut Command) -> Result<String, Failure> {
    let mut child = command
        // Its last line is the panic's own.
        .env("RUST_BACKTRACE", "0")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    let (status, printed, errors) = wait(&mut child, HANGS)?;
    if status.success() {
        return Ok(printed);
    }
    let is_telling = |line: &&str| !line.trim().is_empty() && !line.starts_with("note:");
    let said = errors.lines().rfind(is_telling);
    let said = said.unwrap_or("it said nothing").to_owned();
    Err(Failure::Failed { status, said })
}

/// `workload<TAB>metric<TAB>figure`.
fn figure(line: &str, workload: &str) -> Option<(String, f64)> {
    let (metric, figure) = line
        .strip_prefix(workload)?
        .strip_prefix('\t')?
        .split_once('\t')?;
    Some((metric.to_owned(), figure.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_a_name_a_metric_and_a_figure() {
        let read = figure("idle\tswitches\t1.5e1", "idle");
        assert_eq!(read, Some(("switches".to_owned(), 15.0)));
        assert_eq!(figure("idle switches 2", "idle"), None);
        assert_eq!(figure("other\tswitches\t2", "idle"), None);
    }

    #[cfg(unix)]
    #[test]
    fn a_program_that_hangs_is_killed() -> io::Result<()> {
        let mut child = Command::new("sleep")
            .arg("60")
            .stdout(Stdio::piped())
            .spawn()?;
        let outcome = wait(&mut child, Duration::from_millis(50));
        assert!(matches!(outcome, Err(Failure::Hung)), "{outcome:?}");
        assert!(child.try_wait()?.is_some());
        Ok(())
    }

    #[cfg(unix)]
    #[test]
    fn a_program_that_fails_is_quoted() {
        let script = Path::new("/bin/sh");
        let outcome = run(
            script,
            "-c",
            &["echo lost >&2; echo note: it >&2; exit 3"],
            &[],
        );
        let said = outcome.map_err(|failure| failure.to_string());
        assert!(
            matches!(&said, Err(said) if said.ends_with("lost")),
            "{said:?}"
        );
    }
}
