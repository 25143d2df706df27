//! The report's pages: what is on them, and how it is written.

mod bars;
mod chapter;
mod counts;
mod escaped;
mod figure;
mod figures;
mod html;
mod losses;
mod markdown;
mod notes;
mod plots;
mod records;
mod summary;
mod taken;
mod targets;

use crate::results::Results;
use chapter::Chapter;
use losses::Loss;
use plots::Drawn;
use records::Record;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use suite::{Table, replace_file};
use thiserror::Error;

/// Why there are no pages.
#[derive(Debug, Error)]
pub enum PageError {
    /// The system refused.
    #[error("can't write {path}: {source}")]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
}

/// All that is on both pages.
pub struct Report<'a> {
    results: &'a Results,
    chapters: Vec<Chapter>,
    losses: Vec<Loss>,
    records: Vec<Record>,
}

impl<'a> Report<'a> {
    /// What the results come to.
    #[must_use]
    pub fn new(results: &'a Results) -> Self {
        let chapters = chapter::all(results);
        let losses = losses::all(results);
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../records");
        Self {
            results,
            chapters,
            losses,
            records: records::all(&folder),
        }
    }

    /// All figures, a table for each number of threads and each metric that has one.
    pub fn figures(&self) -> impl Iterator<Item = &Table> {
        self.chapters.iter().flat_map(|chapter| &chapter.figures)
    }

    /// The page as one file, with its plots in it.
    #[must_use]
    pub fn html(&self) -> String {
        html::page(self)
    }

    /// Writes `index.html`, `README.md` and the plots of the latter into `folder`.
    ///
    /// # Errors
    ///
    /// What could not be written, and why.
    pub fn write(&self, folder: &Path) -> Result<(), PageError> {
        let write = |path: PathBuf, text: String| {
            replace_file(&path, &text).map_err(|source| PageError::Write { path, source })
        };
        let plots = folder.join("plots");
        fs::create_dir_all(&plots).map_err(|source| PageError::Write {
            path: plots.clone(),
            source,
        })?;
        for plot in self.plots() {
            write(plots.join(&plot.file), plot.svg.clone())?;
        }
        write(folder.join("README.md"), markdown::page(self))?;
        write(folder.join("index.html"), self.html())
    }

    fn plots(&self) -> impl Iterator<Item = &Drawn> {
        let own = self.chapters.iter().flat_map(|chapter| &chapter.plots);
        own.chain(self.records.iter().flat_map(|record| &record.plots))
    }

    /// Where the report is from, in a few lines.
    fn facts(&self) -> Vec<String> {
        let mut facts = Vec::new();
        let mut add = |fact: String| {
            if !facts.contains(&fact) {
                facts.push(fact);
            }
        };
        for table in &self.results.tables {
            let taken = &table.taken;
            add(format!("machine: {}", taken.machine));
            add(format!("compiler: {}", taken.rustc));
        }
        facts.extend(taken::told(self.results));
        facts
    }

    /// What a reader must know before all else.
    fn warnings(&self) -> Vec<String> {
        let tables = &self.results.tables;
        let quick = tables.iter().filter(|table| table.taken.quick).count();
        let mut warnings = Vec::new();
        if quick > 0 {
            warnings.push(format!(
                "{quick} of {} tables are from a quick run: small sizes, few rounds. Run `cargo make-report` on a machine \
                 that does nothing else for figures to quote.",
                tables.len()
            ));
        }
        let busy = tables.iter().filter(|table| table.taken.is_busy).count();
        if busy > 0 {
            warnings.push(format!(
                "{busy} of {} tables were taken while other programs had a part of the machine (what ran at once \
                 stands below each): they show that every answer is right, and not who is ahead.",
                tables.len()
            ));
        }
        warnings
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::who::OURS;

    #[test]
    fn a_page_needs_nothing_from_elsewhere_and_has_a_plot() {
        let results = losses::tests::results(&[(OURS, 1.0), ("chili", 2.0)]);
        let html = Report::new(&results).html();
        assert!(html.contains("<svg") && html.contains("id=\"fib\""));
        for from_elsewhere in ["src=", "<link", "@import", "url(\"http"] {
            assert!(!html.contains(from_elsewhere), "{from_elsewhere}");
        }
    }
}
