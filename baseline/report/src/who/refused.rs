//! Why there is no program of a contender.

use std::env;
use std::path::{Path, PathBuf};

/// Why there is no program.
#[derive(Debug)]
pub enum Refused {
    /// Something that it needs is not on this machine: a compiler, or the rival itself.
    Absent(String),
    /// All that it needs is here, and what lies in `rivals/` does not build, or does not run. Of Go,
    /// Java and Ruby that isn't known: what there is may be too old, or not set up.
    Broken(String),
}

impl Refused {
    /// The reason.
    pub fn why(&self) -> &str {
        match self {
            Self::Absent(why) | Self::Broken(why) => why,
        }
    }

    /// The same reason, where it isn't known whether all is here.
    pub fn into_absent(self) -> Self {
        match self {
            Self::Absent(why) | Self::Broken(why) => Self::Absent(why),
        }
    }
}

/// A reason without this machine's folders, for pages that are read elsewhere. Programs are built
/// into `target`.
pub fn without_folders(why: &str, target: &Path) -> String {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let told = |name| env::var_os(name).map(PathBuf::from);
    let repository = package.ancestors().nth(2).map(Path::to_owned);
    // What lies in another one comes first.
    let folders = [
        (Some(package.join("rivals")), "rivals"),
        (told("RIVALS"), "DIR"),
        (Some(target.to_owned()), "target"),
        (repository, "repository"),
        (told("HOME"), "~"),
    ];
    let mut why = why.to_owned();
    for (folder, name) in folders {
        // A dot or a lone slash is no folder's name in a text.
        if let Some(folder) = folder.filter(|it| it.is_absolute() && it.parent().is_some()) {
            why = why.replace(&*folder.to_string_lossy(), name);
        }
    }
    why
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_folder_of_this_machine_is_told() {
        let package = env!("CARGO_MANIFEST_DIR");
        let why = format!("g++: {package}/rivals/tbb.cpp:7: error; /built/here/oneTBB; /etc");
        let told = without_folders(&why, Path::new("/built/here"));
        assert_eq!(told, "g++: rivals/tbb.cpp:7: error; target/oneTBB; /etc");
    }
}
