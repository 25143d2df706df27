//! One line a pool, on logarithmic axes.

use plotters::prelude::*;
use std::error::Error;
use std::ops::Range;
use thiserror::Error;

const SIZE: (u32, u32) = (820, 480);

/// What a plot shows.
#[derive(Clone, Debug, Default)]
pub struct Plot {
    /// The table that it belongs to.
    pub name: String,
    /// What lies along the bottom.
    pub x: String,
    /// What lies along the side.
    pub y: String,
    /// Each pool's name and points.
    pub series: Vec<(&'static str, Vec<(f64, f64)>)>,
}

/// A plot can't be drawn.
#[derive(Debug, Error)]
#[error("can't draw the plot {name}: {reason}")]
pub struct PlotError {
    name: String,
    reason: String,
}

impl Plot {
    /// The plot as a picture file's text.
    ///
    /// # Errors
    ///
    /// When there is nothing to draw.
    pub fn svg(&self) -> Result<String, PlotError> {
        let mut svg = String::new();
        match self.draw(&mut svg) {
            Ok(()) => Ok(svg),
            Err(reason) => Err(PlotError {
                name: self.name.clone(),
                reason: reason.to_string(),
            }),
        }
    }

    fn range(&self, value: impl Fn(&(f64, f64)) -> f64) -> Result<Range<f64>, Box<dyn Error>> {
        let values = self.series.iter().flat_map(|(_, points)| points).map(value);
        let (least, most) = values.fold((f64::INFINITY, 0.0_f64), |(least, most), value| {
            (least.min(value), most.max(value))
        });
        if least > 0.0 && least.is_finite() {
            Ok(least * 0.9..most * 1.1)
        } else {
            Err("it has no points, or some that a logarithm can't show".into())
        }
    }

    fn draw(&self, svg: &mut String) -> Result<(), Box<dyn Error + '_>> {
        let (x, y) = (self.range(|point| point.0)?, self.range(|point| point.1)?);
        let area = SVGBackend::with_string(svg, SIZE).into_drawing_area();
        area.fill(&WHITE)?;
        let mut chart = ChartBuilder::on(&area)
            .caption(&self.name, ("sans-serif", 18))
            .margin(12)
            .x_label_area_size(42)
            .y_label_area_size(70)
            .build_cartesian_2d(x.log_scale(), y.log_scale())?;
        chart
            .configure_mesh()
            .max_light_lines(0)
            .x_desc(&self.x)
            .y_desc(&self.y)
            .draw()?;
        for (index, (name, points)) in self.series.iter().enumerate() {
            let colour = Palette99::pick(index).to_rgba();
            let line =
                LineSeries::new(points.iter().copied(), colour.stroke_width(2)).point_size(3);
            chart.draw_series(line)?.label(*name).legend(move |(x, y)| {
                PathElement::new([(x, y), (x + 18, y)], colour.stroke_width(2))
            });
        }
        chart
            .configure_series_labels()
            .background_style(WHITE.mix(0.8))
            .border_style(BLACK)
            .draw()?;
        area.present()?;
        Ok(())
    }
}
