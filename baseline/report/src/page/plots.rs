//! A table's plots.

use super::bars::{Bar, bars};
use super::figure::{shared, shown};
use crate::results::Measured;
use crate::tables::{Metric, Shape, Table, Unit};
use crate::who;
use suite::Plot;

/// A picture's text, and the file that the Markdown page has it in.
pub struct Drawn {
    /// The file's name.
    pub file: String,
    /// What it shows.
    pub about: String,
    /// The picture.
    pub svg: String,
}

/// The plots of a table: of what decides, and of CPU use or memory beside it.
pub fn all(table: &'static Table, measured: &Measured) -> Vec<Drawn> {
    let mut drawn = Vec::new();
    for threads in measured.thread_counts() {
        for (place, metric) in table.metrics.iter().enumerate() {
            let is_wanted = match table.shape {
                Shape::Lines => {
                    let is_shared = metric.unit == Unit::Memory && metric.per.is_some();
                    place == 0 || metric.name == "cpu" || is_shared || table.is_by_size(metric)
                }
                Shape::Bars => place == 0 || metric.name == "peak",
            };
            if is_wanted {
                drawn.extend(match table.shape {
                    Shape::Lines => lines(table, measured, metric, threads),
                    Shape::Bars => row(table, measured, metric, threads),
                });
            }
        }
    }
    drawn
}

/// What is drawn along an axis: nanoseconds, MiB, or the number itself.
fn scaled(metric: &Metric, figure: f64, size: u64) -> f64 {
    let figure = shared(metric, figure, size);
    match metric.unit {
        Unit::Time => figure * 1e9,
        Unit::Memory => figure / 1024.0,
        Unit::Number => figure,
        Unit::Processors => figure * 100.0,
    }
}

fn axis(metric: &Metric) -> String {
    let per = metric.per.map(|per| format!(" {}", per.label));
    let unit = match metric.unit {
        Unit::Time => "ns",
        Unit::Memory => "MiB",
        Unit::Number => metric.label,
        Unit::Processors => "per cent of a core",
    };
    format!("{unit}{}", per.unwrap_or_default())
}

fn name(table: &Table, metric: &Metric, threads: usize) -> String {
    let metric = metric.name;
    match threads {
        0 => format!("{}, {metric}", table.name),
        1 => format!("{}, {metric}, one thread", table.name),
        _ => format!("{}, {metric}, {threads} threads", table.name),
    }
}

fn file(table: &Table, metric: &Metric, threads: usize) -> String {
    format!("{}-{}-{threads}.svg", table.name, metric.name)
}

fn lines(
    table: &'static Table,
    measured: &Measured,
    metric: &Metric,
    threads: usize,
) -> Option<Drawn> {
    let points = |name: &str| -> Vec<(f64, f64)> {
        let sizes = measured.sizes().into_iter();
        let point = |size: u64| {
            let figure = measured.cell(name, size, threads)?.median(metric.name)?;
            (figure > 0.0).then(|| (size as f64, scaled(metric, figure, size)))
        };
        sizes.filter_map(point).collect()
    };
    let series = table.who.iter().map(|&name| (name, points(name)));
    let plot = Plot {
        name: name(table, metric, threads),
        x: table.size.to_owned(),
        y: axis(metric),
        series: series.filter(|(_, points)| !points.is_empty()).collect(),
    };
    // Nothing to draw is no error: nobody has run it.
    let svg = plot.svg().ok()?;
    Some(Drawn {
        file: file(table, metric, threads),
        about: plot.name,
        svg,
    })
}

fn row(
    table: &'static Table,
    measured: &Measured,
    metric: &Metric,
    threads: usize,
) -> Option<Drawn> {
    let size = measured.sizes().last().copied()?;
    let bar = |&name: &&str| {
        let figure = measured.cell(name, size, threads)?.median(metric.name)?;
        Some(Bar {
            name: name.to_owned(),
            length: figure,
            text: shown(metric, figure, size),
            is_marked: name == who::OURS,
        })
    };
    let all: Vec<Bar> = table.who.iter().filter_map(bar).collect();
    let about = format!("{}, {size} {}", name(table, metric, threads), table.size);
    let svg = bars(&about, &all)?;
    Some(Drawn {
        file: file(table, metric, threads),
        about,
        svg,
    })
}
