//! Builds the programs.

use std::env;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use suite::Locked;
use thiserror::Error;

/// Why there is no program to run.
#[derive(Debug, Error)]
pub enum BuildError {
    /// The compiler refused it.
    #[error("{folder} does not build ({status}); what cargo says is above")]
    Refused {
        /// The package's folder.
        folder: PathBuf,
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
        "{folder} has {package} from the registry: the version of this project's must be the one \
         in its Cargo.lock"
    )]
    NotPatched {
        /// The program's folder.
        folder: PathBuf,
        /// What should be this project's.
        package: &'static str,
    },
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
/// comparison. `folder` lies beside that target folder.
#[must_use]
pub fn target(folder: &Path, name: &str) -> PathBuf {
    let told = env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    // Relative ones are relative to where cargo was started: here.
    let told = told.and_then(|told| Some(env::current_dir().ok()?.join(told)));
    told.unwrap_or_else(|| folder.with_file_name("target"))
        .join(name)
}

/// A package whose program is run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Package {
    /// Where its manifest lies.
    pub folder: PathBuf,
    /// The program's name.
    pub program: String,
    /// A target folder of its own, so that packages don't build each other's crates anew.
    pub target: PathBuf,
}

impl Package {
    /// Builds it and gives the program's path. `flags` is the folder whose cargo configuration holds:
    /// what is compared must be built with the same.
    ///
    /// # Errors
    ///
    /// Why there is none.
    pub fn build(&self, flags: &Path) -> Result<PathBuf, BuildError> {
        let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let status = Command::new(&cargo)
            .current_dir(flags)
            .args(["build", "--release", "--ignore-rust-version"])
            .arg("--manifest-path")
            .arg(self.folder.join("Cargo.toml"))
            .arg("--target-dir")
            .arg(&self.target)
            .status()
            .map_err(|source| BuildError::Cargo { cargo, source })?;
        if !status.success() {
            let folder = self.folder.clone();
            return Err(BuildError::Refused { folder, status });
        }
        let program = format!("{}{}", self.program, env::consts::EXE_SUFFIX);
        Ok(self.target.join("release").join(program))
    }
}

fn locked(folder: &Path, package: &str) -> Result<Option<Locked>, BuildError> {
    let path = folder.join("Cargo.lock");
    match std::fs::read_to_string(&path) {
        Ok(lockfile) => Ok(Locked::find(&lockfile, package)),
        Err(source) => Err(BuildError::Lockfile { path, source }),
    }
}

/// The version of a package that the program in `folder` is built with.
///
/// # Errors
///
/// When there is no lockfile.
pub fn locked_version(folder: &Path, package: &str) -> Result<String, BuildError> {
    let version = locked(folder, package)?.map(|locked| locked.version);
    Ok(version.unwrap_or_else(|| "of unknown version".to_owned()))
}

/// Makes sure that the program in `folder` has this project's package. Cargo only warns of a patch
/// that it has no use for, as when the registry has a newer version.
///
/// # Errors
///
/// When it has the package from the registry, or there is no lockfile.
pub fn check_patch(folder: &Path, package: &'static str) -> Result<(), BuildError> {
    match locked(folder, package)? {
        Some(Locked { source: None, .. }) => Ok(()),
        _ => Err(BuildError::NotPatched {
            folder: folder.to_owned(),
            package,
        }),
    }
}
