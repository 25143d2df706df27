//! The command line.

use std::ffi::OsString;
use suite::{WordError, read_words, refuse_together};

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

impl Options {
    /// Reads the command line's words, without the program's name.
    ///
    /// # Errors
    ///
    /// What is wrong with it.
    pub fn parse(words: impl IntoIterator<Item = impl Into<OsString>>) -> Result<Self, WordError> {
        let mut options = Self::default();
        read_words(words, |word, values| {
            match word {
                "--only" => options.only.push(values.text()?),
                "--rounds" => options.rounds = Some(values.number(1..=1000)?),
                "--threads" => options.threads = Some(values.number(1..=32)?),
                "--quick" => options.quick = true,
                "--smoke" => options.smoke = true,
                "--pages" => options.pages = true,
                "--list" => options.list = true,
                "--help" | "-h" => options.help = true,
                _ => return Ok(false),
            }
            Ok(true)
        })?;
        options.check()?;
        Ok(options)
    }

    /// Refuses what would do nothing beside `--pages`.
    fn check(&self) -> Result<(), WordError> {
        let measures = [
            ("--only", !self.only.is_empty()),
            ("--rounds", self.rounds.is_some()),
            ("--threads", self.threads.is_some()),
            ("--quick", self.quick),
            ("--smoke", self.smoke),
        ];
        let pages = ("--pages", self.pages);
        refuse_together(measures.map(|told| (told, pages, "nothing is measured for the pages")))
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
    fn names_and_numbers_are_read() -> Result<(), WordError> {
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
        for option in ["--only=fib", "--smoke", "--quick"] {
            let error = error(&["--pages", option]);
            assert!(error.contains("does not go with --pages"), "{error}");
        }
    }
}
