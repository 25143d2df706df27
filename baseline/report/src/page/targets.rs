//! What was to be reached, and what of it is.

use super::losses::{best, is_at_most};
use crate::results::{Cell, Measured, Results};
use crate::tables::{self, Table};
use crate::who::{OURS, SERIAL};
use suite::factor;

/// Whom a target compares with.
#[derive(Clone, Copy)]
enum Beside {
    /// Whoever was the fastest of the rivals in that row.
    Best,
    /// Always the same one.
    One(&'static str),
    /// Each contender at that size, in a table that has no rivals.
    Size(u64),
}

/// What was to be reached in each row of some tables.
#[derive(Clone, Copy)]
struct Target {
    what: &'static str,
    tables: &'static [&'static str],
    /// None is for what decides a table.
    metric: Option<&'static str>,
    beside: Beside,
    /// What this project's figure may be of the other one's.
    most: f64,
    /// The sizes that it is about.
    sizes: (u64, u64),
}

const ALL_SIZES: (u64, u64) = (0, u64::MAX);
const PROGRAMS: &[&str] = &["fib", "skynet", "nqueens", "matmul"];
const LOOPS: &[&str] = &["slice-1ns", "slice-10ns"];

const AHEAD: Target = Target {
    what: "as fast as the best rival, on one thread and on all",
    tables: PROGRAMS,
    metric: None,
    beside: Beside::Best,
    most: 1.0,
    sizes: ALL_SIZES,
};

const TARGETS: &[Target] = &[
    AHEAD,
    Target {
        what: "at most the peak memory of that rival",
        metric: Some("peak"),
        ..AHEAD
    },
    Target {
        what: "1.1 times as fast as rayon",
        tables: &["bvh-build", "bvh-rays"],
        beside: Beside::One("rayon"),
        most: 1.0 / 1.1,
        ..AHEAD
    },
    Target {
        what: "at most a tenth above a serial loop",
        tables: LOOPS,
        beside: Beside::One(SERIAL),
        most: 1.1,
        ..AHEAD
    },
    Target {
        what: "0.53 times stock's time for a million items",
        tables: LOOPS,
        beside: Beside::One("bevy_tasks"),
        most: 0.53,
        sizes: (1_000_000, 1_000_000),
        ..AHEAD
    },
    Target {
        what: "as fast as any rival from ten workers on",
        tables: &["workers"],
        sizes: (10, u64::MAX),
        ..AHEAD
    },
    Target {
        what: "as fast as any rival",
        tables: &["ping-pong"],
        ..AHEAD
    },
    Target {
        what: "the 99th percentile of the best rival",
        tables: &["latency"],
        metric: Some("p99"),
        ..AHEAD
    },
    Target {
        what: "as many writes at 64 threads as at 8",
        tables: &["transfers"],
        beside: Beside::Size(8),
        sizes: (64, 64),
        ..AHEAD
    },
];

/// A row that a target is about.
struct Row {
    ratio: f64,
    place: String,
}

impl Target {
    fn rows(&self, name: &str, results: &Results) -> Vec<Row> {
        let table = tables::all().into_iter().find(|table| table.name == name);
        let (Some(table), Some(measured)) = (table, results.of(name)) else {
            return Vec::new();
        };
        let (least, most) = self.sizes;
        let is_meant = |cell: &&Cell| match self.beside {
            Beside::Size(_) => true,
            Beside::Best | Beside::One(_) => cell.name == OURS,
        };
        let cells = measured.cells.iter().filter(is_meant);
        cells
            .filter(|cell| (least..=most).contains(&cell.size))
            .filter_map(|cell| self.row(table, measured, cell))
            .collect()
    }

    fn row(&self, table: &'static Table, measured: &Measured, ours: &Cell) -> Option<Row> {
        let (size, threads) = (ours.size, ours.threads);
        let decides = table.metrics.first()?;
        let metric = self.metric.unwrap_or(decides.name);
        let other = match self.beside {
            Beside::Best => best(table, decides, measured, (size, threads))?.0,
            Beside::One(name) => measured.cell(name, size, threads)?,
            Beside::Size(size) => measured.cell(&ours.name, size, threads)?,
        };
        // A figure counts for nothing where the answer was wrong.
        ours.median(metric).and(other.median(metric))?;
        let ratio = ours.ratio(other, metric)?;
        let threads = match threads {
            0 => String::new(),
            _ => format!("threads: {threads}, "),
        };
        ratio.is_finite().then(|| Row {
            ratio,
            place: format!("{size} {}, {threads}{}", table.size, other.name),
        })
    }

    /// What became of it in one of its tables.
    fn told(&self, name: &str, results: &Results) -> Vec<String> {
        let rows = self.rows(name, results);
        let is_reached = |row: &&Row| is_at_most(row.ratio, self.most);
        let reached = rows.iter().filter(is_reached).count();
        let worst = rows.iter().max_by(|a, b| a.ratio.total_cmp(&b.ratio));
        let mut told = vec![name.to_owned(), self.what.to_owned(), factor(self.most)];
        told.extend(match worst {
            None => ["not measured".to_owned(), "-".to_owned(), "-".to_owned()],
            Some(worst) => {
                let count = format!("{reached} of {}", rows.len());
                let is_reached = reached == rows.len();
                [
                    if is_reached {
                        count
                    } else {
                        format!("**{count}**")
                    },
                    factor(worst.ratio),
                    worst.place.clone(),
                ]
            }
        });
        told
    }
}

/// All targets, a row for each of their tables.
pub fn table(results: &Results) -> suite::Table {
    let columns = [
        "table",
        "to reach, in each row",
        "at most",
        "rows that have it",
        "the worst ratio",
        "where, beside whom",
    ];
    let mut all = suite::Table::new("", "", &columns);
    for target in TARGETS {
        let told = target.tables.iter().map(|name| target.told(name, results));
        all.rows.extend(told);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::losses::tests::results;
    use std::collections::BTreeMap;

    fn row(results: &Results, name: &str) -> Vec<String> {
        AHEAD.told(name, results)
    }

    #[test]
    fn each_target_is_about_tables_that_there_are() {
        for target in TARGETS {
            for name in target.tables {
                let table = tables::all().into_iter().find(|table| table.name == *name);
                let table = table.unwrap_or_else(|| panic!("{name}"));
                let metric = target.metric.unwrap_or(table.metrics[0].name);
                assert!(
                    table.metrics.iter().any(|told| told.name == metric),
                    "{name}"
                );
                if let Beside::One(rival) = target.beside {
                    assert!(table.who.contains(&rival), "{name} {rival}");
                }
            }
        }
    }

    #[test]
    fn what_is_ahead_has_it_and_what_is_not_is_bold() {
        let ahead = results(&[(OURS, 1.0), ("rayon", 2.0)]);
        assert_eq!(row(&ahead, "fib")[3..5], ["1 of 1", "0.50"]);
        let even = results(&[(OURS, 1.004), ("rayon", 1.0)]);
        assert_eq!(row(&even, "fib")[3..5], ["1 of 1", "1.00"]);
        let behind = results(&[(OURS, 3.0), ("rayon", 2.0)]);
        assert_eq!(row(&behind, "fib")[3..5], ["**0 of 1**", "1.50"]);
        assert_eq!(row(&behind, "skynet")[3], "not measured");
    }

    #[test]
    fn a_contender_may_be_held_to_itself_at_another_size() {
        let cell = |size, writes| Cell {
            name: "steal".to_owned(),
            size,
            figures: BTreeMap::from([("writes".to_owned(), vec![writes])]),
            ..Cell::default()
        };
        let mut results = Results::default();
        results.put(Measured {
            table: "transfers".to_owned(),
            cells: vec![cell(8, 2.0), cell(64, 3.0)],
            ..Measured::default()
        });
        let of_transfers = |target: &&Target| target.tables.contains(&"transfers");
        let told = TARGETS
            .iter()
            .find(of_transfers)
            .map(|it| it.told("transfers", &results));
        let told = told.unwrap_or_default();
        assert_eq!(told[3..], ["**0 of 1**", "1.50", "64 threads, steal"]);
    }

    #[test]
    fn who_gave_a_wrong_answer_has_reached_nothing() {
        let mut wrong = results(&[(OURS, 1.0), ("rayon", 2.0)]);
        wrong.tables[0].cells[0].refused = Some("wrong answer".to_owned());
        assert_eq!(row(&wrong, "fib")[3], "not measured");
    }
}
