//! From runs to a family's table.

use crate::family::{Family, Workload};
use crate::row::{Row, middle};
use crate::sides::{Side, Sides};
use suite::{Table, factor, median};

const COLUMNS: [&str; 10] = [
    "workload",
    "ours",
    "stock",
    "x stock",
    "x reference",
    "stock x reference",
    "min .. p90",
    "to reach",
    "met",
    "rounds",
];

/// A metric beside each row.
#[derive(Clone, Copy, Debug)]
pub struct Beside {
    /// As the programs know it.
    pub metric: &'static str,
    /// The column's heading; stock's has *stock* before it.
    pub heading: &'static str,
}

/// Where the columns of what is beside come.
const BESIDE: usize = 6;

/// A row's cells of a metric beside it, this project's and stock's.
fn beside_cells(beside: Beside, row: &Row, sides: &Sides) -> [String; 2] {
    [&sides.ours, &sides.other].map(|side| {
        // Its own row has it already.
        let is_own = row.metric == beside.metric;
        factor(if is_own {
            f64::NAN
        } else {
            middle(side, beside.metric)
        })
    })
}

/// The table of a family whose workloads have these runs.
#[must_use]
pub fn table(family: &Family, all: &[Sides], beside: Option<Beside>) -> Table {
    let mut table = Table::new(family.name, family.about, &COLUMNS);
    if let Some(Beside { heading, .. }) = beside {
        let headings = [heading.to_owned(), format!("stock {heading}")];
        table.columns.splice(BESIDE..BESIDE, headings);
    }
    for (workload, sides) in family.workloads.iter().zip(all) {
        for row in &workload.rows {
            let compared = row.compare(sides);
            let name = row.called(&workload.name, workload.rows.len());
            let met = row.verdict(&compared);
            let mut cells = vec![
                name,
                row.unit.show(median(&compared.ours)),
                row.unit.show(median(&compared.stock)),
                factor(compared.times_stock),
                factor(compared.times_reference),
                factor(compared.stock_times_reference),
                compared.range(row.unit),
                row.to_reach(),
                met.map_or("-", |met| if met { "yes" } else { "no" })
                    .to_owned(),
                compared.ours.len().min(compared.stock.len()).to_string(),
            ];
            if let Some(beside) = beside {
                cells.splice(BESIDE..BESIDE, beside_cells(beside, row, sides));
            }
            table.rows.push(cells);
        }
        table
            .notes
            .extend(failures([("ours", &sides.ours), ("stock", &sides.other)]));
    }
    table
}

/// What this project's side of a family has failed at: runs, and rows without a figure. Not at what
/// neither side could do, as where the system has nothing to measure it by.
#[must_use]
pub fn failed(family: &Family, all: &[Sides]) -> Vec<String> {
    let of = |(workload, sides): (&Workload, &Sides)| {
        let has_run = |side: &Side| side.runs.iter().any(Option::is_some);
        if !has_run(&sides.ours) && !has_run(&sides.other) {
            return Vec::new();
        }
        let mut failed = sides.ours.failures.clone();
        if failed.is_empty() {
            let rows = workload.rows.iter();
            let empty = rows.filter(|row| middle(&sides.ours, row.metric).is_nan());
            failed.extend(empty.map(|row| {
                let name = row.called(&workload.name, workload.rows.len());
                format!("{name}: no run has printed this figure")
            }));
        }
        failed
    };
    family.workloads.iter().zip(all).flat_map(of).collect()
}

/// What went wrong on each side, by what that is called.
pub fn failures(sides: [(&str, &Side); 2]) -> Vec<String> {
    let of = |(name, side): (&str, &Side)| {
        let failures = side.failures.iter();
        let named = failures.map(|failure| format!("{name}: {failure}"));
        named.collect::<Vec<_>>()
    };
    sides.into_iter().flat_map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::child::Run;
    use crate::family::workload;
    use crate::row::{Reference, Target};

    #[test]
    fn a_run_that_failed_and_a_row_without_a_figure_are_failures_of_ours_alone() {
        let row = |metric| Row::time(metric, Reference::None, Target::None);
        let family = Family {
            name: "family",
            about: "",
            workloads: vec![workload("w", [row("a"), row("b")])],
        };
        let failed = |sides: Sides| failed(&family, &[sides]);
        let figure = |metric: &str| Some(Run::from([(metric.to_owned(), 1.0)]));
        let mut sides = Sides::default();
        sides.ours.runs.push(figure("a"));
        sides.other.failures.push("w, round 1: hung".to_owned());
        assert_eq!(failed(sides), ["w: b: no run has printed this figure"]);
        let hung = |side: &mut Side| {
            side.runs.push(None);
            side.failures.push("w, round 1: hung".to_owned());
        };
        let mut sides = Sides::default();
        hung(&mut sides.ours);
        sides.other.runs.push(figure("a"));
        assert_eq!(failed(sides), ["w, round 1: hung"]);
        let mut sides = Sides::default();
        hung(&mut sides.ours);
        hung(&mut sides.other);
        assert!(failed(sides).is_empty());
    }
}
