//! What was lost: rows in which somebody was ahead of this project's pool.

use super::chapter::best;
use crate::results::{Measured, Results};
use crate::tables::{self, Table};
use crate::who::OURS;
use suite::factor;

/// A row that was lost.
pub struct Loss {
    /// Which.
    pub table: &'static Table,
    /// The size.
    pub size: u64,
    /// The running threads.
    pub threads: usize,
    /// Who was ahead of all others.
    pub rival: String,
    /// The rounds' median ratio to it.
    pub ratio: f64,
}

/// How many rows there are, of those in which a rival ran too.
pub fn rows(results: &Results) -> usize {
    let of = |measured: &Measured| measured.sizes().len() * measured.thread_counts().len();
    let tables = tables::all().into_iter().filter(|table| table.has_rivals());
    let measured = tables.filter_map(|table| results.of(table.name));
    measured.map(of).sum()
}

/// All of them, the largest first.
pub fn all(results: &Results) -> Vec<Loss> {
    let mut losses = Vec::new();
    for table in tables::all() {
        if let Some(measured) = results.of(table.name) {
            losses.extend(of(table, measured));
        }
    }
    losses.sort_by(|a, b| b.ratio.total_cmp(&a.ratio));
    losses
}

fn of(table: &'static Table, measured: &Measured) -> Vec<Loss> {
    let mut losses = Vec::new();
    for threads in measured.thread_counts() {
        for size in measured.sizes() {
            losses.extend(row(table, measured, size, threads));
        }
    }
    losses
}

fn row(table: &'static Table, measured: &Measured, size: u64, threads: usize) -> Option<Loss> {
    let metric = table.metrics.first()?.name;
    let (rival, _) = best(table, measured, size, threads)?;
    let ratio = measured.cell(OURS, size, threads)?.ratio(rival, metric)?;
    (ratio > 1.0).then(|| Loss {
        table,
        size,
        threads,
        rival: rival.name.clone(),
        ratio,
    })
}

/// As a table.
pub fn table(losses: &[Loss]) -> suite::Table {
    let columns = ["table", "size", "threads", "who was ahead", "ours / it"];
    let mut table = suite::Table::new("", "", &columns);
    for loss in losses {
        table.rows.push(vec![
            loss.table.name.to_owned(),
            format!("{} {}", loss.size, loss.table.size),
            loss.threads.to_string(),
            loss.rival.clone(),
            factor(loss.ratio),
        ]);
    }
    table
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::results::{Cell, Taken};
    use std::collections::BTreeMap;

    /// Results of one row of a table, with these times of one round each.
    pub fn results(times: &[(&str, f64)]) -> Results {
        let cell = |&(name, time): &(&str, f64)| Cell {
            name: name.to_owned(),
            size: 15,
            threads: 2,
            figures: BTreeMap::from([("time".to_owned(), vec![time])]),
            refused: None,
        };
        let mut results = Results::default();
        results.put(Measured {
            table: "fib".to_owned(),
            taken: Taken::default(),
            cells: times.iter().map(cell).collect(),
        });
        results
    }

    #[test]
    fn the_best_rival_decides_and_serial_is_none() {
        let lost = all(&results(&[
            ("serial", 1.0),
            (OURS, 3.0),
            ("rayon", 4.0),
            ("chili", 2.0),
        ]));
        let [loss] = &lost[..] else {
            panic!("{} losses", lost.len());
        };
        assert_eq!((loss.rival.as_str(), loss.ratio), ("chili", 1.5));
        assert!(all(&results(&[("serial", 1.0), (OURS, 3.0), ("rayon", 4.0)])).is_empty());
    }

    #[test]
    fn who_gave_a_wrong_answer_is_ahead_of_nobody() {
        let mut results = results(&[(OURS, 3.0), ("chili", 2.0)]);
        results.tables[0].cells[1].refused = Some("wrong answer".to_owned());
        assert!(all(&results).is_empty());
    }
}
