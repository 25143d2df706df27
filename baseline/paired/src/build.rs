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

fn lockfile(folder: &Path) -> Result<String, BuildError> {
    let path = folder.join("Cargo.lock");
    std::fs::read_to_string(&path).map_err(|source| BuildError::Lockfile { path, source })
}

/// The version of a package that the program in `folder` is built with.
///
/// # Errors
///
/// When there is no lockfile.
pub fn locked_version(folder: &Path, package: &str) -> Result<String, BuildError> {
    Ok(Locked::version_of(&lockfile(folder)?, package))
}

/// Makes sure that the program in `folder` has these packages from this project. Cargo only warns
/// of a patch that it has no use for, as when the registry has a newer version.
///
/// # Errors
///
/// When it has one of them from the registry, or there is no lockfile.
pub fn check_patches(folder: &Path, packages: &[&'static str]) -> Result<(), BuildError> {
    if packages.is_empty() {
        // What needs no patch may lie in a workspace, whose folder has the lockfile.
        return Ok(());
    }
    let lockfile = lockfile(folder)?;
    let is_ours = |package| {
        let locked = Locked::find(&lockfile, package);
        locked.is_some_and(|locked| locked.source.is_none())
    };
    match packages.iter().find(|package| !is_ours(package)) {
        None => Ok(()),
        Some(package) => Err(BuildError::NotPatched {
            folder: folder.to_owned(),
            package,
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_programs_on_this_project_have_all_its_patches() {
        let baseline = Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name("");
        let engine = ["bevy_tasks", "rayon-core"];
        check_patches(&baseline.join("engine/heartbeat"), &engine).unwrap();
        check_patches(&baseline.join("compare"), &[]).unwrap();
        let stock = check_patches(&baseline.join("engine/stock"), &engine).unwrap_err();
        assert!(stock.to_string().contains("bevy_tasks"), "{stock}");
    }
}
