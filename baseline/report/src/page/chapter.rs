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
        .map(|(table, measured)| Chapter {
            table,
            plots: plots::all(table, measured),
            figures: figures::all(table, measured, &missing),
            taken: taken(measured, &results.versions),
        })
        .collect()
}

/// Where and how a table was measured, and with which versions other than the `last` ones.
fn taken(measured: &Measured, last: &[(String, String)]) -> String {
    let taken = &measured.taken;
    let others = measured.versions.iter().filter(|own| !last.contains(own));
    let others = others.map(|(name, version)| format!("; {name} was {version}"));
    format!(
        "{}, commit {}, up to {} rounds{}; load before {}, {} threads ran at once{}",
        taken.date,
        taken.commit,
        taken.rounds,
        if taken.quick { " (quick)" } else { "" },
        taken.load,
        taken.at_once,
        others.collect::<String>(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_that_is_not_the_last_one_is_told() {
        let own = |version: &str| ("forte".to_owned(), version.to_owned());
        let measured = Measured {
            versions: vec![own("1.0.0")],
            ..Measured::default()
        };
        assert!(taken(&measured, &[own("1.1.0")]).ends_with("; forte was 1.0.0"));
        assert!(taken(&measured, &[own("1.0.0")]).ends_with("at once"));
    }
}
