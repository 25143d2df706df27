//! When the tables were taken, and of which commits.

use crate::results::Results;

/// Every day and commit with the number of its tables, in the order in which they were taken.
pub fn told(results: &Results) -> Option<String> {
    let mut times: Vec<(String, usize)> = Vec::new();
    for table in &results.tables {
        let (date, commit) = (&table.taken.date, &table.taken.commit);
        let time = format!("{date} of commit {}", commit.replace(", with", " with"));
        match times.iter_mut().find(|(known, _)| *known == time) {
            Some((_, tables)) => *tables += 1,
            None => times.push((time, 1)),
        }
    }
    let told = times.iter().map(|(time, tables)| match tables {
        1 => format!("{time} (1 table)"),
        _ => format!("{time} ({tables} tables)"),
    });
    let told: Vec<String> = told.collect();
    let told = told.join("; ");
    (!told.is_empty()).then(|| {
        format!(
            "taken: {told}. A table tells of the code of its commit, which may have changed since"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::{Measured, Taken};

    #[test]
    fn each_commit_is_told_once() {
        let mut results = Results::default();
        for (table, commit) in [
            ("fib", "a1"),
            ("skynet", "a1"),
            ("tree", "a1, with changes"),
        ] {
            let taken = Taken {
                date: "2026-11-25".to_owned(),
                commit: commit.to_owned(),
                ..Taken::default()
            };
            results.put(Measured {
                table: table.to_owned(),
                taken,
                ..Measured::default()
            });
        }
        let told = told(&results).unwrap_or_default();
        let start = "taken: 2026-11-25 of commit a1 (2 tables); 2026-11-25 of commit a1 with changes (1 table). ";
        assert!(told.starts_with(start), "{told}");
    }

    #[test]
    fn nothing_taken_is_nothing_told() {
        assert_eq!(told(&Results::default()), None);
    }
}
