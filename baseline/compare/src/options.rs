//! The command line.

use crate::lineup;
use paired::{OptionsError, Usage};
use std::ffi::OsString;
use suite::{Values, WordError};

/// What `--help` says.
pub const USAGE: Usage = Usage {
    command: "compare",
    about: "Runs this project's thread pool and its rivals side by side.",
    rounds: "samples of each pool in a workload, at most (default 21; 9 with --quick);\n                    \
             with --against, runs of each program (default 7; 3 with --quick)",
    quick: "smaller trees too, under a minute",
    own: "  --pools A,B       only these pools; the serial reference always runs\n  \
          --threads N       running threads of each pool (default 2)\n  \
          --scaling         the scaling families too (several minutes; --only scaling for them alone)\n",
};

/// What is to be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// What every comparison can be told.
    pub common: paired::Options,
    /// Pools' names; empty for all.
    pub pools: Vec<String>,
    /// Running threads of each pool.
    pub threads: usize,
    /// The scaling families too.
    pub scaling: bool,
    /// Of this workload alone, this project's figures, a line each.
    pub workload: Option<String>,
}

impl Options {
    /// Reads the command line's words, without the program's name.
    ///
    /// # Errors
    ///
    /// What is wrong with it.
    pub fn parse(
        words: impl IntoIterator<Item = impl Into<OsString>>,
    ) -> Result<Self, OptionsError> {
        let mut options = Self {
            common: paired::Options::default(),
            pools: Vec::new(),
            threads: 2,
            scaling: false,
            workload: None,
        };
        options.common = paired::Options::parse(words, |word, values| {
            match word {
                "--pools" => options.add_pools(values)?,
                "--threads" => options.threads = values.number(1..=1024)?,
                "--scaling" => options.scaling = true,
                word if word.starts_with('-') => return Ok(false),
                word => options.workload = Some(word.to_owned()),
            }
            Ok(true)
        })?;
        if options.common.against.is_some() {
            options.check_against()?;
        }
        Ok(options)
    }

    fn add_pools(&mut self, values: &mut Values) -> Result<(), WordError> {
        for name in values.text()?.split(',').map(str::trim) {
            if !lineup::names().contains(&name) {
                return Err(WordError::Name {
                    kind: "pool",
                    name: name.to_owned(),
                    names: lineup::names(),
                });
            }
            self.pools.push(name.to_owned());
        }
        Ok(())
    }

    /// What another commit has no figures of, or no say in.
    fn check_against(&self) -> Result<(), WordError> {
        let not_with = |option, why| Err(WordError::Together(option, "--against", why));
        if self.scaling {
            return not_with("--scaling", "its families have no single figure");
        }
        if !self.pools.is_empty() {
            return not_with("--pools", "this project's pool is compared with itself");
        }
        if self.workload.is_some() {
            return not_with("a workload's name", "--only chooses workloads");
        }
        Ok(())
    }

    /// Whether a pool of this name is wanted.
    #[must_use]
    pub fn wants_pool(&self, pool: &str) -> bool {
        self.pools.is_empty() || self.pools.iter().any(|name| name == pool)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(words: &[&str]) -> String {
        match Options::parse(words) {
            Ok(options) => panic!("accepted as {options:?}"),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn names_and_numbers_are_read() -> Result<(), OptionsError> {
        let words = ["--only", "tree", "--only=fib", "--pools", "ours,rayon"];
        let options = Options::parse(words.into_iter().chain(["--threads", "4", "--quick"]))?;
        let wants = |name| options.common.wants(name);
        assert!(wants("tree-1023") && wants("fib-36") && !wants("flood"));
        assert!(options.wants_pool("rayon") && !options.wants_pool("tokio"));
        assert_eq!((options.threads, options.common.quick), (4, true));
        let one = Options::parse(["fib-36 x2", "--quick"])?;
        assert_eq!(one.workload.as_deref(), Some("fib-36 x2"));
        Ok(())
    }

    #[test]
    fn mistakes_are_named() {
        assert!(error(&["--fast"]).contains("--fast"));
        assert!(error(&["--threads", "none"]).contains("none"));
        assert!(error(&["--threads", "0"]).contains("from 1 to 1024, not 0"));
        assert!(error(&["--pools", "ours,riyon"]).contains("\"riyon\""));
        assert!(error(&["--rounds"]).contains("--rounds"));
        for option in ["--scaling", "--pools=ours", "--record", "60hz"] {
            let error = error(&["--against", "HEAD", option]);
            assert!(error.contains("does not go with --against"), "{error}");
        }
    }
}
