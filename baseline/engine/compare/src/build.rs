//! Builds the two programs.

use std::env;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use thiserror::Error;

/// Why there is no program to run.
#[derive(Debug, Error)]
pub enum BuildError {
    /// The compiler refused it.
    #[error("{package} does not build ({status}); what cargo says is above")]
    Refused {
        /// The package's folder.
        package: &'static str,
        /// Cargo's exit.
        status: ExitStatus,
    },
    /// Cargo can't be started.
    #[error("can't start {cargo:?}: {source}; run this through cargo, or set CARGO to its path")]
    Cargo {
        /// The program.
        cargo: OsString,
        /// The system's reason.
        source: io::Error,
    },
    /// What the engine's version is read from.
    #[error("can't read {path}: {source}; restore it from the repository")]
    Lockfile {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
}

/// The folder for what is built and made: `engine` in the target folder of this workspace.
#[must_use]
pub fn target(engine: &Path) -> PathBuf {
    let told = env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    // Relative ones are relative to where cargo was started: here.
    let told = told.and_then(|told| Some(env::current_dir().ok()?.join(told)));
    told.unwrap_or_else(|| engine.with_file_name("target"))
        .join("engine")
}

/// Builds the package in this folder, and gives its program's path. Each has a target folder of
/// its own, so that they don't build each other's crates anew.
///
/// # Errors
///
/// Why there is none.
pub fn build(engine: &Path, package: &'static str) -> Result<PathBuf, BuildError> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let target = target(engine).join(package);
    let status = Command::new(&cargo)
        // In the folder, so that the flags of baseline/.cargo hold.
        .current_dir(engine.join(package))
        .args(["build", "--release", "--target-dir"])
        .arg(&target)
        .status()
        .map_err(|source| BuildError::Cargo { cargo, source })?;
    if !status.success() {
        return Err(BuildError::Refused { package, status });
    }
    let name = format!("engine-{package}{}", env::consts::EXE_SUFFIX);
    Ok(target.join("release").join(name))
}

/// The version of the engine that the programs are built with.
///
/// # Errors
///
/// When there is no lockfile.
pub fn engine_version(engine: &Path) -> Result<String, BuildError> {
    let path = engine.join("stock/Cargo.lock");
    let lockfile = std::fs::read_to_string(&path);
    let lockfile = lockfile.map_err(|source| BuildError::Lockfile { path, source })?;
    let mut lines = lockfile.lines();
    let version = lines
        .find(|line| *line == "name = \"bevy_tasks\"")
        .and_then(|_| {
            lines
                .next()?
                .strip_prefix("version = \"")?
                .strip_suffix('"')
        });
    Ok(format!("Bevy {}", version.unwrap_or("of unknown version")))
}
