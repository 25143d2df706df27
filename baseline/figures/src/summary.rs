//! What the page shows of a record.

use crate::record::{Kind, Record};
use std::fmt::Write;
use suite::Table;

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
    let about = "Medians. The best rival is another pool, not serial code. The ideal is two cores without a wake-up.";
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

fn line(table: &Table) -> Option<Vec<String>> {
    let row = |pool: &str| {
        table
            .rows
            .iter()
            .find(|row| row.first().is_some_and(|name| name == pool))
    };
    let ours = row("ours")?;
    let cell = |row: &Vec<String>, column: &str| {
        let place = table.columns.iter().position(|name| name == column)?;
        row.get(place).cloned()
    };
    let is_best = |row: &&Vec<String>| {
        let pool = row
            .first()
            .is_some_and(|pool| pool != "ours" && pool != "serial");
        pool && cell(row, "x best rival").is_some_and(|ratio| ratio == "1.00")
    };
    let best = table.rows.iter().find(is_best);
    let or_none = |cell: Option<String>| cell.unwrap_or_else(|| "-".to_owned());
    Some(vec![
        table.title.clone(),
        cell(ours, "median")?,
        or_none(cell(ours, "x serial")),
        or_none(cell(ours, "x ideal")),
        or_none(best.and_then(|row| row.first().cloned())),
        cell(ours, "x best rival")?,
    ])
}
