//! A workload of the comparison: its name and how it makes its table.

use crate::bench::Bench;
use crate::report::{Items, Reference, table};
use suite::{Answer, Contender, Job, Plot, Table};

type Run = dyn Fn(&Bench, &str) -> Report;

/// What a workload gives.
pub struct Report {
    /// Its figures.
    pub table: Table,
    /// Its curves, if it has some.
    pub plot: Option<Plot>,
}

impl From<Table> for Report {
    fn from(table: Table) -> Self {
        Self { table, plot: None }
    }
}

/// One table's worth of measuring.
pub struct Workload {
    /// Its name, by which it is chosen.
    pub name: String,
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
    /// A workload with a table of its own kind.
    pub fn special(
        name: impl Into<String>,
        run: impl Fn(&Bench, &str) -> Report + 'static,
    ) -> Self {
        Self {
            name: name.into(),
            run: Box::new(run),
        }
    }

    /// A workload that is sampled; `make` is called when its turn comes.
    pub fn sampled(
        name: impl Into<String>,
        about: impl Into<String>,
        size: Size,
        make: impl Fn(&Bench) -> Made + 'static,
    ) -> Self {
        let about = about.into();
        Self::special(name, move |bench, name| {
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
            let mut table = table(name, &about, &outcome, made.reference, made.items);
            for (name, reason) in &lineup.missing {
                table.notes.push(format!("{name}: {reason}."));
            }
            table.into()
        })
    }

    /// Measures.
    pub fn run(&self, bench: &Bench) -> Report {
        (self.run)(bench, &self.name)
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
