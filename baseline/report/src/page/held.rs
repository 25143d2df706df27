//! Rows of records that are held to another goal than the one they were taken with.

use std::mem;
use suite::{Table, factor};

/// What a row is held to now.
struct Held {
    row: &'static str,
    /// The column of the figure that is held.
    column: &'static str,
    most: f64,
    /// Why it is missed, where it is.
    why: &'static str,
}

const HELD: [Held; 1] = [Held {
    row: "par-iter-100",
    column: "x reference",
    most: 1.1,
    why: "A hundred entities take a serial loop a tenth of a microsecond, and what is above that is \
          the call into the pool, which costs two thirds as much as they do.",
}];

/// Judges such rows by the record's own figures, and says below the table what the record said.
pub fn judge(table: &mut Table) {
    for held in &HELD {
        if let Some(note) = held.judge(table) {
            table.notes.push(note);
        }
    }
}

impl Held {
    /// None where the record's goal is the same, or the row isn't there.
    fn judge(&self, table: &mut Table) -> Option<String> {
        let place = |name: &str| table.columns.iter().position(|column| column == name);
        let (figure, goal, met) = (place(self.column)?, place("to reach")?, place("met")?);
        let is_it = |row: &&mut Vec<String>| row.first().is_some_and(|name| name == self.row);
        let row = table.rows.iter_mut().find(is_it)?;
        let figure: f64 = row.get(figure)?.parse().ok()?;
        let is_met = figure <= self.most;
        row.get_mut(met)?
            .replace_range(.., if is_met { "yes" } else { "no" });
        let held = format!("<= {} {}", factor(self.most), self.column);
        let before = mem::replace(row.get_mut(goal)?, held.clone());
        let name = self.row;
        let told = format!("{name}: when the record was taken it was to reach `{before}`.");
        (before != held).then(|| match is_met {
            true => told,
            false => format!("{told} {}", self.why),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(figure: &str, goal: &str) -> Table {
        let mut table = Table::new("", "", &["workload", "x reference", "to reach", "met"]);
        let row = ["par-iter-100", figure, goal, "yes"];
        table.rows.push(row.map(str::to_owned).to_vec());
        judge(&mut table);
        table
    }

    #[test]
    fn a_row_is_judged_by_its_own_figure_and_the_old_goal_is_told() {
        let missed = table("1.68", "<= reference + 600 ns");
        assert_eq!(missed.rows[0][2..], ["<= 1.10 x reference", "no"]);
        assert!(missed.notes[0].contains("`<= reference + 600 ns`. A hundred"));
        let met = table("1.05", "<= reference + 600 ns");
        assert_eq!(met.rows[0][3], "yes");
        assert!(met.notes[0].ends_with("600 ns`."));
    }

    #[test]
    fn a_record_with_the_same_goal_needs_no_note() {
        let same = table("1.05", "<= 1.10 x reference");
        assert!(same.notes.is_empty());
        assert_eq!(same.rows[0][2..], ["<= 1.10 x reference", "yes"]);
    }

    #[test]
    fn other_tables_stay_as_they_are() {
        let mut other = Table::new("", "", &["workload", "x stock"]);
        other
            .rows
            .push(vec!["par-iter-100".to_owned(), "1.87".to_owned()]);
        judge(&mut other);
        assert!(other.notes.is_empty());
        assert_eq!(other.rows[0], ["par-iter-100", "1.87"]);
    }
}
