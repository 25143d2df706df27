//! A table that reads well in a terminal and in a markdown file.

use std::fmt;

/// A heading, remarks and rows.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// The heading.
    pub title: String,
    /// What is measured, said under the heading.
    pub about: String,
    /// The columns' names.
    pub columns: Vec<String>,
    /// One cell a column.
    pub rows: Vec<Vec<String>>,
    /// Remarks below.
    pub notes: Vec<String>,
}

impl Table {
    /// A table without rows.
    #[must_use]
    pub fn new(title: &str, about: &str, columns: &[&str]) -> Self {
        Self {
            title: title.to_owned(),
            about: about.to_owned(),
            columns: columns.iter().map(ToString::to_string).collect(),
            ..Self::default()
        }
    }

    fn width(&self, column: usize) -> usize {
        let cells = self.rows.iter().filter_map(|row| row.get(column));
        cells
            .chain(self.columns.get(column))
            .map(|cell| cell.chars().count())
            .max()
            .unwrap_or(0)
    }

    fn write_row(&self, f: &mut fmt::Formatter<'_>, row: &[String]) -> fmt::Result {
        for (column, cell) in row.iter().enumerate() {
            let width = self.width(column);
            if column == 0 {
                write!(f, "| {cell:<width$} ")?;
            } else {
                write!(f, "| {cell:>width$} ")?;
            }
        }
        writeln!(f, "|")
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "### {}\n", self.title)?;
        if !self.about.is_empty() {
            writeln!(f, "{}\n", self.about)?;
        }
        self.write_row(f, &self.columns)?;
        for column in 0..self.columns.len() {
            let dashes = "-".repeat(self.width(column));
            let (left, right) = if column == 0 { (" ", " ") } else { (" ", ":") };
            write!(f, "|{left}{dashes}{right}")?;
        }
        writeln!(f, "|")?;
        for row in &self.rows {
            self.write_row(f, row)?;
        }
        for note in &self.notes {
            writeln!(f, "\n{note}")?;
        }
        Ok(())
    }
}

/// A time in the unit that suits it.
#[must_use]
pub fn seconds(time: f64) -> String {
    let (value, unit) = match time {
        t if t.is_nan() => return "-".to_owned(),
        t if t < 1e-6 => (t * 1e9, "ns"),
        t if t < 1e-3 => (t * 1e6, "us"),
        t if t < 1.0 => (t * 1e3, "ms"),
        t => (t, "s"),
    };
    let digits = match value {
        v if v < 10.0 => 2,
        v if v < 100.0 => 1,
        _ => 0,
    };
    format!("{value:.digits$} {unit}")
}

/// The time that [`seconds`] has shown so, as exactly as that tells it.
#[must_use]
pub fn from_seconds(shown: &str) -> Option<f64> {
    let (value, unit) = shown.split_once(' ')?;
    let unit = match unit {
        "ns" => 1e-9,
        "us" => 1e-6,
        "ms" => 1e-3,
        "s" => 1.0,
        _ => return None,
    };
    Some(value.parse::<f64>().ok()? * unit)
}

/// A ratio.
#[must_use]
pub fn factor(ratio: f64) -> String {
    match ratio {
        r if r.is_nan() => "-".to_owned(),
        r if r < 10.0 => format!("{r:.2}"),
        r if r < 100.0 => format!("{r:.1}"),
        r => format!("{r:.0}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_markdown_with_aligned_columns() {
        let mut table = Table::new("title", "", &["pool", "time"]);
        table.rows.push(vec!["ours".to_owned(), seconds(1.5e-7)]);
        let text = table.to_string();
        assert_eq!(
            text,
            "### title\n\n| pool |   time |\n| ---- | ------:|\n| ours | 150 ns |\n"
        );
    }

    #[test]
    fn times_and_ratios_keep_three_digits() {
        assert_eq!(seconds(0.0123), "12.3 ms");
        assert_eq!(seconds(2.0), "2.00 s");
        for time in [1.5e-7, 4.26e-5, 0.0123, 2.0] {
            let read = from_seconds(&seconds(time)).unwrap_or(f64::NAN);
            assert!((read / time - 1.0).abs() < 1e-9, "{time} and {read}");
        }
        assert_eq!(from_seconds("-"), None);
        assert_eq!(factor(0.5), "0.50");
        assert_eq!(factor(41.26), "41.3");
        assert_eq!(factor(f64::NAN), "-");
    }
}
