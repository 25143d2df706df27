//! How many rows were lost by the metrics that decide nothing, table by table.

use super::losses::{Loss, duels};
use crate::results::Results;
use crate::tables::{self, Metric, Table};

/// Won and lost rows of a table by a metric.
#[derive(Clone, Copy, Default)]
struct Count {
    lost: usize,
    rows: usize,
}

impl Count {
    fn of(rows: &[Loss]) -> Self {
        Self {
            lost: rows.iter().filter(|row| row.is_lost()).count(),
            rows: rows.len(),
        }
    }

    fn plus(self, other: Self) -> Self {
        Self {
            lost: self.lost + other.lost,
            rows: self.rows + other.rows,
        }
    }

    fn told(self) -> String {
        match self.rows {
            0 => "-".to_owned(),
            rows => format!("{} of {rows}", self.lost),
        }
    }
}

/// Each metric that stands behind the first in some table with rivals, by its name.
fn metrics(results: &Results) -> Vec<&'static Metric> {
    let mut metrics: Vec<&Metric> = Vec::new();
    for table in tables::all() {
        for metric in table.metrics.iter().skip(1) {
            let is_new = metrics.iter().all(|known| known.name != metric.name);
            if is_new && count(table, metric, results).rows > 0 {
                metrics.push(metric);
            }
        }
    }
    metrics
}

/// None where the metric decides that table, or is not among its metrics.
fn count(table: &'static Table, metric: &Metric, results: &Results) -> Count {
    let mut others = table.metrics.iter().skip(1);
    let is_one = others.any(|other| other.name == metric.name);
    let measured = results.of(table.name).filter(|_| is_one);
    measured.map_or_else(Count::default, |measured| {
        Count::of(&duels(table, metric, measured))
    })
}

/// As a table, with the sums below.
pub fn table(results: &Results) -> suite::Table {
    let metrics = metrics(results);
    let mut told = suite::Table::new("", "", &["table"]);
    told.columns
        .extend(metrics.iter().map(|metric| metric.label.to_owned()));
    let mut sums = vec![Count::default(); metrics.len()];
    for table in tables::all() {
        let counts = metrics.iter().map(|metric| count(table, metric, results));
        let counts: Vec<Count> = counts.collect();
        if counts.iter().all(|count| count.rows == 0) {
            continue;
        }
        for (sum, count) in sums.iter_mut().zip(&counts) {
            *sum = sum.plus(*count);
        }
        told.rows.push(row(table.name, &counts));
    }
    if !told.rows.is_empty() {
        told.rows.push(row("all", &sums));
    }
    told
}

fn row(name: &str, counts: &[Count]) -> Vec<String> {
    let counts = counts.iter().map(|count| count.told());
    [name.to_owned()].into_iter().chain(counts).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::losses::tests::results;
    use crate::who::OURS;

    #[test]
    fn what_is_lost_by_another_metric_is_counted_though_the_row_is_won() {
        let mut results = results(&[(OURS, 1.0), ("chili", 2.0), ("rayon", 3.0)]);
        for (cell, peak) in results.tables[0].cells.iter_mut().zip([2.0, 3.0, 1.0]) {
            cell.figures.insert("peak".to_owned(), vec![peak]);
        }
        let told = table(&results);
        assert_eq!(told.columns, ["table", "peak memory"]);
        assert_eq!(told.rows, [["fib", "1 of 1"], ["all", "1 of 1"]]);
    }

    #[test]
    fn nothing_else_measured_is_no_table() {
        assert!(
            table(&results(&[(OURS, 1.0), ("chili", 2.0)]))
                .rows
                .is_empty()
        );
    }
}
