//! From samples to a table.

use ours::Ours;
use suite::{Outcome, Sampled, Serial, Table, factor, percentile, seconds};

/// What the third column compares with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Reference {
    /// The serial run's time.
    Serial,
    /// The serial run's time shared by all threads, after one wake-up.
    Ideal {
        /// How many threads share it.
        threads: usize,
        /// How long a wake-up takes, in seconds.
        wake_up: f64,
    },
}

impl Reference {
    fn column(self) -> &'static str {
        match self {
            Self::Serial => "x serial",
            Self::Ideal { .. } => "x ideal",
        }
    }

    /// The median of the rounds' ratios to the reference.
    fn ratio(self, sampled: &Sampled, serial: &Sampled) -> f64 {
        let (threads, wake_up) = match self {
            Self::Serial => (1, 0.0),
            Self::Ideal { threads, wake_up } => (threads, wake_up),
        };
        sampled.ratio_by(serial, |serial| serial / threads as f64 + wake_up)
    }
}

/// What an iteration consists of, for a column of the time that one takes.
#[derive(Clone, Copy, Debug)]
pub struct Items {
    /// How many.
    pub count: u64,
    /// One of them, in a word.
    pub name: &'static str,
}

/// The rival with the smallest median.
fn best_rival(outcome: &Outcome) -> Option<&Sampled> {
    let is_rival = |sampled: &&Sampled| ![Serial::NAME, Ours::NAME].contains(&sampled.name);
    let rivals = outcome.sampled.iter().filter(is_rival);
    rivals.min_by(|a, b| a.median().total_cmp(&b.median()))
}

/// A workload's table.
#[must_use]
pub fn table(
    title: &str,
    about: &str,
    outcome: &Outcome,
    reference: Reference,
    items: Option<Items>,
) -> Table {
    let serial = outcome.of(Serial::NAME);
    let best = best_rival(outcome);
    let item = items.map(|items| format!("a {}", items.name));
    let mut columns = vec!["pool", "median"];
    columns.extend(item.as_deref());
    columns.extend(serial.map(|_| reference.column()));
    columns.extend(["x best rival", "min .. p90", "CPU s/s", "samples"]);
    let mut table = Table::new(title, about, &columns);
    for sampled in &outcome.sampled {
        let median = sampled.median();
        let mut row = vec![sampled.name.to_owned(), seconds(median)];
        row.extend(items.map(|items| seconds(median / items.count as f64)));
        row.extend(serial.map(|serial| factor(reference.ratio(sampled, serial))));
        row.push(best.map_or("-".to_owned(), |best| factor(sampled.ratio(best))));
        let least = percentile(&sampled.times, 0.0);
        let most = percentile(&sampled.times, 0.9);
        row.push(format!("{} .. {}", seconds(least), seconds(most)));
        row.push(factor(sampled.cpu));
        row.push(sampled.times.len().to_string());
        table.rows.push(row);
    }
    table
}
