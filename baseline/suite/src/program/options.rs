//! The command line: a workload's name and how much to measure.

use crate::command_line::{WordError, read_words, set_once};
use std::env;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

/// What is to be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Which workload; without one, their names are printed.
    pub workload: Option<String>,
    /// Less of everything.
    pub quick: bool,
    /// Where a workload keeps what it makes once.
    pub folder: PathBuf,
}

impl Options {
    /// Reads the command line's words, without the program's name.
    ///
    /// # Errors
    ///
    /// What is wrong with it.
    pub fn parse(words: impl IntoIterator<Item = impl Into<OsString>>) -> Result<Self, WordError> {
        let mut options = Self {
            workload: None,
            quick: false,
            folder: env::temp_dir().join("bevy_heartbeat-baseline"),
        };
        read_words(words, |word, values| {
            match word {
                "--quick" => options.quick = true,
                "--folder" => options.folder = values.path()?,
                word if word.starts_with('-') => return Ok(false),
                word => set_once(&mut options.workload, word)?,
            }
            Ok(true)
        })?;
        Ok(options)
    }

    /// As many seconds as are told, or a quarter of them when it must be quick.
    #[must_use]
    pub fn length(&self, seconds: f64) -> Duration {
        Duration::from_secs_f64(if self.quick { seconds / 4.0 } else { seconds })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_quick_takes_a_quarter() -> Result<(), WordError> {
        let options = Options::parse(["idle", "--folder", "here", "--quick"])?;
        assert_eq!(options.workload.as_deref(), Some("idle"));
        assert_eq!(options.folder, PathBuf::from("here"));
        assert_eq!(options.length(8.0), Duration::from_secs(2));
        Ok(())
    }

    #[test]
    fn an_option_of_another_program_is_refused() {
        assert!(Options::parse(["idle", "--record"]).is_err());
        assert!(Options::parse(["idle", "growth"]).is_err());
    }
}
