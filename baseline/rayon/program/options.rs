//! The command line: a workload's name and how much to measure.

use crate::problem::Problem;
use lexopt::{Arg, Parser, ValueExt};
use std::ffi::OsString;
use std::time::Duration;

/// What is to be done.
pub struct Options {
    /// Which workload; without one, their names are printed.
    pub workload: Option<String>,
    /// Less of everything.
    pub quick: bool,
}

impl Options {
    /// Reads the command line's words, without the program's name.
    pub fn parse(words: impl IntoIterator<Item = OsString>) -> Result<Self, Problem> {
        let mut options = Self {
            workload: None,
            quick: false,
        };
        let mut parser = Parser::from_args(words);
        while let Some(word) = parser.next()? {
            match word {
                Arg::Long("quick") => options.quick = true,
                Arg::Value(name) => options.workload = Some(name.string()?),
                other => return Err(other.unexpected().into()),
            }
        }
        Ok(options)
    }

    /// As many seconds as are told, or a quarter of them when it must be quick.
    pub fn length(&self, seconds: f64) -> Duration {
        Duration::from_secs_f64(if self.quick { seconds / 4.0 } else { seconds })
    }
}
