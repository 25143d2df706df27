#![doc = include_str!("../README.md")]

mod config;
mod diagnostics;
mod executor;
mod options;
mod patch;
mod plugin;
mod query;
pub mod record;

pub use config::{ConfigError, THREADS_VARIABLE, ThreadCount};
pub use diagnostics::HeartbeatMetrics;
pub use executor::AdaptiveExecutor;
pub use heartbeat_pool::{Lane, LowerPriority, PoolMetrics, WorkerMetrics, join};
pub use plugin::HeartbeatPlugin;
pub use query::{ParColumns, ParIter, ParQuery};
