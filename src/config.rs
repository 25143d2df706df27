//! How many threads: code, else the environment, else the machine.

use bevy_reflect::Reflect;
use std::fmt;
use std::num::ParseIntError;
use std::thread;

/// The environment variable that sets the number of threads where the code does not.
pub const THREADS_VARIABLE: &str = "BEVY_HEARTBEAT_THREADS";

/// How many threads the pool has, and who said so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Reflect)]
pub enum ThreadCount {
    /// [`HeartbeatPlugin::threads`](crate::HeartbeatPlugin::threads), or else the bounds in Bevy's
    /// `TaskPoolOptions`.
    Code(usize),
    /// The variable [`THREADS_VARIABLE`].
    Environment(usize),
    /// What the machine runs in parallel.
    Machine(usize),
}

/// A setting that can't be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConfigError {
    /// [`THREADS_VARIABLE`] holds something that is not a number of threads.
    Variable {
        /// What it holds.
        value: String,
        /// Why that is no number; none for a zero.
        source: Option<ParseIntError>,
    },
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Variable { value, .. } => write!(
                f,
                "{THREADS_VARIABLE} is \"{value}\": set it to a number of threads from 1 up, or \
                 unset it"
            ),
        }
    }
}

impl std::error::Error for ConfigError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Variable { source, .. } => source.as_ref().map(|source| source as _),
        }
    }
}

impl ThreadCount {
    /// The number, however it was chosen.
    #[must_use]
    pub fn get(self) -> usize {
        match self {
            Self::Code(threads) | Self::Environment(threads) | Self::Machine(threads) => threads,
        }
    }

    /// Where the number is from.
    pub(crate) fn origin(self) -> String {
        match self {
            Self::Code(_) => "set in code".to_owned(),
            Self::Environment(_) => format!("set by {THREADS_VARIABLE}"),
            Self::Machine(_) => "what the machine runs in parallel".to_owned(),
        }
    }

    /// Decides between what the code says, the variable's value, and the machine.
    ///
    /// # Errors
    ///
    /// When the variable is to be used and holds no number from 1 up.
    ///
    /// ```
    /// use bevy_heartbeat::ThreadCount;
    /// assert_eq!(ThreadCount::decide(Some(2), Some("8")), Ok(ThreadCount::Code(2)));
    /// assert_eq!(ThreadCount::decide(None, Some("8")), Ok(ThreadCount::Environment(8)));
    /// assert!(ThreadCount::decide(None, Some("many")).is_err());
    /// ```
    pub fn decide(code: Option<usize>, variable: Option<&str>) -> Result<Self, ConfigError> {
        if let Some(threads) = code {
            return Ok(Self::Code(threads));
        }
        let Some(value) = variable else {
            let available = thread::available_parallelism().map_or(1, usize::from);
            return Ok(Self::Machine(available));
        };
        let error = |source| ConfigError::Variable {
            value: value.to_owned(),
            source,
        };
        match value.trim().parse() {
            Ok(0) => Err(error(None)),
            Ok(threads) => Ok(Self::Environment(threads)),
            Err(source) => Err(error(Some(source))),
        }
    }
}

impl fmt::Display for ThreadCount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let threads = self.get();
        let plural = if threads == 1 { "" } else { "s" };
        write!(f, "{threads} thread{plural} ({})", self.origin())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_wins_over_the_variable_which_wins_over_the_machine() {
        let decide = ThreadCount::decide;
        assert_eq!(decide(Some(3), Some("5")), Ok(ThreadCount::Code(3)));
        assert_eq!(decide(None, Some(" 5 ")), Ok(ThreadCount::Environment(5)));
        assert!(matches!(decide(None, None), Ok(ThreadCount::Machine(n)) if n > 0));
        for bad in ["", "0", "-1", "two", "1.5"] {
            let error = decide(None, Some(bad)).unwrap_err().to_string();
            assert!(error.contains(&format!("\"{bad}\"")), "{error}");
        }
    }
}
