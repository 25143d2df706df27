//! Runs this project's pool and its rivals side by side, in rounds that alternate between them, and
//! checks every answer. `--help` lists the options.

mod bench;
mod catalogue;
mod lineup;
mod options;
mod report;
#[cfg(test)]
mod smoke;
mod workload;

use bench::Bench;
use options::{HELP, Options};
use std::env;
use std::error::Error;
use std::path::Path;
use std::process::ExitCode;
use suite::Record;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let options = Options::parse(env::args_os().skip(1))?;
    if options.help {
        print!("{HELP}");
        return Ok(());
    }
    let mut workloads = catalogue::all(&options);
    workloads.retain(|workload| options.wants(&workload.name));
    if options.list {
        println!("pools: {}\n", lineup::names().join(", "));
        workloads
            .iter()
            .for_each(|workload| println!("{}", workload.name));
        return Ok(());
    }
    if workloads.is_empty() {
        return Err("no workload has such a name: --list prints them".into());
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut record = Record::new(folder);
    let bench = Bench::new(options, workloads.len());
    let tell = |record: &mut Record, name, value| {
        bench.print(&format!("{name}: {value}"));
        record.fact(name, value);
    };
    for (name, value) in bench.facts() {
        tell(&mut record, name, value);
    }
    tell(
        &mut record,
        "threads that ran at once before",
        bench.free_threads(),
    );
    for (index, workload) in workloads.iter().enumerate() {
        bench.begin(index, &workload.name);
        let report = workload.run(&bench);
        bench.print(&format!("\n{}", report.table));
        record.add(report.table, report.plot);
    }
    bench.end();
    tell(
        &mut record,
        "threads that ran at once after",
        bench.free_threads(),
    );
    if bench.options.record {
        let path = record.write(&folder.with_file_name("records"))?;
        println!("\nrecorded in {}", path.display());
    }
    Ok(())
}
