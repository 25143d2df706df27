//! One program built twice, on this project and on what it replaces: builds both, runs each
//! workload of the two in turn, a process a run, and prints how they compare.
//!
//! What is compared lies in two packages, `stock` and `heartbeat`, that share their sources. Their
//! programs print a workload's figures when they are given its name.

mod build;
mod child;
mod compare;
mod family;
mod options;
mod report;
mod row;
mod sides;

pub use build::target;
pub use child::{Failure, Run, run as run_child};
pub use compare::{Beside, Comparison, run};
pub use family::{Family, Workload, workload};
pub use row::{Reference, Row, Target, Unit};
