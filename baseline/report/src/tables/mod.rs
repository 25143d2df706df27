//! The tables: what is measured, at which sizes, beside whom.

mod callbacks;
mod forks;
mod loops;
mod tasks;
mod transfers;

use crate::who::{OURS, SERIAL};

/// Where a table was first published.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Source {
    /// Its heading.
    pub title: &'static str,
    /// What was published, in a sentence or two.
    pub about: &'static str,
}

/// What a figure is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Seconds.
    Time,
    /// A plain number.
    Number,
    /// Processors that run.
    Processors,
    /// KiB.
    Memory,
}

/// One figure of a row.
#[derive(Clone, Copy, Debug)]
pub struct Metric {
    /// As programs print it.
    pub name: &'static str,
    /// As readers see it.
    pub label: &'static str,
    /// What it is.
    pub unit: Unit,
    /// Shared by all that a size counts.
    pub per: Option<Per>,
}

/// What a time is divided by.
#[derive(Clone, Copy, Debug)]
pub struct Per {
    /// Of what it then is the time.
    pub label: &'static str,
    /// How many there are at a size.
    pub count: fn(u64) -> f64,
}

/// How many threads run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Threads {
    /// As many as the machine has cores.
    All,
    /// One, and as many as the machine has cores.
    OneAndAll,
    /// As many as the size says, in this project's pool alone: what is measured has no rivals.
    BySize,
}

/// How a table is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A line a contender, by size.
    Lines,
    /// A bar a contender, at the largest size.
    Bars,
}

/// A table.
#[derive(Clone, Copy, Debug)]
pub struct Table {
    /// The name for `--only`.
    pub name: &'static str,
    /// Where it comes from.
    pub source: &'static Source,
    /// What is done.
    pub about: &'static str,
    /// As programs know it.
    pub workload: &'static str,
    /// What a size counts.
    pub size: &'static str,
    /// The smallest comes first.
    pub quick: &'static [u64],
    /// Without `--quick`.
    pub full: &'static [u64],
    /// How many threads run.
    pub threads: Threads,
    /// The figures: the first decides who is ahead; less is better.
    pub metrics: &'static [Metric],
    /// Those behind the first that are shown and drawn at every size, by name.
    pub by_size: &'static [&'static str],
    /// Whether the least and the greatest of the rounds stand beside each median.
    pub has_spread: bool,
    /// How it is drawn.
    pub shape: Shape,
    /// Who runs it.
    pub who: &'static [&'static str],
    /// Those who run up to a size only, for they are slow.
    pub most: &'static [(&'static str, u64)],
    /// The right answer.
    pub answer: fn(u64) -> f64,
    /// What is known of what is lost.
    pub known: &'static str,
}

impl Table {
    /// The sizes to run.
    #[must_use]
    pub fn sizes(&self, quick: bool) -> &'static [u64] {
        if quick { self.quick } else { self.full }
    }

    /// The thread counts to run, of a machine with so many cores; 0 where the size says it.
    #[must_use]
    pub fn thread_counts(&self, cores: usize) -> Vec<usize> {
        match self.threads {
            Threads::OneAndAll if cores > 1 => vec![1, cores],
            Threads::BySize => vec![0],
            _ => vec![cores],
        }
    }

    /// Whether that contender runs that size.
    #[must_use]
    pub fn runs(&self, name: &str, size: u64) -> bool {
        let most = self.most.iter().find(|(slow, _)| *slow == name);
        most.is_none_or(|(_, most)| size <= *most)
    }

    /// Whether a metric is shown and drawn at every size.
    #[must_use]
    pub fn is_by_size(&self, metric: &Metric) -> bool {
        self.by_size.contains(&metric.name)
    }

    /// Whether there is anybody to be ahead of.
    #[must_use]
    pub fn has_rivals(&self) -> bool {
        self.threads != Threads::BySize
    }

    /// Whether a contender is one to be ahead of.
    #[must_use]
    pub fn is_rival(name: &str) -> bool {
        name != OURS && name != SERIAL
    }
}

const TIME: Metric = Metric {
    name: "time",
    label: "time",
    unit: Unit::Time,
    per: None,
};

const CPU: Metric = Metric {
    name: "cpu",
    label: "CPU",
    unit: Unit::Processors,
    per: None,
};

const PEAK: Metric = Metric {
    name: "peak",
    label: "peak memory",
    unit: Unit::Memory,
    per: None,
};

/// The size itself.
fn itself(size: u64) -> f64 {
    size as f64
}

/// Every table, source by source.
#[must_use]
pub fn all() -> Vec<&'static Table> {
    let tables = [
        forks::TABLES,
        loops::TABLES,
        tasks::TABLES,
        callbacks::TABLES,
        transfers::TABLES,
    ];
    tables.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::who::contender;

    #[test]
    fn every_table_has_known_contenders_and_sizes_that_grow() {
        for table in all() {
            for name in table.who {
                assert!(contender(name).is_some(), "{}: {name}", table.name);
            }
            for sizes in [table.quick, table.full] {
                assert!(!sizes.is_empty(), "{}", table.name);
                assert!(sizes.is_sorted(), "{}: {sizes:?}", table.name);
            }
            let same = all().into_iter().filter(|other| other.name == table.name);
            assert_eq!(same.count(), 1, "{}", table.name);
            for name in table.by_size {
                let mut others = table.metrics.iter().skip(1);
                assert!(others.any(|told| told.name == *name), "{name}");
            }
        }
    }
}
