//! A record, read back from its file.

use crate::table::Table;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// What a record compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The engine on its own pools.
    Engine,
    /// rayon on its own core.
    Rayon,
    /// Other pools, in one process.
    Pools,
    /// The same with more threads than cores.
    Scaling,
}

impl Kind {
    /// All there are.
    pub const ALL: [Self; 4] = [Self::Engine, Self::Rayon, Self::Pools, Self::Scaling];

    /// What its files have behind the date, and the page's marks have in them.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Engine => "engine",
            Self::Rayon => "rayon",
            Self::Pools => "pools",
            Self::Scaling => "scaling",
        }
    }
}

/// Why there is no record to read.
#[derive(Debug, Error)]
pub enum RecordedError {
    /// The system refused.
    #[error("can't read {path}: {source}")]
    Read {
        /// The file or folder.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// Nobody has made one.
    #[error("there is no record of {kind} in {folder}: --record makes one")]
    None {
        /// The kind's name.
        kind: &'static str,
        /// Where it was looked for.
        folder: PathBuf,
    },
}

/// A record's head and tables.
#[derive(Clone, Debug)]
pub struct Record {
    /// Its file's name without the ending.
    pub stem: String,
    /// What its head says, by name.
    pub facts: Vec<(String, String)>,
    /// Its tables.
    pub tables: Vec<Table>,
    /// Links to plots, as they stand in the file.
    pub plots: Vec<String>,
}

impl Record {
    /// What the head says of `name`.
    #[must_use]
    pub fn fact(&self, name: &str) -> Option<&str> {
        let found = self.facts.iter().find(|(fact, _)| fact == name);
        found.map(|(_, value)| value.as_str())
    }
}

/// Of which kind the record in the file `stem` is, its date, and its number on that day.
fn place(stem: &str) -> Option<(Kind, &str, u32)> {
    let (date, rest) = stem.split_at_checked("2000-01-01".len())?;
    let mut parts = rest.split('-').filter(|part| !part.is_empty()).peekable();
    let named = |part: &&str| Kind::ALL.into_iter().find(|kind| kind.name() == *part);
    let kind = match parts.peek().and_then(named) {
        Some(kind) => {
            parts.next();
            kind
        }
        None => Kind::Pools,
    };
    let number = parts.next().map_or(Ok(1), str::parse).ok()?;
    parts.next().is_none().then_some((kind, date, number))
}

/// The newest record of `kind` in `folder`.
///
/// # Errors
///
/// When there is none, or it can't be read.
pub fn newest(folder: &Path, kind: Kind) -> Result<Record, RecordedError> {
    let refused = |path: &Path| {
        let path = path.to_owned();
        |source| RecordedError::Read { path, source }
    };
    let mut best = None;
    for file in fs::read_dir(folder).map_err(refused(folder))? {
        let name = file.map_err(refused(folder))?.file_name();
        let name = name.to_string_lossy();
        if let Some(stem) = name.strip_suffix(".md")
            && let Some((of, date, number)) = place(stem)
            && of == kind
        {
            best = best.max(Some((date.to_owned(), number, stem.to_owned())));
        }
    }
    let none = || RecordedError::None {
        kind: kind.name(),
        folder: folder.to_owned(),
    };
    let (.., stem) = best.ok_or_else(none)?;
    let path = folder.join(format!("{stem}.md"));
    let text = fs::read_to_string(&path).map_err(refused(&path))?;
    Ok(parse(stem, &text))
}

fn parse(stem: String, text: &str) -> Record {
    let (mut facts, mut tables, mut plots) = (Vec::new(), Vec::<Table>::new(), Vec::new());
    for line in text.lines().filter(|line| !line.is_empty()) {
        match (line.strip_prefix("### "), tables.last_mut()) {
            (Some(title), _) => tables.push(Table::new(title, "", &[])),
            (None, None) => {
                let fact = line
                    .strip_prefix("- ")
                    .and_then(|fact| fact.split_once(": "));
                facts.extend(fact.map(|(name, value)| (name.to_owned(), value.to_owned())));
            }
            (None, Some(table)) if line.starts_with('|') => add_row(table, line),
            (None, Some(_)) if line.starts_with("![") => plots.push(line.to_owned()),
            (None, Some(table)) if table.columns.is_empty() => line.clone_into(&mut table.about),
            (None, Some(table)) => table.notes.push(line.to_owned()),
        }
    }
    Record {
        stem,
        facts,
        tables,
        plots,
    }
}

fn add_row(table: &mut Table, line: &str) {
    let cells = line
        .trim_matches('|')
        .split('|')
        .map(|cell| cell.trim().to_owned());
    if table.columns.is_empty() {
        table.columns = cells.collect();
    } else if !line.starts_with("|-") && !line.starts_with("| -") {
        table.rows.push(cells.collect());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_told_apart_and_ordered() {
        assert_eq!(place("2026-11-22"), Some((Kind::Pools, "2026-11-22", 1)));
        assert_eq!(
            place("2026-11-22-12"),
            Some((Kind::Pools, "2026-11-22", 12))
        );
        assert_eq!(
            place("2026-11-22-rayon-3"),
            Some((Kind::Rayon, "2026-11-22", 3))
        );
        assert_eq!(place("2026-11-22-scaling-tree"), None);
        assert_eq!(place("notes"), None);
    }

    #[test]
    fn what_was_written_is_read() {
        let mut table = Table::new("title", "About it.", &["pool", "time"]);
        table.rows.push(vec!["ours".to_owned(), "-".to_owned()]);
        let text = format!("# Record x\n\n- date: today\n\n{table}\nA note.\n");
        let record = parse("x".to_owned(), &text);
        assert_eq!(record.fact("date"), Some("today"));
        let read = &record.tables[0];
        assert_eq!((&read.title, &read.about), (&table.title, &table.about));
        assert_eq!((&read.columns, &read.rows), (&table.columns, &table.rows));
        assert_eq!(read.notes, ["A note."]);
    }
}
