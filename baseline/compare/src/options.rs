//! The command line.

use crate::lineup;
use paired::{OptionsError, RECORD, Usage};
use std::ffi::OsString;
use suite::{Values, WordError, refuse_together, set_once};

/// What `--help` says.
pub const USAGE: Usage = Usage {
    command: "compare",
    about: "Runs this project's thread pool and its rivals side by side.",
    rounds: "samples of each pool in a workload, at most (default 21; 9 with --quick);\n                    \
             with --against, runs of each program (default 7; 3 with --quick)",
    quick: "smaller trees too, half a minute",
    own: "  --pools A,B       only these pools; the serial reference always runs\n  \
          --threads N       running threads of each pool (default 2)\n  \
          --scaling         the scaling families in place of the others (several minutes)\n",
};

/// Running threads of each pool, if they were not told.
const THREADS: usize = 2;

/// What is to be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// What every comparison can be told.
    pub common: paired::Options,
    /// Pools' names; empty for all.
    pub pools: Vec<String>,
    /// Running threads of each pool.
    pub threads: usize,
    /// The scaling families, and no others.
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
            threads: THREADS,
            scaling: false,
            workload: None,
        };
        options.common = paired::Options::parse(words, |word, values| {
            match word {
                "--pools" => options.add_pools(values)?,
                "--threads" => options.threads = values.number(1..=1024)?,
                "--scaling" => options.scaling = true,
                word if word.starts_with('-') => return Ok(false),
                word => set_once(&mut options.workload, word)?,
            }
            Ok(true)
        })?;
        options.check()?;
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

    /// Refuses options of which one would do nothing, or make a record that lacks rows.
    fn check(&self) -> Result<(), WordError> {
        let pools = ("--pools", !self.pools.is_empty());
        let threads = ("--threads", self.threads != THREADS);
        let scaling = ("--scaling", self.scaling);
        let against = ("--against", self.common.against.is_some());
        let record = ("--record", self.common.record);
        let name = ("a workload's name", self.workload.is_some());
        let only = ("--only", !self.common.only.is_empty());
        let no_figure = "its families have no single figure";
        let itself = "this project's pool is run alone";
        refuse_together([
            (scaling, against, no_figure),
            (pools, against, itself),
            (name, against, "--only chooses workloads"),
            (pools, record, RECORD),
            (threads, record, "a record is of two threads a pool"),
            (name, record, "its figures are printed and nothing else"),
            (name, only, "it is the one workload that is run"),
            (name, pools, itself),
            (name, scaling, no_figure),
        ])
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
        assert!(Options::parse(["--scaling", "--record", "--rounds=3"])?.scaling);
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
        for option in ["--pools=ours", "--threads=4", "60hz"] {
            let error = error(&["--record", option]);
            assert!(error.contains("does not go with --record"), "{error}");
        }
        for option in ["--pools=ours", "--only=60", "--scaling"] {
            let error = error(&["60hz", option]);
            assert!(error.contains("a workload's name does not go"), "{error}");
        }
        assert!(error(&["60hz", "flood"]).contains("\"flood\""));
    }
}
