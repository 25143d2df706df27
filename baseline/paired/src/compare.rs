//! A whole comparison, from the command line to the record.

use crate::build::{self, BuildError};
use crate::family::Family;
use crate::options::Options;
use crate::report;
use crate::sides::{Programs, Sides};
use indicatif::{ProgressBar, ProgressStyle};
use std::env;
use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;
use suite::{Record, Spinner, factor, threads_at_once};

/// What is compared.
pub struct Comparison {
    /// The command is called so, and the record, and what is built.
    pub name: &'static str,
    /// What the command does, for its help.
    pub about: &'static str,
    /// How long all of it takes, for its help: in full, and quickly.
    pub takes: [&'static str; 2],
    /// The folder of both packages, beside the records.
    pub folder: PathBuf,
    /// What both programs are told beside a workload's name.
    pub arguments: Vec<String>,
    /// What the stock program is built on: packages, each as it is called in the record.
    pub versions: &'static [(&'static str, &'static str)],
    /// The package that the other program has from this project.
    pub patched: &'static str,
    /// A metric that is shown in columns of its own beside each workload's rows.
    pub beside: Option<Beside>,
    /// What is run.
    pub families: Vec<Family>,
}

/// A metric beside each row.
#[derive(Clone, Copy, Debug)]
pub struct Beside {
    /// As the programs know it.
    pub metric: &'static str,
    /// The column's heading; stock's has *stock* before it.
    pub heading: &'static str,
}

impl Comparison {
    fn versions(&self) -> Result<String, BuildError> {
        let versions = self.versions.iter().map(|(called, package)| {
            let version = build::locked_version(&self.folder, package)?;
            Ok(format!("{called} {version}"))
        });
        Ok(versions.collect::<Result<Vec<_>, BuildError>>()?.join(", "))
    }
}

/// Does what the command line says.
#[must_use]
pub fn run(comparison: Comparison) -> ExitCode {
    match compare(comparison) {
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

fn compare(mut comparison: Comparison) -> Result<(), Box<dyn Error>> {
    let options = Options::parse(env::args_os().skip(1))?;
    if options.help {
        let Comparison {
            name, about, takes, ..
        } = comparison;
        print!("{}", Options::help(name, about, takes));
        return Ok(());
    }
    for family in &mut comparison.families {
        family
            .workloads
            .retain(|workload| options.wants(&workload.name));
    }
    comparison
        .families
        .retain(|family| !family.workloads.is_empty());
    let families = &comparison.families;
    let names = families.iter().flat_map(|family| &family.workloads);
    let names: Vec<_> = names.map(|workload| workload.name.clone()).collect();
    if options.list {
        names.iter().for_each(|name| println!("{name}"));
        return Ok(());
    }
    if names.is_empty() {
        return Err("no workload has such a name: --list prints them".into());
    }

    let programs = Programs::build(&comparison, options.quick)?;
    let mut record = Record::new(&comparison.folder).named(comparison.name);
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
    tell(&mut record, comparison.name, comparison.versions()?);
    tell(&mut record, "rounds", options.rounds.to_string());
    let before = "threads that ran at once before";
    tell(&mut record, before, free_threads(spinner));
    for family in families {
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
        let table = report::table(family, &all, comparison.beside);
        print(&format!("\n{table}"));
        record.add(table, None);
    }
    progress.finish_and_clear();
    let after = "threads that ran at once after";
    tell(&mut record, after, free_threads(spinner));
    if options.record {
        let records = comparison.folder.with_file_name("records");
        println!("\nrecorded in {}", record.write(&records)?.display());
    }
    Ok(())
}
