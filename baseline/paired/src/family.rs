//! The workloads by family.

use crate::row::Row;

/// Workloads that share a table.
pub struct Family {
    /// The table's heading.
    pub name: &'static str,
    /// What is measured.
    pub about: &'static str,
    /// What is run.
    pub workloads: Vec<Workload>,
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
