//! Runs this project's pool and its rivals side by side, in rounds that alternate between them, and
//! checks every answer. `--help` lists the options.

mod against;
mod bench;
mod catalogue;
mod lineup;
mod options;
mod report;
#[cfg(test)]
mod smoke;
mod workload;

use bench::Bench;
use options::{Options, USAGE};
use paired::Session;
use std::env;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use suite::{Record, exit, program};
use workload::Workload;

fn main() -> ExitCode {
    exit(run())
}

/// This package's folder.
fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

fn run() -> Result<ExitCode, Box<dyn Error>> {
    let options = Options::parse(env::args_os().skip(1))?;
    if options.common.help {
        print!("{}", USAGE.help());
        return Ok(ExitCode::SUCCESS);
    }
    let mut workloads = catalogue::all(&options);
    if let Some(name) = &options.workload {
        workloads.retain(|workload| workload.name == *name);
        let workload = workloads.first();
        let workload = workload.ok_or_else(|| {
            format!(
                "there is no workload {name:?}: --list prints all, those of scaling with --scaling"
            )
        })?;
        return figures(options, workload);
    }
    workloads.retain(|workload| options.common.wants(&workload.name));
    if options.common.list {
        println!("pools: {}\n", lineup::names().join(", "));
    }
    let names: Vec<_> = workloads.iter().map(|one| one.name.as_str()).collect();
    if options.common.lists(&names)? {
        return Ok(ExitCode::SUCCESS);
    }
    match &options.common.against {
        Some(commit) => against::run(&folder(), commit, &options, &workloads),
        None => side_by_side(options, &workloads),
    }
}

/// Prints this project's figures of one workload, for a comparison of two commits.
fn figures(mut options: Options, workload: &Workload) -> Result<ExitCode, Box<dyn Error>> {
    let name = options.workload.take().unwrap_or_default();
    options.pools = vec![ours::Ours::NAME.to_owned()];
    let report = workload.run(&Bench::new(options, Session::begin(Record::default(), 0)));
    if let Some(failure) = report.table.notes.first() {
        return Err(failure.clone().into());
    }
    program::print(&name, &report.figures);
    Ok(ExitCode::SUCCESS)
}

/// Compares all pools.
fn side_by_side(options: Options, workloads: &[Workload]) -> Result<ExitCode, Box<dyn Error>> {
    let is_recorded = options.common.record;
    let wants_ours = options.wants_pool(ours::Ours::NAME);
    let mut record = Record::new(&folder());
    if options.scaling {
        record = record.named("scaling");
    }
    let session = Session::begin(record, workloads.len() as u64 * bench::TICKS);
    let mut bench = Bench::new(options, session);
    for (name, value) in bench.facts() {
        bench.session.tell(name, value);
    }
    let free = bench.free_threads();
    bench.session.tell("threads that ran at once before", free);
    let mut failed = Vec::new();
    for (index, workload) in workloads.iter().enumerate() {
        bench.begin(index, &workload.name);
        let report = workload.run(&bench);
        if wants_ours {
            failed.extend(workload.failed(&report));
        }
        bench.session.show(report.table, report.plot);
    }
    bench.session.progress.finish_and_clear();
    let free = bench.free_threads();
    bench.session.tell("threads that ran at once after", free);
    let records = folder().with_file_name("records");
    Ok(bench.session.end(&failed, is_recorded, &records)?)
}
