//! The command line.

use lexopt::{Arg, Parser, ValueExt};
use std::ffi::OsString;
use thiserror::Error;

const MOST_ROUNDS: usize = 1000;

/// What is to be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Parts of workloads' names; empty for all.
    pub only: Vec<String>,
    /// Runs of each program in a workload.
    pub rounds: usize,
    /// Less of everything.
    pub quick: bool,
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
    /// No rounds, or too many.
    #[error("--rounds must be from 1 to {MOST_ROUNDS}, not {0}")]
    Rounds(usize),
}

impl Options {
    /// What `--help` prints of a command that does this and takes so long, in full and quickly.
    #[must_use]
    pub fn help(name: &str, about: &str, [full, quick]: [&str; 2]) -> String {
        format!(
            "\
{about}

Usage: cargo compare-{name} [OPTIONS]

  --only SUBSTR   only workloads whose name contains SUBSTR (repeatable)
  --rounds N      runs of each program in a workload (default 7; 3 with --quick)
  --quick         shorter samples, fewer rounds: {quick} in place of {full}
  --record        write the tables to baseline/records/, dated today (UTC)
  --list          print the workloads' names, and run nothing
  --help          print this
"
        )
    }

    /// Reads the command line's words, without the program's name.
    ///
    /// # Errors
    ///
    /// What is wrong with it.
    pub fn parse(
        words: impl IntoIterator<Item = impl Into<OsString>>,
    ) -> Result<Self, OptionsError> {
        let mut rounds = None;
        let mut options = Self {
            only: Vec::new(),
            rounds: 7,
            quick: false,
            record: false,
            list: false,
            help: false,
        };
        let mut parser = Parser::from_args(words);
        while let Some(word) = parser.next()? {
            match word {
                Arg::Long("only") => options.only.push(parser.value()?.string()?),
                Arg::Long("rounds") => rounds = Some(parser.value()?.parse()?),
                Arg::Long("quick") => options.quick = true,
                Arg::Long("record") => options.record = true,
                Arg::Long("list") => options.list = true,
                Arg::Long("help") | Arg::Short('h') => options.help = true,
                other => return Err(other.unexpected().into()),
            }
        }
        if options.quick {
            options.rounds = 3;
        }
        match rounds {
            Some(rounds) if (1..=MOST_ROUNDS).contains(&rounds) => options.rounds = rounds,
            Some(rounds) => return Err(OptionsError::Rounds(rounds)),
            None => {}
        }
        Ok(options)
    }

    /// Whether a workload of this name is wanted.
    #[must_use]
    pub fn wants(&self, workload: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|part| workload.contains(part))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn told_rounds_hold_whatever_the_order() -> Result<(), OptionsError> {
        let options = Options::parse(["--rounds", "3", "--quick", "--only", "par"])?;
        assert_eq!((options.rounds, options.quick), (3, true));
        assert!(options.wants("par-iter-100") && !options.wants("idle"));
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
    }
}
