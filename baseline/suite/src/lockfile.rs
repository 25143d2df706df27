//! What a lockfile says of a package.

/// A package in a lockfile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Locked {
    /// Its version.
    pub version: String,
    /// Where it comes from; nothing for one that lies in this repository.
    pub source: Option<String>,
}

impl Locked {
    /// The first package of this name in a lockfile's text.
    #[must_use]
    pub fn find(lockfile: &str, package: &str) -> Option<Self> {
        let name = format!("name = \"{package}\"");
        let mut lines = lockfile.lines();
        lines.find(|line| *line == name)?;
        let mut value = |key: &str| {
            let quoted = lines.next()?.strip_prefix(key)?.strip_prefix(" = \"")?;
            Some(quoted.strip_suffix('"')?.to_owned())
        };
        Some(Self {
            version: value("version")?,
            source: value("source"),
        })
    }

    /// Its version as readers see it.
    #[must_use]
    pub fn version_of(lockfile: &str, package: &str) -> String {
        let unknown = || "of unknown version".to_owned();
        Self::find(lockfile, package).map_or_else(unknown, |locked| locked.version)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_patched_package_has_no_source() {
        let lockfile = "[[package]]\nname = \"a\"\nversion = \"1.0.0\"\nsource = \"registry\"\n\n\
                        [[package]]\nname = \"b\"\nversion = \"2.0.0\"\ndependencies = [\n";
        let source = |package| Locked::find(lockfile, package).map(|locked| locked.source);
        assert_eq!(source("a"), Some(Some("registry".to_owned())));
        assert_eq!(source("b"), Some(None));
        assert_eq!(source("c"), None);
    }
}
