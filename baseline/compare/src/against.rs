//! This project's pool beside another commit's.

use crate::options::Options;
use crate::workload::Workload;
use paired::{Against, Family, Reference, Row, Target, target};
use std::error::Error;
use std::path::Path;
use std::process::ExitCode;

/// Runs the workloads on both commits, in turn. `folder` is this package's.
pub fn run(
    folder: &Path,
    commit: &str,
    options: &Options,
    workloads: &[Workload],
) -> Result<ExitCode, Box<dyn Error>> {
    let against = Against {
        baseline: folder.parent().unwrap_or(folder),
        package: Path::new("compare"),
        program: "compare",
        // What `cargo compare` has built already.
        present: target(folder, ""),
        commits: target(folder, "against"),
        face: Some("ours"),
        patched: &[],
        arguments: vec!["--threads".to_owned(), options.threads.to_string()],
        families: &families(workloads),
    };
    against.run(commit, &options.common)
}

/// The workloads by family, in their order, with a row a figure.
fn families(workloads: &[Workload]) -> Vec<Family> {
    let mut families: Vec<Family> = Vec::new();
    for workload in workloads {
        let row = |metric: &&'static str| Row::time(metric, Reference::None, Target::None);
        let rows: Vec<Row> = workload.metrics.iter().map(row).collect();
        let one = paired::workload(workload.name.clone(), rows);
        match families.last_mut() {
            Some(family) if family.name == workload.family => family.workloads.push(one),
            _ => families.push(Family {
                name: workload.family,
                about: "",
                workloads: vec![one],
            }),
        }
    }
    families
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue;

    #[test]
    fn every_workload_has_a_row() -> Result<(), Box<dyn Error>> {
        let options = Options::parse(["--quick"])?;
        let workloads = catalogue::all(&options);
        let families = families(&workloads);
        let names: Vec<_> = workloads.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(paired::names(&families), names);
        let all = families.iter().flat_map(|family| &family.workloads);
        assert!(all.clone().all(|workload| !workload.rows.is_empty()));
        Ok(())
    }
}
