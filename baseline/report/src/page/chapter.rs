//! A table's part of the report: text, plots and figures.

use super::figures;
use super::plots::{self, Drawn};
use crate::results::{Measured, Results};
use crate::tables::{self, Source, Table};

/// One table, ready to be written.
pub struct Chapter {
    /// What is measured.
    pub table: &'static Table,
    /// Its plots.
    pub plots: Vec<Drawn>,
    /// Its figures, a table for each number of threads and each metric that has one.
    pub figures: Vec<suite::Table>,
    /// Where and how they were taken.
    pub taken: String,
}

impl Chapter {
    /// The source that it comes from.
    pub fn source(&self) -> &'static Source {
        self.table.source
    }
}

/// Every table that was measured, in the tables' own order.
pub fn all(results: &Results) -> Vec<Chapter> {
    let measured = |table: &'static Table| Some((table, results.of(table.name)?));
    let chapters = tables::all().into_iter().filter_map(measured);
    let missing: Vec<&str> = results.missing.iter().map(|it| it.name.as_str()).collect();
    chapters
        .map(|(table, measured)| chapter(table, measured, &missing))
        .collect()
}

fn chapter(table: &'static Table, measured: &Measured, missing: &[&str]) -> Chapter {
    let taken = &measured.taken;
    Chapter {
        table,
        plots: plots::all(table, measured),
        figures: figures::all(table, measured, missing),
        taken: format!(
            "{}, commit {}, up to {} rounds{}; load before {}, {} threads ran at once",
            taken.date,
            taken.commit,
            taken.rounds,
            if taken.quick { " (quick)" } else { "" },
            taken.load,
            taken.at_once,
        ),
    }
}
