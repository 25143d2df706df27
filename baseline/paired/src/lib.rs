//! Two programs, run in turn and compared: each workload is a process of its own, and ratios are
//! taken round by round.
//!
//! Two comparisons build one program twice, on this project and on what it replaces ([`run`]). What
//! they compare lies in two packages, `stock` and `heartbeat`, that share their sources. Every
//! comparison can build its program from another commit too ([`Against`]). Such programs print a
//! workload's figures when they are given its name.
//!
//! What is said while a comparison runs ([`Session`]) and its command line ([`Options`]) are the
//! same for all.

mod against;
mod build;
mod child;
mod commit;
mod compare;
mod family;
mod options;
mod report;
mod row;
mod session;
mod sides;
mod verdict;

pub use against::Against;
pub use build::target;
pub use child::{Failure, Run, run as run_child};
pub use compare::{Comparison, run};
pub use family::{Family, Workload, names, workload};
pub use options::{Options, OptionsError, RECORD, ROUNDS, Usage};
pub use report::Beside;
pub use row::{Reference, Row, Target, Unit};
pub use session::Session;
