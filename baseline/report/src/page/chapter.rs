//! A table's part of the report: text, plots and figures.

use super::figure::shown;
use super::losses;
use super::plots::{self, Drawn};
use crate::results::{Cell, Measured, Results};
use crate::tables::{self, Metric, Source, Table};
use crate::who;
use suite::factor;

/// One table, ready to be written.
pub struct Chapter {
    /// What is measured.
    pub table: &'static Table,
    /// Its plots.
    pub plots: Vec<Drawn>,
    /// Its figures, a table for each number of threads.
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
    let counts = measured.thread_counts();
    let figures = counts
        .iter()
        .map(|&threads| figures(table, measured, threads, missing));
    let taken = &measured.taken;
    Chapter {
        table,
        plots: plots::all(table, measured),
        figures: figures.collect(),
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

fn label(metric: &Metric) -> String {
    match metric.per {
        Some(per) => format!("{} {}", metric.label, per.label),
        None => metric.label.to_owned(),
    }
}

fn figures(
    table: &'static Table,
    measured: &Measured,
    threads: usize,
    missing: &[&str],
) -> suite::Table {
    let sizes = measured.sizes();
    let title = match threads {
        0 => "by threads".to_owned(),
        1 => "one thread".to_owned(),
        _ => format!("{threads} threads"),
    };
    let mut columns = vec!["contender".to_owned()];
    let heading = |size: &u64| format!("{size} {}", table.size);
    columns.extend(sizes.iter().map(heading));
    let last = sizes.last().copied().unwrap_or_default();
    let others = table.metrics.iter().skip(1);
    columns.extend(others.map(|metric| format!("{}, {last}", label(metric))));
    if table.who.contains(&who::OURS) {
        columns.push("ours / it".to_owned());
    }
    let rows = table
        .who
        .iter()
        .filter(|name| who::contender(name).is_some());
    let rows = rows.filter_map(|name| match row(table, measured, name, &sizes, threads) {
        None if missing.contains(name) => Some(vec![(*name).to_owned(), "missing".to_owned()]),
        row => row,
    });
    let about = match table.metrics.first() {
        Some(metric) => label(metric),
        None => String::new(),
    };
    suite::Table {
        title,
        about,
        columns,
        rows: rows.collect(),
        notes: refused(measured, threads),
    }
}

fn row(
    table: &'static Table,
    measured: &Measured,
    name: &str,
    sizes: &[u64],
    threads: usize,
) -> Option<Vec<String>> {
    let main = table.metrics.first()?;
    let cells = sizes.iter().map(|&size| measured.cell(name, size, threads));
    let cells: Vec<Option<&Cell>> = cells.collect();
    let texts = cells.iter().zip(sizes).map(|(cell, &size)| {
        let figure = (*cell)?.median(main.name)?;
        let text = shown(main, figure, size);
        let leads =
            losses::leader(table, measured, size, threads).is_some_and(|leader| leader == name);
        Some(if leads { format!("**{text}**") } else { text })
    });
    let mut row: Vec<Option<String>> = texts.collect();
    if row.iter().all(Option::is_none) {
        return None;
    }
    let (last, size) = (cells.last().copied().flatten(), *sizes.last()?);
    row.extend(table.metrics.iter().skip(1).map(|metric| {
        let figure = last?.median(metric.name)?;
        Some(shown(metric, figure, size))
    }));
    if table.who.contains(&who::OURS) {
        row.push(beside_ours(measured, main, &cells).map(factor));
    }
    let texts = row.into_iter().map(|text| text.unwrap_or("-".to_owned()));
    Some([name.to_owned()].into_iter().chain(texts).collect())
}

/// The ratio of this project's pool to a contender, at the largest size that both ran.
fn beside_ours(measured: &Measured, metric: &Metric, cells: &[Option<&Cell>]) -> Option<f64> {
    cells.iter().rev().flatten().find_map(|cell| {
        let ours = measured.cell(who::OURS, cell.size, cell.threads)?;
        cell.median(metric.name)?;
        ours.median(metric.name)?;
        ours.ratio(cell, metric.name)
    })
}

/// Those who failed, or gave a wrong answer.
fn refused(measured: &Measured, threads: usize) -> Vec<String> {
    let cells = measured.cells.iter().filter(|cell| cell.threads == threads);
    cells
        .filter_map(|cell| {
            let why = cell.refused.as_ref()?;
            Some(format!("{}, {}: {why}", cell.name, cell.size))
        })
        .collect()
}
