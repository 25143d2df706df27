//! Who is ahead in each row, and what was lost: rows in which it is not this project's pool.

use crate::results::{Cell, Measured, Results};
use crate::tables::{self, Metric, Table};
use crate::who::OURS;
use suite::factor;

/// A row in which a rival ran too, by which a loss is told.
pub struct Loss {
    /// Which.
    pub table: &'static Table,
    /// The size.
    pub size: u64,
    /// The running threads.
    pub threads: usize,
    /// Who was ahead of all other rivals.
    pub rival: String,
    /// The rounds' median ratio to it.
    pub ratio: f64,
}

/// What a ratio may be above another and still be shown as the same.
const SHOWN_ALIKE: f64 = 0.005;

/// Whether a ratio is at most so much, as readers see both.
pub fn is_at_most(ratio: f64, most: f64) -> bool {
    ratio <= most + SHOWN_ALIKE
}

/// How many rows there are, of those in which this project's pool and a rival ran.
pub fn rows(results: &Results) -> usize {
    all_duels(results).len()
}

/// All of them, the largest first.
pub fn all(results: &Results) -> Vec<Loss> {
    let mut losses = all_duels(results);
    losses.retain(Loss::is_lost);
    losses.sort_by(|a, b| b.ratio.total_cmp(&a.ratio));
    losses
}

impl Loss {
    /// Whether it is a loss: this project's pool was not as fast.
    pub fn is_lost(&self) -> bool {
        !is_at_most(self.ratio, 1.0)
    }
}

/// Every row of all tables, by what decides each.
fn all_duels(results: &Results) -> Vec<Loss> {
    let of = |table: &'static Table| {
        let (metric, measured) = (table.metrics.first()?, results.of(table.name)?);
        Some(duels(table, metric, measured))
    };
    tables::all().into_iter().filter_map(of).flatten().collect()
}

/// Every row of a table with the rival that is the best by that metric.
pub fn duels(table: &'static Table, metric: &Metric, measured: &Measured) -> Vec<Loss> {
    let mut rows = Vec::new();
    for threads in measured.thread_counts() {
        for size in measured.sizes() {
            rows.extend(duel(table, metric, measured, (size, threads)));
        }
    }
    rows
}

/// A row's size and threads.
type Place = (u64, usize);

fn duel(
    table: &'static Table,
    metric: &Metric,
    measured: &Measured,
    (size, threads): Place,
) -> Option<Loss> {
    let (rival, _) = best(table, metric, measured, (size, threads))?;
    let ours = measured.cell(OURS, size, threads)?;
    ours.median(metric.name)?;
    let ratio = ours.ratio(rival, metric.name)?;
    Some(Loss {
        table,
        size,
        threads,
        rival: rival.name.clone(),
        ratio,
    })
}

/// Who was the best of the rivals by that metric.
pub fn best<'a>(
    table: &Table,
    metric: &Metric,
    measured: &'a Measured,
    (size, threads): Place,
) -> Option<(&'a Cell, f64)> {
    if !table.has_rivals() {
        return None;
    }
    let rivals = table.who.iter().filter(|name| Table::is_rival(name));
    rivals
        .filter_map(|name| {
            let cell = measured.cell(name, size, threads)?;
            Some((cell, cell.median(metric.name)?))
        })
        .min_by(|a, b| a.1.total_cmp(&b.1))
}

/// Who is ahead in a row by that metric: the best rival, if this project's pool was not as good.
pub fn leader(
    table: &'static Table,
    metric: &Metric,
    measured: &Measured,
    place: Place,
) -> Option<String> {
    match duel(table, metric, measured, place) {
        Some(row) if row.is_lost() => Some(row.rival),
        Some(_) => Some(OURS.to_owned()),
        None => Some(best(table, metric, measured, place)?.0.name.clone()),
    }
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
    use crate::results::Taken;
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
            ..Measured::default()
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
