//! A dated file that keeps a run's tables.

use crate::machine;
use crate::plot::{Plot, PlotError};
use crate::replace::replace_file;
use crate::table::Table;
use std::fmt::Write;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;
use time::OffsetDateTime;

/// A run's tables, as they come.
#[derive(Clone, Debug, Default)]
pub struct Record {
    name: Option<&'static str>,
    facts: Vec<(&'static str, String)>,
    tables: Vec<Table>,
    plots: Vec<Plot>,
}

/// Why a record was not written.
#[derive(Debug, Error)]
pub enum RecordError {
    /// The system refused.
    #[error("can't write {path}: {source}")]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// A plot can't be drawn.
    #[error(transparent)]
    Plot(#[from] PlotError),
}

impl Record {
    /// A record that begins with what is known of the machine; `folder` is in the repository.
    #[must_use]
    pub fn new(folder: &Path) -> Self {
        let mut record = Self::default();
        record.fact("date", OffsetDateTime::now_utc().date().to_string());
        let machine = format!("{}, {} cores", machine::cpu_model(), machine::cores());
        record.fact("machine", machine);
        record.fact("rustc", machine::rustc().to_owned());
        let unknown = || "unknown".to_owned();
        record.fact("commit", machine::commit(folder).unwrap_or_else(unknown));
        record.fact("load before", machine::load().unwrap_or_else(unknown));
        record
    }

    /// Puts a name behind the date.
    #[must_use]
    pub fn named(mut self, name: &'static str) -> Self {
        self.name = Some(name);
        self
    }

    /// Adds a line to the record's head.
    pub fn fact(&mut self, name: &'static str, value: String) {
        self.facts.push((name, value));
    }

    /// Adds a table, and its plot if it has one.
    pub fn add(&mut self, table: Table, plot: Option<Plot>) {
        self.tables.push(table);
        self.plots.extend(plot);
    }

    fn text(&self, stem: &str) -> String {
        let mut text = format!("# Record {stem}\n\n");
        for (name, value) in &self.facts {
            // Writing to a string can't fail.
            let _ = writeln!(text, "- {name}: {value}");
        }
        for table in &self.tables {
            let _ = write!(text, "\n{table}");
            if let Some(plot) = self.plots.iter().find(|plot| plot.name == table.title) {
                let _ = writeln!(text, "\n![{}]({})", plot.name, plot_file(stem, plot));
            }
        }
        text
    }

    /// Writes `DATE.md`, or `DATE-NAME.md`, and the plots into `folder`; with a number at its end
    /// if that file is there already. Gives the file's path.
    ///
    /// # Errors
    ///
    /// What could not be written, and why.
    pub fn write(&self, folder: &Path) -> Result<PathBuf, RecordError> {
        let refused = |path: &Path| {
            let path = path.to_owned();
            |source| RecordError::Write { path, source }
        };
        fs::create_dir_all(folder).map_err(refused(folder))?;
        let date = OffsetDateTime::now_utc().date().to_string();
        let base = match self.name {
            Some(name) => format!("{date}-{name}"),
            None => date,
        };
        let mut stem = base.clone();
        let mut number = 1;
        while folder.join(format!("{stem}.md")).exists() {
            number += 1;
            stem = format!("{base}-{number}");
        }
        for plot in &self.plots {
            let path = folder.join(plot_file(&stem, plot));
            replace_file(&path, &plot.svg()?).map_err(refused(&path))?;
        }
        let path = folder.join(format!("{stem}.md"));
        replace_file(&path, &self.text(&stem)).map_err(refused(&path))?;
        Ok(path)
    }
}

fn plot_file(stem: &str, plot: &Plot) -> String {
    format!("{stem}-{}.svg", plot.name)
}
