//! Another commit's sources, with the present workloads.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use thiserror::Error;

/// What of `baseline/` is no source: what is built, and what is recorded.
const NO_SOURCES: [&str; 2] = ["target", "records"];

/// Why a commit's sources can't be had.
#[derive(Debug, Error)]
pub enum CommitError {
    /// Git refuses.
    #[error("git can't {what}: {said}")]
    Git {
        /// What it was asked for.
        what: String,
        /// The last line it said.
        said: String,
    },
    /// The system refuses.
    #[error("can't copy {path}: {source}; remove baseline/target/against to begin anew")]
    Copy {
        /// The file or folder.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
}

fn git(folder: &Path, what: &str, arguments: &[&str], index: &Path) -> Result<String, CommitError> {
    let refused = |said: String| CommitError::Git {
        what: what.to_owned(),
        said,
    };
    let output = Command::new("git")
        .arg("-C")
        .arg(folder)
        .args(arguments)
        // Not the index that somebody works with.
        .env("GIT_INDEX_FILE", index)
        .output()
        .map_err(|error| refused(error.to_string()))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(refused(
        said.trim().lines().last().unwrap_or_default().to_owned(),
    ))
}

/// A commit's sources in a folder of their own.
#[derive(Clone, Debug)]
pub struct Commit {
    /// The beginning of its name, and what it says it is.
    pub title: String,
    /// Where all that is its own lies.
    folder: PathBuf,
}

impl Commit {
    /// Unpacks the commit that git knows as `name` to a folder below `place`, if it doesn't lie there
    /// yet. `baseline` is in the repository.
    ///
    /// # Errors
    ///
    /// Why that failed.
    pub fn unpack(baseline: &Path, name: &str, place: &Path) -> Result<Self, CommitError> {
        let what = format!("find the commit {name}");
        let commit = format!("{name}^{{commit}}");
        let index = place.join("index");
        let ask = |arguments: &[&str]| git(baseline, &what, arguments, &index);
        let hash = ask(&["rev-parse", "--verify", "--end-of-options", &commit])?;
        let title = ask(&["log", "-1", "--format=%h, %s", &hash])?;
        let top = PathBuf::from(ask(&["rev-parse", "--show-toplevel"])?);
        let folder = place.join(&hash[..hash.len().min(12)]);
        if !folder.exists() {
            // It gets its name when it is whole.
            let unfinished = folder.with_extension("unfinished");
            let what = format!("unpack {name} to {}", unfinished.display());
            let prefix = format!("--prefix={}/sources/", unfinished.display());
            make(place)?;
            remove(&unfinished)?;
            git(&top, &what, &["read-tree", &hash], &index)?;
            git(&top, &what, &["checkout-index", "--all", &prefix], &index)?;
            let own = unfinished.join("baseline");
            rename(&unfinished.join("sources").join("baseline"), &own)?;
            rename(&unfinished, &folder)?;
        }
        Ok(Self { title, folder })
    }

    /// Where the commit's sources have their `baseline/`.
    #[must_use]
    pub fn baseline(&self) -> PathBuf {
        self.folder.join("sources").join("baseline")
    }

    /// Where what is built of it goes.
    #[must_use]
    pub fn target(&self, name: &str) -> PathBuf {
        self.folder.join("target").join(name)
    }

    /// Gives the sources the present `baseline/`, so that both sides run the same workloads.
    ///
    /// # Errors
    ///
    /// What can't be copied, and why.
    pub fn overlay(&self, baseline: &Path) -> Result<(), CommitError> {
        sync(baseline, &self.baseline())
    }

    /// Gives this part of the sources' `baseline/` back to the commit.
    ///
    /// # Errors
    ///
    /// What can't be copied, and why.
    pub fn restore(&self, part: &str) -> Result<(), CommitError> {
        let own = self.folder.join("baseline").join(part);
        sync(&own, &self.baseline().join(part))
    }
}

fn refused(path: &Path) -> impl FnOnce(io::Error) -> CommitError {
    let path = path.to_owned();
    |source| CommitError::Copy { path, source }
}

fn make(folder: &Path) -> Result<(), CommitError> {
    fs::create_dir_all(folder).map_err(refused(folder))
}

fn rename(from: &Path, to: &Path) -> Result<(), CommitError> {
    fs::rename(from, to).map_err(refused(from))
}

fn remove(path: &Path) -> Result<(), CommitError> {
    let removed = if path.is_dir() {
        fs::remove_dir_all(path)
    } else {
        fs::remove_file(path)
    };
    match removed {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed.map_err(refused(path)),
    }
}

/// The names in a folder, without what is no source.
fn names(folder: &Path) -> Result<Vec<std::ffi::OsString>, CommitError> {
    let entries = fs::read_dir(folder).map_err(refused(folder))?;
    let names = entries.map(|entry| Ok(entry.map_err(refused(folder))?.file_name()));
    let mut names = names.collect::<Result<Vec<_>, CommitError>>()?;
    names.retain(|name| !NO_SOURCES.iter().any(|no| name == *no));
    Ok(names)
}

/// Makes `to` the same as `from`. A file that is the same already stays as it is, for cargo builds
/// anew what has been written.
fn sync(from: &Path, to: &Path) -> Result<(), CommitError> {
    make(to)?;
    let wanted = names(from)?;
    for name in names(to)? {
        if !wanted.contains(&name) {
            remove(&to.join(name))?;
        }
    }
    for name in wanted {
        let (from, to) = (from.join(&name), to.join(&name));
        if from.is_dir() {
            sync(&from, &to)?;
            continue;
        }
        let bytes = fs::read(&from).map_err(refused(&from))?;
        if fs::read(&to).is_ok_and(|old| old == bytes) {
            continue;
        }
        fs::write(&to, bytes).map_err(refused(&to))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{env, process};

    /// An empty folder of a test's own.
    fn folder(name: &str) -> PathBuf {
        let folder = env::temp_dir().join(format!("paired-{name}-{}", process::id()));
        remove(&folder).unwrap();
        make(&folder).unwrap();
        folder
    }

    fn write(folder: &Path, files: &[(&str, &str)]) {
        for (name, text) in files {
            let path = folder.join(name);
            make(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
    }

    fn read(folder: &Path, name: &str) -> Option<String> {
        fs::read_to_string(folder.join(name)).ok()
    }

    #[test]
    fn what_is_laid_over_is_all_there_is() {
        let (from, to) = (folder("from"), folder("to"));
        write(
            &from,
            &[("a", "new"), ("b/c", "same"), ("b/target/x", "built")],
        );
        write(
            &to,
            &[("a", "old"), ("b/c", "same"), ("b/gone", ""), ("d/e", "")],
        );
        let written = || fs::metadata(to.join("b/c")).unwrap().modified().unwrap();
        let before = written();
        sync(&from, &to).unwrap();
        assert_eq!(read(&to, "a").as_deref(), Some("new"));
        assert_eq!(written(), before, "what is the same is not written");
        for gone in ["b/gone", "d/e", "b/target/x"] {
            assert_eq!(read(&to, gone), None, "{gone}");
        }
        remove(&from).unwrap();
        remove(&to).unwrap();
    }

    #[test]
    fn a_commit_has_its_own_sources_and_the_present_baseline() {
        let (top, place) = (folder("repository"), folder("place"));
        let files = |text| {
            let names = ["crate", "baseline/ours/x", "baseline/suite/x"];
            write(&top, &names.map(|name| (name, text)));
        };
        let run = |arguments: &[&str]| git(&top, "prepare", arguments, &top.join(".git/index"));
        run(&["init", "--quiet"]).unwrap();
        files("1");
        run(&["add", "."]).unwrap();
        let names = ["-c", "user.name=a", "-c", "user.email=b"];
        let commit = ["commit", "--quiet", "--no-gpg-sign", "-m", "first"];
        run(&[names.as_slice(), &commit].concat()).unwrap();
        files("2");

        let baseline = top.join("baseline");
        let commit = Commit::unpack(&baseline, "HEAD", &place).unwrap();
        commit.overlay(&baseline).unwrap();
        assert!(commit.title.ends_with(", first"), "{}", commit.title);
        let sources = commit.baseline();
        let has = |name| read(&sources, name);
        assert_eq!(has("../crate").as_deref(), Some("1"));
        assert_eq!(has("suite/x").as_deref(), Some("2"));
        assert_eq!(has("ours/x").as_deref(), Some("2"));
        commit.restore("ours").unwrap();
        assert_eq!(has("ours/x").as_deref(), Some("1"));

        let again = Commit::unpack(&baseline, "HEAD", &place).unwrap();
        assert_eq!(again.baseline(), sources);
        let error = Commit::unpack(&baseline, "nowhere", &place).unwrap_err();
        assert!(
            error.to_string().contains("find the commit nowhere"),
            "{error}"
        );
        // The three files differ from the index, which is as it was.
        assert_eq!(run(&["diff", "--name-only"]).unwrap().lines().count(), 3);
        assert_eq!(run(&["diff", "--cached", "--name-only"]).unwrap(), "");
        remove(&top).unwrap();
        remove(&place).unwrap();
    }
}
