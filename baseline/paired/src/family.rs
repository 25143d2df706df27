//! The workloads by family.

use crate::row::Row;
use crate::sides::{Programs, Sides};
use indicatif::ProgressBar;

/// Workloads that share a table.
pub struct Family {
    /// The table's heading.
    pub name: &'static str,
    /// What is measured.
    pub about: &'static str,
    /// What is run.
    pub workloads: Vec<Workload>,
}

impl Family {
    /// Runs both programs so often on each workload, in turn.
    #[must_use]
    pub fn run(&self, programs: &Programs, rounds: usize, progress: &ProgressBar) -> Vec<Sides> {
        let run = |workload: &Workload| {
            progress.set_message(workload.name.clone());
            Sides::run(programs, &workload.name, rounds, || progress.inc(1))
        };
        self.workloads.iter().map(run).collect()
    }
}

/// The workloads' names, in their order.
#[must_use]
pub fn names(families: &[Family]) -> Vec<&str> {
    let workloads = families.iter().flat_map(|family| &family.workloads);
    workloads.map(|workload| workload.name.as_str()).collect()
}

/// Leaves the workloads whose names are `wanted`, and the families that have some.
pub fn retain(families: &mut Vec<Family>, wanted: impl Fn(&str) -> bool) {
    for family in &mut *families {
        family.workloads.retain(|workload| wanted(&workload.name));
    }
    families.retain(|family| !family.workloads.is_empty());
}

/// Something that the programs run, by its name.
pub struct Workload {
    /// As the programs know it.
    pub name: String,
    /// What is shown of its figures.
    pub rows: Vec<Row>,
}

/// From its name and its rows.
#[must_use]
pub fn workload(name: impl Into<String>, rows: impl Into<Vec<Row>>) -> Workload {
    Workload {
        name: name.into(),
        rows: rows.into(),
    }
}
