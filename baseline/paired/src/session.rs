//! What a run says while it goes on, and keeps for a record.

use indicatif::{ProgressBar, ProgressStyle};
use std::path::Path;
use std::process::ExitCode;
use suite::{Plot, Record, RecordError, Table};

/// A run's progress bar and record.
pub struct Session {
    /// Stands below all that is printed.
    pub progress: ProgressBar,
    record: Record,
}

impl Session {
    /// A run of so many steps.
    #[must_use]
    pub fn begin(record: Record, steps: u64) -> Self {
        let progress = ProgressBar::new(steps);
        if let Ok(style) = ProgressStyle::with_template("{bar:40} {percent:>3}% {eta:>4} {msg}") {
            progress.set_style(style);
        }
        Self { progress, record }
    }

    /// Prints below what was printed, above the progress bar.
    pub fn print(&self, text: &str) {
        self.progress.suspend(|| println!("{text}"));
    }

    /// Says what holds for all tables.
    pub fn tell(&mut self, name: &'static str, value: String) {
        self.print(&format!("{name}: {value}"));
        self.record.fact(name, value);
    }

    /// Shows a table, and keeps it with its plot.
    pub fn show(&mut self, table: Table, plot: Option<Plot>) {
        self.print(&format!("\n{table}"));
        self.record.add(table, plot);
    }

    /// Ends the run. Where something of this project's has `failed`, that is said, the exit is 1
    /// and nothing is recorded; else the record is written into `records` if it is wanted.
    ///
    /// # Errors
    ///
    /// What could not be written, and why.
    pub fn end(
        &self,
        failed: &[String],
        wanted: bool,
        records: &Path,
    ) -> Result<ExitCode, RecordError> {
        if !failed.is_empty() {
            let failed = failed.join("\n- ");
            self.print(&format!("\nThese of this project's failed:\n- {failed}"));
            if wanted {
                self.print("\nNothing is recorded: mend what failed and run all again.");
            }
            return Ok(ExitCode::FAILURE);
        }
        if wanted {
            let path = self.record.write(records)?;
            self.print(&format!("\nrecorded in {}", path.display()));
        }
        Ok(ExitCode::SUCCESS)
    }
}
