//! From runs to a family's table.

use crate::catalogue::Family;
use crate::sides::Sides;
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

/// The table of a family whose workloads have these runs.
#[must_use]
pub fn table(family: &Family, all: &[Sides]) -> Table {
    let mut table = Table::new(family.name, family.about, &COLUMNS);
    for (workload, sides) in family.workloads.iter().zip(all) {
        for row in &workload.rows {
            let compared = row.compare(sides);
            let name = match workload.rows.len() {
                1 => workload.name.clone(),
                _ => format!("{}: {}", workload.name, row.metric),
            };
            let met = row.verdict(&compared);
            table.rows.push(vec![
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
            ]);
        }
        for (name, side) in [("ours", &sides.ours), ("stock", &sides.stock)] {
            let failures = side.failures.iter();
            table
                .notes
                .extend(failures.map(|failure| format!("{name}: {failure}")));
        }
    }
    table
}
