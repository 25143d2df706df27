//! A table's figures: a sheet for each number of threads, and there for each metric that is shown
//! at every size.

use super::figure::shown;
use super::{losses, notes};
use crate::results::{Cell, Measured};
use crate::tables::{Metric, Table};
use crate::who;
use suite::factor;

/// All sheets. A contender that is `missing` has a row that says so.
pub fn all(table: &'static Table, measured: &Measured, missing: &[&str]) -> Vec<suite::Table> {
    let counts = measured.thread_counts().into_iter();
    let sheets = counts.map(|threads| Sheets {
        table,
        measured,
        threads,
        sizes: measured.sizes(),
    });
    sheets.flat_map(|sheets| sheets.all(missing)).collect()
}

/// Those of a number of threads.
struct Sheets<'a> {
    table: &'static Table,
    measured: &'a Measured,
    threads: usize,
    sizes: Vec<u64>,
}

fn label(metric: &Metric) -> String {
    match metric.per {
        Some(per) => format!("{} {}", metric.label, per.label),
        None => metric.label.to_owned(),
    }
}

impl Sheets<'_> {
    /// That of the metric which decides, with notes below, and those of others that have one.
    fn all(&self, missing: &[&str]) -> Vec<suite::Table> {
        let Some((decides, others)) = self.table.metrics.split_first() else {
            return Vec::new();
        };
        let is_by_size = |metric: &&Metric| self.table.is_by_size(metric);
        let (by_size, aside): (Vec<_>, Vec<_>) = others.iter().partition(is_by_size);
        let mut first = self.sheet(decides, &aside, missing);
        first.notes = notes::all(self.measured, self.threads);
        let others = by_size.into_iter();
        let others = others.map(|metric| self.sheet(metric, &[], missing));
        let others = others.filter(|sheet| !sheet.rows.is_empty());
        [first].into_iter().chain(others).collect()
    }

    /// A metric at every size, and those `aside` at the largest.
    fn sheet(&self, metric: &Metric, aside: &[&Metric], missing: &[&str]) -> suite::Table {
        let who = self.table.who.iter();
        let who = who.filter(|name| who::contender(name).is_some());
        let rows = who.filter_map(|name| match self.row(name, metric, aside) {
            None if missing.contains(name) => Some(vec![(*name).to_owned(), "missing".to_owned()]),
            row => row,
        });
        suite::Table {
            title: match self.threads {
                0 => "by threads".to_owned(),
                1 => "one thread".to_owned(),
                threads => format!("{threads} threads"),
            },
            about: label(metric),
            columns: self.columns(aside),
            rows: rows.collect(),
            notes: Vec::new(),
        }
    }

    fn columns(&self, aside: &[&Metric]) -> Vec<String> {
        let mut columns = vec!["contender".to_owned()];
        for size in &self.sizes {
            columns.push(format!("{size} {}", self.table.size));
            if self.table.has_spread {
                columns.push("least .. greatest".to_owned());
            }
        }
        let last = self.sizes.last().copied().unwrap_or_default();
        columns.extend(
            aside
                .iter()
                .map(|metric| format!("{}, {last}", label(metric))),
        );
        if self.table.who.contains(&who::OURS) {
            columns.push("ours / it".to_owned());
        }
        columns
    }

    fn row(&self, name: &str, metric: &Metric, aside: &[&Metric]) -> Option<Vec<String>> {
        let sizes = self.sizes.iter();
        let cells = sizes.map(|&size| self.measured.cell(name, size, self.threads));
        let cells: Vec<Option<&Cell>> = cells.collect();
        let mut row: Vec<Option<String>> = Vec::new();
        for cell in &cells {
            row.push(cell.and_then(|cell| self.text(cell, metric)));
            if self.table.has_spread {
                row.push(cell.and_then(|cell| spread(cell, metric)));
            }
        }
        if row.iter().all(Option::is_none) {
            return None;
        }
        let last = cells.last().copied().flatten();
        row.extend(aside.iter().map(|metric| {
            let cell = last?;
            Some(shown(metric, cell.median(metric.name)?, cell.size))
        }));
        if self.table.who.contains(&who::OURS) {
            row.push(self.beside_ours(metric, &cells).map(factor));
        }
        let texts = row.into_iter().map(|text| text.unwrap_or("-".to_owned()));
        Some([name.to_owned()].into_iter().chain(texts).collect())
    }

    /// A cell's median, in bold if nobody is ahead of it.
    fn text(&self, cell: &Cell, metric: &Metric) -> Option<String> {
        let text = shown(metric, cell.median(metric.name)?, cell.size);
        let place = (cell.size, self.threads);
        let leader = losses::leader(self.table, metric, self.measured, place);
        let leads = leader.is_some_and(|leader| leader == cell.name);
        Some(if leads { format!("**{text}**") } else { text })
    }

    /// The ratio of this project's pool to a contender, at the largest size that both ran.
    fn beside_ours(&self, metric: &Metric, cells: &[Option<&Cell>]) -> Option<f64> {
        cells.iter().rev().flatten().find_map(|cell| {
            let ours = self.measured.cell(who::OURS, cell.size, cell.threads)?;
            cell.median(metric.name)?;
            ours.median(metric.name)?;
            ours.ratio(cell, metric.name)
        })
    }
}

/// The least and the greatest of a cell's rounds.
fn spread(cell: &Cell, metric: &Metric) -> Option<String> {
    let (least, greatest) = cell.range(metric.name)?;
    let [least, greatest] = [least, greatest].map(|figure| shown(metric, figure, cell.size));
    Some(format!("{least} .. {greatest}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::Results;
    use crate::tables;
    use std::collections::BTreeMap;

    fn sheets(name: &str, cells: Vec<Cell>) -> Vec<suite::Table> {
        let mut results = Results::default();
        results.put(Measured {
            table: name.to_owned(),
            cells,
            ..Measured::default()
        });
        let table = tables::all().into_iter().find(|table| table.name == name);
        let table = table.unwrap_or_else(|| panic!("{name}"));
        all(table, &results.tables[0], &[])
    }

    fn cell(name: &str, size: u64, figures: &[(&str, &[f64])]) -> Cell {
        let figures = figures.iter();
        let figures = figures.map(|(metric, figures)| ((*metric).to_owned(), figures.to_vec()));
        Cell {
            name: name.to_owned(),
            size,
            threads: 2,
            figures: figures.collect::<BTreeMap<_, _>>(),
            refused: None,
        }
    }

    #[test]
    fn what_is_shown_by_size_has_a_sheet_and_no_column() {
        let figures: &[(&str, &[f64])] = &[("p99", &[2e-6]), ("p50", &[1e-6]), ("cpu", &[1.0])];
        let cells = ["ours", "forte"].map(|name| cell(name, 1, figures));
        let sheets = sheets("latency", cells.to_vec());
        let abouts: Vec<&str> = sheets.iter().map(|sheet| sheet.about.as_str()).collect();
        assert_eq!(abouts, ["p99", "p50"]);
        assert_eq!(
            sheets[0].columns,
            ["contender", "1 tasks", "CPU, 1", "ours / it"]
        );
        assert_eq!(sheets[1].rows[0], ["ours", "**1.00 us**", "1.00"]);
        assert_eq!(sheets[1].rows[1], ["forte", "1.00 us", "1.00"]);
    }

    #[test]
    fn a_spread_stands_beside_its_median() {
        let figures: &[(&str, &[f64])] = &[("time", &[3e-8, 1e-8, 2e-8]), ("allocations", &[1.0])];
        let sheets = sheets("callback-ours", vec![cell("boxed", 10, figures)]);
        assert_eq!(sheets[0].columns[1..3], ["10 calls", "least .. greatest"]);
        assert_eq!(sheets[0].rows[0][2], "1.00 ns .. 3.00 ns");
    }
}
