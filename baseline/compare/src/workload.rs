//! A workload of the comparison: its name and how it makes its table.

use crate::bench::Bench;
use crate::report::{Items, Reference, table};
use ours::Ours;
use suite::{Answer, Contender, Job, Plot, Sampled, Table};

type Run = dyn Fn(&Bench, &str) -> Report;

/// What a workload gives.
pub struct Report {
    /// Its figures.
    pub table: Table,
    /// Its curves, if it has some.
    pub plot: Option<Plot>,
    /// This project's own figures, in seconds, as the workload's metrics name them.
    pub figures: Vec<(String, f64)>,
    /// Each pool that failed, with what is said of it below the table.
    pub refused: Vec<(&'static str, String)>,
}

/// One table's worth of measuring.
pub struct Workload {
    /// Its name, by which it is chosen.
    pub name: String,
    /// With whose rows it is averaged.
    pub family: &'static str,
    /// What this project's figures are called.
    pub metrics: &'static [&'static str],
    run: Box<Run>,
}

/// A job made for a run, and what it is measured in.
pub struct Made {
    /// What is timed.
    pub job: Box<dyn Job>,
    /// What an iteration consists of.
    pub items: Option<Items>,
    /// What it is compared with.
    pub reference: Reference,
}

/// Which pools run a workload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// As many threads as the command line says.
    Told,
    /// One.
    One,
}

impl Workload {
    /// A workload with a table of its own kind, and such figures.
    pub fn special(
        name: impl Into<String>,
        metrics: &'static [&'static str],
        run: impl Fn(&Bench, &str) -> Report + 'static,
    ) -> Self {
        let name = name.into();
        Self {
            family: "",
            name,
            metrics,
            run: Box::new(run),
        }
    }

    /// Puts it into a family.
    #[must_use]
    pub fn of(self, family: &'static str) -> Self {
        Self { family, ..self }
    }

    /// A workload that is sampled; `make` is called when its turn comes.
    pub fn sampled(
        name: impl Into<String>,
        about: impl Into<String>,
        size: Size,
        make: impl Fn(&Bench) -> Made + 'static,
    ) -> Self {
        let about = about.into();
        Self::special(name, &["time"], move |bench, name| {
            let mut made = make(bench);
            let lineup = match size {
                Size::Told => bench.pools(),
                Size::One => bench.singles(),
            };
            let mut outcome = bench.sample(name, lineup, &mut *made.job);
            // Rivals in the order of the tables' other rows.
            outcome.sampled.sort_by_key(|sampled| {
                lineup
                    .iter()
                    .position(|contender| contender.name() == sampled.name)
            });
            let table = table(name, &about, &outcome, made.reference, made.items);
            let refused = outcome.refused.iter();
            let refused = refused.map(|(name, refusal)| (*name, format!("{name}: {refusal}.")));
            let missing = lineup.missing.iter();
            let missing = missing.map(|(name, reason)| (*name, format!("{name}: {reason}.")));
            let ours = outcome.of(Ours::NAME).map(Sampled::median);
            Report {
                table,
                plot: None,
                figures: ours
                    .map(|time| ("time".to_owned(), time))
                    .into_iter()
                    .collect(),
                refused: refused.chain(missing).collect(),
            }
        })
    }

    /// Measures.
    pub fn run(&self, bench: &Bench) -> Report {
        let mut report = (self.run)(bench, &self.name);
        let notes = report.refused.iter().map(|(_, note)| note.clone());
        report.table.notes.extend(notes);
        report
    }

    /// What this project's pool, which was to run, has failed at.
    pub fn failed(&self, report: &Report) -> Vec<String> {
        let name = &self.name;
        let ours = report
            .refused
            .iter()
            .filter(|(pool, _)| *pool == Ours::NAME);
        let mut failed: Vec<String> = ours.map(|(_, note)| format!("{name}: {note}")).collect();
        if failed.is_empty() && report.figures.len() < self.metrics.len() {
            failed.push(format!("{name}: this project's pool has no figure"));
        }
        failed
    }
}

/// A job of one call.
struct Calls<F>(F);

impl<F: FnMut(&dyn Contender, u64) -> Answer> Job for Calls<F> {
    fn run(&mut self, contender: &dyn Contender, iterations: u64) -> Answer {
        (self.0)(contender, iterations)
    }
}

impl Made {
    /// From a job, compared with the serial run.
    pub fn new(job: impl Job + 'static) -> Self {
        Self {
            job: Box::new(job),
            items: None,
            reference: Reference::Serial,
        }
    }

    /// From the call that is the job.
    pub fn call(call: impl FnMut(&dyn Contender, u64) -> Answer + 'static) -> Self {
        Self::new(Calls(call))
    }

    /// Adds a column for the time of each of `count` items.
    #[must_use]
    pub fn each(mut self, count: u64, name: &'static str) -> Self {
        self.items = Some(Items { count, name });
        self
    }
}
