//! One bar a contender.

use super::escaped::escaped;
use std::fmt::Write;

const WIDTH: f64 = 820.0;
const ROW: f64 = 24.0;
const LEFT: f64 = 190.0;
const RIGHT: f64 = 120.0;
const TOP: f64 = 40.0;

/// A contender's figure.
pub struct Bar {
    /// Its name.
    pub name: String,
    /// The figure.
    pub length: f64,
    /// The figure, as readers see it.
    pub text: String,
    /// Whether it stands out.
    pub is_marked: bool,
}

/// A picture's text: bars that begin at zero, the shortest on top. Nothing where there are none.
///
/// One that is much longer than all others is cut, and drawn open at its end.
pub fn bars(title: &str, bars: &[Bar]) -> Option<String> {
    let mut sorted: Vec<&Bar> = bars.iter().filter(|bar| bar.length > 0.0).collect();
    sorted.sort_by(|a, b| a.length.total_cmp(&b.length));
    let shortest = sorted.first()?.length;
    let longest = sorted.last()?.length.min(shortest * 20.0);
    let height = TOP + ROW * sorted.len() as f64 + 12.0;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{height}\" \
         viewBox=\"0 0 {WIDTH} {height}\" font-family=\"sans-serif\" font-size=\"13\">\n\
         <rect width=\"{WIDTH}\" height=\"{height}\" fill=\"#ffffff\"/>\n\
         <text x=\"{}\" y=\"24\" text-anchor=\"middle\" font-size=\"18\">{}</text>\n",
        WIDTH / 2.0,
        escaped(title)
    );
    for (place, bar) in sorted.into_iter().enumerate() {
        let top = TOP + ROW * place as f64;
        let is_cut = bar.length > longest;
        let width = (WIDTH - LEFT - RIGHT) * (bar.length / longest).min(1.0);
        let colour = if bar.is_marked { "#d1495b" } else { "#8d99ae" };
        let weight = if bar.is_marked { "bold" } else { "normal" };
        // Writing to a string can't fail.
        let _ = writeln!(
            svg,
            "<text x=\"{}\" y=\"{}\" text-anchor=\"end\" font-weight=\"{weight}\">{}</text>\
             <rect x=\"{LEFT}\" y=\"{}\" width=\"{width:.1}\" height=\"{}\" fill=\"{colour}\"/>\
             <text x=\"{:.1}\" y=\"{}\" font-weight=\"{weight}\">{}{}</text>",
            LEFT - 8.0,
            top + 16.0,
            escaped(&bar.name),
            top + 3.0,
            ROW - 6.0,
            LEFT + width + 6.0,
            top + 16.0,
            if is_cut { "≫ " } else { "" },
            escaped(&bar.text),
        );
    }
    svg.push_str("</svg>\n");
    Some(svg)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bar(name: &str, length: f64) -> Bar {
        Bar {
            name: name.to_owned(),
            length,
            text: length.to_string(),
            is_marked: false,
        }
    }

    #[test]
    fn the_shortest_is_on_top_and_a_huge_one_is_cut() -> Result<(), &'static str> {
        let svg = bars("a < b", &[bar("slow", 1000.0), bar("quick", 1.0)]).ok_or("no bars")?;
        assert!(svg.find("quick") < svg.find("slow"));
        assert!(svg.contains("≫ 1000") && svg.contains("a &lt; b"));
        Ok(())
    }

    #[test]
    fn no_figures_are_no_picture() {
        assert!(bars("none", &[]).is_none());
    }
}
