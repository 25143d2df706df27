//! What one commit's rows take beside another's, and whether that is too much.

use crate::family::Family;
use crate::report::failures;
use crate::row::Row;
use crate::sides::Sides;
use suite::{Table, factor, median, percentile};

/// What a row may take, times what it took.
pub const ROW: f64 = 1.07;

/// What a family's rows may take on average, times what they took.
pub const FAMILY: f64 = 1.02;

const COLUMNS: [&str; 7] = [
    "workload",
    "now",
    "then",
    "x then",
    "min .. max",
    "held",
    "rounds",
];

/// A family's table, and what in it is too much.
pub struct Verdict {
    /// A line a row.
    pub table: Table,
    /// What did not hold, a line each.
    pub broken: Vec<String>,
}

/// What a round takes, times what it took then. Where more is better, half as much is twice.
fn times(row: &Row, (now, then): (f64, f64)) -> f64 {
    // Two noughts too.
    if now == then {
        1.0
    } else if row.more_is_better {
        then / now
    } else {
        now / then
    }
}

/// The mean that half and twice cancel out in. Of none it is NaN.
fn geometric_mean(ratios: &[f64]) -> f64 {
    let sum: f64 = ratios.iter().map(|ratio| ratio.ln()).sum();
    (sum / ratios.len() as f64).exp()
}

fn held(holds: bool) -> String {
    if holds { "yes" } else { "no" }.to_owned()
}

impl Verdict {
    /// Of a family whose workloads have these runs.
    #[must_use]
    pub fn of(family: &Family, all: &[Sides]) -> Self {
        let mut verdict = Self {
            table: Table::new(family.name, family.about, &COLUMNS),
            broken: Vec::new(),
        };
        let mut ratios = Vec::new();
        for (workload, sides) in family.workloads.iter().zip(all) {
            for row in &workload.rows {
                let name = row.called(&workload.name, workload.rows.len());
                ratios.push(verdict.add(name, row, sides));
            }
            verdict.broken.extend_from_slice(&sides.ours.failures);
            let notes = failures([("now", &sides.ours), ("then", &sides.other)]);
            verdict.table.notes.extend(notes);
        }
        verdict.close(family.name, &ratios);
        verdict
    }

    /// Adds a row and gives its ratio.
    fn add(&mut self, name: String, row: &Row, sides: &Sides) -> f64 {
        let pairs: Vec<_> = row.pairs(sides).collect();
        let ratios: Vec<f64> = pairs.iter().map(|pair| times(row, *pair)).collect();
        let ratio = median(&ratios);
        // Nothing is not enough: a row without a figure is one that can't be run.
        let holds = ratio <= ROW;
        if !holds {
            self.broken.push(match ratios.len() {
                0 => format!("{name}: no round has both figures"),
                _ => format!("{name}: x {} (at most {ROW})", factor(ratio)),
            });
        }
        let middle = |side: fn(&(f64, f64)) -> f64| {
            row.unit
                .show(median(&pairs.iter().map(side).collect::<Vec<_>>()))
        };
        let (least, most) = (percentile(&ratios, 0.0), percentile(&ratios, 1.0));
        self.table.rows.push(vec![
            name,
            middle(|pair| pair.0),
            middle(|pair| pair.1),
            factor(ratio),
            format!("{} .. {}", factor(least), factor(most)),
            held(holds),
            ratios.len().to_string(),
        ]);
        ratio
    }

    /// Adds the family's mean.
    fn close(&mut self, family: &str, ratios: &[f64]) {
        let is_usual = |ratio: &f64| ratio.is_finite() && *ratio > 0.0;
        let usual: Vec<f64> = ratios.iter().copied().filter(is_usual).collect();
        let (mean, left_out) = (geometric_mean(&usual), ratios.len() - usual.len());
        let rows = usual.len();
        let mut note = format!("Geometric mean of {rows} row(s): {mean:.3} (at most {FAMILY}).");
        if left_out > 0 {
            note += &format!(" Not in it: {left_out} row(s) with nought or nothing on one side.");
        }
        self.table.notes.push(note);
        if mean > FAMILY {
            self.broken.push(format!(
                "{family}, on average: x {mean:.3} (at most {FAMILY})"
            ));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::child::Run;
    use crate::family::workload;
    use crate::row::{Reference, Target};
    use crate::sides::Side;

    fn side(figures: &[Option<f64>]) -> Side {
        let run = |figure: &Option<f64>| figure.map(|figure| Run::from([("m".to_owned(), figure)]));
        let mut side = Side::default();
        side.runs.extend(figures.iter().map(run));
        side
    }

    fn sides(now: &[Option<f64>], then: &[Option<f64>]) -> Sides {
        Sides {
            ours: side(now),
            other: side(then),
        }
    }

    /// A family of times that are so many times what they were.
    fn judge(target: Target, rows: &[(f64, f64)]) -> Verdict {
        judge_row(&Row::time("m", Reference::None, target), rows)
    }

    fn judge_row(row: &Row, rows: &[(f64, f64)]) -> Verdict {
        let of = |_| workload("w", [row.clone()]);
        let family = Family {
            name: "family",
            about: "",
            workloads: rows.iter().map(of).collect(),
        };
        let runs = rows
            .iter()
            .map(|(now, then)| sides(&[Some(*now)], &[Some(*then)]));
        Verdict::of(&family, &runs.collect::<Vec<_>>())
    }

    #[test]
    fn a_row_is_the_median_of_its_rounds_ratios() {
        let row = Row::time("m", Reference::None, Target::None);
        let (now, then) = ([2.0, 30.0, 4.0, 9.0], [1.0, 10.0, 4.0, 9.0]);
        let mut sides = sides(&now.map(Some), &then.map(Some));
        sides.other.runs[3] = None;
        let mut verdict = judge(Target::None, &[]);
        // 2, 3 and 1; the fourth round has one side only.
        assert_eq!(verdict.add("w".to_owned(), &row, &sides), 2.0);
        assert_eq!(verdict.broken, ["w: x 2.00 (at most 1.07)"]);
        assert_eq!(
            verdict.table.rows[0][3..],
            ["2.00", "1.00 .. 3.00", "no", "3"]
        );
    }

    #[test]
    fn a_row_over_the_limit_is_named_and_one_below_is_not() {
        assert!(
            judge(Target::None, &[(1.065, 1.0), (0.9, 1.0)])
                .broken
                .is_empty()
        );
        let broken = judge(Target::None, &[(1.08, 1.0), (0.5, 1.0)]).broken;
        assert_eq!(broken, ["w: x 1.08 (at most 1.07)"]);
    }

    #[test]
    fn a_family_is_judged_by_the_geometric_mean() {
        // The arithmetic one would be 1.25.
        let verdict = judge(Target::None, &[(2.0, 1.0), (1.0, 2.0)]);
        assert!(verdict.table.notes[0].contains("2 row(s): 1.000"));
        let broken = judge(Target::None, &[(1.03, 1.0), (1.05, 1.0)]).broken;
        assert_eq!(broken, ["family, on average: x 1.040 (at most 1.02)"]);
    }

    #[test]
    fn where_more_is_better_less_is_worse() {
        let row = Row::gain("m", Target::None);
        assert!(judge_row(&row, &[(2.0, 1.0)]).broken.is_empty());
        assert_eq!(judge_row(&row, &[(1.0, 2.0)]).broken.len(), 2);
    }

    #[test]
    fn nought_beside_nought_is_the_same_and_something_beside_nought_is_not() {
        let nought = Target::AtMost(0.0);
        let verdict = judge(nought, &[(0.0, 0.0)]);
        assert!(verdict.broken.is_empty() && verdict.table.notes[0].contains("1.000"));
        assert_eq!(judge(nought, &[(1.0, 0.0), (1.0, 1.0)]).broken.len(), 1);
        let verdict = judge(nought, &[(0.0, 1.0), (1.0, 1.0)]);
        assert!(verdict.broken.is_empty());
        assert!(verdict.table.notes[0].contains("Not in it: 1 row(s)"));
    }

    #[test]
    fn a_row_without_figures_and_a_run_that_fails_do_not_hold() {
        let mut verdict = judge(Target::None, &[]);
        let row = Row::time("m", Reference::None, Target::None);
        verdict.add("w".to_owned(), &row, &sides(&[None], &[Some(1.0)]));
        assert_eq!(verdict.broken, ["w: no round has both figures"]);

        let family = Family {
            name: "family",
            about: "",
            workloads: vec![workload("w", [row])],
        };
        let mut runs = sides(&[Some(1.0)], &[Some(1.0)]);
        runs.other.failures.push("w, round 2: hung".to_owned());
        assert!(Verdict::of(&family, &[runs]).broken.is_empty());
        let mut runs = sides(&[Some(1.0)], &[Some(1.0)]);
        runs.ours.failures.push("w, round 2: hung".to_owned());
        assert_eq!(Verdict::of(&family, &[runs]).broken, ["w, round 2: hung"]);
    }
}
