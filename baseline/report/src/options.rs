//! The command line.

use lexopt::{Arg, Parser, ValueExt};
use std::ffi::OsString;
use thiserror::Error;

/// What `--help` prints.
pub const HELP: &str = "\
Runs the published tables of the field and writes docs/report: index.html, with a Markdown twin.

Usage: cargo make-report [OPTIONS]

  --quick         smaller sizes, shorter samples, fewer rounds: about ten minutes
  --only SUBSTR   only tables whose name contains SUBSTR (repeatable); the others stay as they are
  --rounds N      runs of each contender in a row (default 7; 3 with --quick)
  --threads N     running threads where a row says 'all' (default: the machine's cores)
  --smoke         each row once at its smallest size, and write nothing
  --pages         measure nothing, and write the pages anew from docs/report/results.json
  --list          print the tables' and the contenders' names, and run nothing
  --help          print this

RIVALS=DIR        where checkouts lie of those rivals that no package manager has, each in a folder
                  of its name: taskflow, libfork, TooManyCooks, citor
CXX, CXXFLAGS     the compiler for the rivals in C++ (default: clang++ where it is found and
                  takes them, else g++), and flags after -O3
";

/// What is to be done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Parts of tables' names; empty for all.
    pub only: Vec<String>,
    /// Runs of each contender in a row, if it was told.
    pub rounds: Option<usize>,
    /// Running threads, if it was told.
    pub threads: Option<usize>,
    /// Less of everything.
    pub quick: bool,
    /// Once at the smallest size.
    pub smoke: bool,
    /// Pages only.
    pub pages: bool,
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
    #[error("{option} must be from 1 to {most}, not {value}")]
    Range {
        /// The option.
        option: &'static str,
        /// The largest number that does.
        most: usize,
        /// What was given.
        value: usize,
    },
}

fn in_range(option: &'static str, value: usize, most: usize) -> Result<usize, OptionsError> {
    if (1..=most).contains(&value) {
        return Ok(value);
    }
    Err(OptionsError::Range {
        option,
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
        let mut options = Self::default();
        let mut parser = Parser::from_args(words);
        while let Some(word) = parser.next()? {
            match word {
                Arg::Long("only") => options.only.push(parser.value()?.string()?),
                Arg::Long("rounds") => {
                    let value = parser.value()?.parse()?;
                    options.rounds = Some(in_range("--rounds", value, 1000)?);
                }
                Arg::Long("threads") => {
                    let value = parser.value()?.parse()?;
                    options.threads = Some(in_range("--threads", value, 32)?);
                }
                Arg::Long("quick") => options.quick = true,
                Arg::Long("smoke") => options.smoke = true,
                Arg::Long("pages") => options.pages = true,
                Arg::Long("list") => options.list = true,
                Arg::Long("help") | Arg::Short('h') => options.help = true,
                other => return Err(other.unexpected().into()),
            }
        }
        Ok(options)
    }

    /// Whether a table of this name is wanted.
    #[must_use]
    pub fn wants(&self, table: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|part| table.contains(part))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_numbers_are_read() -> Result<(), OptionsError> {
        let options = Options::parse(["--only", "fib", "--quick", "--rounds", "5"])?;
        assert!(options.wants("fib") && !options.wants("skynet") && options.quick);
        assert_eq!(options.rounds, Some(5));
        Ok(())
    }

    #[test]
    fn mistakes_are_named() {
        let error = |words: &[&str]| match Options::parse(words) {
            Ok(options) => panic!("accepted as {options:?}"),
            Err(error) => error.to_string(),
        };
        assert!(error(&["--fast"]).contains("--fast"));
        assert!(error(&["--rounds", "0"]).contains("from 1 to 1000, not 0"));
        assert!(error(&["--threads", "few"]).contains("few"));
    }
}
