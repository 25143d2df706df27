//! The tables that other comparisons have measured: a program on the stock crate and on this one.

use super::bars::{Bar, bars};
use super::plots::Drawn;
use std::path::Path;
use suite::Table;
use suite::recorded::{Kind, newest};

/// What is taken of which records.
const WANTED: [(Kind, &str, &str, &[&str]); 2] = [
    (
        Kind::Rayon,
        "rayon's demonstrations, on stock rayon-core and on this project's",
        "`cargo compare-rayon` measures these, which are the programs of rayon's own demo written anew, and a few more: \
         sorts, recursions, iterators, searches, joins around next to nothing, what is collected into maps, lists and \
         vectors, loops in loops, words, trees, the game of life by a plain and a bridged iterator, and by frames with \
         its CPU use, and a pool that has hardly any work. The demo's sorts of strings and of what is sorted \
         already are left out. The record has those programs that there were when it was taken. \
         chili, forte and bevy_tasks are not among the contenders: the programs are written against rayon's iterators \
         and functions, and run on what implements rayon-core's interface. None of the three does, and for chili and \
         bevy_tasks nothing is known that does it on top of them. For forte there is the crate forte-rayon-compat, \
         whose only version, 1.12.0, was written for an earlier forte: it does not compile with 1.0.0-beta.2, which is \
         measured in the other chapters. Nor would rayon 1.12 take it, which asks for a rayon-core of 1.13, and its \
         thread pools, with which every second of these programs starts, are types without a function.",
        &[],
    ),
    (
        Kind::Engine,
        "Bevy's iteration, on stock bevy_tasks and on this project",
        "`cargo compare-engine` measures these, each by a program of the whole engine.",
        &[
            "par_iter_mut",
            "default batches and tuned ones",
            "entities by components",
        ],
    ),
];

/// A record, as far as it is shown.
pub struct Record {
    /// Which program's it is.
    pub kind: &'static str,
    /// What it shows.
    pub title: &'static str,
    /// Who measures it.
    pub about: String,
    /// When it was taken, where, and of what.
    pub facts: Vec<String>,
    /// Its tables.
    pub tables: Vec<Table>,
    /// A plot for each table that has ratios.
    pub plots: Vec<Drawn>,
}

/// The newest record of each kind that is in `folder`.
pub fn all(folder: &Path) -> Vec<Record> {
    let newest = |(kind, title, about, wanted): (Kind, _, &str, &[&str])| {
        let recorded = newest(folder, kind).ok()?;
        let (kind, stem) = (kind.name(), recorded.stem);
        let mut tables = recorded.tables;
        tables.retain(|table| wanted.is_empty() || wanted.contains(&table.title.as_str()));
        let plots = tables.iter().filter_map(|table| plot(kind, table));
        let facts = recorded.facts.iter();
        Some(Record {
            kind,
            title,
            about: format!("{about} From the record `baseline/records/{stem}.md`."),
            facts: facts
                .map(|(name, fact)| format!("{name}: {fact}"))
                .collect(),
            plots: plots.collect(),
            tables,
        })
    };
    WANTED.into_iter().filter_map(newest).collect()
}

fn plot(kind: &str, table: &Table) -> Option<Drawn> {
    let column = table.columns.iter().position(|name| name == "x stock")?;
    let bar = |row: &Vec<String>| {
        let text = row.get(column)?;
        let length: f64 = text.parse().ok()?;
        Some(Bar {
            name: row.first()?.clone(),
            length,
            text: text.clone(),
            is_marked: length <= 1.0,
        })
    };
    let all: Vec<Bar> = table.rows.iter().filter_map(bar).collect();
    let about = format!("{}: times stock's time", table.title);
    let svg = bars(&about, &all)?;
    let name = table
        .title
        .replace(|c: char| !c.is_ascii_alphanumeric(), "-");
    Some(Drawn {
        file: format!("record-{kind}-{name}.svg"),
        about,
        svg,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_with_ratios_has_a_plot() {
        let mut table = Table::new("sorts", "", &["workload", "x stock"]);
        table.rows.extend(
            [["merge", "0.50"], ["quick", "1.20"]].map(|row| row.map(str::to_owned).to_vec()),
        );
        let plot = plot("rayon", &table);
        assert!(plot.is_some_and(|plot| plot.svg.contains("merge") && plot.svg.contains("1.20")));
    }

    #[test]
    fn there_are_records_of_both_kinds() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../records");
        let records = all(&folder);
        assert_eq!(records.len(), WANTED.len());
        for record in records {
            assert!(!record.tables.is_empty(), "{}", record.title);
            assert!(!record.plots.is_empty(), "{}", record.title);
            for fact in ["date: ", "machine: ", "rustc: ", "commit: "] {
                let is_told = |told: &String| told.starts_with(fact);
                assert!(record.facts.iter().any(is_told), "{}: {fact}", record.title);
            }
        }
    }
}
