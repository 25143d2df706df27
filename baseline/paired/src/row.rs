//! What a row of a table compares, and what it must reach.

use crate::child::Run;
use crate::sides::{Side, Sides};
use suite::{factor, median, median_ratio, percentile, seconds};

/// How a figure is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// A time.
    Seconds,
    /// Something counted, or a share.
    Number,
}

impl Unit {
    /// A figure as text.
    #[must_use]
    pub fn show(self, figure: f64) -> String {
        match self {
            Self::Seconds => seconds(figure),
            Self::Number => factor(figure),
        }
    }
}

/// What a program measures beside the metric itself, to compare with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reference {
    /// Nothing.
    None,
    /// Another metric.
    Metric(&'static str),
    /// The best of the metrics whose names begin so.
    BestOf(&'static str),
}

/// What this project is to reach on two cores.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Target {
    /// Nothing: the row is for reading.
    None,
    /// At most so many times the reference.
    TimesReference(f64),
    /// At most so many times stock.
    TimesStock(f64),
    /// At least so many times stock.
    AtLeastTimesStock(f64),
    /// At most so many times the better of the reference and stock.
    TimesBetter(f64),
    /// At most so many seconds above the reference.
    AboveReference(f64),
    /// No more than this.
    AtMost(f64),
    /// No less than this.
    AtLeast(f64),
}

/// A row of a table.
#[derive(Clone, Debug)]
pub struct Row {
    /// Its metric's name.
    pub metric: &'static str,
    /// How figures are shown.
    pub unit: Unit,
    /// What the program itself compares with.
    pub reference: Reference,
    /// What is to be reached.
    pub target: Target,
    /// Whether a larger figure is the better one.
    pub more_is_better: bool,
}

impl Row {
    /// A time.
    #[must_use]
    pub fn time(metric: &'static str, reference: Reference, target: Target) -> Self {
        Self {
            metric,
            unit: Unit::Seconds,
            reference,
            target,
            more_is_better: false,
        }
    }

    /// A number.
    #[must_use]
    pub fn number(metric: &'static str, target: Target) -> Self {
        Self {
            metric,
            unit: Unit::Number,
            reference: Reference::None,
            target,
            more_is_better: false,
        }
    }

    /// A number of what is wanted: the more, the better.
    #[must_use]
    pub fn gain(metric: &'static str, target: Target) -> Self {
        Self {
            more_is_better: true,
            ..Self::number(metric, target)
        }
    }

    /// The metric that is compared with: of several, the one with the best median.
    fn reference_metric(&self, side: &Side) -> Option<String> {
        let start = match self.reference {
            Reference::None => return None,
            Reference::Metric(metric) => return Some(metric.to_owned()),
            Reference::BestOf(start) => start,
        };
        let run = side.runs.iter().flatten().next()?;
        let names = run.keys().filter(|name| name.starts_with(start));
        let best = names.min_by(|a, b| middle(side, a).total_cmp(&middle(side, b)));
        best.cloned()
    }

    /// Both sides' figures, round by round, where both have one.
    pub fn pairs(&self, sides: &Sides) -> impl Iterator<Item = (f64, f64)> {
        let of = |run: &Option<Run>| run.as_ref()?.get(self.metric).copied();
        let rounds = sides.ours.runs.iter().zip(&sides.other.runs);
        rounds.filter_map(move |(ours, other)| Some((of(ours)?, of(other)?)))
    }

    /// As it is called in a table, where the workload has so many rows.
    #[must_use]
    pub fn called(&self, workload: &str, rows: usize) -> String {
        match rows {
            1 => workload.to_owned(),
            _ => format!("{workload}: {}", self.metric),
        }
    }

    /// Draws the row's figures from the runs.
    #[must_use]
    pub fn compare(&self, sides: &Sides) -> Compared {
        let (ours, stock) = (&sides.ours, &sides.other);
        let of = |run: &Run| run.get(self.metric).copied();
        let against = |side: &Side| {
            let metric = self.reference_metric(side);
            let runs = side.runs.iter().flatten();
            let pair = |run: &Run| Some((of(run)?, *run.get(metric.as_ref()?)?));
            runs.filter_map(pair).collect::<Vec<_>>()
        };
        Compared {
            ours: ours.runs.iter().flatten().filter_map(of).collect(),
            stock: stock.runs.iter().flatten().filter_map(of).collect(),
            times_stock: median_ratio(self.pairs(sides)),
            times_reference: median_ratio(against(ours)),
            stock_times_reference: median_ratio(against(stock)),
            above_reference: {
                let pairs = against(ours).into_iter();
                median(
                    &pairs
                        .map(|(ours, reference)| ours - reference)
                        .collect::<Vec<_>>(),
                )
            },
        }
    }

    /// The row's figure that the target holds for, and whether it is met.
    #[must_use]
    pub fn verdict(&self, compared: &Compared) -> Option<bool> {
        let (figure, reached) = match self.target {
            Target::None => return None,
            Target::TimesReference(most) => {
                let figure = compared.times_reference;
                (figure, figure <= most)
            }
            Target::TimesStock(most) => (compared.times_stock, compared.times_stock <= most),
            Target::AtLeastTimesStock(least) => {
                (compared.times_stock, compared.times_stock >= least)
            }
            // The better of two is the one that the greater ratio is to.
            Target::TimesBetter(most) => {
                let figure = compared.times_stock.max(compared.times_reference);
                (figure, figure <= most)
            }
            Target::AboveReference(most) => {
                let figure = compared.above_reference;
                (figure, figure <= most)
            }
            Target::AtMost(most) => {
                let figure = median(&compared.ours);
                (figure, figure <= most)
            }
            Target::AtLeast(least) => {
                let figure = median(&compared.ours);
                (figure, figure >= least)
            }
        };
        (!figure.is_nan()).then_some(reached)
    }

    /// The target as text.
    #[must_use]
    pub fn to_reach(&self) -> String {
        match self.target {
            Target::None => "-".to_owned(),
            Target::TimesReference(most) => format!("<= {} x reference", factor(most)),
            Target::TimesStock(most) => format!("<= {} x stock", factor(most)),
            Target::AtLeastTimesStock(least) => format!(">= {} x stock", factor(least)),
            Target::TimesBetter(most) => format!("<= {} x the better", factor(most)),
            Target::AboveReference(most) => format!("<= reference + {}", seconds(most)),
            Target::AtMost(most) => format!("<= {}", self.unit.show(most)),
            Target::AtLeast(least) => format!(">= {}", self.unit.show(least)),
        }
    }
}

/// The median of a side's figures of a metric.
#[must_use]
pub fn middle(side: &Side, metric: &str) -> f64 {
    let runs = side.runs.iter().flatten();
    let figures: Vec<f64> = runs.filter_map(|run| run.get(metric).copied()).collect();
    median(&figures)
}

/// A row's figures. Those that can't be had are NaN.
#[derive(Clone, Debug)]
pub struct Compared {
    /// This project's, one a round.
    pub ours: Vec<f64>,
    /// Stock's.
    pub stock: Vec<f64>,
    /// The median of the rounds' ratios.
    pub times_stock: f64,
    /// The median of the ratios to the reference in the same run.
    pub times_reference: f64,
    /// As `times_reference`, but stock's.
    pub stock_times_reference: f64,
    /// The median of the differences to the reference in the same run.
    pub above_reference: f64,
}

impl Compared {
    /// How far to trust the median.
    #[must_use]
    pub fn range(&self, unit: Unit) -> String {
        let least = unit.show(percentile(&self.ours, 0.0));
        let most = unit.show(percentile(&self.ours, 0.9));
        format!("{least} .. {most}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn side(runs: &[&[(&str, f64)]]) -> Side {
        let run = |run: &&[(&str, f64)]| {
            let figures = run.iter();
            Some(
                figures
                    .map(|(name, figure)| ((*name).to_owned(), *figure))
                    .collect(),
            )
        };
        let mut side = Side::default();
        side.runs.extend(runs.iter().map(run));
        side
    }

    fn sides(ours: f64, stock: f64) -> Sides {
        Sides {
            ours: side(&[&[("a", ours), ("b-1", 2.0), ("b-2", 1.0)]]),
            other: side(&[&[("a", stock), ("b-1", 2.0), ("b-2", 1.0)]]),
        }
    }

    #[test]
    fn the_better_is_the_better_of_two() {
        let row = Row::time("a", Reference::BestOf("b-"), Target::TimesBetter(1.05));
        let met = |ours, stock| row.verdict(&row.compare(&sides(ours, stock)));
        assert_eq!(met(1.0, 3.0), Some(true));
        assert_eq!(met(1.0, 0.5), Some(false));
        assert_eq!(met(1.5, 3.0), Some(false));
    }

    #[test]
    fn what_is_missing_has_no_verdict() {
        let row = Row::time("c", Reference::None, Target::TimesStock(1.0));
        assert_eq!(row.verdict(&row.compare(&sides(1.0, 1.0))), None);
    }

    #[test]
    fn a_failed_round_pairs_with_nothing() {
        let row = Row::time("a", Reference::None, Target::TimesStock(1.0));
        let mut sides = sides(1.0, 2.0);
        sides.ours.runs.insert(0, None);
        sides.other.runs.push(None);
        let compared = row.compare(&sides);
        assert!(compared.times_stock.is_nan());
        assert_eq!((compared.ours.len(), compared.stock.len()), (1, 1));
    }
}
