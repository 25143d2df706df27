//! Builds the engine's workloads on this project and on the published `bevy_tasks`, runs the two
//! programs in turn, and prints how they compare. `--help` lists the options.

mod build;
mod catalogue;
mod child;
mod options;
mod report;
mod row;
mod sides;

use indicatif::{ProgressBar, ProgressStyle};
use options::{HELP, Options};
use sides::{Programs, Sides};
use std::env;
use std::error::Error;
use std::path::Path;
use std::process::ExitCode;
use suite::{Record, Spinner, factor, threads_at_once};

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

/// How many threads the machine runs at once, now.
fn free_threads(spinner: Spinner) -> String {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let at_once = threads_at_once(threads, spinner);
    format!("{} of {threads}", factor(at_once))
}

fn run() -> Result<(), Box<dyn Error>> {
    let options = Options::parse(env::args_os().skip(1))?;
    if options.help {
        print!("{HELP}");
        return Ok(());
    }
    let mut families = catalogue::all();
    for family in &mut families {
        family
            .workloads
            .retain(|workload| options.wants(&workload.name));
    }
    families.retain(|family| !family.workloads.is_empty());
    let names = families.iter().flat_map(|family| &family.workloads);
    let names: Vec<_> = names.map(|workload| workload.name.clone()).collect();
    if options.list {
        names.iter().for_each(|name| println!("{name}"));
        return Ok(());
    }
    if names.is_empty() {
        return Err("no workload has such a name: --list prints them".into());
    }

    // baseline/engine/compare
    let engine = Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name("");
    let programs = Programs::build(&engine, options.quick)?;
    let mut record = Record::new(&engine).named("engine");
    let progress = ProgressBar::new((names.len() * options.rounds * 2) as u64);
    if let Ok(style) = ProgressStyle::with_template("{bar:40} {percent:>3}% {eta:>4} {msg}") {
        progress.set_style(style);
    }
    let print = |text: &str| progress.suspend(|| println!("{text}"));
    let tell = |record: &mut Record, name, value: String| {
        print(&format!("{name}: {value}"));
        record.fact(name, value);
    };
    let spinner = Spinner::calibrate();
    tell(&mut record, "engine", build::engine_version(&engine)?);
    tell(&mut record, "rounds", options.rounds.to_string());
    let before = "threads that ran at once before";
    tell(&mut record, before, free_threads(spinner));
    for family in &families {
        let mut all = Vec::new();
        for workload in &family.workloads {
            progress.set_message(workload.name.clone());
            all.push(Sides::run(
                &programs,
                &workload.name,
                options.rounds,
                || {
                    progress.inc(1);
                },
            ));
        }
        let table = report::table(family, &all);
        print(&format!("\n{table}"));
        record.add(table, None);
    }
    progress.finish_and_clear();
    let after = "threads that ran at once after";
    tell(&mut record, after, free_threads(spinner));
    if options.record {
        let records = engine.with_file_name("records");
        println!("\nrecorded in {}", record.write(&records)?.display());
    }
    Ok(())
}
