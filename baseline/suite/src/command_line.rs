//! The one reader of command lines: each program says which words it takes.

use lexopt::{Arg, Parser, ValueExt};
use std::ffi::OsString;
use std::fmt::Display;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::process::ExitCode;
use thiserror::Error;

/// Why a command line can't be obeyed.
#[derive(Debug, Error)]
pub enum WordError {
    /// A value is missing, or not of its type.
    #[error("{0} (--help lists the options)")]
    Syntax(#[from] lexopt::Error),
    /// Not a word that the program takes.
    #[error("there is no option {0:?} (--help lists the options)")]
    Unknown(String),
    /// A number that makes no sense.
    #[error("{option} must be from {least} to {most}, not {value}")]
    Range {
        /// The option.
        option: String,
        /// The smallest number that does.
        least: usize,
        /// The largest.
        most: usize,
        /// What was given.
        value: usize,
    },
    /// A name that nothing has.
    #[error("there is no {kind} {name:?}; there are {}", names.join(", "))]
    Name {
        /// What it should be the name of.
        kind: &'static str,
        /// What was given.
        name: String,
        /// What could have been.
        names: Vec<&'static str>,
    },
    /// Two words that don't go together.
    #[error("{0} does not go with {1}: {2}")]
    Together(&'static str, &'static str, &'static str),
    /// Two names where one is taken.
    #[error("{0:?} and {1:?} are two names: give one")]
    Twice(String, String),
}

/// What stands behind an option.
pub struct Values<'a> {
    option: &'a str,
    parser: &'a mut Parser,
}

impl Values<'_> {
    /// The next value as text.
    ///
    /// # Errors
    ///
    /// When there is none.
    pub fn text(&mut self) -> Result<String, WordError> {
        Ok(self.parser.value()?.string()?)
    }

    /// The next value as a path.
    ///
    /// # Errors
    ///
    /// When there is none.
    pub fn path(&mut self) -> Result<PathBuf, WordError> {
        Ok(self.parser.value()?.into())
    }

    /// The next value as a number in `range`.
    ///
    /// # Errors
    ///
    /// When there is none, or one outside of the range.
    pub fn number(&mut self, range: RangeInclusive<usize>) -> Result<usize, WordError> {
        let value = self.parser.value()?.parse()?;
        if range.contains(&value) {
            return Ok(value);
        }
        Err(WordError::Range {
            option: self.option.to_owned(),
            least: *range.start(),
            most: *range.end(),
            value,
        })
    }
}

/// Gives each word of a command line, without the program's name, to `take`: an option as it is
/// written (`--quick`), with what stands behind it, or any other word. `take` says whether it knows
/// the word.
///
/// # Errors
///
/// The first that is wrong.
pub fn read_words(
    words: impl IntoIterator<Item = impl Into<OsString>>,
    mut take: impl FnMut(&str, &mut Values) -> Result<bool, WordError>,
) -> Result<(), WordError> {
    let mut parser = Parser::from_args(words);
    while let Some(word) = parser.next()? {
        let word = match word {
            Arg::Long(name) => format!("--{name}"),
            Arg::Short(letter) => format!("-{letter}"),
            Arg::Value(value) => value.string()?,
        };
        let mut values = Values {
            option: &word,
            parser: &mut parser,
        };
        if !take(&word, &mut values)? {
            return Err(WordError::Unknown(word));
        }
    }
    Ok(())
}

/// An option as it is written, and whether it was told.
pub type Told = (&'static str, bool);

/// Refuses each pair of options that don't go together, where both were told; behind them stands
/// why.
///
/// # Errors
///
/// [`WordError::Together`] of the first such pair.
pub fn refuse_together(
    pairs: impl IntoIterator<Item = (Told, Told, &'static str)>,
) -> Result<(), WordError> {
    for ((one, is_one), (other, is_other), why) in pairs {
        if is_one && is_other {
            return Err(WordError::Together(one, other, why));
        }
    }
    Ok(())
}

/// Takes a name of which there may be one.
///
/// # Errors
///
/// [`WordError::Twice`].
pub fn set_once(name: &mut Option<String>, word: &str) -> Result<(), WordError> {
    match name.replace(word.to_owned()) {
        Some(before) => Err(WordError::Twice(before, word.to_owned())),
        None => Ok(()),
    }
}

/// What a program's `main` gives: its own exit, or 2 after it has said what went wrong.
pub fn exit(outcome: Result<ExitCode, impl Display>) -> ExitCode {
    outcome.unwrap_or_else(|error| {
        eprintln!("error: {error}");
        ExitCode::from(2)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads `--count N`, `--to PATH` and words without dashes.
    fn read(words: &[&str]) -> Result<(usize, PathBuf, Vec<String>), WordError> {
        let (mut count, mut to, mut others) = (0, PathBuf::new(), Vec::new());
        read_words(words, |word, values| {
            match word {
                "--count" => count = values.number(1..=9)?,
                "--to" => to = values.path()?,
                word if word.starts_with('-') => return Ok(false),
                word => others.push(word.to_owned()),
            }
            Ok(true)
        })?;
        Ok((count, to, others))
    }

    #[test]
    fn words_and_values_are_told_apart() -> Result<(), WordError> {
        let (count, to, others) = read(&["a b", "--count=3", "--to", "there", "c"])?;
        assert_eq!((count, to), (3, PathBuf::from("there")));
        assert_eq!(others, ["a b", "c"]);
        Ok(())
    }

    #[test]
    fn mistakes_are_named() {
        let error = |words| read(words).map_err(|error| error.to_string()).unwrap_err();
        assert!(error(&["--fast"]).contains("\"--fast\""));
        assert!(error(&["-x"]).contains("\"-x\""));
        assert!(error(&["--count", "none"]).contains("none"));
        assert!(error(&["--count", "0"]).contains("--count must be from 1 to 9, not 0"));
        assert!(error(&["--count"]).contains("--count"));
    }
}
