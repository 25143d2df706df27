//! Why a job has no result, or no world.

use bevy_ecs::system::SystemParamValidationError;
use std::any::Any;
use std::error::Error;
use std::fmt;

/// What becomes of a job: its result, or why there is none.
pub type JobOutcome<T> = Result<T, JobError>;

/// Why a job has no result. But for [`Panicked`](Self::Panicked) it doesn't say which job: log it
/// with [`Job::name`](crate::Job::name).
///
/// ```
/// use bevy_heartbeat::prelude::*;
///
/// fn tell(job: &str, outcome: &JobOutcome<u32>) -> String {
///     match outcome {
///         Ok(result) => format!("{job}: {result}"),
///         Err(JobError::Cancelled) => format!("{job} is not wanted any more"),
///         Err(error) => format!("{job}: {error}"),
///     }
/// }
/// assert_eq!(tell("map", &Err(JobError::TimedOut)), "map: the job took longer than its timeout");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JobError {
    /// It was cancelled, or the pool went before it was done.
    Cancelled,
    /// It took longer than its [`timeout`](crate::JobBuilder::timeout).
    TimedOut,
    /// It panicked. Not on the web, where [panics can't be caught](crate::JobContext).
    Panicked(JobPanic),
}

/// A job's panic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobPanic {
    /// The job's name, or else the type of its code.
    pub name: String,
    /// What the panic said; "no message" where it carried something else than text.
    pub message: String,
}

impl fmt::Display for JobError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cancelled => write!(f, "the job was cancelled"),
            Self::TimedOut => write!(f, "the job took longer than its timeout"),
            Self::Panicked(JobPanic { name, message }) => {
                write!(f, "job `{name}` panicked: {message}")
            }
        }
    }
}

impl Error for JobError {}

/// What a panic said.
pub(crate) fn message(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().copied();
    let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("no message").to_owned()
}

/// Why a job can't have the world.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WorldError {
    /// The app was dropped.
    AppGone,
    /// The job has ended, with a result or without: it was cancelled, timed out, or its entity was
    /// despawned; or a clone of its [`JobContext`](crate::JobContext) has outlived it.
    Cancelled,
    /// One of the system parameters is not there, for instance a resource.
    Params {
        /// The types of all parameters of the request.
        params: &'static str,
        /// What is wrong with one of them.
        source: SystemParamValidationError,
    },
}

impl fmt::Display for WorldError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AppGone => write!(f, "the app is gone"),
            Self::Cancelled => write!(f, "the job has ended or was cancelled"),
            Self::Params { params, source } => write!(f, "a job asked for `{params}`: {source}"),
        }
    }
}

impl Error for WorldError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::AppGone | Self::Cancelled => None,
            Self::Params { source, .. } => Some(source),
        }
    }
}
