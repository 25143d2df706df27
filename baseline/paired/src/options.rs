//! The command line of every comparison.

use std::ffi::OsString;
use suite::{Values, WordError, read_words, refuse_together};
use thiserror::Error;

/// More than anybody waits for.
const MOST_ROUNDS: usize = 10_000;

/// What the help of two programs' comparison says of a round.
pub const ROUNDS: &str = "runs of each program in a workload (default 7; 3 with --quick)";

/// Why a record is of all that there is.
pub const RECORD: &str = "a record has all rows at their full sizes, for the newest is published";

/// What every comparison can be told.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Parts of workloads' names; empty for all.
    pub only: Vec<String>,
    /// How often each workload is measured, if it was told.
    pub rounds: Option<usize>,
    /// Less of everything.
    pub quick: bool,
    /// Write a record.
    pub record: bool,
    /// The commit that this one is compared with.
    pub against: Option<String>,
    /// Names only.
    pub list: bool,
    /// Print the help.
    pub help: bool,
}

/// Why the command line can't be obeyed.
#[derive(Debug, Error)]
pub enum OptionsError {
    /// A word of it.
    #[error(transparent)]
    Word(#[from] WordError),
    /// Nothing would be run.
    #[error("no workload has such a name: --list prints them")]
    NoWorkload,
}

/// What a command's help says beside the options that all have.
#[derive(Clone, Copy, Debug)]
pub struct Usage {
    /// The command, behind `cargo`.
    pub command: &'static str,
    /// What it does.
    pub about: &'static str,
    /// What a round is, and how many there are.
    pub rounds: &'static str,
    /// What `--quick` gains.
    pub quick: &'static str,
    /// The command's own options, a line each.
    pub own: &'static str,
}

impl Usage {
    /// What `--help` prints.
    #[must_use]
    pub fn help(&self) -> String {
        let Self {
            command,
            about,
            rounds,
            quick,
            own,
        } = self;
        format!(
            "\
{about}

Usage: cargo {command} [OPTIONS]

  --only SUBSTR     only workloads whose name contains SUBSTR (repeatable)
  --rounds N        {rounds}
  --quick           shorter samples, fewer rounds: {quick}
{own}  --against COMMIT  run this commit's code and COMMIT's in turn; the exit status is 1 if a row takes
                    over 1.07 times what it took there, or a family's rows over 1.02 times on average
  --record          write a record to baseline/records/, dated today (UTC)
  --list            print the workloads' names, and run nothing
  --help            print this
"
        )
    }
}

impl Options {
    /// Reads the command line's words, without the program's name. What not every comparison can be
    /// told goes to `own`, which says whether it knows it.
    ///
    /// # Errors
    ///
    /// What is wrong with it.
    pub fn parse(
        words: impl IntoIterator<Item = impl Into<OsString>>,
        mut own: impl FnMut(&str, &mut Values) -> Result<bool, WordError>,
    ) -> Result<Self, OptionsError> {
        let mut options = Self::default();
        read_words(words, |word, values| {
            match word {
                "--only" => options.only.push(values.text()?),
                "--rounds" => options.rounds = Some(values.number(1..=MOST_ROUNDS)?),
                "--quick" => options.quick = true,
                "--against" => options.against = Some(values.text()?),
                "--record" => options.record = true,
                "--list" => options.list = true,
                "--help" | "-h" => options.help = true,
                word => return own(word, values),
            }
            Ok(true)
        })?;
        let record = ("--record", options.record);
        let (only, quick) = (!options.only.is_empty(), options.quick);
        let against = ("--against", options.against.is_some());
        let beside = "a record is of this code beside what it replaces";
        refuse_together([
            (record, against, beside),
            (("--only", only), record, RECORD),
            (("--quick", quick), record, RECORD),
        ])?;
        Ok(options)
    }

    /// Whether a workload of this name is wanted.
    #[must_use]
    pub fn wants(&self, workload: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|part| workload.contains(part))
    }

    /// How often each of two programs runs a workload.
    #[must_use]
    pub fn runs(&self) -> usize {
        self.rounds.unwrap_or(if self.quick { 3 } else { 7 })
    }

    /// Prints the wanted workloads' names if that is all that is to be done, and says so.
    ///
    /// # Errors
    ///
    /// When there are none.
    pub fn lists(&self, names: &[&str]) -> Result<bool, OptionsError> {
        if names.is_empty() {
            return Err(OptionsError::NoWorkload);
        }
        if self.list {
            names.iter().for_each(|name| println!("{name}"));
        }
        Ok(self.list)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(words: &[&str]) -> Result<Options, OptionsError> {
        Options::parse(words, |word, _| Ok(word == "--own"))
    }

    #[test]
    fn told_rounds_hold_whatever_the_order() -> Result<(), OptionsError> {
        let options = parse(&["--rounds", "5", "--quick", "--only", "par", "--own"])?;
        assert_eq!((options.runs(), options.quick), (5, true));
        assert_eq!(parse(&["--quick"])?.runs(), 3);
        assert!(options.wants("par-iter-100") && !options.wants("idle"));
        Ok(())
    }

    #[test]
    fn mistakes_are_named() {
        let error = |words: &[&str]| match parse(words) {
            Ok(options) => panic!("accepted as {options:?}"),
            Err(error) => error.to_string(),
        };
        assert!(error(&["--fast"]).contains("--fast"));
        assert!(error(&["idle"]).contains("idle"));
        assert!(error(&["--rounds", "0"]).contains("from 1 to 10000, not 0"));
        let both = error(&["--record", "--against", "HEAD"]);
        assert!(
            both.contains("--record does not go with --against"),
            "{both}"
        );
        for option in ["--only=idle", "--quick"] {
            let error = error(&[option, "--record"]);
            assert!(error.contains("does not go with --record"), "{error}");
        }
        assert!(parse(&["--record", "--rounds", "3"]).is_ok());
    }

    #[test]
    fn nothing_to_run_is_a_mistake() -> Result<(), OptionsError> {
        assert!(Options::default().lists(&[]).is_err());
        assert!(!Options::default().lists(&["idle"])?);
        Ok(())
    }
}
