//! The contenders, with their pools' threads.

use ours::Ours;
use rival_async_executor::AsyncExecutor;
use rival_bevy_tasks::BevyTasks;
use rival_chili::Chili;
use rival_forte::Forte;
use rival_rayon::Rayon;
use rival_tokio::Tokio;
use std::error::Error;
use suite::{Contender, Locked, Serial};

type Built = Result<Box<dyn Contender>, Box<dyn Error>>;
type Build = fn(usize) -> Built;

/// Every contender and how its pool is built, with so many threads running.
const ALL: [(&str, Build); 8] = [
    (Serial::NAME, |_| Ok(Box::new(Serial))),
    (Ours::NAME, |threads| Ok(Box::new(Ours::new(threads)?))),
    (Rayon::NAME, |threads| Ok(Box::new(Rayon::new(threads)?))),
    (Chili::NAME, |threads| Ok(Box::new(Chili::new(threads)))),
    (Forte::NAME, |threads| Ok(Box::new(Forte::new(threads)?))),
    (BevyTasks::NAME, |threads| {
        Ok(Box::new(BevyTasks::new(threads)))
    }),
    (AsyncExecutor::NAME, |threads| {
        Ok(Box::new(AsyncExecutor::new(threads)?))
    }),
    (Tokio::NAME, |threads| Ok(Box::new(Tokio::new(threads)?))),
];

/// Every contender's name.
#[must_use]
pub fn names() -> Vec<&'static str> {
    ALL.iter().map(|(name, _)| *name).collect()
}

/// What this was built with.
const LOCKFILE: &str = include_str!("../../Cargo.lock");

/// Each rival's package and version.
#[must_use]
pub fn versions() -> [(&'static str, String); 6] {
    let rivals = [
        Rayon::NAME,
        Chili::NAME,
        Forte::NAME,
        BevyTasks::NAME,
        AsyncExecutor::NAME,
        Tokio::NAME,
    ];
    rivals.map(|name| (name, Locked::version_of(LOCKFILE, name)))
}

/// Contenders of one size.
pub struct Lineup {
    contenders: Vec<Box<dyn Contender>>,
    /// Those that can't be had in this size, and why.
    pub missing: Vec<(&'static str, String)>,
}

impl Lineup {
    /// The serial reference and those that are `wanted`, each with so many running threads.
    #[must_use]
    pub fn new(threads: usize, wanted: impl Fn(&str) -> bool) -> Self {
        let mut lineup = Self {
            contenders: Vec::new(),
            missing: Vec::new(),
        };
        for (name, build) in ALL {
            if name == Serial::NAME || wanted(name) {
                match build(threads) {
                    Ok(contender) => lineup.contenders.push(contender),
                    Err(error) => lineup.missing.push((name, error.to_string())),
                }
            }
        }
        lineup
    }

    /// Those that are there.
    pub fn iter(&self) -> impl Iterator<Item = &dyn Contender> {
        self.contenders.iter().map(AsRef::as_ref)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rivals_version_is_known() {
        for (name, version) in versions() {
            assert!(
                version.starts_with(|c: char| c.is_ascii_digit()),
                "{name} {version}"
            );
        }
    }
}
