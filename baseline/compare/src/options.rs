//! The command line.

use crate::lineup;
use lexopt::{Arg, Parser, ValueExt};
use std::ffi::OsString;
use thiserror::Error;

/// What `--help` prints.
pub const HELP: &str = "\
Runs this project's thread pool and its rivals side by side.

Usage: cargo run --release --ignore-rust-version -- [OPTIONS]

  --only SUBSTR   only workloads whose name contains SUBSTR (repeatable)
  --pools A,B     only these pools; the serial reference always runs
  --threads N     running threads of each pool (default 2)
  --rounds N      samples of each pool in a workload, at most (default 21)
  --quick         shorter samples, fewer rounds, smaller trees: under a minute
  --scaling       the scaling families too (several minutes; --only scaling for them alone)
  --record        write the tables and plots to baseline/records/, dated today (UTC)
  --list          print the workloads' and the pools' names, and run nothing
  --help          print this
";

/// What is to be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Parts of workloads' names; empty for all.
    pub only: Vec<String>,
    /// Pools' names; empty for all.
    pub pools: Vec<String>,
    /// Running threads of each pool.
    pub threads: usize,
    /// Samples of each pool, if it was told.
    pub rounds: Option<usize>,
    /// Less of everything.
    pub quick: bool,
    /// The scaling families too.
    pub scaling: bool,
    /// Write a record.
    pub record: bool,
    /// Names only.
    pub list: bool,
    /// Print the help.
    pub help: bool,
}

/// Why the command line can't be obeyed.
#[derive(Debug, Error)]
pub enum OptionsError {
    /// Not an option, or not a value of its type.
    #[error("{0} (--help lists the options)")]
    Syntax(#[from] lexopt::Error),
    /// A number that makes no sense.
    #[error("{option} must be from {least} to {most}, not {value}")]
    Range {
        /// The option.
        option: &'static str,
        /// The smallest number that does.
        least: usize,
        /// The largest.
        most: usize,
        /// What was given.
        value: usize,
    },
    /// Not a pool.
    #[error("there is no pool {name:?}; there are {}", lineup::names().join(", "))]
    Pool {
        /// What was given.
        name: String,
    },
}

fn in_range(
    option: &'static str,
    value: usize,
    (least, most): (usize, usize),
) -> Result<usize, OptionsError> {
    if (least..=most).contains(&value) {
        return Ok(value);
    }
    Err(OptionsError::Range {
        option,
        least,
        most,
        value,
    })
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
            only: Vec::new(),
            pools: Vec::new(),
            threads: 2,
            rounds: None,
            quick: false,
            scaling: false,
            record: false,
            list: false,
            help: false,
        };
        let mut parser = Parser::from_args(words);
        while let Some(word) = parser.next()? {
            match word {
                Arg::Long("only") => options.only.push(parser.value()?.string()?),
                Arg::Long("pools") => {
                    for name in parser.value()?.string()?.split(',').map(str::trim) {
                        if !lineup::names().contains(&name) {
                            let name = name.to_owned();
                            return Err(OptionsError::Pool { name });
                        }
                        options.pools.push(name.to_owned());
                    }
                }
                Arg::Long("threads") => {
                    let value = parser.value()?.parse()?;
                    options.threads = in_range("--threads", value, (1, 1024))?;
                }
                Arg::Long("rounds") => {
                    let value = parser.value()?.parse()?;
                    options.rounds = Some(in_range("--rounds", value, (1, 10_000))?);
                }
                Arg::Long("quick") => options.quick = true,
                Arg::Long("scaling") => options.scaling = true,
                Arg::Long("record") => options.record = true,
                Arg::Long("list") => options.list = true,
                Arg::Long("help") | Arg::Short('h') => options.help = true,
                other => return Err(other.unexpected().into()),
            }
        }
        Ok(options)
    }

    /// Whether a workload of this name is wanted.
    #[must_use]
    pub fn wants(&self, workload: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|part| workload.contains(part))
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
        assert!(options.wants("tree-1023") && options.wants("fib-36") && !options.wants("flood"));
        assert!(options.wants_pool("rayon") && !options.wants_pool("tokio"));
        assert_eq!((options.threads, options.quick), (4, true));
        Ok(())
    }

    #[test]
    fn mistakes_are_named() {
        assert!(error(&["--fast"]).contains("--fast"));
        assert!(error(&["--threads", "none"]).contains("none"));
        assert!(error(&["--threads", "0"]).contains("from 1 to 1024, not 0"));
        assert!(error(&["--pools", "ours,riyon"]).contains("\"riyon\""));
        assert!(error(&["--rounds"]).contains("--rounds"));
    }
}
