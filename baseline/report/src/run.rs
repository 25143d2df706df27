//! From the command line to the pages.

use crate::options::Options;
use crate::page::Report;
use crate::results::{Measured, Results, Taken};
use crate::rounds::{Plan, measure};
use crate::tables::{self, Table};
use crate::who::{self, Field};
use indicatif::{ProgressBar, ProgressStyle};
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;
use suite::{Spinner, factor, threads_at_once};
use time::OffsetDateTime;

/// Prints the tables' and the contenders' names.
pub fn list() {
    let names: Vec<&str> = who::ALL.iter().map(|contender| contender.name).collect();
    println!("contenders: {}\n", names.join(", "));
    for table in tables::all() {
        println!("{}: {}", table.name, table.about);
    }
}

/// Does what the command line says.
///
/// # Errors
///
/// What kept it from that.
pub fn run(options: &Options) -> Result<(), Box<dyn Error>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/report");
    let kept = folder.join("results.json");
    let mut results = Results::load(&kept)?;
    if options.pages {
        Report::new(&results).write(&folder)?;
        return Ok(());
    }
    let mut wanted = tables::all();
    wanted.retain(|table| options.wants(table.name));
    if wanted.is_empty() {
        return Err("no table has such a name: --list prints them".into());
    }
    let field = find(&wanted)?;
    if options.smoke {
        return smoke(&wanted, &field, plan(options));
    }
    fs::create_dir_all(&folder)?;
    remember(&mut results, &field);
    // Later the results themselves are a change.
    let commit = suite::commit(Path::new(env!("CARGO_MANIFEST_DIR")));
    let commit = commit.unwrap_or_else(|| "unknown".to_owned());
    let progress = bar(&wanted, plan(options));
    for table in wanted {
        progress.set_message(table.name);
        let plan = plan(options);
        let taken = taken(plan, &commit);
        let measured = measure(table, &field, plan, taken, || progress.inc(1));
        progress.suspend(|| print(table, &measured));
        results.put(measured);
        // A long run that is broken off has kept what it has.
        results.save(&kept)?;
        Report::new(&results).write(&folder)?;
    }
    progress.finish_and_clear();
    println!("written: {}", folder.join("index.html").display());
    Ok(())
}

/// Keeps who was found and who wasn't. Whoever was found for other tables stays known.
fn remember(results: &mut Results, field: &Field) {
    for found in &field.found {
        results.forget(found.contender.name);
        results.versions.push(found.named_version());
    }
    for missing in &field.missing {
        results.forget(&missing.name);
        results.missing.push(missing.clone());
    }
}

/// Everyone whom one of the tables names; who is missing is said at once.
fn find(wanted: &[&Table]) -> Result<Field, Box<dyn Error>> {
    let names = |name: &str| wanted.iter().any(|table| table.who.contains(&name));
    let target = target();
    let field = Field::find(&target, names, |name| eprintln!("looking for {name}"))?;
    for missing in &field.missing {
        eprintln!(
            "missing: {} ({}); {}",
            missing.name, missing.why, missing.get
        );
    }
    Ok(field)
}

/// Where the rivals' programs are built.
fn target() -> PathBuf {
    paired::target(Path::new(env!("CARGO_MANIFEST_DIR")), "report-rivals")
}

fn plan(options: &Options) -> Plan {
    let cores = options.threads.unwrap_or_else(suite::cores);
    let mut plan = Plan {
        rounds: 7,
        sample: 200,
        budget: Duration::from_secs(120),
        quick: options.quick,
        smallest: false,
        cores,
    };
    if options.quick {
        (plan.rounds, plan.sample) = (3, 30);
        plan.budget = Duration::from_secs(15);
    }
    if options.smoke {
        (plan.rounds, plan.sample) = (1, 1);
        (plan.quick, plan.smallest) = (true, true);
    }
    plan.rounds = options.rounds.unwrap_or(plan.rounds);
    plan
}

fn bar(wanted: &[&Table], plan: Plan) -> ProgressBar {
    let rows: usize = wanted.iter().map(|table| plan.rows(table)).sum();
    let progress = ProgressBar::new(rows as u64);
    if let Ok(style) = ProgressStyle::with_template("{bar:40} {pos}/{len} {eta:>4} {msg}") {
        progress.set_style(style);
    }
    progress
}

/// What is known of the machine now.
fn taken(plan: Plan, commit: &str) -> Taken {
    let at_once = threads_at_once(plan.cores, Spinner::calibrate());
    Taken {
        date: OffsetDateTime::now_utc().date().to_string(),
        machine: format!("{}, {} cores", suite::cpu_model(), suite::cores()),
        commit: commit.to_owned(),
        rustc: suite::rustc().to_owned(),
        load: suite::load().unwrap_or_else(|| "unknown".to_owned()),
        at_once: format!("{} of {}", factor(at_once), plan.cores),
        is_busy: at_once < 0.9 * plan.cores as f64,
        quick: plan.quick,
        rounds: plan.rounds,
    }
}

/// The table's figures and its losses, for who watches.
fn print(table: &'static Table, measured: &Measured) {
    let mut results = Results::default();
    results.put(measured.clone());
    let report = Report::new(&results);
    println!("\n{}: {}\n", table.name, table.about);
    for figures in report.figures() {
        println!("{figures}");
    }
}

/// Each row once: everyone who is there must give the right answer, and the pages must be made.
fn smoke(wanted: &[&'static Table], field: &Field, plan: Plan) -> Result<(), Box<dyn Error>> {
    let (mut results, mut passed) = (Results::default(), 0);
    let mut refused = field.broken.clone();
    for table in wanted {
        let measured = measure(table, field, plan, Taken::default(), || {});
        for cell in &measured.cells {
            match &cell.refused {
                Some(why) => refused.push(format!("{}, {}: {why}", table.name, cell.name)),
                None => passed += 1,
            }
        }
        if measured.cells.is_empty() {
            refused.push(format!("{}: nobody is there to run it", table.name));
        }
        results.put(measured);
    }
    let page = Report::new(&results).html();
    if let Some(table) = wanted
        .iter()
        .find(|table| !page.contains(&format!("id=\"{}\"", table.name)))
    {
        refused.push(format!("{} is not on the page", table.name));
    }
    refused.iter().for_each(|line| println!("{line}"));
    println!("{passed} passed, {} failed", refused.len());
    if refused.is_empty() {
        return Ok(());
    }
    Err("not every row of the report holds".into())
}
