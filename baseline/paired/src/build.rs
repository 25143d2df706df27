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
    /// The stock package would run against itself.
    #[error(
        "the heartbeat program has {0} from the registry: the version of this project's must be \
         the one in heartbeat/Cargo.lock"
    )]
    NotPatched(&'static str),
    /// What versions are read from.
    #[error("can't read {path}: {source}; restore it from the repository")]
    Lockfile {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
}

/// The folder for what is built and made: in the target folder of this workspace, called as the
/// comparison.
#[must_use]
pub fn target(folder: &Path, name: &str) -> PathBuf {
    let told = env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    // Relative ones are relative to where cargo was started: here.
    let told = told.and_then(|told| Some(env::current_dir().ok()?.join(told)));
    told.unwrap_or_else(|| folder.with_file_name("target"))
        .join(name)
}

/// Builds this package of the folder, and gives its program's path. Each has a target folder of
/// its own, so that they don't build each other's crates anew.
///
/// # Errors
///
/// Why there is none.
pub fn build(folder: &Path, name: &str, package: &'static str) -> Result<PathBuf, BuildError> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let target = target(folder, name).join(package);
    let status = Command::new(&cargo)
        // In the folder, so that the flags of baseline/.cargo hold.
        .current_dir(folder.join(package))
        .args(["build", "--release", "--target-dir"])
        .arg(&target)
        .status()
        .map_err(|source| BuildError::Cargo { cargo, source })?;
    if !status.success() {
        return Err(BuildError::Refused { package, status });
    }
    let program = format!("{name}-{package}{}", env::consts::EXE_SUFFIX);
    Ok(target.join("release").join(program))
}

/// A package in a lockfile.
#[derive(Debug, PartialEq, Eq)]
struct Locked {
    version: String,
    /// Nothing for one that lies in this repository.
    source: Option<String>,
}

fn locked(lockfile: &str, package: &str) -> Option<Locked> {
    let name = format!("name = \"{package}\"");
    let mut lines = lockfile.lines();
    lines.find(|line| *line == name)?;
    let mut value = |key: &str| {
        let quoted = lines.next()?.strip_prefix(key)?.strip_prefix(" = \"")?;
        Some(quoted.strip_suffix('"')?.to_owned())
    };
    Some(Locked {
        version: value("version")?,
        source: value("source"),
    })
}

fn read(folder: &Path, side: &str) -> Result<String, BuildError> {
    let path = folder.join(side).join("Cargo.lock");
    let lockfile = std::fs::read_to_string(&path);
    lockfile.map_err(|source| BuildError::Lockfile { path, source })
}

/// The version of a package that the stock program is built with.
///
/// # Errors
///
/// When there is no lockfile.
pub fn locked_version(folder: &Path, package: &str) -> Result<String, BuildError> {
    let locked = locked(&read(folder, "stock")?, package);
    let version = locked.map(|locked| locked.version);
    Ok(version.unwrap_or_else(|| "of unknown version".to_owned()))
}

/// Makes sure that the programs differ. Cargo only warns of a patch that it has no use for, as when
/// the registry has a newer version.
///
/// # Errors
///
/// When both have this package from the registry, or there is no lockfile.
pub fn check_patch(folder: &Path, package: &'static str) -> Result<(), BuildError> {
    match locked(&read(folder, "heartbeat")?, package) {
        Some(Locked { source: None, .. }) => Ok(()),
        _ => Err(BuildError::NotPatched(package)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_patched_package_has_no_source() {
        let lockfile = "[[package]]\nname = \"a\"\nversion = \"1.0.0\"\nsource = \"registry\"\n\n\
                        [[package]]\nname = \"b\"\nversion = \"2.0.0\"\ndependencies = [\n";
        let source = |package| locked(lockfile, package).map(|locked| locked.source);
        assert_eq!(source("a"), Some(Some("registry".to_owned())));
        assert_eq!(source("b"), Some(None));
        assert_eq!(source("c"), None);
    }
}
