//! What the page shows of a record.

use std::fmt::Write;
use suite::recorded::{Kind, Record};
use suite::{Table, from_seconds};

/// The tables of `record`, as few and as narrow as a reader needs.
pub fn of(kind: Kind, record: &Record) -> String {
    let mut text = head(record);
    let tables = match kind {
        Kind::Engine | Kind::Rayon => record.tables.iter().map(paired).collect(),
        Kind::Pools => pools(&record.tables),
        Kind::Scaling => Vec::new(),
    };
    for table in tables {
        // Writing to a string can't fail.
        let _ = write!(text, "\n{table}");
    }
    if kind == Kind::Scaling {
        for plot in &record.plots {
            let _ = writeln!(text, "\n{}", plot.replace("](", "](../baseline/records/"));
        }
    }
    text
}

fn head(record: &Record) -> String {
    let facts = [
        "date", "machine", "commit", "rounds", "engine", "rayon", "rivals",
    ];
    let facts = facts
        .into_iter()
        .filter_map(|name| record.fact(name).map(|fact| format!("{name} {fact}")));
    let facts: Vec<_> = facts.collect();
    let stem = &record.stem;
    format!(
        "[Record {stem}](../baseline/records/{stem}.md): {}.\n",
        facts.join("; ")
    )
}

/// `table` with the columns of `names` alone.
fn columns(table: &Table, names: &[&str]) -> Table {
    let place = |name: &&str| table.columns.iter().position(|column| column == name);
    let places: Vec<usize> = names.iter().filter_map(place).collect();
    let pick = |row: &Vec<String>| {
        places
            .iter()
            .filter_map(|place| row.get(*place).cloned())
            .collect()
    };
    Table {
        columns: pick(&table.columns),
        rows: table.rows.iter().map(pick).collect(),
        ..table.clone()
    }
}

/// A table of two programs, with what was missed in bold.
fn paired(table: &Table) -> Table {
    let met = columns(table, &["met"]);
    let mut shown = columns(
        table,
        &[
            "workload",
            "ours",
            "stock",
            "x stock",
            "x reference",
            "to reach",
        ],
    );
    for (row, met) in shown.rows.iter_mut().zip(&met.rows) {
        if met.first().is_some_and(|met| met == "no")
            && let Some(goal) = row.last_mut()
        {
            *goal = format!("**{goal}**");
        }
    }
    shown
}

/// A row for each workload that has a best rival; the other tables as they are.
fn pools(tables: &[Table]) -> Vec<Table> {
    let about = "Medians. The best rival is another pool, not serial code: the one with the least \
                 median, and all of them where the shown figures are the same. The ideal is the \
                 serial time shared by all threads, after one wake-up of a thread.";
    let names = [
        "workload",
        "ours",
        "x serial",
        "x ideal",
        "best rival",
        "x best rival",
    ];
    let mut all = Table::new("by workload", about, &names);
    let mut others = Vec::new();
    for table in tables {
        match line(table) {
            Some(row) => all.rows.push(row),
            None => others.push(table.clone()),
        }
    }
    let mut shown = vec![all];
    shown.append(&mut others);
    shown
}

fn cell<'a>(table: &Table, row: &'a [String], column: &str) -> Option<&'a str> {
    let place = table.columns.iter().position(|name| name == column)?;
    row.get(place).map(String::as_str)
}

fn line(table: &Table) -> Option<Vec<String>> {
    let is_ours = |row: &&Vec<String>| row.first().is_some_and(|name| name == "ours");
    let ours = table.rows.iter().find(is_ours)?;
    let of_ours = |column| cell(table, ours, column).map(str::to_owned);
    let or_none = |cell: Option<String>| cell.unwrap_or_else(|| "-".to_owned());
    Some(vec![
        table.title.clone(),
        of_ours("median")?,
        or_none(of_ours("x serial")),
        or_none(of_ours("x ideal")),
        or_none(best_rivals(table)),
        of_ours("x best rival")?,
    ])
}

/// The pools with the least median, as far as the table tells it.
fn best_rivals(table: &Table) -> Option<String> {
    let rival = |row: &Vec<String>| {
        let name = row
            .first()
            .filter(|name| *name != "ours" && *name != "serial")?;
        let median = from_seconds(cell(table, row, "median")?)?;
        Some((name.clone(), median))
    };
    let rivals: Vec<_> = table.rows.iter().filter_map(rival).collect();
    let least = rivals.iter().map(|(_, median)| *median).reduce(f64::min)?;
    // A microsecond and a thousand nanoseconds are not the same to the last bit.
    let best = rivals
        .into_iter()
        .filter(|(_, median)| *median < least * 1.000_001);
    Some(best.map(|(name, _)| name).collect::<Vec<_>>().join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_rival_has_the_least_median_whatever_ratios_are_rounded_to() {
        let mut table = Table::new("fib", "", &["pool", "median", "x best rival"]);
        let rows = [
            ("serial", "1.00 us", "0.50"),
            ("ours", "1.50 us", "0.75"),
            ("rayon", "2.01 us", "1.00"),
            ("chili", "2.00 us", "1.00"),
        ];
        let row =
            |(pool, median, ratio): (&str, &str, &str)| [pool, median, ratio].map(str::to_owned);
        table.rows.extend(rows.map(|told| row(told).to_vec()));
        let told = line(&table).unwrap();
        assert_eq!(told, ["fib", "1.50 us", "-", "-", "chili", "0.75"]);
        table.rows[2][1] = "2000 ns".to_owned();
        assert_eq!(best_rivals(&table).as_deref(), Some("rayon, chili"));
    }
}
