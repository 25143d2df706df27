//! The tables that other comparisons have measured: a program on the stock crate and on this one.

use super::bars::{Bar, bars};
use super::held;
use super::plots::Drawn;
use std::fs;
use std::path::Path;
use suite::Table;

/// What is taken of which records.
const WANTED: [(&str, &str, &str, &[&str]); 2] = [
    (
        "rayon",
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
        "engine",
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
    let newest = |(kind, title, about, wanted): (&'static str, _, &str, &[&str])| {
        let stem = newest(folder, kind)?;
        let text = fs::read_to_string(folder.join(format!("{stem}.md"))).ok()?;
        let mut tables = tables(&text);
        tables.retain(|table| wanted.is_empty() || wanted.contains(&table.title.as_str()));
        tables.iter_mut().for_each(held::judge);
        let plots = tables.iter().filter_map(|table| plot(kind, table));
        Some(Record {
            kind,
            title,
            about: format!("{about} From the record `baseline/records/{stem}.md`."),
            facts: facts(&text),
            plots: plots.collect(),
            tables,
        })
    };
    WANTED.into_iter().filter_map(newest).collect()
}

/// `DATE-KIND` or `DATE-KIND-N`: the one of the last date, and of those the one of the largest
/// number.
fn newest(folder: &Path, kind: &str) -> Option<String> {
    let stems = fs::read_dir(folder).ok()?.filter_map(|entry| {
        let name = entry.ok()?.file_name().into_string().ok()?;
        let stem = name.strip_suffix(".md")?.to_owned();
        let (date, rest) = stem.split_once(&format!("-{kind}"))?;
        let number = match rest {
            "" => 1,
            _ => rest.strip_prefix('-')?.parse::<u32>().ok()?,
        };
        Some((date.to_owned(), number, stem))
    });
    stems.max().map(|(_, _, stem)| stem)
}

/// The list at a record's head: its date, machine, versions, commit and more.
fn facts(text: &str) -> Vec<String> {
    let head = text.lines().take_while(|line| !line.starts_with("###"));
    let facts = head.filter_map(|line| line.strip_prefix("- "));
    facts.map(str::to_owned).collect()
}

/// Every table of a record's text.
fn tables(text: &str) -> Vec<Table> {
    let mut tables: Vec<Table> = Vec::new();
    for line in text.lines() {
        if let Some(title) = line.strip_prefix("### ") {
            tables.push(Table::new(title, "", &[]));
            continue;
        }
        let Some(table) = tables.last_mut() else {
            continue;
        };
        match line.strip_prefix('|').and_then(|row| row.strip_suffix('|')) {
            Some(row) if row.trim_start().starts_with("--") => {}
            Some(row) => {
                let cells: Vec<String> =
                    row.split('|').map(|cell| cell.trim().to_owned()).collect();
                if table.columns.is_empty() {
                    table.columns = cells;
                } else {
                    table.rows.push(cells);
                }
            }
            None if table.about.is_empty() => table.about = line.to_owned(),
            None => {}
        }
    }
    tables
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
    fn a_records_tables_are_read() {
        let text = "# Record\n\n- date: today\n\n### sorts\n\nTwo of them.\n\n| workload | x stock |\n\
                    | --- | ---:|\n| merge | 0.50 |\n| quick | 1.20 |\n";
        assert_eq!(facts(text), ["date: today"]);
        let tables = tables(text);
        assert_eq!(tables.len(), 1);
        assert_eq!(tables[0].about, "Two of them.");
        assert_eq!(tables[0].rows[1], ["quick", "1.20"]);
        let plot = plot("rayon", &tables[0]);
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
