//! What stands before all chapters: what was lost and reached, who is missing, and the versions.

use super::{Report, counts, losses, targets};
use crate::who::{self, Kind};
use suite::Table;

/// A heading, and what is below it.
pub struct Part {
    /// The heading.
    pub title: String,
    /// Tables, each below a text that may be empty.
    pub tables: Vec<(&'static str, Table)>,
}

const LOST: &str = "A row is decided by its table's first metric: it is lost where the median of its rounds' ratios to the \
best rival is above 1.00. The best rival is the one with the least median.";

const LOST_BY_OTHERS: &str = "By the other metrics so many rows were lost, each beside the rival that is the best by that \
metric, whoever is ahead by the first. A rival that has fewer processors run counts as better there though it ends later.";

const FOUND_LAST: &str = "As they were found last. What was another one when a table was taken \
stands below its figures, except for the tables of November 2026, which kept no versions.";

/// All parts, in order.
pub fn parts(report: &Report<'_>) -> [Part; 4] {
    let (lost, rows) = (report.losses.len(), losses::rows(report.results));
    let part = |title: &str, about, table| Part {
        title: title.to_owned(),
        tables: vec![(about, table)],
    };
    [
        Part {
            title: format!("What was lost: {lost} of {rows} rows"),
            tables: vec![
                (LOST, losses::table(&report.losses)),
                (LOST_BY_OTHERS, counts::table(report.results)),
            ],
        },
        part("What was to be reached", "", targets::table(report.results)),
        part("Who is missing", "", missing(report)),
        part("Versions", FOUND_LAST, versions(report)),
    ]
}

fn versions(report: &Report<'_>) -> Table {
    let mut table = Table::new("", "", &["contender", "version"]);
    let is_program = |name: &str| {
        let kind = who::contender(name).map(|contender| contender.kind);
        !matches!(kind, Some(Kind::Callbacks | Kind::Transfers))
    };
    for (name, version) in &report.results.versions {
        if is_program(name) {
            table.rows.push(vec![name.clone(), version.clone()]);
        }
    }
    table
}

fn missing(report: &Report<'_>) -> Table {
    let mut table = Table::new("", "", &["missing", "why", "how to get it"]);
    for missing in &report.results.missing {
        let row = [&missing.name, &missing.why, &missing.get];
        table.rows.push(row.map(Clone::clone).to_vec());
    }
    table
}
