//! The contenders of the other comparisons, by name.

use ours::Ours;
use rival_async_executor::AsyncExecutor;
use rival_bevy_tasks::BevyTasks;
use rival_chili::Chili;
use rival_forte::Forte;
use rival_rayon::Rayon;
use rival_smol::Smol;
use rival_tokio::Tokio;
use std::error::Error;
use suite::{Contender, Serial};

/// Builds the contender of that name, with so many running threads.
///
/// # Errors
///
/// When it can't be had in that size, or there is none of that name.
pub fn contender(name: &str, threads: usize) -> Result<Box<dyn Contender>, Box<dyn Error>> {
    Ok(match name {
        Serial::NAME => Box::new(Serial),
        Ours::NAME => Box::new(Ours::new(threads)?),
        Rayon::NAME => Box::new(Rayon::new(threads)?),
        Chili::NAME => Box::new(Chili::new(threads)),
        Forte::NAME => Box::new(Forte::new(threads)?),
        BevyTasks::NAME => Box::new(BevyTasks::new(threads)),
        AsyncExecutor::NAME => Box::new(AsyncExecutor::new(threads)?),
        Smol::NAME => Box::new(Smol::new(threads)?),
        Tokio::NAME => Box::new(Tokio::new(threads)?),
        _ => return Err(format!("there is no contender {name:?}").into()),
    })
}
