//! A figure as readers see it.

use crate::tables::{Metric, Unit};
use suite::factor;

/// As readers see it.
pub fn shown(metric: &Metric, figure: f64, size: u64) -> String {
    let figure = shared(metric, figure, size);
    match metric.unit {
        Unit::Time => suite::seconds(figure),
        Unit::Number => factor(figure),
        Unit::Processors => format!("{:.0} %", figure * 100.0),
        Unit::Memory if figure < 1024.0 => format!("{figure:.1} KiB"),
        Unit::Memory => format!("{:.1} MiB", figure / 1024.0),
    }
}

/// A figure's part for one of those that a size counts.
pub fn shared(metric: &Metric, figure: f64, size: u64) -> f64 {
    figure / metric.per.map_or(1.0, |per| (per.count)(size))
}
